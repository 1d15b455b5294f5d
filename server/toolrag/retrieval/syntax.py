"""A text in bytes, and what a query found in it. Pure data between `spans`, which asks, and `outline`, which tells.

Offsets are bytes of the text with LF line ends and without a byte order mark: no other module can use them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from toolrag.symbols import Kind, ReferenceKind
from toolrag.text import fold

_BOM: Final = "\ufeff"
_BLANK: Final = re.compile(rb"[ \t\f]*")


class Source:
    """A text as its grammar reads it, and the way back from bytes to lines and characters."""

    def __init__(self, text: str) -> None:
        # NUL ends a text for tree-sitter, and a lone surrogate has no UTF-8: each becomes one other character.
        folded = fold(text).replace("\0", " ")
        self.lines: Final = folded.split("\n")
        self._bom: Final = folded.startswith(_BOM)
        self.bytes: Final = folded.removeprefix(_BOM).encode("utf-8", "replace")
        self.starts: Final = [0, *(match.end() for match in re.finditer(b"\n", self.bytes))]

    def line(self, offset: int) -> int:
        """The line that holds a byte offset."""
        return bisect_right(self.starts, offset) - 1

    def indent(self, offset: int) -> int | None:
        """How many bytes of white space are all that stands on a byte's line before it; None where there is more."""
        start = self.starts[self.line(offset)]
        blank = _BLANK.match(self.bytes, start, offset)
        return offset - start if blank and blank.end() == offset else None

    def character(self, offset: int) -> int:
        """How many characters stand on a byte's line before it."""
        line = self.line(offset)
        return len(self.slice(self.starts[line], offset)) + (self._bom and line == 0)

    def line_end(self, line: int) -> int:
        """The byte offset of a line's end."""
        return self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.bytes)

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.bytes[start:end].decode("utf-8", "replace")


@dataclass(slots=True)
class Definition:
    """A definition as the query found it; offsets are bytes, `end` and `header_stop` exclusive."""

    name: str
    kind: Kind
    pattern: int
    start: int
    end: int
    name_start: int
    header_start: int
    header_stop: int | None
    level: int = 0
    """A heading's level; 0 for all that is no heading."""

    parent: int | None = None
    """Index of the enclosing definition among those that are kept."""


@dataclass(slots=True)
class Found:
    """What the query found in one text; offsets are bytes."""

    definitions: dict[int, Definition] = field(default_factory=dict)
    """By where their names start: a name defines one thing, however many patterns match."""

    references: dict[tuple[int, ReferenceKind], str] = field(default_factory=dict)
    docs: dict[int, int] = field(default_factory=dict)
    """Start and end of strings that are statements."""

    comments: dict[int, int] = field(default_factory=dict)
    """Lines that hold a comment and nothing else, with the width of what stands before it."""

    local: list[tuple[int, int]] = field(default_factory=list)
    """Stretches whose definitions are nobody else's."""

    def define(self, new: Definition) -> None:
        """Put a definition in, or merge it with what another pattern made of the same name.

        The wider node gives the lines, the narrower the header, the pattern that stands first the kind.
        """
        known = self.definitions.setdefault(new.name_start, new)
        if known is new:
            return
        if known.header_stop is None:
            known.header_stop = new.header_stop
        if new.pattern < known.pattern:
            known.pattern, known.kind = new.pattern, new.kind
        known.header_start = max(known.header_start, new.header_start)
        known.start, known.end = min(known.start, new.start), max(known.end, new.end)

    def drop_local(self) -> None:
        """Forget the definitions in local stretches."""
        stretches, n_passed, end = sorted(self.local), 0, -1
        for place in sorted(self.definitions):
            while n_passed < len(stretches) and stretches[n_passed][0] <= place:
                end = max(end, stretches[n_passed][1])
                n_passed += 1
            if place < end:
                del self.definitions[place]

    def close_sections(self, end: int) -> None:
        """Let each section run to the next heading of its level or a higher one."""
        open_sections: list[Definition] = []
        headings = [one for one in self.definitions.values() if one.level]
        for heading in sorted(headings, key=lambda heading: heading.start):
            while open_sections and open_sections[-1].level >= heading.level:
                open_sections.pop().end = heading.start
            heading.end = end
            open_sections.append(heading)
