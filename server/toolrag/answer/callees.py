"""The claim about what a symbol calls. Pure.

By name only, like the claims about callers: a name counts when some symbol of the workspace has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from toolrag.answer.blocks import circumstances
from toolrag.answer.statements import statements
from toolrag.answer.types import Cut, Draft
from toolrag.answer.units import Reading, body_of
from toolrag.answer.verify import EXTRACTIVE_MAX_LINES
from toolrag.retrieval.languages import LANGUAGES
from toolrag.symbols import Span
from toolrag.text import LineRange

MAX_NAMES: Final = 5
MAX_CUTS: Final = 3
LEAST_NAMES: Final = 2
"""One call is told by its own statement."""

_CALLED: Final = re.compile(r"([^\W\d]\w*)\(")


def callees(reading: Reading, defines: Callable[[str], bool]) -> Draft | None:
    """Which names of the workspace a function calls, in order, with the lines that say so; None for fewer than two."""
    span = reading.candidate.span
    is_read = LANGUAGES[reading.candidate.language].indented
    if span is None or span.kind not in ("function", "method") or not is_read:
        return None
    names: list[str] = []
    places: list[LineRange] = []
    for name, lines in _calls(reading, span):
        if name in names or name == span.name or not defines(name):
            continue
        joined = _joined(places, lines)
        if joined is None:
            break
        places = joined
        names.append(name)
        if len(names) == MAX_NAMES:
            break
    header = reading.cut(LineRange(span.header.start, span.header.start + 1))
    found = [reading.cut(lines) for lines in places]
    if len(names) < LEAST_NAMES or header is None:
        return None
    parts: list[Cut] = [cut for cut in found if cut is not None]
    said = ", ".join(f"`{name}`" for name in names[:-1])
    return Draft(f"`{span.name}` calls, by name, {said} and `{names[-1]}`.", (*parts, header))


def _calls(reading: Reading, span: Span) -> list[tuple[str, LineRange]]:
    """Every call in the symbol's own body, not in functions inside it, with its statement's lines."""
    body = statements(reading.text, body_of(span), LANGUAGES[reading.candidate.language].comments)
    return [
        (name, one.lines)
        for at, one in enumerate(body)
        if not one.is_comment and circumstances(body, at, lambda _: False) is not None
        for name in _CALLED.findall(one.text)
        if len(one.lines) <= EXTRACTIVE_MAX_LINES and reading.cut(one.lines) is not None
    ]


def _joined(places: list[LineRange], lines: LineRange) -> list[LineRange] | None:
    """The places with one more, joined to the last where a citation can hold both; None when there are too many."""
    if places and lines.end - places[-1].start <= EXTRACTIVE_MAX_LINES:
        return [*places[:-1], LineRange(places[-1].start, max(places[-1].end, lines.end))]
    return None if len(places) == MAX_CUTS else [*places, lines]
