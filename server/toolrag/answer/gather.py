"""Read what a candidate points to, in as few reads as its size allows. Pure; awaits ports."""

from __future__ import annotations

from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Evidence
from toolrag.answer.units import Reading
from toolrag.ports import Candidate
from toolrag.text import LineRange

WHOLE_SYMBOL_LINES = 200
"""A longer symbol is read by its signature, its doc and the passage that was found."""


async def read_candidate(reader: RangeReader, candidate: Candidate) -> Reading:
    """Evidence for a candidate and the header of the class around it. Raises ReadError of its first read."""
    evidence: list[Evidence] = []
    for lines in _wanted(candidate):
        if any(lines in item.lines for item in evidence):
            continue
        result = await reader.read_range(candidate.uri, lines.start + 1, lines.end, candidate.sha)
        evidence.append(result.evidence)
    return Reading(candidate, evidence)


def _wanted(candidate: Candidate) -> list[LineRange]:
    span = candidate.span
    if span is None:
        return [candidate.lines]
    if len(span.lines) <= WHOLE_SYMBOL_LINES and span.kind != "class":
        wanted = [span.lines]
    else:
        start = min(span.header.start, span.doc.start) if span.doc else span.header.start
        end = max(span.header.end, span.doc.end) if span.doc else span.header.end
        top = LineRange(start, min(end, start + WHOLE_SYMBOL_LINES))
        wanted = [top, candidate.lines]
        if top.overlaps(candidate.lines):
            joined = LineRange(min(start, candidate.lines.start), max(top.end, candidate.lines.end))
            wanted = [joined] if len(joined) <= 2 * WHOLE_SYMBOL_LINES else wanted
    if span.name == "__init__" and candidate.parent is not None:
        header = candidate.parent.header
        wanted.append(LineRange(header.start, header.start + 1))
    return wanted
