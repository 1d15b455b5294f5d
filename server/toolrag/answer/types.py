"""What an answer is made of (PROTOCOL section 2). Pure data; line ranges are 0-based and half-open here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolrag.ports import Candidate, Searched
from toolrag.text import LineRange, TextSnapshot

Outcome = Literal["answered", "partial", "notFound"]
Standing = Literal["verified", "moved", "changed", "gone"]
Told = Literal["lines", "around", "nothing"]
ReasonCode = Literal[
    "nothing_found",
    "no_evidence",
    "unverified_answer",
    "budget_spent",
    "model_refused",
    "model_error",
    "not_indexed_yet",
    "cancelled",
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines that `read_range` returned in this run. The only thing a claim may cite."""

    id: str
    snapshot: TextSnapshot
    lines: LineRange


@dataclass(frozen=True, slots=True)
class Anchor:
    """What stood around cited lines, so that they can be told from a twin later."""

    before: tuple[str, ...]
    """Hash of each of up to 3 lines above, from the top down: SHA-256, first 12 hex digits."""
    after: tuple[str, ...]
    """The same for the lines below."""
    occurrences: int
    """How often the cited lines stood in the file."""
    told: Told = "lines"
    """By what they are known again elsewhere: one of the `lines` stood nowhere else in the file; or lines `around`
    them, on each side one that stood nowhere else; or by `nothing`, where a twin could pass for them."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Points from a claim into evidence."""

    id: str
    snapshot: TextSnapshot
    """The text the lines were last checked against."""
    lines: LineRange
    lines_sha: str
    anchor: Anchor
    symbol: str
    """Qualified name of the symbol the lines belong to; empty at a file's top level."""
    standing: Standing


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement; at least one verified citation, or it is not in an answer."""

    id: str
    text: str
    """Markdown without HTML, links or images."""
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run spent. Turns and tokens are a model's, 0 without one."""

    turns: int = 0
    tool_calls: int = 0
    reads: int = 0
    bytes_read: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an answer is not a whole one."""

    code: ReasonCode
    message: str


@dataclass(frozen=True, slots=True)
class Callers:
    """How many places name a symbol as called: counted here from lines that were just read, never by a model."""

    name: str
    count: int
    files: int
    complete: bool
    """False when there are more than were read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a run."""

    id: str
    question: str
    outcome: Outcome
    reason: Reason | None
    model: str
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    candidates: tuple[Candidate, ...]
    searched: Searched
    usage: Usage
    callers: Callers | None = None
    journal: str | None = None
    """What `toolrag replay` knows this run by; None where none was kept."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines of one piece of evidence that a drafted claim rests on."""

    evidence: Evidence
    lines: LineRange
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim before it is checked. The first cut is the one a reader should open."""

    text: str
    cuts: tuple[Cut, ...]
