"""A request of Converse, made of a turn alone: nothing of an earlier request is kept that could be broken. Pure.

Absent on purpose: `temperature` and `topP`, which newer models refuse, and `outputConfig` and `strict`, which some do.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolrag.adapters.bedrock.features import Features
from toolrag.chat import EMPTY, Reply, Rung, Said, ToolCall, ToolSpec, Turn
from toolrag.config import BedrockSettings

MIN_THINKING_TOKENS: Final = 1_024
"""The least `budget_tokens` may be: Anthropic, "Extended thinking"."""
UNPARSED: Final = "unparsed"
"""Holds what a model wrote where the arguments of a call had to be an object: Converse takes nothing else."""

_CACHE_POINT: Final = {"cachePoint": {"type": "default"}}
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Converse's `ToolName`."""

Block = dict[str, Any]


def converse_request(turn: Turn, model_id: str, settings: BedrockSettings, features: Features) -> dict[str, Any]:
    """The members of Converse and ConverseStream for a turn, for a model that takes `features`."""
    thinking = thinks(turn, settings, features)
    caching = features.caching if settings.prompt_caching else "none"
    request: dict[str, Any] = {"modelId": model_id, "messages": _messages(turn, features)}
    if turn.system.strip():
        request["system"] = [{"text": _sound(turn.system)}, *([_CACHE_POINT] if caching != "none" else [])]
    if caching == "all":
        request["messages"][-1]["content"].append(_CACHE_POINT)
    tokens = turn.max_tokens
    if thinking:
        # The model's thinking counts as part of its reply, so what the turn allows is for what comes after it.
        budget = max(MIN_THINKING_TOKENS, settings.thinking_tokens)
        tokens += budget
        how: Block = {"type": "adaptive"}
        if features.thinking == "budget":
            how = {"type": "enabled", "budget_tokens": budget}
        request["additionalModelRequestFields"] = {"thinking": how}
    request["inferenceConfig"] = {"maxTokens": tokens}
    tools = _tools(turn)
    if tools:
        choice = _choice(turn, features, thinking)
        request["toolConfig"] = {"tools": tools, **({"toolChoice": choice} if choice else {})}
    if settings.guardrail:
        request["guardrailConfig"] = {
            "guardrailIdentifier": settings.guardrail,
            "guardrailVersion": settings.guardrail_version,
        }
    return request


def rung_of(request: Mapping[str, Any]) -> Rung:
    """What a request does about calls. Converse cannot forbid them: `none` is a request without tools."""
    if "toolConfig" not in request:
        return "none"
    choice = request["toolConfig"].get("toolChoice", {})
    return "tool" if "tool" in choice else "any" if "any" in choice else "auto"


def thinks(turn: Turn, settings: BedrockSettings, features: Features) -> bool:
    """Whether the model is asked to think, which comes before forcing a call: one request cannot have both.

    With a budget, a reply whose calls are being answered has to begin with its reasoning: where it has none, as when it
    was forced, the model cannot begin to think in the middle.
    """
    if settings.thinking_tokens <= 0 or features.thinking == "none":
        return False
    last = turn.messages[-2] if len(turn.messages) > 1 else None
    if features.thinking == "adaptive" or not isinstance(last, Reply) or not last.calls:
        return True
    begun = isinstance(last.opaque, list) and bool(last.opaque) and _reasoning(last.opaque[0]) is not None
    return begun and features.reasoning


def _choice(turn: Turn, features: Features, thinking: bool) -> Block | None:
    """The strictest `toolChoice` that is wanted and taken; None for the service's default, which is `auto`."""
    if turn.choice not in ("any", "tool") or thinking or features.choice == "auto":
        return None
    if turn.choice == "tool" and features.choice == "tool":
        return {"tool": {"name": turn.tool}}
    return {"any": {}}


def _tools(turn: Turn) -> list[Block]:
    """Those of the turn; those that the history names where the turn has none, since blocks of tools need a config.

    A turn that may only answer, and has no such blocks, gets none: there is no better way to forbid calls.
    """
    names = list(dict.fromkeys(_name(call) for one in turn.messages if isinstance(one, Reply) for call in one.calls))
    if turn.choice == "answer" and not names:
        return []
    given: Sequence[ToolSpec] = turn.tools or [ToolSpec(name, name, {"type": "object"}) for name in names]
    return [
        {
            "toolSpec": {
                "name": tool.name,
                "description": _text(tool.description),
                "inputSchema": {"json": _sound_json(tool.parameters)},
            }
        }
        for tool in given
    ]


def _messages(turn: Turn, features: Features) -> list[Block]:
    messages: list[Block] = []
    for message in turn.messages:
        if isinstance(message, Said):
            messages.append({"role": "user", "content": _said(message, features)})
        else:
            messages.append({"role": "assistant", "content": list(_replied(message, features)) or [{"text": EMPTY}]})
    return messages


def _said(said: Said, features: Features) -> list[Block]:
    """All results in one message, before the text: Converse takes them in no other way."""
    blocks: list[Block] = []
    for result in said.results:
        block: Block = {"toolUseId": result.call_id, "content": [{"text": _text(result.text)}]}
        if result.is_error and features.status:
            block["status"] = "error"
        blocks.append({"toolResult": block})
    if said.text.strip() or not blocks:
        if blocks and not features.mixed:
            blocks[-1]["toolResult"]["content"].append({"text": _text(said.text)})
        else:
            blocks.append({"text": _text(said.text)})
    return blocks


def _replied(reply: Reply, features: Features) -> Iterator[Block]:
    """The blocks of a reply as they came, its reasoning in place (`reply.ReplyParts.opaque`).

    Blank texts are left out: a model may say a line break between its reasoning and a call, and not get it back.
    """
    text_is_taken = features.mixed or not reply.calls
    calls, at = list(reply.calls), 0
    for item in reply.opaque if isinstance(reply.opaque, list) else ():
        reasoning, count = _reasoning(item), item.get("text") if isinstance(item, dict) else None
        if reasoning is not None:
            if not features.reasoning:
                continue
            yield {"reasoningContent": reasoning}
        elif isinstance(count, int):
            if text_is_taken:
                yield from _text_block(reply.text[at : at + count])
            at += count
        elif calls:
            yield _tool_use(calls.pop(0))
    if text_is_taken:
        yield from _text_block(reply.text[at:])
    yield from (_tool_use(call) for call in calls)


def _reasoning(item: object) -> Block | None:
    if isinstance(item, dict) and isinstance(item.get("redacted"), str):
        return {"redactedContent": base64.b64decode(item["redacted"])}
    if isinstance(item, dict) and isinstance(item.get("reasoning"), dict):
        return {"reasoningText": item["reasoning"]}
    return None


def _text_block(text: str) -> Iterator[Block]:
    if text.strip():
        yield {"text": _sound(text)}


def _tool_use(call: ToolCall) -> Block:
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {UNPARSED: call.arguments}
    return {"toolUse": {"toolUseId": call.id, "name": _name(call), "input": _sound_json(arguments)}}


def _name(call: ToolCall) -> str:
    """A model may call what is no name; the history has to hold one."""
    return call.name if _NAME.fullmatch(call.name) else (re.sub(r"[^a-zA-Z0-9_-]", "_", call.name)[:64] or "unnamed")


def _text(text: str) -> str:
    """A text the service takes: it refuses blank ones."""
    return _sound(text) if text.strip() else EMPTY


def _sound(text: str) -> str:
    """Halves of a character, which a file can have and UTF-8 cannot, become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sound_json(value: Mapping[str, object]) -> Any:
    return json.loads(_sound(json.dumps(value, ensure_ascii=False)))
