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
_ARGUMENTS: Final = re.compile(r"[<(\[].*")
"""Of a template or a type in a scope's name."""

_NAME_END: Final = re.compile(r"(?<=\w)<.*>$|(?<=^operator )([^(]+)\(.*")
"""Arguments of a template behind its name, parameters behind that of a conversion."""


class Source:
    """A text as its grammar reads it, and the way back from bytes to lines and characters."""

    def __init__(self, text: str) -> None:
        # NUL ends a text for tree-sitter, and a lone surrogate has no UTF-8: each becomes one other character.
        folded = fold(text)
        self.lines: Final = folded.split("\n")
        self._bom: Final = folded.startswith(_BOM)
        self.bytes: Final = folded.removeprefix(_BOM).replace("\0", " ").encode("utf-8", "replace")
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

    def trimmed(self, start: int, end: int) -> int:
        """The end of a node without the white space that some grammars count to it."""
        while end > start and self.bytes[end - 1] in b" \t\n\f":
            end -= 1
        return end

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.bytes[start:end].decode("utf-8", "replace")


def split_name(text: str, separators: tuple[str, ...]) -> tuple[str, str]:
    """A name as it is written, in the scope it names, joined by `.`, and the name itself: `A<T>::f` is (`A`, `f`).

    Quotes around it go, and the colon before a symbol. Brackets hold no separators, and an operator is a name
    whatever it is made of.
    """
    text = " ".join(text.split())
    if separators:
        text = text.removeprefix(":")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        return "", text[1:-1]
    scope: list[str] = []
    at = begin = depth = 0
    while separators and at < len(text) and not text.startswith("operator", at):
        found = next((one for one in separators if depth == 0 and text.startswith(one, at)), "")
        if found:
            scope.append(text[begin:at])
            begin = at + len(found)
        depth += (text[at] in "<([{") - (text[at] in ">)]}" and depth > 0)
        at += len(found) or 1
    name = _NAME_END.sub(r"\1", text[begin:])
    scopes = (_ARGUMENTS.sub("", part).strip() for part in scope)
    return ".".join(filter(None, scopes)), name


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
    body_start: int | None = None
    """Where the first statement may stand; None where the header's end is not known."""

    scope: str = ""
    """Names that the definition itself puts before its own, joined by `.`: a receiver's type, `A::B` of `A::B::f`."""

    level: int = 0
    """A heading's level; 0 for all that is no heading."""

    is_clause: bool = False
    """Neighbours of one name are clauses of one definition."""

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

    attributes: dict[int, int] = field(default_factory=dict)
    """Start and end of attributes, annotations and the like: part of a definition, not of its signature."""

    attribute_lines: dict[int, int] = field(default_factory=dict)
    """Lines that hold attributes and nothing else, with the width of what stands before them."""

    wraps: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """Start and end of a node, to those of the node that wraps it: `export`, `template <…>`, a lone declaration."""

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
            known.header_stop, known.body_start = new.header_stop, new.body_start
        if new.pattern < known.pattern:
            known.pattern, known.kind = new.pattern, new.kind
        known.scope = known.scope or new.scope
        known.header_start = max(known.header_start, new.header_start)
        known.start, known.end = min(known.start, new.start), max(known.end, new.end)

    def take_lines(self, source: Source, into: dict[int, int], start: int, end: int) -> None:
        """Put in the lines of a node that shares them with nothing else."""
        indent = source.indent(start)
        last = source.line(max(end - 1, start))
        if indent is not None and not source.bytes[end : source.line_end(last)].strip():
            into.update(dict.fromkeys(range(source.line(start), last + 1), indent))

    def widen(self) -> None:
        """Let each definition run over what wraps it, and begin its header there too."""
        for definition in self.definitions.values():
            while outer := self.wraps.get((definition.start, definition.end)):
                if definition.header_start == definition.start:
                    definition.header_start = outer[0]
                definition.start, definition.end = outer

    def drop_defined_references(self) -> None:
        """Forget the references that are the name of a definition: in some grammars its head is a call."""
        self.references = {key: name for key, name in self.references.items() if key[0] not in self.definitions}

    def drop_local(self) -> None:
        """Forget the definitions in local stretches."""
        stretches, n_passed, end = sorted(self.local), 0, -1
        for place in sorted(self.definitions):
            while n_passed < len(stretches) and stretches[n_passed][0] <= place:
                end = max(end, stretches[n_passed][1])
                n_passed += 1
            if place < end:
                del self.definitions[place]

    def join_clauses(self, source: Source) -> None:
        """Make one definition of neighbours of one name, where the language writes a function clause by clause."""
        before: Definition | None = None
        for place in sorted(self.definitions):
            clause = self.definitions[place]
            if (
                before
                and clause.is_clause
                and (before.name, before.scope) == (clause.name, clause.scope)
                and self._only_comments(source, before.end, clause.start)
            ):
                before.end = max(before.end, clause.end)
                del self.definitions[place]
            elif not before or clause.start >= before.end:
                before = clause if clause.is_clause else None

    def _only_comments(self, source: Source, start: int, end: int) -> bool:
        """Whether all lines between two offsets are blank or comments."""
        between = range(source.line(max(start - 1, 0)) + 1, source.line(end))
        return all(line in self.comments or not source.lines[line].strip() for line in between)

    def close_sections(self, source: Source) -> None:
        """Let each section run to the next heading of its level or a higher one, without the white space before it."""
        open_sections: list[Definition] = []
        headings = [one for one in self.definitions.values() if one.level]
        for heading in sorted(headings, key=lambda heading: heading.start):
            while open_sections and open_sections[-1].level >= heading.level:
                above = open_sections.pop()
                above.end = source.trimmed(above.start, heading.start)
            heading.end = len(source.bytes)
            open_sections.append(heading)
        for heading in headings:
            # A heading of HTML that is not closed holds all that follows.
            if heading.header_stop is not None:
                heading.header_stop = min(heading.header_stop, heading.end)
