"""Claims about who calls a name. Pure; awaits ports.

By name only: a line that says `x(` names `x`, and may mean another `x`. The claims say just that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolrag.answer.clauses import code
from toolrag.answer.gather import read_candidate
from toolrag.answer.question import Question
from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Callers, Cut, Draft, Evidence
from toolrag.errors import ReadError
from toolrag.ports import Candidate, Place, Retriever, Scope
from toolrag.retrieval.corpus import last_name
from toolrag.text import LineRange

MAX_PLACES = 200
"""Places that are counted; beyond them the count is said to be incomplete."""
MAX_CLAIMS = 6
MAX_LINES_BETWEEN = 300
"""A call and its symbol's header are read together when they are no farther apart, else one by one."""


async def draft_callers(
    question: Question, definitions: Sequence[Candidate], retriever: Retriever, reader: RangeReader, scope: Scope
) -> tuple[list[Draft], Callers | None]:
    """A draft for each of the first callers, then where the name is defined; and the count of all.

    Nothing at all, and no count, for a name that is neither defined nor called.
    """
    name = last_name(question.subject)
    places = await retriever.references(name, MAX_PLACES, scope)
    if not places and not definitions:
        return [], None
    drafts: list[Draft] = []
    for place in _spread(places):
        if len(drafts) == MAX_CLAIMS:
            break
        try:
            drafts.append(await _draft(name, place, reader))
        except ReadError as error:
            if error.code == "budget_spent":
                break
            # Changed since it was found: such a place is not mentioned.
    for candidate in definitions[:1]:
        drafts += await _definition(candidate, reader)
    files = len({place.uri for place in places})
    return drafts, Callers(name, len(places), files, len(places) < MAX_PLACES)


def _spread(places: Sequence[Place]) -> list[Place]:
    """One place of each symbol first, then the others."""
    seen: set[tuple[str, str]] = set()
    first: list[Place] = []
    later: list[Place] = []
    for place in places:
        key = (place.uri, place.span.qualified_name if place.span else "")
        (later if key in seen else first).append(place)
        seen.add(key)
    return first + later


async def _draft(name: str, place: Place, reader: RangeReader) -> Draft:
    line = LineRange(place.line, place.line + 1)
    if place.span is None or place.span.kind not in ("class", "function", "method"):
        here = await _evidence(reader, place, line)
        return Draft(f"{_named(name, here, line)} at the top level: {_code(here, line)}.", (Cut(here, line),))
    header = LineRange(place.span.header.start, place.span.header.start + 1)
    symbol = place.span.qualified_name
    both = LineRange(min(header.start, line.start), max(header.end, line.end))
    together = await _together(reader, place, both) if len(both) <= MAX_LINES_BETWEEN else None
    here = together or await _evidence(reader, place, line)
    there = together or await _evidence(reader, place, header)
    text = f"{_named(name, here, line)} in `{place.span.name}`: {_code(here, line)}."
    return Draft(text, (Cut(here, line, symbol), Cut(there, header, symbol)))


async def _definition(candidate: Candidate, reader: RangeReader) -> list[Draft]:
    try:
        reading = await read_candidate(reader, candidate)
    except ReadError:
        return []  # it may not be read any more, and so it is not mentioned
    return [unit.draft for unit in reading.units() if unit.kind in ("summary", "value")][:1]


async def _evidence(reader: RangeReader, place: Place, lines: LineRange) -> Evidence:
    return (await reader.read_range(place.uri, lines.start + 1, lines.end, place.sha)).evidence


async def _together(reader: RangeReader, place: Place, lines: LineRange) -> Evidence | None:
    try:
        return await _evidence(reader, place, lines)
    except ReadError as error:
        if error.code != "too_large":
            raise
        return None


def _named(name: str, evidence: Evidence, line: LineRange) -> str:
    called = re.search(rf"(?<!\w){re.escape(name)}\s*\(", evidence.snapshot.text.line(line.start))
    return f"`{name}(` is named" if called else f"`{name}` is named"


def _code(evidence: Evidence, line: LineRange) -> str:
    return code(" ".join(evidence.snapshot.text.line(line.start).split()))
