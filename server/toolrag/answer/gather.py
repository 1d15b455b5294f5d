"""Read what a candidate points to, in as few reads as its size allows. Pure; awaits ports."""

from __future__ import annotations

from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Evidence
from toolrag.answer.units import Reading
from toolrag.errors import ReadError
from toolrag.ports import Candidate
from toolrag.symbols import Span
from toolrag.text import LineRange

WHOLE_SYMBOL_LINES = 200
"""A longer symbol is read by its signature, its doc and the passage that was found."""


async def read_candidate(reader: RangeReader, candidate: Candidate) -> Reading:
    """Evidence for a candidate and the header of the class around it. Raises ReadError when there is none.

    A symbol of too many bytes for one read is read in parts. What a later read refuses is left out: nothing can be
    claimed of lines that were not read.
    """

    async def read(lines: LineRange) -> Evidence:
        return (await reader.read_range(candidate.uri, lines.start + 1, lines.end, candidate.sha)).evidence

    first, *others = _wanted(candidate)
    try:
        evidence = [await read(first)]
    except ReadError as error:
        if error.code != "too_large" or candidate.span is None:
            raise
        evidence = [await read(_top(candidate.span))]
        others = [candidate.lines, *others]
    for lines in others:
        if any(lines in item.lines for item in evidence):
            continue
        try:
            evidence.append(await read(lines))
        except ReadError:
            break
    return Reading(candidate, evidence)


def _wanted(candidate: Candidate) -> list[LineRange]:
    """The lines to read, the most telling first."""
    span = candidate.span
    if span is None:
        return [candidate.lines]
    if len(span.lines) <= WHOLE_SYMBOL_LINES and span.kind != "class":
        wanted = [span.lines]
    else:
        top = _top(span)
        joined = LineRange(min(top.start, candidate.lines.start), max(top.end, candidate.lines.end))
        close = top.overlaps(candidate.lines) and len(joined) <= 2 * WHOLE_SYMBOL_LINES
        wanted = [joined] if close else [top, candidate.lines]
    if span.name == "__init__" and candidate.parent is not None:
        header = candidate.parent.header
        wanted.append(LineRange(header.start, header.start + 1))
    return wanted


def _top(span: Span) -> LineRange:
    """A symbol's signature and doc, as far as one read goes."""
    start = min(span.header.start, span.doc.start) if span.doc else span.header.start
    end = max(span.header.end, span.doc.end) if span.doc else span.header.end
    return LineRange(start, min(end, start + WHOLE_SYMBOL_LINES))
