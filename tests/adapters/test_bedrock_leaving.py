"""Who leaves a reply of Bedrock ends its request at once, wherever it is; and faults of ours are raised."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from bedrock_runs import (
    NO_KEYS,
    SAID,
    TURN,
    Serve,
    ask,
    asked,
    environment,
    model,
    serve,
    until,
    until_no_thread,
)
from bedrock_standin import Say, Silence, Step, Text
from toolrag.adapters.bedrock.line import Line
from toolrag.chat import Reply
from toolrag.config import BedrockSettings

__all__ = ["serve"]


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
