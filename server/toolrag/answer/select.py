"""Choose which units become claims, and in which order. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.answer.callees import callees
from toolrag.answer.question import Question, QuestionKind
from toolrag.answer.relevance import Relevance
from toolrag.answer.types import Draft
from toolrag.answer.units import Reading, Unit
from toolrag.ports import Candidate
from toolrag.retrieval.paths import folder_tokens, is_test, stem

MAX_CLAIMS: Final = 5
PER_CANDIDATE: Final = 3
SUPPORT: Final = 0.4
"""A candidate whose lines, name and path hold less of the question's weight than this does not answer it."""
KEEP: Final = 0.55
"""A candidate weaker than this share of the best one is left out."""
HELD: Final = 0.7
"""So is one that holds less than this share of what another one holds of the question."""
ACTS: Final = 0.05
"""What asks where or how something is done is more often answered by a function."""
LEAST: Final = 0.2
LEAST_COMMENT: Final = 0.6
"""The share of the question's weight a detail must hold by itself; comments stray further from their topic."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts for a candidate: each is a share from 0 to 1, times its weight here."""

    standing: float
    """Retrieval's score, as a share of the highest."""
    best: float
    """How much of the question its best unit holds."""
    whole: float
    """How much of the question it holds at all."""
    name: float
    """How well its name and the question fit."""
    focus: float
    """How close together it holds the question's words."""


USUAL: Final = Weights(standing=1.0, best=0.8, whole=0.5, name=1.0, focus=0.5)
# What happens in a case is said on one line of a body, whatever its function is called.
WEIGHTS: Final[dict[QuestionKind, Weights]] = {"when": Weights(0.3, 2.0, 0.5, 0.3, 1.0)}

ERROR: Final = 0.8
_ASKS_FOR_ERRORS: Final = re.compile(r"\b(errors?|exceptions?|warnings?|rais\w*|fail\w*|throw\w*)\b", re.IGNORECASE)
_BARE: Final = re.compile(r"(?:returns|yields) `\w+`")
_CALLED: Final = re.compile(r"([^\W\d]\w*)\(")


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float
    order: int
    unit: Unit
    reading: Reading
    bonus: float = 0.0


def about_symbol(
    question: Question, relevance: Relevance, readings: Sequence[Reading], defines: Callable[[str], bool]
) -> list[Draft]:
    """What the definitions of one name say: their summaries, then what the first one does and what it calls."""
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
    weights = WEIGHTS.get(question.kind, USUAL)
    highest = max((candidate.score for candidate in candidates), default=0.0) or 1.0
    fit = {
        id(candidate): weights.standing * candidate.score / highest
        + weights.name * relevance.name_fit(_name(candidate))
        + weights.focus * candidate.focus
        for candidate in candidates
    }
    product = [candidate for candidate in candidates if question.wants_tests or not is_test(candidate.path)]
    return sorted(product or candidates, key=lambda candidate: -fit[id(candidate)])[:limit]


def about_topic(question: Question, relevance: Relevance, readings: Sequence[Reading]) -> list[Draft]:
    """What the best candidates say of the question's topic, best first; nothing when none holds enough of it.

    Candidates are ordered by retrieval's score, by how much of the question their lines hold, by their best few
    lines, and by how much of their name the question says. The first may make three claims, the others two.
    """
    highest = max((reading.candidate.score for reading in readings), default=0.0) or 1.0
    weights = WEIGHTS.get(question.kind, USUAL)
    held = 0.0
    ranked: list[tuple[float, int, float, list[_Scored]]] = []
    for order, reading in enumerate(readings):
        surroundings = _surroundings(reading.candidate)
        units = list(reading.units())
        everything = [*surroundings, *(unit.words for unit in units)]
        whole = relevance.share(everything)
        if whole < SUPPORT or not relevance.names_topic(everything):
            continue
        scored = _details(question, relevance, reading, units, surroundings)
        best = max((relevance.share([one.unit.words]) for one in scored), default=0.0)
        score = weights.standing * reading.candidate.score / highest + weights.best * best + weights.whole * whole
        score += weights.name * relevance.name_fit(_name(reading.candidate)) + weights.focus * reading.candidate.focus
        if _acts(reading.candidate) and question.kind in ("where", "how", "when"):
            score += ACTS
        if _is_error(reading.candidate) and question.kind != "when" and not _ASKS_FOR_ERRORS.search(question.text):
            score -= ERROR
        if scored:
            ranked.append((score + 0.5 * max(0.0, *(one.bonus for one in scored)), order, whole, scored))
            held = max(held, whole)
    ranked = [row for row in ranked if row[2] >= HELD * held]
    ranked.sort(key=lambda row: (-row[0], row[1]))
    told = [any(one.score > 0 for one in scored) for *_, scored in ranked]
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
    scored = []
    for at, unit in enumerate(units):
        own = relevance.share([unit.words])
        joint = relevance.share([unit.words, *surroundings])
        bonus = _fits(question, unit)
        if unit.kind == "summary":
            if unit.documented:
                scored.append(_Scored(joint + bonus, at, unit, reading))
        elif own >= (LEAST_COMMENT if unit.kind == "comment" else LEAST) and relevance.names_topic([unit.words]):
            scored.append(_Scored(own + 0.3 * joint + bonus, at, unit, reading, bonus))
    if not scored:
        scored = [_Scored(0.0, at, unit, reading) for at, unit in enumerate(units) if unit.kind in ("summary", "value")]
    return sorted(scored, key=lambda one: (-one.score, one.order))


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


def _surroundings(candidate: Candidate) -> list[str]:
    return [_name(candidate), stem(candidate.path), " ".join(folder_tokens(candidate.path))]


def _name(candidate: Candidate) -> str:
    if candidate.span is None:
        return ""
    # What makes an object is called for its class.
    return candidate.span.container if candidate.span.name == "__init__" else candidate.span.name


def _is_error(candidate: Candidate) -> bool:
    """Whether the symbol is an exception: it shares its words with what raises it, and says less."""
    return candidate.span is not None and candidate.span.name.endswith(("Error", "Exception", "Warning"))


def _acts(candidate: Candidate) -> bool:
    """Whether the symbol does something, rather than being something."""
    return candidate.span is not None and candidate.span.kind in ("function", "method")


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
        if unit.words.startswith("raises"):
            return 0.6
        return 0.2 if " when " in unit.words or unit.words.startswith("returns") else 0.0
    if question.kind == "how" and unit.words.startswith(("returns", "yields")) and not _BARE.match(unit.words):
        return 0.15
    return 0.3 if unit.words.startswith("sets") and question.kind == "where" else 0.0


def _told(question: Question, relevance: Relevance, unit: Unit, defines: Callable[[str], bool]) -> float:
    """How much a unit tells of what a symbol does: what it gives, refuses and calls, and what the question names."""
    score = relevance.share([unit.words]) if len(question.words) > 1 else 0.0
    if unit.kind == "doc":
        return score + (0.3 if not unit.is_entry else 0.0)
    if unit.kind == "comment":
        return score + 0.1
    if _BARE.match(unit.words):
        score += 0.05  # a bare name tells nothing by itself
    elif unit.words.startswith(("returns", "yields")):
        score += 0.6
    elif unit.words.startswith("raises"):
        score += 0.5
    elif unit.words.startswith("requires"):
        score += 0.2
    return score + min(0.6, 0.3 * sum(defines(name) for name in set(_CALLED.findall(unit.words))))
