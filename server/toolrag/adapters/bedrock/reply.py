"""A reply put together from ConverseStream's events, or from Converse's answer as if it had been streamed. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolrag.chat import Reply, Rung, Stop, ToolCall
from toolrag.errors import ModelError

_STOPS: Final[Mapping[str, Stop]] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "refused",
    "content_filtered": "refused",
    "malformed_tool_use": "other",
    "malformed_model_output": "other",
}
CUT: Final = "The reply of Amazon Bedrock ended in its middle. Ask again."
MAX_BRACKETS: Final = 200
"""Arguments with more stay a text: no tool takes them, and what nests deeply cannot be written again."""
TOO_LONG: Final = (
    "The question and what was read for it are longer than the model takes. "
    "Ask about less at once, or set model to one with a larger context."
)


@dataclass(slots=True)
class _Part:
    """One content block as far as it came."""

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    redacted: bytes = b""
    call_id: str = ""
    name: str = ""
    input: str = ""


@dataclass(slots=True)
class ReplyParts:
    """What came of a reply so far."""

    _parts: dict[int, _Part] = field(default_factory=dict)
    _stop: str | None = None
    _usage: Mapping[str, Any] = field(default_factory=dict)

    def take(self, event: Mapping[str, Any]) -> str:
        """Takes one event; gives the text in it, empty for most. Events of an unknown kind are passed over."""
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            tool = start.get("start", {}).get("toolUse", {})
            part = self._part(start)
            part.call_id, part.name = tool.get("toolUseId", ""), tool.get("name", "")
        elif "contentBlockDelta" in event:
            return self._add(self._part(event["contentBlockDelta"]), event["contentBlockDelta"].get("delta", {}))
        elif "messageStop" in event:
            self._stop = event["messageStop"].get("stopReason", "")
        elif "metadata" in event:
            self._usage = event["metadata"].get("usage", {})
        return ""

    def whole(self, rung: Rung, used_ids: Container[str]) -> Reply:
        """The reply, when the last event has come; `used_ids` are those of the conversation's calls.

        Raises ModelError: `cut` where the model never said that it stopped, or a call has no name; `too_long` where its
        context was full before it said anything. Where it had begun to speak that is a reply that ran out of tokens.
        """
        parts = [self._parts[place] for place in sorted(self._parts)]
        if self._stop is None or any(part.input and not part.name for part in parts):
            raise ModelError("cut", CUT)
        text = "".join(part.text for part in parts)
        calls = tuple(_calls(parts, used_ids))
        if self._stop == "model_context_window_exceeded" and not text.strip() and not calls:
            raise ModelError("too_long", TOO_LONG)
        cached = self._usage.get("cacheReadInputTokens", 0) + self._usage.get("cacheWriteInputTokens", 0)
        return Reply(
            text=text,
            calls=calls,
            stop=_STOPS.get(self._stop, "other"),
            rung=rung,
            input_tokens=self._usage.get("inputTokens", 0) + cached,
            output_tokens=self._usage.get("outputTokens", 0),
            opaque=_opaque(parts),
        )

    def _part(self, event: Mapping[str, Any]) -> _Part:
        return self._parts.setdefault(event.get("contentBlockIndex", 0), _Part())

    def _add(self, part: _Part, delta: Mapping[str, Any]) -> str:
        if "text" in delta:
            part.text += delta["text"]
            return str(delta["text"])
        part.input += delta.get("toolUse", {}).get("input", "")
        reasoning = delta.get("reasoningContent", {})
        part.reasoning += reasoning.get("text", "")
        part.signature += reasoning.get("signature", "")
        part.redacted += reasoning.get("redactedContent", b"")
        return ""


def events_of(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The events that would have streamed Converse's answer; none for what is missing in it."""
    for place, block in enumerate(answer.get("output", {}).get("message", {}).get("content", ())):
        at = {"contentBlockIndex": place}
        if "toolUse" in block:
            use = block["toolUse"]
            yield {"contentBlockStart": {**at, "start": {"toolUse": use}}}
            yield {"contentBlockDelta": {**at, "delta": {"toolUse": {"input": json.dumps(use.get("input", {}))}}}}
        elif "reasoningContent" in block:
            reasoning = block["reasoningContent"]
            delta = {**reasoning.get("reasoningText", {}), "redactedContent": reasoning.get("redactedContent", b"")}
            yield {"contentBlockDelta": {**at, "delta": {"reasoningContent": delta}}}
        elif "text" in block:
            yield {"contentBlockDelta": {**at, "delta": {"text": block["text"]}}}
    if "stopReason" in answer:
        yield {"messageStop": {"stopReason": answer["stopReason"]}}
    yield {"metadata": {"usage": answer.get("usage", {})}}


def _calls(parts: list[_Part], used_ids: Container[str]) -> Iterator[ToolCall]:
    """The calls in their order, each with an id of its own."""
    given: set[str] = set()
    for part in parts:
        if not part.name:
            continue
        call_id, count = part.call_id or "call", 1
        while call_id in used_ids or call_id in given:
            count += 1
            call_id = f"{(part.call_id or 'call')[:50]}-{count}"
        given.add(call_id)
        yield ToolCall(call_id, part.name, _arguments(part.input))


def _arguments(written: str) -> Mapping[str, object] | str:
    """What a model wrote as JSON: an object, or the text where it is none. No input at all is an empty object."""
    if written.count("{") + written.count("[") > MAX_BRACKETS:
        return written
    try:
        found = json.loads(written or "{}")
    except ValueError:
        return written
    return found if isinstance(found, dict) else written


def _opaque(parts: list[_Part]) -> list[dict[str, object]] | None:
    """Where a reply has reasoning: its blocks in order, of a text the characters' count, of a call that it stood there.

    JSON: `{"reasoning": {text, signature}}`, `{"redacted": base64}`, `{"text": 12}`, `{"call": true}`.
    """
    items: list[dict[str, object]] = []
    for part in parts:
        if part.redacted:
            items.append({"redacted": base64.b64encode(part.redacted).decode()})
        elif part.reasoning or part.signature:
            signature = {"signature": part.signature} if part.signature else {}
            items.append({"reasoning": {"text": part.reasoning, **signature}})
        elif part.name:
            items.append({"call": True})
        elif part.text:
            items.append({"text": len(part.text)})
    return items if any("reasoning" in item or "redacted" in item for item in items) else None
