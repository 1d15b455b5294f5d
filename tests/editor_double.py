"""An editor that answers `toolrag/converse` from a script, and looks at what it was asked as a strict client would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from model_double import Hold, Partly, Step
from toolrag.chat import Reply, Stop
from toolrag.errors import ModelError

STOPS: dict[Stop, str] = {
    "end": "end",
    "tool_use": "toolUse",
    "length": "length",
    "refused": "refused",
    "other": "other",
}


class EditorClient:
    """Answers one step of its script a request. What is wrong with a request is in `broken`."""

    def __init__(self, *script: Step) -> None:
        self._script = list(script)
        self.asked: list[Mapping[str, Any]] = []
        self.broken: list[str] = []
        self.cancelled = 0

    async def converse(self, request: Mapping[str, object]) -> object:
        """As `editor_model.Converse`; what goes and comes is JSON."""
        sent = json.loads(json.dumps(request))
        self.asked.append(sent)
        self.broken += faults(sent)
        step = self._script.pop(0)
        try:
            await asyncio.sleep(0)
            if isinstance(step, ModelError):
                if step.code == "timeout":
                    await asyncio.Event().wait()
                raise step
            if isinstance(step, Hold):
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(step, Partly):
            return {"text": step.text, "toolCalls": []}  # it does not say how it ended
        assert isinstance(step, Reply)
        return json.loads(json.dumps(wire_of(step)))


def wire_of(reply: Reply) -> dict[str, object]:
    """What an editor answers whose model said this."""
    return {
        "text": reply.text,
        "toolCalls": [{"id": call.id, "name": call.name, "input": call.arguments} for call in reply.calls],
        "stop": STOPS[reply.stop],
        "usage": {"inputTokens": reply.input_tokens, "outputTokens": reply.output_tokens},
    }


def faults(request: Mapping[str, Any]) -> list[str]:
    """What is wrong with a request, by what `editor_wire` says of it and by what `vscode.lm` takes."""
    return [*_members(request), *_conversation(request["messages"])]


def _members(request: Mapping[str, Any]) -> Iterator[str]:
    if not {"messages", "tools", "maxTokens"} <= set(request) <= {"messages", "tools", "maxTokens", "mustCall"}:
        yield f"members {sorted(request)}"
    names = [tool["name"] for tool in request["tools"]]
    for tool in request["tools"]:
        if set(tool) != {"name", "description", "inputSchema"} or tool["inputSchema"].get("type") != "object":
            yield f"the tool {tool}"
    must_call = request.get("mustCall", True)
    if "mustCall" in request and not names:
        yield "a call is wanted, and there is no tool"
    if must_call is not True and must_call not in names:
        yield f"mustCall {must_call!r} is none of {names}"


def _conversation(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        yield "the user has not the first and the last word"
    open_ids: list[str] = []
    for place, message in enumerate(messages):
        optional = "toolResults" if message["role"] == "user" else "toolCalls"
        if not {"role", "text"} <= set(message) <= {"role", "text", optional}:
            yield f"message {place} has {sorted(message)}"
        if not message["text"].strip() and not message.get(optional):
            yield f"message {place} is blank"
        if [result["callId"] for result in message.get("toolResults", ())] != open_ids:
            yield f"message {place} does not answer {open_ids}"
        open_ids = [call["id"] for call in message.get("toolCalls", ())]
        for call in message.get("toolCalls", ()):
            if set(call) != {"id", "name", "input"} or not isinstance(call["input"], dict):
                yield f"the call {call}"
