"""The seam between what is said of a name and what the index knows of names. Pure: protocols and plain data.

It has a real adapter (`adapters.name_index`), a double and one contract test that both pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from toolrag.symbols import Kind, ParsedFile, Span
from toolrag.text import TextSnapshot


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol with the text it stands in, which was looked at just now."""

    snapshot: TextSnapshot
    language: str
    parsed: ParsedFile
    span: Span


@dataclass(frozen=True, slots=True)
class Front:
    """The document in front of the user."""

    snapshot: TextSnapshot
    language: str
    """Empty where it has none that is known."""


@dataclass(frozen=True, slots=True)
class Namesakes:
    """Symbols of one name."""

    symbols: tuple[Symbol, ...]
    """The best of them, best first."""
    count: int
    """All that were found in texts that were looked at just now."""
    complete: bool
    """There are no others."""


@dataclass(frozen=True, slots=True)
class NamingLine:
    """A line that holds a name as a word of its own, in a text that was looked at just now."""

    snapshot: TextSnapshot
    language: str
    line: int
    is_call: bool
    """It says `name(`, and begins no symbol of that name."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Lines that name something: product code, then examples and tests; in each calls first, and namesakes last."""

    lines: tuple[NamingLine, ...]
    complete: bool
    """There are no others."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A symbol in a list of many, where it is named in a text that was looked at just now."""

    snapshot: TextSnapshot
    name: str
    container: str
    kind: Kind
    line: int
    start: int
    end: int
    """Where its name stands in that line, in characters; the whole line of a heading that is written with marks."""


class Names(Protocol):
    """What has a name, and what says it: by name alone, nothing is resolved.

    Made for a person who waits with the pointer in the air: it reads a bounded number of files, and parses at most for
    a moment. What it could not look at in that time is left out, and `complete` is false.
    """

    async def symbols(self, name: str, front: Front, within: str, limit: int) -> Namesakes:
        """Symbols of exactly this last name: in containers that end with `within` first, where it is not empty.

        Then those of the document in front, then those of product code.
        """
        ...

    async def lines(self, name: str, front: Front) -> Naming:
        """Lines that have the name as a word of its own, those of the document in front included."""
        ...

    async def now(self, uris: Sequence[str]) -> Sequence[TextSnapshot | None]:
        """The texts of some documents, each read anew; None for one that may not, or cannot, be read."""
        ...

    async def parsed(self, texts: Sequence[tuple[TextSnapshot, str]]) -> Sequence[ParsedFile | None]:
        """What some texts, given with their languages, are made of; None for one that takes too long."""
        ...

    async def matching(self, query: str, limit: int) -> Sequence[Listed]:
        """Symbols whose names fit a query, best first: whole, beginning, humps, a part."""
        ...

    def defines(self, name: str) -> bool:
        """Whether some symbol has exactly this name."""
        ...
