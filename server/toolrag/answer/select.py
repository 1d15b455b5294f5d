"""Choose which units become claims, and in which order. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.answer.question import Question
from toolrag.answer.relevance import Relevance
from toolrag.answer.types import Draft
from toolrag.answer.units import Reading, Unit
from toolrag.retrieval.paths import folder_tokens, stem

MAX_CLAIMS: Final = 5
PER_CANDIDATE: Final = 3
SUPPORT: Final = 0.45
"""A candidate whose lines, name and path hold less of the question's weight than this does not answer it."""
KEEP: Final = 0.6
"""A claim weaker than this share of the best one is left out."""

_CALLED: Final = re.compile(r"([^\W\d]\w*)\(")


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float
    order: int
    unit: Unit
    reading: Reading


def about_symbol(
    question: Question, relevance: Relevance, readings: Sequence[Reading], defines: Callable[[str], bool]
) -> list[Draft]:
    """What the definitions of one name say: their summaries, then what the first one does."""
    drafts: list[Draft] = []
    rest: list[_Scored] = []
    for order, reading in enumerate(readings):
        units = list(reading.units())
        head = next((unit for unit in units if unit.kind in ("summary", "value")), None)
        if head is not None:
            drafts.append(head.draft)
        if order == 0:
            rest = [
                _Scored(_told(question, relevance, unit, defines), at, unit, reading)
                for at, unit in enumerate(units)
                if unit is not head
            ]
    if question.kind == "where":
        return drafts
    best = sorted((scored for scored in rest if scored.score > 0), key=lambda scored: (-scored.score, scored.order))
    chosen = _distinct(best, MAX_CLAIMS - 1)
    in_order = [scored.unit.draft for scored in sorted(chosen, key=lambda scored: scored.unit.first_line)]
    return [*drafts[:1], *in_order, *drafts[1:]]


def about_topic(question: Question, relevance: Relevance, readings: Sequence[Reading]) -> list[Draft]:
    """What the best candidates say of the question's topic, best first; nothing when none holds enough of it."""
    if not readings:
        return []
    highest = max(reading.candidate.score for reading in readings) or 1.0
    scored: list[_Scored] = []
    for order, reading in enumerate(readings):
        surroundings = _surroundings(reading)
        units = list(reading.units())
        everything = [*surroundings, *(unit.words for unit in units)]
        if relevance.share(everything) < SUPPORT or not relevance.names_topic(everything):
            continue
        standing = reading.candidate.score / highest
        context = relevance.share(surroundings)
        for at, unit in enumerate(units):
            own = relevance.share([unit.words])
            if unit.kind != "summary" and not relevance.matched([unit.words]):
                continue
            joint = relevance.share([unit.words, *surroundings])
            score = standing + own + 0.5 * joint + 0.2 * context + _fits(question, unit)
            scored.append(_Scored(score, 1000 * order + at, unit, reading))
    scored.sort(key=lambda one: (-one.score, one.order))
    if not scored:
        return []
    kept = [one for one in scored if one.score >= KEEP * scored[0].score]
    return [one.unit.draft for one in _distinct(kept, MAX_CLAIMS)]


def _distinct(scored: Iterable[_Scored], limit: int) -> list[_Scored]:
    """The first of each text and of each place, and not too many of one candidate."""
    chosen: list[_Scored] = []
    texts: set[str] = set()
    used: Counter[int] = Counter()
    for one in scored:
        lines = one.unit.draft.cuts[0]
        overlapping = any(
            lines.evidence.snapshot.uri == other.unit.draft.cuts[0].evidence.snapshot.uri
            and lines.lines.overlaps(other.unit.draft.cuts[0].lines)
            for other in chosen
        )
        if one.unit.draft.text in texts or overlapping or used[id(one.reading)] == PER_CANDIDATE:
            continue
        chosen.append(one)
        texts.add(one.unit.draft.text)
        used[id(one.reading)] += 1
        if len(chosen) == limit:
            break
    return chosen


def _surroundings(reading: Reading) -> list[str]:
    candidate = reading.candidate
    name = candidate.span.qualified_name if candidate.span else ""
    return [name, stem(candidate.path), " ".join(folder_tokens(candidate.path))]


def _fits(question: Question, unit: Unit) -> float:
    """A little more for the kind of line that answers this kind of question."""
    if unit.kind == "summary":
        return 0.35 if question.kind in ("what", "how") else 0.2
    if unit.kind == "doc":
        return 0.1
    if unit.kind == "value":
        return 0.2 if question.kind == "where" else 0.05
    if unit.kind == "comment":
        return 0.05
    if question.kind == "when":
        return 0.2 if " when " in unit.words or unit.words.startswith(("raises", "returns")) else 0.0
    return 0.1 if unit.words.startswith("sets") and question.kind == "where" else 0.0


def _told(question: Question, relevance: Relevance, unit: Unit, defines: Callable[[str], bool]) -> float:
    """How much a unit tells of what a symbol does: what it gives, refuses and calls, and what the question names."""
    score = relevance.share([unit.words]) if len(question.words) > 1 else 0.0
    if unit.kind == "doc":
        return score + 0.3
    if unit.kind == "comment":
        return score + 0.1
    if unit.words.startswith(("returns", "yields")):
        score += 0.6
    elif unit.words.startswith("raises"):
        score += 0.5
    elif unit.words.startswith("requires"):
        score += 0.2
    return score + min(0.6, 0.3 * sum(defines(name) for name in set(_CALLED.findall(unit.words))))
