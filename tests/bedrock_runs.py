"""What tests of our client share: a stand-in with the environment for it, and ways to ask a model once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bedrock_standin import Say, Standin, Step, Text, Use, following
from chat_model_factories import aws_environment
from toolrag.adapters.bedrock import BedrockModel
from toolrag.adapters.capabilities import Capabilities
from toolrag.chat import Reply, Said, ToolSpec, Turn
from toolrag.config import BedrockSettings
from toolrag.errors import ModelError

READ = ToolSpec("read_range", "Reads lines.", {"type": "object", "properties": {"path": {"type": "string"}}})
TURN = Turn("Be exact.", (Said("Where is it?"),), (READ,), "tool", "read_range", seconds=30.0)
SAID = Say((Text("It is here."),))
CALL = Say((Text("I look."), Use("read_range", {"path": "a.py"})))
PLAIN = BedrockSettings()
SECRETS = ("AKIDEXAMPLE", "wJalrXUtnFEMIexample", "bedrock-api-key-example", "s3cr3t")

Serve = Callable[..., Standin]
NO_KEYS = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}


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


@contextmanager
def environment(monkeypatch: pytest.MonkeyPatch, **changed: str | None) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for name, value in changed.items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        yield


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
