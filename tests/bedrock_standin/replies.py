"""What a scripted model says, and how the service fails: data, and the events it becomes."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Breaks = Literal["exception", "cut", "stall", "bad_crc", "no_stop", "no_usage"]
"""How a stream breaks: an exception's frame, an end in the middle of a frame, nothing more, a wrong CRC, an end without
`messageStop`, and one without `metadata`."""


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Think:
    text: str
    redacted: bool = False
    """Said only in a form that nobody can read."""


@dataclass(frozen=True)
class Use:
    """A call; `input` as a text is streamed as it is, whether JSON or not."""

    name: str
    input: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = "tooluse_1"


@dataclass(frozen=True)
class Say:
    blocks: tuple[Text | Think | Use, ...]
    stop: str = ""
    """Empty: `tool_use` where there is a call, else `end_turn`."""
    tokens: tuple[int, int] = (100, 20)
    cached: int = 0
    breaks: Breaks | None = None
    after: int = 2
    """The frames that come before it breaks."""
    exception: tuple[str, str] = ("modelStreamErrorException", "The model failed in the middle.")
    delay: float = 0.0
    """Seconds before the answer's head."""

    @property
    def stop_reason(self) -> str:
        return self.stop or ("tool_use" if any(isinstance(block, Use) for block in self.blocks) else "end_turn")


@dataclass(frozen=True)
class HttpError:
    status: int
    code: str
    sentence: str = "As the script says."
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Silence:
    """The request is read, and never answered."""


Step = Say | HttpError | Silence


def signature(text: str) -> str:
    """Says that a reasoning is this model's own."""
    return hashlib.sha256(f"signed {text}".encode()).hexdigest()


def redacted(text: str) -> bytes:
    return b"redacted " + hashlib.sha256(text.encode()).digest()


def events(say: Say) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names and members of a stream's events (ConverseStreamOutput in the API reference)."""
    yield "messageStart", {"role": "assistant"}
    for place, block in enumerate(say.blocks):
        at = {"contentBlockIndex": place}
        if isinstance(block, Use):
            yield "contentBlockStart", {**at, "start": {"toolUse": {"toolUseId": block.id, "name": block.name}}}
        for delta in _deltas(block):
            yield "contentBlockDelta", {**at, "delta": delta}
        yield "contentBlockStop", at
    yield "messageStop", {"stopReason": say.stop_reason}
    yield "metadata", {"usage": _usage(say), "metrics": {"latencyMs": 1}}


def answer(say: Say) -> dict[str, Any]:
    """What Converse answers."""
    message = {"role": "assistant", "content": [_whole(block) for block in say.blocks]}
    return {
        "output": {"message": message},
        "stopReason": say.stop_reason,
        "usage": _usage(say),
        "metrics": {"latencyMs": 1},
    }


def _usage(say: Say) -> dict[str, int]:
    given, made = say.tokens
    return {
        "inputTokens": given,
        "outputTokens": made,
        "totalTokens": given + made + say.cached,
        "cacheReadInputTokens": say.cached,
    }


def _deltas(block: Text | Think | Use) -> Iterator[dict[str, Any]]:
    if isinstance(block, Text):
        yield from ({"text": piece} for piece in _in_three(block.text))
    elif isinstance(block, Use):
        written = block.input if isinstance(block.input, str) else json.dumps(block.input)
        yield from ({"toolUse": {"input": piece}} for piece in _in_three(written))
    elif block.redacted:
        yield {"reasoningContent": {"redactedContent": base64.b64encode(redacted(block.text)).decode()}}
    else:
        yield from ({"reasoningContent": {"text": piece}} for piece in _in_three(block.text))
        yield {"reasoningContent": {"signature": signature(block.text)}}


def _whole(block: Text | Think | Use) -> dict[str, Any]:
    if isinstance(block, Text):
        return {"text": block.text}
    if isinstance(block, Use):
        return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": block.input}}
    if block.redacted:
        return {"reasoningContent": {"redactedContent": base64.b64encode(redacted(block.text)).decode()}}
    return {"reasoningContent": {"reasoningText": {"text": block.text, "signature": signature(block.text)}}}


def _in_three(text: str) -> list[str]:
    third = max(1, len(text) // 3)
    return [piece for piece in (text[:third], text[third : 2 * third], text[2 * third :]) if piece]
