"""When a server of OpenAI's shape fails: an error says what to do, a stream breaks, a request is ended at once."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from openai_bench import (
    AS_JSON,
    CALL,
    SAID,
    TALK,
    TURN,
    Serve,
    ask,
    asked,
    fails,
    model,
    requests,
)
from openai_standin import (
    IGNORES_CHOICE,
    OPENAI,
    HttpError,
    Say,
    Silence,
    Step,
)
from openai_standin.server import KEY
from toolrag.adapters.capabilities import Capabilities
from toolrag.adapters.openai_chat import OpenAIModel
from toolrag.chat import Reply, Said, ToolResult
from toolrag.config import OpenAISettings

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
