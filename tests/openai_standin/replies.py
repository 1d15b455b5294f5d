"""What a scripted model says, and how a server fails: data, and the chunks it becomes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Breaks = Literal["cut", "stall", "early_end", "no_done", "only_done", "malformed", "no_json", "error", "holds"]
"""How a stream breaks: an end in the middle of a chunk's transfer, nothing more, a clean end before the model stopped,
an end without `[DONE]`, one without `finish_reason`, an event that is cut JSON, one that is no JSON object, an error in
place of a chunk, and a connection that stays open after the last."""
Style = Literal["fragments", "whole", "no_index", "one_index", "same_id", "no_id", "object", "repeats_name"]
"""How a server sends calls: OpenAI's fragments by index, or one of the ways that others do."""


@dataclass(frozen=True)
class Call:
    """A call; `arguments` as a text is streamed as it is, whether JSON or not."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = "call_1"

    @property
    def written(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Say:
    text: str = ""
    calls: tuple[Call, ...] = ()
    stop: str = ""
    """Empty: `tool_calls` where there is a call, else `stop`."""
    tokens: tuple[int, int] | None = (100, 20)
    thoughts: str = ""
    """Comes as `reasoning_content`."""
    refusal: str = ""
    style: Style = "fragments"
    breaks: Breaks | None = None
    after: int = 3
    """The chunks that come before it breaks."""
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "The model failed.", "type": "server_error"})
    delay: float = 0.0
    """Seconds before the answer's head."""
    pieces: int = 7
    """Characters of a chunk's text."""

    @property
    def finish(self) -> str:
        return self.stop or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True)
class HttpError:
    status: int
    sentence: str = "As the script says."
    kind: str = "invalid_request_error"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """In place of the JSON that the sentence makes."""


@dataclass(frozen=True)
class Silence:
    """The request is read, and never answered."""


Step = Say | HttpError | Silence


def chunks(say: Say, *, usage: bool) -> Iterator[dict[str, Any]]:
    """The chunks of a stream (API reference, "The chat completion chunk object")."""
    yield _chunk({"role": "assistant", "content": None if say.calls else ""})
    for piece in _in_pieces(say.thoughts, say.pieces):
        yield _chunk({"reasoning_content": piece})
    for piece in _in_pieces(say.text, say.pieces):
        yield _chunk({"content": piece})
    for piece in _in_pieces(say.refusal, say.pieces):
        yield _chunk({"refusal": piece})
    for fragments in _fragments(say):
        yield _chunk({"tool_calls": fragments})
    yield _chunk({}, say.finish)
    if usage and say.tokens is not None:
        yield {**_chunk({}), "choices": [], "usage": _usage(*say.tokens)}


def answer(say: Say) -> dict[str, Any]:
    """What comes where nothing is streamed."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.written}}
        for call in say.calls
    ]
    message = {
        "role": "assistant",
        "content": say.text or None,
        "refusal": say.refusal or None,
        **({"tool_calls": calls} if calls else {}),
    }
    whole = {
        "id": "chatcmpl-7f3c",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": say.finish}],
    }
    return {**whole, **({"usage": _usage(*say.tokens)} if say.tokens else {})}


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-7f3c",
        "object": "chat.completion.chunk",
        "model": "example-model",
        "choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish}],
    }


def _usage(given: int, made: int) -> dict[str, int]:
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _fragments(say: Say) -> Iterator[list[dict[str, Any]]]:
    """The lists of `tool_calls` in the deltas."""
    for place, call in enumerate(say.calls):
        at: dict[str, Any] = {"index": place}
        whole = {**at, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.written}}
        if say.style == "fragments":
            yield [{**whole, "function": {"name": call.name, "arguments": ""}}]
            for piece in _in_pieces(call.written, say.pieces):
                yield [{**at, "function": {"arguments": piece}}]
        elif say.style == "repeats_name":
            for piece in _in_pieces(call.written, say.pieces):
                yield [{**whole, "function": {"name": call.name, "arguments": piece}}]
        elif say.style == "no_index":
            yield [{name: value for name, value in whole.items() if name != "index"}]
        elif say.style == "one_index":
            yield [{**whole, "index": 0}]
        elif say.style == "same_id":
            yield [{**whole, "index": 0, "id": "call_0"}]
        elif say.style == "no_id":
            yield [{**whole, "id": ""}]
        elif say.style == "object":
            yield [{**whole, "function": {"name": call.name, "arguments": call.arguments}}]
        else:
            yield [whole]


def _in_pieces(text: str, size: int) -> Iterator[str]:
    yield from (text[start : start + size] for start in range(0, len(text), size))
