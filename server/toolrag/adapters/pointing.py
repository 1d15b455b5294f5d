"""Candidates and places cut from a text as it is now: what does not stand in it is not pointed to."""

from __future__ import annotations

import re

from toolrag.ports import Candidate, Place
from toolrag.retrieval import cuts
from toolrag.retrieval.symbols_in import find_symbol, name_parts, parent_of, stands
from toolrag.symbols import Analysis, Span
from toolrag.text import LineRange, TextSnapshot


def pointing(
    snapshot: TextSnapshot, analysis: Analysis, language: str, span: Span | None, lines: LineRange
) -> Candidate | None:
    """A candidate without a score; None when its lines or its symbol's name are not in the text."""
    if lines.end > snapshot.text.n_lines or (span is not None and not stands(snapshot.text, span)):
        return None
    parent = None if span is None else parent_of(analysis.parsed, span)
    if parent is not None and not stands(snapshot.text, parent):
        return None
    return Candidate(
        uri=snapshot.uri,
        root=snapshot.root,
        path=snapshot.path,
        sha=snapshot.sha,
        language=language,
        span=span,
        parent=parent,
        lines=lines,
        signature=cuts.signature(snapshot.text, span, language) if span else "",
        score=0.0,
        focus=0.0,
        reasons=(),
    )


def of_name(analysis: Analysis, name: str) -> list[Span]:
    """The symbols of a file that a name, which may be dotted, means."""
    return [span for span in analysis.parsed.spans if _ends_with(span, name)]


def same_symbol(old: Analysis, ordinal: int, new: Analysis) -> int | None:
    """The passage of a new analysis that holds the symbol an old passage had; None when it is not there just once."""
    at = old.parsed.passages[ordinal].span if ordinal < len(old.parsed.passages) else None
    if at is None:
        return None
    now = find_symbol(new.parsed, old.parsed.spans[at])
    if now is None:
        return None
    where = new.parsed.spans.index(now)
    return next((index for index, passage in enumerate(new.parsed.passages) if passage.span == where), None)


def _ends_with(span: Span, name: str) -> bool:
    wanted = name_parts(name)
    return name_parts(span.qualified_name)[-len(wanted) :] == wanted


def places_of(snapshot: TextSnapshot, analysis: Analysis, name: str) -> list[Place]:
    """The lines of a file that call the name, in order, each with the symbol around it."""
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    calls = {
        (reference.line, -1 if reference.span is None else reference.span)
        for reference in analysis.parsed.references
        if reference.kind == "call" and reference.name == name and reference.line < snapshot.text.n_lines
    }
    places = []
    for line, at in sorted(calls):
        inside = None if at < 0 else analysis.parsed.spans[at]
        if named.search(snapshot.text.line(line)) and (inside is None or stands(snapshot.text, inside)):
            places.append(Place(snapshot.uri, snapshot.root, snapshot.path, snapshot.sha, line, inside))
    return places
