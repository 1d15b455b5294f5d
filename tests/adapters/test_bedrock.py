"""A model of Bedrock through the real boto3, against the stand-in: the ladder, the ways to fail, and the end at once."""

from __future__ import annotations

import asyncio
import email.utils
import http.client
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bedrock_standin import HttpError, Say, Silence, Standin, Step, Text, Think, Use, following
from chat_model_factories import aws_environment
from toolrag.adapters.bedrock import BedrockModel
from toolrag.adapters.bedrock.line import Line
from toolrag.adapters.bedrock.reply import CUT
from toolrag.adapters.capabilities import FILE, Capabilities
from toolrag.chat import Reply, Said, ToolResult, ToolSpec, Turn
from toolrag.config import BedrockSettings
from toolrag.errors import ModelError

READ = ToolSpec("read_range", "Reads lines.", {"type": "object", "properties": {"path": {"type": "string"}}})
TURN = Turn("Be exact.", (Said("Where is it?"),), (READ,), "tool", "read_range", seconds=30.0)
SAID = Say((Text("It is here."),))
CALL = Say((Text("I look."), Use("read_range", {"path": "a.py"})))
PLAIN = BedrockSettings()
SECRETS = ("AKIDEXAMPLE", "wJalrXUtnFEMIexample", "bedrock-api-key-example", "s3cr3t")

Serve = Callable[..., Standin]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a stand-in that follows a script, with the environment for it."""
    opened: list[Any] = []

    def start(*script: Step, **environment: str) -> Standin:
        service = Standin(following(*script), tmp_path)
        for context in (service, aws_environment(service, **environment)):
            context.__enter__()
            opened.append(context)
        return service

    yield start
    for context in reversed(opened):
        context.__exit__(None, None, None)


def model(model_id: str = "example.forced-v1", settings: BedrockSettings = PLAIN, **more: Any) -> BedrockModel:
    return BedrockModel(model_id, settings, more.get("capabilities", Capabilities(None)))


async def asked(of: BedrockModel, turn: Turn = TURN) -> Reply:
    pieces = [piece async for piece in of.reply(turn)]
    assert isinstance(pieces[-1], Reply)
    return pieces[-1]


def ask(of: BedrockModel, turn: Turn = TURN) -> Reply:
    return asyncio.run(asked(of, turn))


def fails(of: BedrockModel, turn: Turn = TURN) -> ModelError:
    """The error that a reply ends in; no sentence of any holds what is secret."""
    with pytest.raises(ModelError) as error:
        ask(of, turn)
    shown = f"{error.value.message} {error.value!r} {error.value.__cause__!r}"
    assert not [secret for secret in SECRETS if secret in shown]
    assert error.value.__cause__ is None
    return error.value


def refused_fields(service: Standin) -> list[str]:
    return [refusal.sentence.partition(".")[0] for _, refusal in service.refused]


@pytest.mark.parametrize(
    ("model_id", "rung", "refused"),
    [
        pytest.param("example.forced-v1", "tool", 0, id="a tool can be named"),
        pytest.param("example.any-only-v1", "any", 1, id="any can be forced"),
        pytest.param("example.auto-only-v1", "auto", 2, id="nothing can be forced"),
        pytest.param("example.no-streaming-v1", "tool", 1, id="no streaming"),
        pytest.param("example.plain-v1", "auto", 3, id="no streaming, and nothing can be forced"),
        pytest.param("mistral.mistral-large-2407-v1:0", "any", 0, id="known: Mistral Large"),
        pytest.param("us.meta.llama4-maverick-17b-instruct-v1:0", "auto", 0, id="known: Llama"),
        pytest.param("us.anthropic.claude-sonnet-5-5", "auto", 0, id="known: Sonnet 5.5"),
        pytest.param("anthropic.claude-sonnet-4-5-20250929-v1:0", "tool", 0, id="known: Sonnet 4.5"),
        pytest.param("amazon.nova-pro-v1:0", "tool", 0, id="known: Nova"),
    ],
)
def test_a_turn_goes_down_the_ladder_within_one_reply_and_the_next_begins_where_it_ended(
    serve: Serve, tmp_path: Path, model_id: str, rung: str, refused: int
) -> None:
    service = serve(CALL, CALL, CALL)
    path = tmp_path / "state" / FILE
    first = model(model_id, capabilities=Capabilities(path))

    assert ask(first).rung == rung
    assert len(service.refused) == refused
    assert ask(first).rung == rung
    assert ask(model(model_id, capabilities=Capabilities(path))).rung == rung  # another process
    assert len(service.refused) == refused
    assert len(service.taken) == 3


def test_what_did_not_help_is_not_learned(serve: Serve) -> None:
    """A refusal that goes on speaks of something else than it seemed to."""
    capabilities = Capabilities(None)
    refusal = HttpError(400, "ValidationException", "tool_choice, streaming: this is not it.")
    serve(*[refusal] * 9)

    assert fails(model(capabilities=capabilities)).code == "bad_request"
    assert capabilities.get("bedrock example.forced-v1") == {}


def test_a_refusal_in_the_first_frame_of_a_stream_takes_a_step_too(serve: Serve) -> None:
    said = ("validationException", "This model doesn't support the toolConfig.toolChoice.tool field.")
    serve(Say((), breaks="exception", after=0, exception=said), CALL)

    assert ask(model()).rung == "any"


def test_a_whole_conversation_of_a_model_that_knows_the_plainest_form_breaks_no_rule(serve: Serve) -> None:
    """Errors without a status, texts that may not stand beside results and calls."""
    service = serve(CALL, SAID)
    plain = model("us.meta.llama4-maverick-17b-instruct-v1:0")

    async def converse() -> Reply:
        first = await asked(plain)
        results = (ToolResult(first.calls[0].id, '{"error": "not_found"}', True),)
        return await asked(plain, replace(TURN, messages=(*TURN.messages, first, Said("Go on.", results))))

    assert asyncio.run(converse()).text == "It is here."
    assert service.refused == []


@pytest.mark.parametrize(
    ("model_id", "learned"),
    [
        pytest.param("anthropic.claude-sonnet-4-5-20250929-v1:0", 0, id="a budget"),
        pytest.param("anthropic.claude-opus-5", 0, id="adaptive"),
        pytest.param("example.thinking-v1", 0, id="a budget, unknown"),
        pytest.param("example.forced-v1", 3, id="no thinking and no caching, unknown"),
    ],
)
def test_a_model_thinks_through_a_conversation_and_gets_its_reasoning_back_unchanged(
    serve: Serve, model_id: str, learned: int
) -> None:
    thought = Say(
        (Think("First I read.\n"), Think("hidden", redacted=True), Text("\n\n"), Use("read_range", {"path": "a"}))
    )
    service = serve(thought, SAID)
    settings = BedrockSettings(thinking_tokens=2_000, prompt_caching=True)
    thinker = model(model_id, settings)

    async def converse() -> Reply:
        first = await asked(thinker)
        results = (ToolResult(first.calls[0].id, "{}", False),)
        return await asked(thinker, replace(TURN, choice="any", messages=(*TURN.messages, first, Said("", results))))

    assert asyncio.run(converse()).text == "It is here."
    assert len(service.refused) == learned
    kinds = [next(iter(block)) for block in service.taken[-1].request["messages"][1]["content"]]
    assert kinds == ["reasoningContent", "reasoningContent", "toolUse"]


def test_a_model_that_takes_no_reasoning_back_goes_on_without_it(serve: Serve) -> None:
    service = serve(Say((Think("hm"), Text("Here?"))), SAID)
    forgetful = model("example.forgets-reasoning-v1")

    async def converse() -> Reply:
        first = await asked(forgetful)
        return await asked(forgetful, replace(TURN, messages=(*TURN.messages, first, Said("Well?"))))

    assert asyncio.run(converse()).text == "It is here."
    assert refused_fields(service) == ["User messages cannot contain reasoning content"]


def test_a_guardrail_goes_with_every_request_and_its_refusal_is_one(serve: Serve) -> None:
    service = serve(Say((Text("I may not speak of that."),), stop="guardrail_intervened"))
    reply = ask(model(settings=BedrockSettings(guardrail="gr1", guardrail_version="2")))

    assert reply.stop == "refused"
    assert service.taken[0].request["guardrailConfig"] == {"guardrailIdentifier": "gr1", "guardrailVersion": "2"}


def breaking(name: str) -> Say:
    return Say((Text("It is"),), breaks="exception", exception=(name, "As the script says."))


@pytest.mark.parametrize(
    ("step", "code"),
    [
        pytest.param(Say((Text("It is"),), breaks="cut"), "cut", id="a cut stream"),
        pytest.param(Say((Text("It is"),), breaks="bad_crc"), "cut", id="a wrong checksum"),
        pytest.param(Say((Text("It is"),), breaks="no_stop"), "cut", id="an end without messageStop"),
        pytest.param(Say((), breaks="no_stop"), "cut", id="an end after nothing"),
        pytest.param(breaking("modelStreamErrorException"), "cut", id="a model that fails in the stream"),
        pytest.param(breaking("throttlingException"), "throttled", id="throttled in the stream"),
        pytest.param(breaking("internalServerException"), "unavailable", id="a fault of the service in the stream"),
        pytest.param(breaking("serviceUnavailableException"), "unavailable", id="unavailable in the stream"),
        pytest.param(breaking("validationException"), "bad_request", id="a refusal in the stream"),
        pytest.param(Say((Text("It is"),), breaks="stall"), "timeout", id="a stall"),
        pytest.param(HttpError(429, "ThrottlingException"), "throttled", id="429"),
        pytest.param(HttpError(429, "ModelNotReadyException"), "unavailable", id="a model that is not ready"),
        pytest.param(HttpError(500, "InternalServerException"), "unavailable", id="500"),
        pytest.param(HttpError(502, "BadGateway"), "unavailable", id="502, which nothing documents"),
        pytest.param(HttpError(503, "ServiceUnavailableException"), "unavailable", id="503"),
        pytest.param(HttpError(424, "ModelErrorException"), "unavailable", id="424"),
        pytest.param(HttpError(408, "ModelTimeoutException"), "timeout", id="408"),
        pytest.param(
            HttpError(400, "ValidationException", "prompt is too long: 9 tokens > 8 maximum"), "too_long", id="long"
        ),
        pytest.param(HttpError(413, "RequestEntityTooLarge"), "too_long", id="413"),
        pytest.param(HttpError(403, "AccessDeniedException"), "not_allowed", id="403"),
        pytest.param(HttpError(404, "ResourceNotFoundException"), "not_allowed", id="404"),
        pytest.param(HttpError(403, "ExpiredTokenException"), "not_configured", id="an expired token"),
        pytest.param(HttpError(403, "InvalidSignatureException"), "not_configured", id="a wrong secret"),
        pytest.param(
            HttpError(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid."),
            "not_configured",
            id="a wrong bearer token",
        ),
    ],
)
@pytest.mark.parametrize(
    "bearer", [{}, {"AWS_BEARER_TOKEN_BEDROCK": "bedrock-api-key-example"}], ids=["with keys", "with a bearer token"]
)
def test_every_way_to_fail_is_one_error_and_no_second_request(
    serve: Serve, step: Step, code: str, bearer: dict[str, str]
) -> None:
    service = serve(step, SAID, **bearer)
    began = time.monotonic()
    error = fails(model(settings=BedrockSettings(read_seconds=1)))

    assert time.monotonic() - began < 10
    assert error.code == code
    assert (error.message == CUT) is (code == "cut")
    assert len(service.taken) == 1
    authorization = service.taken[0].headers["Authorization"]
    assert authorization.startswith("Bearer " if bearer else "AWS4-HMAC-SHA256 ")


def test_a_stream_that_breaks_without_streaming_is_cut_too(serve: Serve) -> None:
    serve(Say((Text("It is"),), breaks="cut"))

    assert fails(model("us.meta.llama4-maverick-17b-instruct-v1:0")).code == "cut"


def test_a_reply_without_usage_is_whole(serve: Serve) -> None:
    serve(Say((Text("It is here."),), breaks="no_usage"))

    assert ask(model()).text == "It is here."


def test_a_service_that_says_when_to_come_back_is_believed(serve: Serve) -> None:
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    serve(
        HttpError(429, "ThrottlingException", headers={"Retry-After": "2.5"}),
        HttpError(503, "ServiceUnavailableException", headers={"Retry-After": date}),
        HttpError(429, "ThrottlingException", headers={"Retry-After": "soon"}),
    )
    throttled = model()

    assert fails(throttled).after == 2.5
    assert 55 < (fails(throttled).after or 0) <= 60
    assert fails(throttled).after is None


def test_a_reply_that_drips_for_longer_than_its_turn_is_a_timeout(serve: Serve) -> None:
    serve(Say((Text("It is"),), breaks="stall"))

    assert fails(model(), replace(TURN, seconds=0.5)).code == "timeout"


def test_what_the_service_says_of_a_request_is_told_in_one_line_of_some_length(serve: Serve) -> None:
    serve(HttpError(400, "ValidationException", "Wrong:\n  line 1\r\n" + "x" * 900))
    message = fails(model()).message

    assert "Wrong: line 1 xxx" in message
    assert len(message) < 400


def test_what_it_says_of_signatures_is_not_told(serve: Serve) -> None:
    serve(HttpError(403, "SignatureDoesNotMatch", "The Canonical String was: AKIDEXAMPLE s3cr3t"))

    assert fails(model()).code == "not_configured"


@contextmanager
def environment(monkeypatch: pytest.MonkeyPatch, **changed: str | None) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for name, value in changed.items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        yield


NO_KEYS = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}


@pytest.mark.parametrize(
    ("changed", "settings", "code", "said"),
    [
        pytest.param(NO_KEYS, PLAIN, "not_configured", "AWS_ACCESS_KEY_ID", id="no credentials"),
        pytest.param(
            {"AWS_SECRET_ACCESS_KEY": None}, PLAIN, "not_configured", "AWS_SECRET_ACCESS_KEY", id="half of them"
        ),
        pytest.param({"AWS_REGION": None}, PLAIN, "not_configured", "bedrock.region or AWS_REGION", id="no region"),
        pytest.param({}, BedrockSettings(region="no region"), "not_configured", "bedrock.region", id="no such region"),
        pytest.param({}, BedrockSettings(profile="s3cr3t"), "not_configured", "bedrock.profile", id="no such profile"),
        pytest.param(
            {"AWS_PROFILE": "s3cr3t"}, PLAIN, "not_configured", "AWS_PROFILE", id="no such profile, environment"
        ),
        pytest.param(
            {},
            BedrockSettings(endpoint="http://localhost?key=s3cr3t"),
            "not_configured",
            "https://",
            id="an open endpoint",
        ),
        pytest.param(
            {}, BedrockSettings(endpoint="https://a:s3cr3t@b"), "not_configured", "https://", id="a user in it"
        ),
        pytest.param(
            {}, BedrockSettings(endpoint="https://[s3cr3t"), "not_configured", "https://", id="no address at all"
        ),
        pytest.param(
            {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "s3cr3t"},
            PLAIN,
            "not_configured",
            "https://",
            id="no address, environment",
        ),
        pytest.param({"AWS_CA_BUNDLE": None}, PLAIN, "not_configured", "AWS_CA_BUNDLE", id="an unknown authority"),
        pytest.param(
            {},
            BedrockSettings(endpoint="https://localhost:1/?key=s3cr3t"),
            "unavailable",
            "bedrock.endpoint",
            id="nobody there",
        ),
    ],
)
def test_what_is_not_set_up_is_said_with_the_first_reply_and_names_what_to_set(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, str | None],
    settings: BedrockSettings,
    code: str,
    said: str,
) -> None:
    service = serve(SAID)
    with environment(monkeypatch, **changed):
        made = model(settings=settings)
        error = fails(made)

    assert error.code == code
    assert said in error.message
    assert service.taken == []


@pytest.mark.parametrize(
    ("model_id", "code"),
    [
        pytest.param("example.unknown-v1", "not_allowed", id="none that there is"),
        pytest.param("no such/model ünïcode", "not_allowed", id="no id at all"),
        pytest.param("x" * 3_000, "not_allowed", id="a long one"),
    ],
)
def test_a_model_that_there_is_not_is_said_to_be_none(serve: Serve, model_id: str, code: str) -> None:
    serve(SAID)

    assert fails(model(model_id)).code == code


def test_a_profile_and_a_region_of_the_users_files_are_taken(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text("[profile work]\nregion = us-west-2\naws_access_key_id = AKIDWORK\naws_secret_access_key = w\n")
    service = serve(SAID, SAID)
    with environment(monkeypatch, AWS_CONFIG_FILE=str(config), **NO_KEYS):
        ask(model(settings=BedrockSettings(profile="work")))
        ask(model(settings=BedrockSettings(profile="work", region="eu-west-1")))

    scopes = [seen.headers["Authorization"].partition("Credential=")[2].split("/")[:3] for seen in service.taken]
    assert [(scope[0], scope[2]) for scope in scopes] == [("AKIDWORK", "us-west-2"), ("AKIDWORK", "eu-west-1")]


def test_the_region_of_the_environment_is_taken_as_other_sdks_name_it(serve: Serve) -> None:
    service = serve(SAID)
    ask(model())

    assert "/eu-central-1/bedrock/" in service.taken[0].headers["Authorization"]


def test_an_endpoint_of_the_settings_stands_for_the_services_own(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(SAID)
    with environment(monkeypatch, AWS_ENDPOINT_URL_BEDROCK_RUNTIME="https://localhost:1"):
        ask(model(settings=BedrockSettings(endpoint=service.endpoint)))

    assert len(service.taken) == 1


@pytest.mark.parametrize("step", [Silence(), Say((Text("It is"),), breaks="stall")], ids=["no answer yet", "a stream"])
@pytest.mark.parametrize("how", ["cancel", "close"])
def test_the_connection_closes_at_once_when_whoever_asked_goes_and_nothing_is_sent_after(
    serve: Serve, step: Step, how: str
) -> None:
    service = serve(step, SAID)

    async def leave() -> float:
        replies = model().reply(TURN)
        task = asyncio.ensure_future(anext(replies))
        await until(lambda: bool(service.taken))
        if how == "close" and isinstance(step, Say):
            await task
            left_at = time.monotonic()
            await replies.aclose()  # type: ignore[attr-defined]
        else:
            left_at = time.monotonic()
            task.cancel()
            await asyncio.wait([task])
        return left_at

    left_at = asyncio.run(leave())
    assert service.taken[0].closed.wait(10)
    assert service.taken[0].closed_at - left_at < 1
    until_no_thread()
    assert len(service.taken) == 1
    assert service.refused == []


def test_a_reply_that_was_left_before_its_request_was_made_makes_none(serve: Serve) -> None:
    service = serve(SAID)

    async def leave() -> None:
        task = asyncio.ensure_future(asked(model()))
        await asyncio.sleep(0)  # its thread has been started, and reads boto3's files
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    until_no_thread()
    assert service.taken == []


def test_a_reply_that_was_left_while_credentials_were_awaited_connects_nowhere(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve(SAID)
    begun, go, config = tmp_path / "begun", tmp_path / "go", tmp_path / "config"
    keys = '{"Version": 1, "AccessKeyId": "AKIDWORK", "SecretAccessKey": "w"}'
    waits = tmp_path / "waits"
    waits.write_text(f"#!/bin/sh\ntouch {begun}\nwhile [ ! -e {go} ]; do sleep 0.01; done\necho '{keys}'\n")
    waits.chmod(0o700)
    config.write_text(f"[profile slow]\ncredential_process = {waits}\n")

    async def leave() -> None:
        task = asyncio.ensure_future(asked(model(settings=BedrockSettings(profile="slow"))))
        await until(begun.exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with environment(monkeypatch, AWS_CONFIG_FILE=str(config), **NO_KEYS):
        asyncio.run(leave())
        go.touch()
        until_no_thread()
    assert service.taken == []
    assert service.refused == []


def test_a_cut_reaches_a_connection_whose_handshake_never_ends(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(SAID)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", f"https://127.0.0.1:{server.getsockname()[1]}")

        async def leave() -> float:
            task = asyncio.ensure_future(asked(model()))
            connection, _ = await asyncio.to_thread(server.accept)
            with connection:
                connection.settimeout(5)
                await asyncio.to_thread(connection.recv, 1_000)  # the client's first words
                left_at = time.monotonic()
                task.cancel()
                await asyncio.wait([task])
                assert await asyncio.to_thread(connection.recv, 1_000) == b""
                return time.monotonic() - left_at

        assert asyncio.run(leave()) < 1
    until_no_thread()


def test_a_boto3_that_hides_its_connections_is_said_to_do_so(caplog: pytest.LogCaptureFixture) -> None:
    """Then a reply that is left still ends, and its connection with the service's next bytes."""
    Line().tap(object())

    assert "hides its connections" in caplog.text


def test_a_model_goes_on_after_a_reply_that_was_left(serve: Serve) -> None:
    serve(Say((Text("It is"),), breaks="stall"), SAID)

    async def twice() -> Reply:
        again = model()
        async with aclosing(again.reply(TURN)) as pieces:
            await anext(pieces)
        return await asked(again)

    assert asyncio.run(twice()).text == "It is here."


def test_a_program_of_its_own_is_answered_by_the_environment_alone(serve: Serve) -> None:
    """As `toolrag ask --model bedrock:…` is, which has nothing else of the stand-in."""
    service = serve(SAID)
    program = (
        "import asyncio\n"
        "from toolrag.adapters.bedrock import BedrockModel\n"
        "from toolrag.adapters.capabilities import Capabilities\n"
        "from toolrag.chat import Said, Turn\n"
        "from toolrag.config import BedrockSettings\n"
        "async def ask():\n"
        "    made = BedrockModel('example.forced-v1', BedrockSettings(), Capabilities(None))\n"
        "    print([piece async for piece in made.reply(Turn('', (Said('Where?'),), (), 'auto'))][-1].text)\n"
        "asyncio.run(ask())\n"
    )
    environment_ = {"PATH": os.environ["PATH"], **service.environment()}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment_)

    assert (done.stdout, done.stderr) == ("It is here.\n", "")


def test_making_a_model_looks_for_nothing_and_imports_no_boto3() -> None:
    program = (
        "import sys\n"
        "from toolrag.adapters.bedrock import BedrockModel\n"
        "from toolrag.adapters.capabilities import Capabilities\n"
        "from toolrag.config import BedrockSettings\n"
        "made = BedrockModel('a', BedrockSettings(profile='none', endpoint='none'), Capabilities(None))\n"
        "print(made.id, [name for name in sys.modules if name.partition('.')[0] in ('boto3', 'botocore', 'urllib3')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "bedrock:a []\n"


def test_a_fault_of_ours_is_raised_where_the_reply_is_awaited(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nowhere kept for a fault of the service."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    serve(SAID)
    monkeypatch.setattr("toolrag.adapters.bedrock.calling.converse_request", broken)
    told: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_type))

    with pytest.raises(ZeroDivisionError):
        ask(model())
    until_no_thread()
    assert told == [ZeroDivisionError]


def test_the_stand_in_refuses_a_request_without_credentials(serve: Serve) -> None:
    """What the tests above rest on."""
    service = serve(SAID)
    context = ssl.create_default_context(cafile=service.environment()["AWS_CA_BUNDLE"])
    connection = http.client.HTTPSConnection(service.endpoint.removeprefix("https://"), context=context)
    with closing(connection):
        connection.request("POST", "/model/example.forced-v1/converse", b"{}")
        assert connection.getresponse().status == 403

    assert service.refused[0][1].code == "MissingAuthenticationTokenException"


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not happened():
            await asyncio.sleep(0.005)


def until_no_thread() -> None:
    """Waits until every request's thread has ended, so that none can send anything any more."""
    for thread in threading.enumerate():
        if thread.name == "bedrock":
            thread.join(10)
            assert not thread.is_alive()
