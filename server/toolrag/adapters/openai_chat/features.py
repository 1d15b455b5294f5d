"""What a server takes for a model, and what its refusals teach of that. Pure.

Nothing is known of a server beforehand: the first request asks for everything, and each refusal that names what is not
taken leaves that out. What then went through is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, get_args

ChoiceTaken = Literal["tool", "any", "auto", "unsent"]
"""The strictest `tool_choice` that is taken: a named tool, `required`, `auto`, or none in whatever form."""
TokensName = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Features:
    """What a server takes for one model."""

    choice: ChoiceTaken = "tool"
    tools: bool = True
    """Tools can be declared. Where not, a call is had by a schema alone, and the history is told in words."""
    schema: bool = True
    """`response_format` of the kind `json_schema` is taken, and held to."""
    straight: bool = False
    """A call that was forced did not come, and came by a schema: the schema is asked for at once."""
    mixed: bool = True
    """A text may follow the results of calls. Where not, it goes into the last of them."""
    stream: bool = True
    usage: bool = True
    """`stream_options` is taken."""
    tokens: TokensName = "max_tokens"


ALL: Final = Features()


def remembered(facts: Mapping[str, object]) -> Features:
    """Features from what was kept, which nobody has checked: what is not of the right kind is a miss."""
    good: dict[str, Any] = {}
    for name, default in asdict(ALL).items():
        value = facts.get(name)
        if isinstance(default, bool):
            if isinstance(value, bool):
                good[name] = value
        elif value in get_args(ChoiceTaken if name == "choice" else TokensName):
            good[name] = value
    return Features(**good)


def learned(before: Features, after: Features) -> dict[str, object]:
    """What is to be kept: the members that differ."""
    old = asdict(before)
    return {name: value for name, value in asdict(after).items() if value != old[name]}


_NO_TOOLS: Final = re.compile(
    r"(does not|doesn't|do not|not) support (the )?(use of )?(tool|function)s?\b(?![ _-]?choice)"
    r"|support tool use|(tools|tool use|tool calling|function calling) (is|are) not (supported|available|enabled)"
    r"|(unsupported|unknown|unrecognized|extra)[^.]{0,40}\btools\b"
)
_CHOICE: Final = re.compile(r"tool[ _-]?choice")
_SCHEMA: Final = re.compile(r"response[ _-]?format|json[ _-]?schema|grammar|structured output|guided")


def after_refusal(features: Features, body: Mapping[str, Any], said: str) -> Features | None:
    """What to try after a server said this about a request; None where it speaks of nothing that can be left out.

    Only what the request has can have been refused.
    """
    words = said.lower()
    if "stream_options" in body and re.search(r"stream[ _]?options|include_usage", words):
        return replace(features, usage=False)
    if "max_tokens" in body and "max_completion_tokens" in words:
        return replace(features, tokens="max_completion_tokens")
    if "response_format" in body and _SCHEMA.search(words):
        return replace(features, schema=False, straight=False)
    if re.search(r"role '?user'? after role '?tool", words):
        return replace(features, mixed=False)
    if "tool_choice" in body and _CHOICE.search(words):
        return replace(features, choice=_below(body["tool_choice"]))
    if "tools" in body and _NO_TOOLS.search(words):
        return replace(features, tools=False)
    if body.get("stream") and re.search(r"\bstream(ing)?\b", words):
        return replace(features, stream=False)
    return None


def _below(sent: object) -> ChoiceTaken:
    if isinstance(sent, Mapping):
        return "any"
    return "auto" if sent == "required" else "unsent"
