"""What tests of OpenAI-shaped servers share: a turn, a script's steps, and a model that asks a stand-in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from openai_standin import (
    Call,
    Say,
    Standin,
)
from openai_standin.server import KEY
from toolrag.adapters.capabilities import Capabilities
from toolrag.adapters.openai_chat import OpenAIModel
from toolrag.chat import Hint, Reply, Said, ToolSpec, Turn
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
