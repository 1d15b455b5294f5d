"""From what a query found in a text to its spans and references: scopes, headers, docs, in lines and characters.

The half of the span parser that knows no tree-sitter. Byte offsets end here: what leaves are lines and characters.
Absent on purpose: the names of any grammar's nodes, and anything that is true of one language only and is not in
the table of `languages`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from toolrag.retrieval.languages import Language
from toolrag.retrieval.syntax import Definition, Found, Source
from toolrag.symbols import Kind, Reference, Span
from toolrag.text import LineRange

_MAX_HEADER_LINES: Final = 3
"""A statement's header is all of it up to this many lines, else its first line."""

_MAX_HEADER_CHARACTERS: Final = 200
"""How much of a statement's last header line belongs to its signature: a table may stand on one line."""

_MAX_CONTAINER_CHARACTERS: Final = 1_000
"""A container that is longer does not grow any more: 20,000 classes in each other would take gigabytes."""

_PREAMBLE: Final = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
"""Comments with a meaning of their own in a file's first two lines: a shebang, an encoding (PEP 263)."""

_WHITE: Final = re.compile(rb"\s*")
_LICENCE: Final = re.compile(r"copyright|licen[cs]e|spdx-|all rights reserved", re.IGNORECASE)


@cache
def _gap(language: Language) -> re.Pattern[bytes]:
    """What may stand between the end of a header and the docstring: blanks, comments, joined lines."""
    comments = [re.escape(mark).encode() + rb"[^\n]*" for mark in language.comments]
    return re.compile(b"(?:" + b"|".join([rb"\s", rb"\\\n", *comments]) + b")*")


def scope(found: Found) -> list[Definition]:
    """The definitions that are kept, each with its parent and the kind its place gives it, in order.

    A function in a class is a method, an assignment there a field, and one in a function is no symbol.
    """
    kept: list[Definition] = []
    enclosing: list[tuple[Definition, int]] = []
    for definition in sorted(found.definitions.values(), key=lambda one: (one.start, -one.end, one.name_start)):
        while enclosing and enclosing[-1][0].end <= definition.start:
            enclosing.pop()
        around, parent = enclosing[-1] if enclosing else (None, None)
        if around and (around.start, around.end) == (definition.start, definition.end):
            # Several names of one node: neighbours, and what stands inside is in the first.
            definition.parent, definition.kind = around.parent, _kind_within(definition.kind, kept, around.parent)
            if _is_kept(definition, kept):
                kept.append(definition)
            continue
        if definition.kind == "constant" and around and around.kind in ("constant", "field", "type"):
            # One statement with several names: each has all of it, and none is inside another.
            definition.start, definition.end, definition.header_start = around.start, around.end, around.header_start
            definition.kind, definition.parent = around.kind, around.parent
        else:
            definition.parent, definition.kind = parent, _kind_within(definition.kind, kept, parent)
        if _is_kept(definition, kept):
            enclosing.append((definition, len(kept)))
            kept.append(definition)
    return kept


def _kind_within(kind: Kind, kept: list[Definition], parent: int | None) -> Kind:
    """What a definition is in its place."""
    if parent is None or kept[parent].kind != "class":
        return kind
    within: dict[Kind, Kind] = {"function": "method", "constant": "field"}
    return within.get(kind, kind)


def _is_kept(definition: Definition, kept: list[Definition]) -> bool:
    """Whether a definition is a symbol: it has a name, and is not a function's own."""
    is_local = definition.parent is not None and kept[definition.parent].kind in ("function", "method")
    return bool(definition.name) and not (is_local and definition.kind in ("constant", "field", "type"))


def to_spans(source: Source, scoped: list[Definition], found: Found, language: Language) -> list[Span]:
    """The definitions in lines and characters, with their docs.

    A body ends before the comments that follow its last statement, as Python's own `ast` has it.
    """
    spans: list[Span] = []
    preamble = _preamble(source)
    for definition in scoped:
        _skip_attributes(source, definition, found.attributes)
        first, header = source.line(definition.start), source.line(definition.header_start)
        last = source.line(max(definition.end - 1, definition.header_start))
        while last > header and (not source.lines[last].strip() or last in found.comments):
            last -= 1
        stop = _header_stop(source, definition, last)
        header_last = source.line(stop)
        header_end = source.character(stop)
        if definition.header_stop is None:
            header_end = min(header_end, _MAX_HEADER_CHARACTERS)
        above, doc = _above(source, definition.start, found, preamble)
        if found.docs and (string := _docstring(source, definition, found.docs, language)):
            doc = LineRange(source.line(string[0]), source.line(string[1] - 1) + 1)
            last = max(last, doc.end - 1)
        parent = None if definition.parent is None else spans[definition.parent]
        if parent and len(parent.container) > _MAX_CONTAINER_CHARACTERS:
            container = parent.container
        else:
            scopes = [parent.container, parent.name, definition.scope] if parent else [definition.scope]
            container = language.path_separator.join(filter(None, scopes))
        lines = LineRange(above, max(last, header_last) + 1)
        if above < first:
            # A reference in an attribute above is the definition's.
            definition.start = source.starts[above]
        signature = LineRange(header, header_last + 1)
        spans.append(Span(definition.name, container, definition.kind, lines, signature, header_end, doc))
    return spans


def _header_stop(source: Source, definition: Definition, last: int) -> int:
    """The offset at which the signature ends."""
    stop = definition.header_stop
    if stop is None:
        first = source.line(definition.header_start)
        stop = min(definition.end, source.line_end(first if last - first >= _MAX_HEADER_LINES else last))
    while stop > definition.header_start and source.bytes[stop - 1] in b" \t\n":
        stop -= 1
    return stop


def _skip_attributes(source: Source, definition: Definition, attributes: dict[int, int]) -> None:
    """Let the header begin after the attributes that a definition's node begins with."""
    while (end := attributes.get(definition.header_start)) is not None and end < definition.end:
        blank = _WHITE.match(source.bytes, end)
        definition.header_start = blank.end() if blank else end


def _docstring(
    source: Source, definition: Definition, docs: dict[int, int], language: Language
) -> tuple[int, int] | None:
    """Start and end of the string that documents a definition.

    The first statement of its body; for an assignment the statement on the next line, as Sphinx and editors have it.
    """
    if definition.body_start is not None:
        match = _gap(language).match(source.bytes, definition.body_start)
        start = match.end() if match else -1
        return (start, docs[start]) if docs.get(start, definition.end + 1) <= definition.end else None
    if definition.header_stop is not None or not language.docstrings:
        return None
    line, indent = source.line(definition.end) + 1, source.indent(definition.header_start)
    if indent is None or line == len(source.starts):
        return None
    start = source.starts[line] + indent
    return (start, docs[start]) if start in docs else None


def _preamble(source: Source) -> int:
    """How many first lines hold a shebang, an encoding, or nothing."""
    n_lines = 0
    for line in source.lines:
        if line.strip() and not (n_lines < 2 and _PREAMBLE.match(line.removeprefix("\ufeff"))):
            break
        n_lines += 1
    return n_lines


def _above(source: Source, start: int, found: Found, preamble: int) -> tuple[int, LineRange | None]:
    """The first line of what stands right above a definition, at its own depth, and belongs to it; its doc's lines.

    Comments and attributes belong to it; not those deeper, which end the body before, and not a licence at the top
    of the file. The doc is the first run of comments.
    """
    indent = source.indent(start)
    first = end = source.line(start)
    if indent is None:
        return end, None
    while first > preamble and indent in (found.comments.get(first - 1), found.attribute_lines.get(first - 1)):
        first -= 1
    if first == preamble and any(_LICENCE.search(line) for line in source.lines[first:end]):
        while first < end and first in found.comments:
            first += 1
    doc = stop = next((line for line in range(first, end) if line in found.comments), end)
    while stop < end and stop in found.comments:
        stop += 1
    return first, LineRange(doc, stop) if doc < end else None


def to_references(source: Source, scoped: list[Definition], found: Found) -> Iterable[Reference]:
    """The references with the innermost span around each, in order."""
    around: list[tuple[int, int]] = []
    n_passed = 0
    for (start, kind), name in sorted(found.references.items()):
        while n_passed < len(scoped) and scoped[n_passed].start <= start:
            while around and around[-1][0] <= scoped[n_passed].start:
                around.pop()
            around.append((scoped[n_passed].end, n_passed))
            n_passed += 1
        while around and around[-1][0] <= start:
            around.pop()
        yield Reference(name, source.line(start), kind, around[-1][1] if around else None)
