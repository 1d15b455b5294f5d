"""Cut a file into passages, the runs of lines that are searched. Pure; knows spans and lines, no syntax.

A function is a passage; a class or a section keeps the lines that none of its members has; so does the top level.
Long runs are cut into pieces, at a blank line when one is near. A function inside a function is part of its passage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolrag.symbols import Passage, Span
from toolrag.text import LineRange

MAX_LINES: Final = 80
"""The longest passage of a span, in lines."""

MAX_TOP_LEVEL_LINES: Final = 40
"""The longest passage of the top level, in lines."""

_NEAR: Final = 15
"""How many lines before its limit a piece may end for the sake of a blank line."""

_OPEN: Final = frozenset({"class", "module", "section"})
_MEMBERS: Final = frozenset({"class", "function", "method", "module", "section", "type"})


def cut_passages(lines: Sequence[str], spans: Sequence[Span], parents: Sequence[int | None]) -> tuple[Passage, ...]:
    """The passages of a file, by first line.

    `lines` are the file's, without their ends; `parents` has the index of each span's enclosing span, which stands
    before it. Where two spans share a line, it goes to the first.
    """
    members: dict[int | None, list[int]] = {None: []}
    passages: list[Passage] = []
    for index, (span, parent) in enumerate(zip(spans, parents, strict=True)):
        if span.kind == "constant":
            passages.append(Passage(index, span.lines))
        if span.kind in _MEMBERS and parent in members:
            members[parent].append(index)
            if span.kind in _OPEN:
                members[index] = []

    extents: dict[int | None, LineRange] = {None: LineRange(0, len(lines))}
    for owner, inside in members.items():
        limit = MAX_TOP_LEVEL_LINES if owner is None else MAX_LINES
        extent = extents[owner]
        free = extent.start
        for index in inside:
            start = min(max(spans[index].lines.start, free), extent.end)
            taken = LineRange(start, min(max(spans[index].lines.end, start), extent.end))
            passages.extend(Passage(owner, piece) for piece in _pieces(lines, LineRange(free, start), limit))
            if index in members:
                extents[index] = taken
            else:
                passages.extend(Passage(index, piece) for piece in _pieces(lines, taken, MAX_LINES))
            free = taken.end
        passages.extend(Passage(owner, piece) for piece in _pieces(lines, LineRange(free, extent.end), limit))
    passages.sort(key=lambda passage: (passage.lines.start, passage.lines.end, passage.span or 0))
    return tuple(passages)


def _pieces(lines: Sequence[str], run: LineRange, limit: int) -> Iterator[LineRange]:
    """A run of lines in pieces of at most `limit` lines, about equal, without blank lines at their ends."""
    start, end = run.start, run.end
    while True:
        while start < end and not lines[start].strip():
            start += 1
        while start < end and not lines[end - 1].strip():
            end -= 1
        if start == end:
            return
        n_pieces = -(-(end - start) // limit)
        cut = start - (start - end) // n_pieces
        if n_pieces > 1:
            cut = next((at for at in range(cut, max(cut - _NEAR, start + 1), -1) if not lines[at - 1].strip()), cut)
        last = cut
        while not lines[last - 1].strip():
            last -= 1
        yield LineRange(start, last)
        start = cut
