"""What is said to a model and by it, whoever runs it. Pure data; `ports.ChatModel` is the seam."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Stop = Literal["end", "tool_use", "length", "refused", "other"]
"""Why a model stopped: it was done, it wants its calls answered, it ran out of tokens, it or a guardrail refused, or
anything else. Believe the calls of a reply, not this: servers say `end` beside a call."""

Choice = Literal["answer", "auto", "any", "tool"]
"""What a turn may do: only answer, whatever it likes, only call a tool, or only call the tool that is named."""

Rung = Literal["tool", "any", "auto", "none", "schema"]
"""What a provider was really sent for a choice: the ladder by capability, from the top down; `schema` is a reply whose
JSON is held to a schema and taken for a call."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    """`[a-z_]+`: Converse takes no other marks for some models."""
    description: str
    parameters: Mapping[str, object]
    """A JSON schema of type `object`."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model wants done."""

    id: str
    """The provider's own, or one made for it; unique within a conversation."""
    name: str
    arguments: Mapping[str, object] | str
    """A JSON object; a text where the model wrote something else."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What is told to a model about a call of its last reply."""

    call_id: str
    text: str
    """One JSON object."""
    is_error: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A message to the model: the results of its last calls, each once and in their order, then a text; one may be
    empty, not both."""

    text: str
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One turn of a model, whole."""

    text: str
    calls: tuple[ToolCall, ...]
    stop: Stop
    rung: Rung
    input_tokens: int = 0
    output_tokens: int = 0
    opaque: object = None
    """JSON of the provider's own that goes back with this reply unchanged, such as signed reasoning."""


Message = Said | Reply


@dataclass(frozen=True, slots=True)
class Hint:
    """Where a candidate points: what a schema may offer for a first read."""

    path: str
    start: int
    end: int
    """1-based, inclusive."""
    sha: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A request for one reply. Everything is in it: a provider keeps no history of its own."""

    system: str
    messages: tuple[Message, ...]
    """Alternately `Said` and `Reply`; the first and the last are `Said`."""
    tools: tuple[ToolSpec, ...]
    choice: Choice
    tool: str = ""
    """The one to be called, where `choice` is `tool`."""
    hints: tuple[Hint, ...] = ()
    max_tokens: int = 4_000
    """Of the reply."""
    seconds: float = 90.0
    """What is left of the run's time; no attempt may take longer."""


EMPTY: Final = "(empty)"
"""Stands for a text that is empty or blank where a provider takes none."""
