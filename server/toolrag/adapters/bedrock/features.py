"""What a model of Bedrock takes: what is known at the start, what was learned, and what a refusal teaches. Pure.

Where a model is not known it is believed to take everything: one refused request says what it does not, and costs no
tokens. The sentences that are looked for are the service's, as its users report them in public issues (named below).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal, TypeVar, get_args, get_type_hints

ChoiceRung = Literal["tool", "any", "auto"]
Thinking = Literal["budget", "adaptive", "none"]
Caching = Literal["all", "system", "none"]
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Features:
    """The best that a model takes; each goes down, never up, as refusals come."""

    choice: ChoiceRung = "tool"
    """The strictest `toolChoice`; `auto` is sent as none, since some models refuse the member itself."""
    stream: bool = True
    thinking: Thinking = "budget"
    """`budget`: `budget_tokens` says how much; `adaptive`: the model decides; the rest take no `thinking`."""
    caching: Caching = "all"
    """Where a `cachePoint` may stand: after `system` and in the last message, or after `system` alone."""
    status: bool = True
    """Whether `toolResult.status` is taken."""
    mixed: bool = True
    """Whether a text may stand beside tool results, and beside calls."""
    reasoning: bool = True
    """Whether a reply's reasoning may go back with it."""


# Measured, or from Amazon's pages "Supported models and model features", "ToolChoice", "ToolResultBlock" and "Prompt
# caching for faster model inference" (docs.aws.amazon.com/bedrock); for thinking, from Anthropic's "Extended thinking"
# and "Adaptive thinking". The first match counts.
_NO_EXTRAS: Final = {"thinking": "none", "caching": "none", "status": False}
_KNOWN: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    (r"claude-(opus|sonnet)-5-5|claude-fable-5-1", {"choice": "auto", "thinking": "adaptive"}),
    (r"claude-opus-4-[78]|claude-(opus|sonnet)-5\b", {"thinking": "adaptive"}),
    (r"claude-3-7|claude-(opus|sonnet|haiku)-4", {}),
    (r"claude-3-5", {"thinking": "none"}),
    (r"claude", {"thinking": "none", "caching": "none"}),
    (r"nova-", {"thinking": "none", "caching": "system"}),
    (r"mistral-large", {**_NO_EXTRAS, "choice": "any"}),
    (r"llama", {**_NO_EXTRAS, "choice": "auto", "stream": False, "mixed": False}),
)


def known(model_id: str) -> Features:
    """What is known of a model by its id, an inference profile's included; an ARN of one's own says nothing."""
    for pattern, what in _KNOWN:
        if re.search(pattern, model_id):
            return replace(Features(), **what)
    return Features()


def remembered(start: Features, facts: Mapping[str, object]) -> Features:
    """Features with what was learned put over what is known; a fact of the wrong kind is passed over."""
    kinds = get_type_hints(Features)
    good: dict[str, Any] = {}
    for part in fields(Features):
        value = facts.get(part.name)
        allowed = get_args(kinds[part.name]) or (True, False)
        if any(value is one or (isinstance(value, str) and value == one) for one in allowed):
            good[part.name] = value
    return replace(start, **good)


def learned(before: Features, after: Features) -> dict[str, object]:
    """The facts in which they differ."""
    old = asdict(before)
    return {name: value for name, value in asdict(after).items() if value != old[name]}


def after_refusal(features: Features, request: Mapping[str, Any], refusal: str) -> Features | None:
    """One step down for what a request had in it and the service's sentence speaks of; None where it teaches nothing.

    Only what was sent is given up, so that a sentence that names it for another reason ends in an error, not in a loop.
    """
    said = refusal.lower()
    choice = next(iter(request.get("toolConfig", {}).get("toolChoice", {})), "auto")
    # strands-agents/harness-sdk#1241: "This model doesn't support the toolConfig.toolChoice.any field."
    # pydantic/pydantic-ai#3092: "Thinking may not be enabled when tool_choice forces tool use."
    if choice != "auto" and re.search(r"tool_?choice|forces? tool use|forced tool", said):
        return replace(features, choice="any" if choice == "tool" else "auto")
    # earendil-works/pi#3739: "This model doesn't support tool use in streaming mode."
    # aws-samples/amazon-bedrock-client-for-mac#112: "The model is unsupported for streaming."
    if features.stream and re.search(r"\bstream", said):
        return replace(features, stream=False)
    # posit-dev/positron#12142: "You invoked an unsupported model, or your request did not allow prompt caching."
    # earendil-works/pi#2053: "#/messages/6/content/0: extraneous key [cachePoint] is not permitted"
    if features.caching != "none" and _has_cache_point(request) and re.search(r"cach(e_?point|ing|e_?control)", said):
        return replace(features, caching="none" if "prompt caching" in said else _next(features.caching, Caching))
    # langchain-ai/langchain-aws#401: "User messages cannot contain reasoning content."
    if features.reasoning and "reasoning content" in said:
        return replace(features, reasoning=False)
    sent_thinking = request.get("additionalModelRequestFields", {}).get("thinking")
    if features.thinking != "none" and sent_thinking and re.search(r"thinking|reasoning|budget_tokens", said):
        return replace(features, thinking=_next(features.thinking, Thinking))
    # strands-agents/harness-sdk#393: "This model doesn't support the status field. Remove status and try again."
    if features.status and "status field" in said:
        return replace(features, status=False)
    # strands-agents/harness-sdk#1223: "Conversation blocks and tool result blocks cannot be provided in the same turn."
    if features.mixed and "in the same turn" in said:
        return replace(features, mixed=False)
    return None


def _has_cache_point(request: Mapping[str, Any]) -> bool:
    blocks = [*request.get("system", ()), *(block for one in request["messages"] for block in one["content"])]
    return any("cachePoint" in block for block in blocks)


def _next(name: Name, ladder: Any) -> Name:
    names: tuple[Name, ...] = get_args(ladder)
    return names[names.index(name) + 1]
