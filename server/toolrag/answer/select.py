"""Choose which units become claims, and in which order. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.answer.callees import callees
from toolrag.answer.question import Question
from toolrag.answer.relevance import Relevance
from toolrag.answer.scoring import (
    BARE,
    DOES,
    JOINT,
    TOPIC,
    USUAL,
    WEIGHTS,
    WHOLE,
    container_of,
    fits,
    highest_score,
    standing,
    surroundings_of,
)
from toolrag.answer.types import Draft
from toolrag.answer.units import Reading, Unit
from toolrag.ports import Candidate
from toolrag.retrieval.paths import is_test

MAX_CLAIMS: Final = 5
PER_CANDIDATE: Final = 3
SUPPORT: Final = 0.4
"""A candidate whose lines, name and path hold less of the question's weight than this does not answer it."""
KEEP: Final = 0.55
"""A candidate weaker than this share of the best one is left out."""
HELD: Final = 0.5
"""So is one that holds less than this share of what another one holds of the question."""
LEAST: Final = 0.2
LEAST_COMMENT: Final = 0.6
"""The share of the question's weight a detail must hold by itself; comments stray further from their topic."""

_CALLED: Final = re.compile(r"([^\W\d]\w*)\(")


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float
    order: int
    unit: Unit
    reading: Reading
    tells: bool = True
    """It says something of the question, and not only that a symbol is there."""


def about_symbol(
    question: Question, relevance: Relevance, readings: Sequence[Reading], defines: Callable[[str], bool]
) -> list[Draft]:
    """What the definitions of one name say: their summaries, then what the first one does and what it calls."""
    drafts: list[Draft] = []
    rest: list[_Scored] = []
    for order, reading in enumerate(readings):
        units = reading.units()
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
    calls = callees(readings[0], defines) if readings else None
    best = sorted(
        (one for one in rest if one.score > 0 and not (calls and _only_calls(one.unit))),
        key=lambda scored: (-scored.score, scored.order),
    )
    chosen = _distinct(best, MAX_CLAIMS - (1 if calls is None else 2))
    in_order = [scored.unit.draft for scored in sorted(chosen, key=lambda scored: scored.unit.first_line)]
    return [*drafts[:1], *in_order, *([calls] if calls else []), *drafts[1:]]


def _only_calls(unit: Unit) -> bool:
    """Whether a unit says no more than that something is called."""
    return unit.kind == "statement" and unit.draft.text.count("`") == 4 and unit.words.startswith("calls ")


def preferred(question: Question, relevance: Relevance, candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """The candidates worth reading, by what is known before reading: scores, names, and words close together."""
    product = [candidate for candidate in candidates if question.wants_tests or not is_test(candidate.path)]
    wanted = product or candidates
    highest = highest_score(wanted)
    best = sorted(wanted, key=lambda candidate: -standing(question, relevance, candidate, highest))
    if question.kind != "when":
        return best[:limit]
    # What happens in a case is said on one line of a body, whatever its function is called.
    close = sorted(wanted, key=lambda candidate: -candidate.focus)[: limit // 2]
    return [*best[: limit - len(close)], *close]


def about_topic(
    question: Question, relevance: Relevance, readings: Sequence[Reading], support: float = SUPPORT
) -> list[Draft]:
    """What the best candidates say of the question's topic, best first; nothing when none holds `support` of it.

    A candidate is as good as what is known of it and its best unit together. The first may make three claims, the
    others two.
    """
    highest = highest_score([reading.candidate for reading in readings])
    held = 0.0
    ranked: list[tuple[float, int, float, list[_Scored]]] = []
    for order, reading in enumerate(readings):
        surroundings = surroundings_of(reading.candidate)
        units = reading.units()
        everything = [*surroundings, *(unit.words for unit in units)]
        # Kindred words help to choose among answers; that there is one, the question's own words say.
        if relevance.weight_of(relevance.matched(everything)) < support or not relevance.names_topic(everything):
            continue
        surroundings.append(container_of(reading.candidate))
        whole = relevance.share([*everything, *surroundings])
        scored = _details(question, relevance, reading, units, surroundings)
        if scored:
            summary = [one.words for one in units if one.kind == "summary"]
            score = standing(question, relevance, reading.candidate, highest) + WHOLE * whole
            score += DOES * relevance.does(summary) + scored[0].score
            ranked.append((score, order, whole, scored))
            held = max(held, whole)
    ranked = [row for row in ranked if row[2] >= HELD * held]
    ranked.sort(key=lambda row: (-row[0], row[1]))
    told = [any(one.tells for one in scored) for *_, scored in ranked]
    chosen: list[_Scored] = []
    for place, (score, _, _, scored) in enumerate(ranked):
        if score < KEEP * ranked[0][0] or len(chosen) >= MAX_CLAIMS:
            break
        if any(told) and not told[place]:
            continue  # all that could be said of it is that it is there
        chosen = _distinct([*chosen, *scored], min(MAX_CLAIMS, len(chosen) + (3 if place == 0 else 2)))
    return [one.unit.draft for one in chosen]


def _details(
    question: Question, relevance: Relevance, reading: Reading, units: Sequence[Unit], surroundings: Sequence[str]
) -> list[_Scored]:
    """A candidate's units worth claiming, best first: only those that hold some of the question themselves.

    A summary also counts what its symbol is called; one without a doc says nothing but where the symbol is, and is
    used only where nothing else can be said.
    """
    weights = WEIGHTS.get(question.kind, USUAL)
    scored = []
    for at, unit in enumerate(units):
        own = relevance.share([unit.words])
        names_topic = relevance.names_topic([unit.words])
        score = weights.own * own + TOPIC * names_topic
        score += JOINT * relevance.share([unit.words, *surroundings])
        score += fits(question, relevance, unit)
        if unit.kind == "summary":
            tells = unit.documented
        else:
            tells = own >= (LEAST_COMMENT if unit.kind == "comment" else LEAST) and names_topic
        scored.append(_Scored(score, at, unit, reading, tells))
    telling = [one for one in scored if one.tells] or [one for one in scored if one.unit.kind in ("summary", "value")]
    return sorted(telling, key=lambda one: (-one.score, one.order))


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


def _told(question: Question, relevance: Relevance, unit: Unit, defines: Callable[[str], bool]) -> float:
    """How much a unit tells of what a symbol does: what it gives, refuses and calls, and what the question names."""
    score = relevance.share([unit.words]) if len(question.words) > 1 else 0.0
    if unit.kind == "doc":
        return score + (0.3 if not unit.is_entry else 0.0)
    if unit.kind == "comment":
        return score + 0.1
    if BARE.match(unit.words):
        score += 0.05  # a bare name tells nothing by itself
    elif unit.words.startswith(("returns", "yields")):
        score += 0.6
    elif unit.words.startswith("raises"):
        score += 0.5
    elif unit.words.startswith("requires"):
        score += 0.2
    return score + min(0.6, 0.3 * sum(defines(name) for name in set(_CALLED.findall(unit.words))))
