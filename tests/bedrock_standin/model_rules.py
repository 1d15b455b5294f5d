"""Checks of what a model takes by its card: a sentence much as the service's, or None."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bedrock_standin.cards import ModelCard
from bedrock_standin.conversation_rules import MODEL_SAID, Request, all_blocks, blocks, specs
from bedrock_standin.replies import signature


def choice_is_known(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    wanted = _choice(request).get("tool", {}).get("name")
    if wanted is not None and wanted not in [spec["name"] for spec in specs(request)]:
        return f"{MODEL_SAID}Tool '{wanted}' not found in provided tools"
    return None


def _choice(request: Request) -> Mapping[str, Any]:
    choice = request.get("toolConfig", {}).get("toolChoice", {})
    return choice if isinstance(choice, dict) else {}


def choice_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for name in _choice(request):
        if name not in card.choices:
            field = f"toolConfig.toolChoice.{name}"
            return f"This model doesn't support the {field} field. Remove {field} and try again."
    return None


def sampling_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for name in ("temperature", "topP"):
        if not card.sampling and name in request.get("inferenceConfig", {}):
            return f"{MODEL_SAID}`{name}` is deprecated for this model."
    return None


def _thinking(request: Request) -> Mapping[str, Any]:
    fields = request.get("additionalModelRequestFields")
    thinking = fields.get("thinking") if isinstance(fields, dict) else None
    return thinking if isinstance(thinking, dict) else {}


def extra_fields_are_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    fields = request.get("additionalModelRequestFields", {})
    for name in fields:
        if name != "thinking" or not card.thinking:
            return f"Malformed input request: #: extraneous key [{name}] is not permitted, please reformat your input."
    return None


def thinking_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    kind = _thinking(request).get("type")
    if kind is not None and kind not in card.thinking:
        return f'{MODEL_SAID}"thinking.type.{kind}" is not supported for this model. Use {sorted(card.thinking)}.'
    return None


def thinking_has_room(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    thinking = _thinking(request)
    if thinking.get("type") != "enabled":
        return None
    budget = thinking.get("budget_tokens", 0)
    if budget < 1024:
        return f"{MODEL_SAID}thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    if budget >= request.get("inferenceConfig", {}).get("maxTokens", 4096):
        return f"{MODEL_SAID}`max_tokens` must be greater than `thinking.budget_tokens`."
    return None


def thinking_is_not_forced(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if _thinking(request) and _choice(request).keys() & {"any", "tool"}:
        return f"{MODEL_SAID}Thinking may not be enabled when tool_choice forces tool use."
    return None


def thinking_goes_on(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if _thinking(request).get("type") != "enabled" or len(request["messages"]) < 2:
        return None
    answered = blocks(request["messages"][-1], "toolResult")
    first = next(iter(request["messages"][-2]["content"]), {})
    if answered and "reasoningContent" not in first:
        return (
            f"{MODEL_SAID}messages.{len(request['messages']) - 2}.content.0.type: Expected `thinking` or "
            f"`redacted_thinking`, but found `{next(iter(first), 'nothing')}`. When `thinking` is enabled, a final "
            "`assistant` message must start with a thinking block."
        )
    return None


def reasoning_is_unchanged(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for reasoning in all_blocks(request, "reasoningContent"):
        text = reasoning.get("reasoningText")
        if text is not None and text.get("signature") != signature(text["text"]):
            return f"{MODEL_SAID}messages: Invalid `signature` in `thinking` block"
        if "redactedContent" in reasoning and not reasoning["redactedContent"].startswith(b"redacted "):
            return f"{MODEL_SAID}messages: Invalid `data` in `redacted_thinking` block"
    return None


def reasoning_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    if not card.reasoning and all_blocks(request, "reasoningContent"):
        return "User messages cannot contain reasoning content. Please remove the reasoning content and try again."
    return None


def streams(request: Request, card: ModelCard, stream: bool) -> str | None:
    if stream and not card.stream and "toolConfig" in request:
        return "This model doesn't support tool use in streaming mode."
    return None


def status_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    if not card.status and any("status" in result for result in all_blocks(request, "toolResult")):
        return "This model doesn't support the status field. Remove status and try again."
    return None


def results_stand_alone(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not card.mixed and blocks(message, "toolResult") and blocks(message, "text"):
            return f"messages.{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
    return None


def calls_stand_alone(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not card.mixed and blocks(message, "toolUse") and blocks(message, "text"):
            return f"messages.{place}.content: Conversation blocks and tool use blocks cannot be provided in the same turn."
    return None


def _cache_points(request: Request) -> int:
    tools = request.get("toolConfig", {}).get("tools", ())
    places = [*request.get("system", ()), *tools]
    return sum("cachePoint" in one for one in places) + len(all_blocks(request, "cachePoint"))


def caching_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    if not card.caching and _cache_points(request):
        return (
            "You invoked an unsupported model or your request did not allow prompt caching. "
            "See the documentation for more information."
        )
    return None


def cache_points_are_few(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    count = _cache_points(request)
    return (
        f"{MODEL_SAID}A maximum of 4 blocks with cache_control may be provided. Found {count}." if count > 4 else None
    )


def fits(request: Request, card: ModelCard, _stream: bool) -> str | None:
    size = len(json.dumps([request["messages"], request.get("system", [])], default=str))
    return f"{MODEL_SAID}Input is too long for requested model." if size > card.max_characters else None
