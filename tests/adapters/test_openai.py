"""A model behind OpenAI's chat completions, against the stand-in: the ladder, the schema, and the end at once."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from openai_standin import (
    ALTERNATES,
    AUTO_SILENTLY,
    IGNORES_CHOICE,
    NO_SCHEMA,
    NO_STREAM_OPTIONS,
    NO_TOOLS,
    OPENAI,
    REASONING,
    REFUSES_OBJECTS,
    WITHOUT_STREAMING,
    Call,
    HttpError,
    Profile,
    Say,
    Silence,
    Standin,
    Step,
    following,
)
from openai_standin.server import KEY
from toolrag.adapters.capabilities import FILE, Capabilities
from toolrag.adapters.openai_chat import OpenAIModel
from toolrag.chat import Hint, Reply, Said, ToolResult, ToolSpec, Turn
from toolrag.config import OpenAISettings
from toolrag.errors import ModelError

READ = ToolSpec(
    "read_range",
    "Reads lines.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "start": {"type": "integer"},
            "end": {"type": "integer"},
            "expect_sha": {"type": "string"},
        },
        "required": ["path", "start", "end"],
    },
)
GREP = ToolSpec("grep", "Finds lines.", {"type": "object", "properties": {"text": {"type": "string"}}})
HINTS = (Hint("a.py", 1, 9, "aaa"), Hint("b.py", 3, 4, "bbb"))
TURN = Turn("Be exact.", (Said("Where is it?"),), (GREP, READ), "tool", "read_range", HINTS, seconds=30.0)
SAID = Say("It is here.")
ARGUMENTS = {"path": "a.py", "start": 1, "end": 5}
CALL = Say("I look.", (Call("read_range", ARGUMENTS),))
TALK = Say("Hello!", tokens=(100, 3))
AS_JSON = Say(json.dumps({**ARGUMENTS, "expect_sha": "aaa"}), tokens=(50, 7))

Serve = Callable[..., Standin]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a stand-in that follows a script; nothing of OpenAI is in the environment."""
    with ExitStack() as stack:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
        stack.enter_context(mock.patch.dict(os.environ, kept, clear=True))

        def start(profile: Profile, *script: Step, key: str = "") -> Standin:
            service = Standin(following(*script), profile, key=key)
            stack.enter_context(service)
            return service

        yield start


def model(service: Standin, capabilities: Capabilities | None = None, **settings: Any) -> OpenAIModel:
    chosen = OpenAISettings(**{"base_url": service.base_url, **settings})
    return OpenAIModel("example-model", chosen, capabilities or Capabilities(None))


async def asked(of: OpenAIModel, turn: Turn = TURN) -> Reply:
    pieces = [piece async for piece in of.reply(turn)]
    reply = pieces[-1]
    assert isinstance(reply, Reply)
    assert "".join(str(piece) for piece in pieces[:-1]) == reply.text
    return reply


def ask(of: OpenAIModel, turn: Turn = TURN) -> Reply:
    return asyncio.run(asked(of, turn))


def fails(of: OpenAIModel, turn: Turn = TURN) -> ModelError:
    with pytest.raises(ModelError) as error:
        ask(of, turn)
    assert error.value.__cause__ is None
    assert KEY not in f"{error.value.message} {error.value!r}"
    return error.value


def choices(service: Standin) -> list[object]:
    """What each request that was taken says of calls."""
    return ["schema" if "response_format" in one else one.get("tool_choice") for one in requests(service)]


def requests(service: Standin) -> list[dict[str, Any]]:
    return [seen.request for seen in service.taken]


NAMED = {"type": "function", "function": {"name": "read_range"}}


@pytest.mark.parametrize(
    ("profile", "script", "rung", "sent"),
    [
        pytest.param(OPENAI, (CALL, CALL), "tool", [NAMED, NAMED], id="a tool can be named"),
        pytest.param(REFUSES_OBJECTS, (CALL, CALL), "any", ["required"] * 2, id="any can be forced"),
        pytest.param(IGNORES_CHOICE, (TALK, AS_JSON, AS_JSON), "schema", [NAMED, "schema", "schema"], id="ignored"),
        pytest.param(AUTO_SILENTLY, (TALK, AS_JSON, AS_JSON), "schema", [NAMED, "schema", "schema"], id="silently"),
        pytest.param(NO_SCHEMA, (TALK, TALK), "tool", [NAMED, NAMED], id="ignored, and no schema"),
        pytest.param(NO_STREAM_OPTIONS, (CALL, CALL), "tool", [NAMED, NAMED], id="no stream_options"),
        pytest.param(REASONING, (CALL, CALL), "tool", [NAMED, NAMED], id="no max_tokens"),
        pytest.param(WITHOUT_STREAMING, (CALL, CALL), "tool", [NAMED, NAMED], id="no streaming"),
        pytest.param(NO_TOOLS, (TALK, AS_JSON, AS_JSON), "schema", [None, "schema", "schema"], id="no tools"),
    ],
)
def test_what_a_server_takes_is_found_within_one_reply_and_the_next_begins_there(
    serve: Serve, tmp_path: Path, profile: Profile, script: tuple[Step, ...], rung: str, sent: list[object]
) -> None:
    service = serve(profile, *script)
    path = tmp_path / "state" / FILE
    first = ask(model(service, Capabilities(path)))
    n_refused = len(service.refused)
    second = ask(model(service, Capabilities(path)))  # another process

    assert (first.rung, second.rung) == (rung, rung)
    assert choices(service) == sent
    assert len(service.refused) == n_refused
    assert service.broken == []
    if profile is not NO_SCHEMA:
        assert [call.arguments["path"] for reply in (first, second) for call in reply.calls] == ["a.py", "a.py"]  # type: ignore[index]


def test_a_call_that_does_not_come_is_asked_for_once_more_as_json(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON)
    reply = ask(model(service))

    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("read_range", {**ARGUMENTS, "expect_sha": "aaa"}),
    ]
    assert (reply.text, reply.stop, reply.rung) == ("Hello!", "tool_use", "schema")
    assert (reply.input_tokens, reply.output_tokens) == (150, 10)
    schema = requests(service)[1]["response_format"]["json_schema"]
    assert schema == {
        "name": "read_range",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "enum": ["a.py", "b.py"]},
                "start": {"type": "integer"},
                "end": {"type": "integer"},
                "expect_sha": {"type": "string", "enum": ["aaa", "bbb"]},
            },
            "required": ["path", "start", "end", "expect_sha"],
            "additionalProperties": False,
        },
    }
    assert "tools" not in requests(service)[1]


def test_a_model_that_talks_where_it_was_to_call_is_not_heard_out(serve: Serve) -> None:
    """The rest of its talk would take the run's time. What was sent and said is counted, since the server did not."""
    service = serve(IGNORES_CHOICE, Say("Once upon a time. " * 5_000, breaks="stall", after=100), AS_JSON)
    reply = ask(model(service))

    assert [call.name for call in reply.calls] == ["read_range"]
    assert 600 < len(reply.text) < 700
    assert service.taken[0].closed.wait(1)
    assert reply.output_tokens == len(reply.text) // 4 + 7
    assert reply.input_tokens == len(json.dumps(requests(service)[0], ensure_ascii=False)) // 4 + 50


def test_a_model_that_may_talk_is_heard_out(serve: Serve) -> None:
    said = "Once upon a time. " * 200
    turn = replace(TURN, choice="auto", tool="")
    for profile, asked_for in ((IGNORES_CHOICE, turn), (NO_SCHEMA, TURN)):
        service = serve(profile, Say(said), *([Say(said)] if profile is NO_SCHEMA else []))
        of = model(service)
        if profile is NO_SCHEMA:
            ask(of, asked_for)  # which finds that there is no schema
        assert ask(of, asked_for).text == said


def test_a_second_request_is_not_made_where_the_turn_has_no_tokens_for_it(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, replace(TALK, tokens=(690, 10)), TALK)
    reply = ask(model(service), replace(TURN, max_tokens=700))

    assert (len(service.taken), reply.calls, reply.input_tokens) == (1, (), 690)


def test_a_cap_of_replies_does_not_keep_a_call_from_being_asked_for(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON)

    assert ask(model(service, max_reply_tokens=50)).rung == "schema"
    assert [one["max_tokens"] for one in requests(service)] == [50, 50]


def test_another_tool_is_asked_for_by_its_own_parameters(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Say('{"text": "x"}'))
    reply = ask(model(service), replace(TURN, tool="grep"))

    assert [(call.name, call.arguments) for call in reply.calls] == [("grep", {"text": "x"})]
    assert requests(service)[1]["response_format"]["json_schema"] == {"name": "grep", "schema": GREP.parameters}


def test_any_call_is_asked_for_as_a_read(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON, TALK, Say('{"text": "x"}'))

    assert ask(model(service), replace(TURN, choice="any", tool="")).calls[0].name == "read_range"
    other = replace(TURN, choice="any", tool="", tools=(GREP,))
    assert ask(model(service), other).calls[0].name == "grep"


def test_a_sha_of_another_file_is_left_out_of_the_call(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Say(json.dumps({**ARGUMENTS, "expect_sha": "bbb"})))

    assert ask(model(service)).calls[0].arguments == ARGUMENTS


@pytest.mark.parametrize("choice", ["auto", "answer"])
def test_a_turn_that_need_not_call_is_asked_once(serve: Serve, choice: Any) -> None:
    service = serve(IGNORES_CHOICE, TALK)

    assert ask(model(service), replace(TURN, choice=choice, tool="")).text == "Hello!"
    assert choices(service) == ["none" if choice == "answer" else "auto"]


def test_a_refusal_is_not_asked_again_for_a_call(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, Say("", refusal="I will not."))
    reply = ask(model(service))

    assert (reply.stop, reply.text, reply.calls) == ("refused", "I will not.", ())
    assert len(service.taken) == 1


def test_a_server_that_takes_a_schema_and_does_not_hold_to_it_is_asked_for_none_again(serve: Serve) -> None:
    profile = replace(IGNORES_CHOICE, obeys_schema=False)
    service = serve(profile, TALK, AS_JSON, TALK)
    capabilities = Capabilities(None)
    reply = ask(model(service, capabilities))

    assert (reply.text, reply.calls, reply.rung) == ("Hello!", (), "tool")
    assert (reply.input_tokens, reply.output_tokens) == (150, 10), "what was spent is told"
    assert ask(model(service, capabilities)).calls == ()
    assert choices(service) == [NAMED, "schema", NAMED]


def test_a_schema_that_no_longer_helps_is_forgotten(serve: Serve) -> None:
    """A server that was changed: its reply is a text, which is shown, and the ladder begins anew."""
    service = serve(IGNORES_CHOICE, TALK, AS_JSON, Say("Now I talk."), TALK)
    capabilities = Capabilities(None)
    ask(model(service, capabilities))
    reply = ask(model(service, capabilities))

    assert (reply.text, reply.calls, reply.rung) == ("Now I talk.", (), "schema")
    assert ask(model(service, capabilities)).text == "Hello!"
    assert choices(service) == [NAMED, "schema", "schema", NAMED]


def test_json_that_ran_out_of_tokens_is_no_call_and_teaches_nothing(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Say('{"path": "a.p', stop="length"), TALK, AS_JSON)
    capabilities = Capabilities(None)

    assert ask(model(service, capabilities)).calls == ()
    assert ask(model(service, capabilities)).rung == "schema"


def test_a_model_without_tools_is_told_in_words_what_it_called(serve: Serve) -> None:
    service = serve(NO_TOOLS, TALK, AS_JSON, SAID)

    async def converse() -> Reply:
        one = model(service)
        first = await asked(one)
        told = (ToolResult(first.calls[0].id, '{"text": "x = 1"}', False),)
        turn = replace(TURN, messages=(*TURN.messages, first, Said("", told)), choice="auto", tool="")
        return await asked(one, turn)

    assert asyncio.run(converse()).text == "It is here."
    last = requests(service)[-1]
    assert [message["role"] for message in last["messages"]] == ["system", "user", "assistant", "user"]
    assert "read_range" in last["messages"][2]["content"]
    assert "x = 1" in last["messages"][3]["content"]
    assert not {"tools", "tool_choice"} & set(last)


def test_a_server_that_wants_no_user_after_a_tool_has_the_text_in_the_result(serve: Serve) -> None:
    service = serve(ALTERNATES, CALL, SAID)

    async def converse() -> Reply:
        one = model(service)
        first = await asked(one)
        told = (ToolResult(first.calls[0].id, "{}", False),)
        turn = replace(TURN, messages=(*TURN.messages, first, Said("Last turn.", told)), choice="answer", tool="")
        return await asked(one, turn)

    assert asyncio.run(converse()).text == "It is here."
    assert requests(service)[-1]["messages"][-1]["content"] == "{}\n\nLast turn."


def test_what_did_not_help_is_not_learned(serve: Serve) -> None:
    capabilities = Capabilities(None)
    refusal = HttpError(400, "tool_choice, stream_options, stream: this is not it.")
    service = serve(OPENAI, *[refusal] * 12)

    assert fails(model(service, capabilities)).code == "bad_request"
    assert capabilities.get(f"openai {service.base_url} example-model") == {}
    assert len(service.taken) < 12


def test_a_refusal_that_is_streamed_takes_a_step_too(serve: Serve) -> None:
    told = {"message": "tool_choice is not supported", "type": "BadRequestError", "code": 400}
    service = serve(OPENAI, Say("", breaks="error", after=0, error=told), CALL)

    assert ask(model(service)).rung == "any"


def test_what_was_learned_of_one_server_is_not_believed_of_another(serve: Serve) -> None:
    capabilities = Capabilities(None)
    ignoring, obeying = serve(IGNORES_CHOICE, TALK, AS_JSON), serve(OPENAI, CALL)

    assert ask(model(ignoring, capabilities)).rung == "schema"
    assert ask(model(obeying, capabilities)).rung == "tool"


def test_what_was_learned_is_checked_when_it_is_read(serve: Serve) -> None:
    service = serve(OPENAI, CALL)
    capabilities = Capabilities(None)
    capabilities.learn(
        f"openai {service.base_url} example-model", choice="never", schema="no", stream=0, tokens=["x"], unheard=1
    )

    assert ask(model(service, capabilities)).rung == "tool"


def test_the_key_goes_to_the_server_and_into_no_file(serve: Serve, tmp_path: Path) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON, key=KEY)
    path = tmp_path / "state" / FILE
    ask(model(service, Capabilities(path), api_key=KEY))

    assert service.taken[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in path.read_text("utf-8")


def test_the_environment_says_where_the_server_is_and_what_its_key(serve: Serve) -> None:
    service = serve(OPENAI, CALL, key=KEY)
    with mock.patch.dict(os.environ, service.environment()):
        assert ask(model(service, base_url="")).calls


def test_the_settings_go_before_the_environment(serve: Serve) -> None:
    service = serve(OPENAI, CALL, key=KEY)
    other = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "sk-other"}
    with mock.patch.dict(os.environ, other):
        assert ask(model(service, api_key=KEY)).calls


def test_a_proxy_of_the_environment_is_not_asked_for_a_server_on_this_machine(serve: Serve) -> None:
    service = serve(OPENAI, CALL)
    with mock.patch.dict(os.environ, {"HTTP_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}):
        assert ask(model(service)).calls


ERRORS = [
    pytest.param(
        HttpError(429, "Slow down.", headers={"Retry-After": "3"}), "throttled", "too many requests", id="429"
    ),
    pytest.param(HttpError(429, "You exceeded your quota.", "insufficient_quota"), "not_allowed", "credit", id="quota"),
    pytest.param(HttpError(500, "CUDA out of memory"), "unavailable", "CUDA out of memory", id="500"),
    pytest.param(HttpError(503, "Loading model"), "unavailable", "Loading model", id="503"),
    pytest.param(HttpError(504, body=b"<html>gateway</html>"), "unavailable", "HTTP 504", id="a gateway's page"),
    pytest.param(HttpError(408, "Timed out"), "timeout", "took too long", id="408"),
    pytest.param(HttpError(413, "Too large"), "too_long", "longer than the model takes", id="413"),
    pytest.param(
        HttpError(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
        "too_long",
        "longer than the model takes",
        id="OpenAI's context",
    ),
    pytest.param(
        HttpError(400, "request (9043 tokens) exceeds the available context size", "exceed_context_size_error"),
        "too_long",
        "longer than the model takes",
        id="llama.cpp's context",
    ),
    pytest.param(HttpError(401, f"Incorrect API key provided: {KEY}."), "not_configured", "OPENAI_API_KEY", id="401"),
    pytest.param(HttpError(403, "No access."), "not_allowed", "No access.", id="403"),
    pytest.param(HttpError(404, "The model `x` does not exist"), "not_allowed", "after openai:", id="no such model"),
    pytest.param(HttpError(404, body=b"404 page not found"), "not_allowed", "/v1", id="no such path"),
    pytest.param(HttpError(400, body=b'{"error": "model \'x\' not found"}'), "not_allowed", "after openai:", id="400"),
    pytest.param(HttpError(400, "The parameter `x` is wrong."), "bad_request", "The parameter `x` is wrong.", id="bad"),
    pytest.param(HttpError(422, body=b'{"detail": [{"msg": "bad"}]}'), "bad_request", '"bad"', id="FastAPI's"),
    pytest.param(HttpError(400, body=b'{"object": "error", "message": "bad"}'), "bad_request", "bad.", id="vLLM's"),
    pytest.param(HttpError(418, body=b"[" * 50_000), "bad_request", "HTTP 418", id="a body of brackets"),
    pytest.param(HttpError(400, "x" * 9_000), "bad_request", "xxx…", id="a long sentence"),
    pytest.param(HttpError(400, f"a\x1b[31m\n{KEY} Bearer abc"), "bad_request", "a [31m … …", id="marks and keys"),
    pytest.param(HttpError(500, body=b"x" * 300_000), "unavailable", "HTTP 500", id="a large body"),
    pytest.param(HttpError(302, headers={"Location": "http://127.0.0.1:1/"}), "not_configured", "base_url", id="302"),
    pytest.param(HttpError(308, headers={"Location": "/v2"}), "not_configured", "base_url", id="308, the same host"),
    pytest.param(Say("It is", breaks="cut", after=2), "cut", "ended in its middle", id="a cut"),
    pytest.param(Say("It is", breaks="early_end", after=2), "cut", "ended in its middle", id="an early end"),
    pytest.param(Say("It is", breaks="malformed", after=2), "cut", "ended in its middle", id="an event that is cut"),
    pytest.param(Say("It is", breaks="no_json", after=2), "cut", "ended in its middle", id="an event that is a list"),
    pytest.param(Say("It is", breaks="error", after=2), "cut", "The model failed.", id="an error in the stream"),
    pytest.param(
        Say("", breaks="error", after=2, error={"message": "Busy", "code": 429}),
        "throttled",
        "too many",
        id="a late 429",
    ),
    pytest.param(
        Say("", breaks="error", after=2, error={"message": "maximum context length"}),
        "too_long",
        "longer",
        id="too late",
    ),
]


@pytest.mark.parametrize(("step", "code", "words"), ERRORS)
def test_an_error_says_what_to_do(serve: Serve, step: Step, code: str, words: str) -> None:
    service = serve(OPENAI, step, CALL)
    error = fails(model(service, api_key=KEY))

    assert error.code == code
    assert words in error.message
    assert error.message.endswith((".", "…"))
    assert len(error.message) < 600
    assert error.message.isprintable()
    assert len(service.taken) == 1
    assert error.after == (3.0 if "Slow" in str(step) else None)


def test_a_missing_key_and_a_wrong_one_are_told_apart(serve: Serve) -> None:
    service = serve(OPENAI, key=KEY)

    assert "wants a key" in fails(model(service)).message
    wrong = fails(model(service, api_key="sk-wrong-0123456789"))
    assert "does not take the key" in wrong.message
    assert "sk-wrong" not in wrong.message


def test_where_nothing_answers_the_sentence_says_what_to_start() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        url = f"http://me:s3cr3t@127.0.0.1:{port}/v1"
        error = fails(OpenAIModel("m", OpenAISettings(base_url=url), Capabilities(None)))

    assert (error.code, error.may_pass) == ("unavailable", True)
    assert f"127.0.0.1:{port}" in error.message
    assert "s3cr3t" not in error.message


def test_a_server_that_hangs_up_is_unlike_one_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            connection, _ = listener.accept()
            connection.recv(10)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        error = fails(OpenAIModel("m", OpenAISettings(base_url=url), Capabilities(None)))
        thread.join()

    assert error.code == "cut"


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(Silence(), id="no answer"),
        pytest.param(Say("It is", breaks="stall", after=2), id="a stall"),
    ],
)
@pytest.mark.parametrize("seconds", ["turn", "setting"])
def test_silence_is_a_timeout_of_the_turn_or_of_the_setting(serve: Serve, step: Step, seconds: str) -> None:
    service = serve(OPENAI, step)
    turn = replace(TURN, seconds=0.3) if seconds == "turn" else TURN
    began = time.monotonic()
    error = fails(model(service, read_seconds=1), turn)

    assert error.code == "timeout"
    assert time.monotonic() - began < 3
    assert ("budget.seconds" in error.message) or ("openai.read_seconds" in error.message)


def test_a_server_that_dawdles_ends_with_the_turn(serve: Serve) -> None:
    """Something comes all the time, so that nothing is silent."""
    service = serve(OPENAI, Say("x" * 200_000, pieces=1))
    began = time.monotonic()
    error = fails(model(service), replace(TURN, seconds=0.5))

    assert error.code == "timeout"
    assert time.monotonic() - began < 2


def test_a_server_that_does_not_stop_is_cut_off(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolrag.adapters.openai_chat.reply.MAX_CHARACTERS", 1_000)
    service = serve(OPENAI, Say("x" * 2_000))

    error = fails(model(service), replace(TURN, choice="auto", tool=""))
    assert (error.code, "does not stop" in error.message) == ("cut", True)


def test_bytes_without_end_are_cut_off(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolrag.adapters.openai_chat.asking.MAX_BYTES", 1_000)
    service = serve(OPENAI, Say("", thoughts="x" * 2_000), replace(SAID, text="x" * 2_000))

    assert fails(model(service)).code == "cut"


@pytest.mark.parametrize("breaks", ["no_done", "only_done", "holds"])
def test_a_reply_that_is_whole_may_end_in_other_ways(
    serve: Serve, breaks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `[DONE]`; without `finish_reason`; and on a connection that stays open."""
    monkeypatch.setattr("toolrag.adapters.openai_chat.asking.LINGER_SECONDS", 0.2)
    service = serve(OPENAI, replace(CALL, breaks=breaks))
    reply = ask(model(service))

    assert (reply.text, len(reply.calls)) == ("I look.", 1)


def test_thoughts_are_not_shown_nor_sent_back(serve: Serve) -> None:
    service = serve(OPENAI, replace(CALL, thoughts="Hm, hm."), SAID)

    async def converse() -> Reply:
        one = model(service)
        first = await asked(one)
        told = (ToolResult(first.calls[0].id, "{}", False),)
        return await asked(one, replace(TURN, messages=(*TURN.messages, first, Said("", told)), choice="auto"))

    assert asyncio.run(converse()).text == "It is here."
    assert "Hm" not in json.dumps(requests(service))


def test_a_call_that_is_printed_as_text_is_text(serve: Serve) -> None:
    printed = '<tool_call>{"name": "read_range", "arguments": {}}</tool_call>'
    service = serve(OPENAI, Say(printed))
    reply = ask(model(service), replace(TURN, choice="auto", tool=""))

    assert (reply.text, reply.calls) == (printed, ())


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not happened():
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("step", [Silence(), Say("It is here.", breaks="stall", after=2)], ids=["before", "within"])
def test_a_cancel_closes_the_connection_within_a_second_and_nothing_is_asked_later(serve: Serve, step: Step) -> None:
    service = serve(IGNORES_CHOICE, step, AS_JSON)

    async def cancel() -> float:
        task = asyncio.ensure_future(asked(model(service)))
        await until(lambda: len(service.taken) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        at = time.monotonic()
        assert await asyncio.to_thread(service.taken[0].closed.wait, 1)
        return at

    cancelled_at = asyncio.run(cancel())
    assert time.monotonic() - cancelled_at < 1
    assert len(service.taken) == 1


def test_a_cancel_ends_the_second_request_too(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Silence())

    async def cancel() -> None:
        task = asyncio.ensure_future(asked(model(service)))
        await until(lambda: len(service.taken) == 2)
        task.cancel()
        await asyncio.wait([task])
        assert await asyncio.to_thread(service.taken[1].closed.wait, 1)

    asyncio.run(cancel())
    assert len(service.taken) == 2


def test_closing_a_reply_that_has_begun_closes_its_connection(serve: Serve) -> None:
    service = serve(OPENAI, Say("It is here.", breaks="stall", after=2))

    async def close() -> None:
        async with aclosing(model(service).reply(TURN)) as pieces:
            assert await anext(pieces)
        assert await asyncio.to_thread(service.taken[0].closed.wait, 1)

    asyncio.run(close())


def test_a_cancel_while_httpx_is_imported_asks_nothing(serve: Serve) -> None:
    service = serve(OPENAI, CALL)

    async def cancel() -> None:
        task = asyncio.ensure_future(asked(model(service)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cancel())
    assert service.taken == []


def test_httpx_is_imported_with_the_first_reply_and_not_before() -> None:
    program = (
        "import sys\n"
        "from toolrag.adapters.openai_chat import OpenAIModel\n"
        "from toolrag.adapters.capabilities import Capabilities\n"
        "from toolrag.config import OpenAISettings\n"
        "OpenAIModel('m', OpenAISettings(), Capabilities(None))\n"
        "print([name for name in ('httpx', 'httpcore', 'anyio') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(("most", "sent"), [(50, 50), (1_000_000, TURN.max_tokens)])
def test_a_reply_is_no_longer_than_the_settings_allow(serve: Serve, most: int, sent: int) -> None:
    service = serve(OPENAI, CALL)
    ask(model(service, max_reply_tokens=most))
    assert [one["max_tokens"] for one in requests(service)] == [sent]
