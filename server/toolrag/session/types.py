"""What goes in and out of a session, in the core's terms. Pure data and protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from toolrag.answer.checking import CheckedText
from toolrag.answer.types import Standing
from toolrag.answer.watch import Watch as Watch
from toolrag.ports import Scope
from toolrag.text import LineRange, Position, TextSnapshot

EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the workspace, exactly as the client gave it."""

    uri: str
    name: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and what stood in front of whoever asked it."""

    question: str
    uri: str | None = None
    """The document in front of the user."""
    selection: LineRange | None = None
    """Its selected lines, or the line of the cursor."""
    scope: Scope = EVERYWHERE
    model: str | None = None
    budget: Mapping[str, int] = field(default_factory=dict)
    """Lowers what the settings allow, and never raises it; by the names of `config.Budget`."""
    follows: str | None = None
    """The id of the answer that this question follows."""


@dataclass(frozen=True, slots=True)
class Stood:
    """How a citation of a recent answer stands now."""

    id: str
    """The citation's, in its answer."""
    standing: Standing
    uri: str | None = None
    """The document that has its lines; None unless `verified` or `moved`."""
    lines: LineRange | None = None
    last_line: str = ""
    """The text of the last of them, where an editor's range ends."""


@dataclass(frozen=True, slots=True)
class Hover:
    """What is said of a name: Markdown or plain text, and where in its line the name stands."""

    text: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Links:
    """Written citations of a document as it was at one moment, in order, each with how it stands."""

    snapshot: TextSnapshot
    citations: tuple[CheckedText, ...]


class Events(Protocol):
    """What a session tells by itself. Called on the event loop."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """How far a phase of indexing is; it ends with `done == total`."""
        ...

    def log(self, level: int, sentence: str) -> None:
        """A sentence for the log, at a level of `logging`. Without source text."""
        ...

    async def converse(self, request: Mapping[str, object]) -> object:
        """One turn of the editor's own model (PROTOCOL section 3). Raises ModelError with what the client said."""
        ...

    def standings(self, answer_id: str, citations: Sequence[Stood]) -> None:
        """Citations of a recent answer that stand otherwise, or elsewhere, than was last told."""
        ...

    def unstanding(self, uri: str, links: Links | None) -> None:
        """The written citations of an open document that no longer stand, instead of those told before; None: none."""
        ...
