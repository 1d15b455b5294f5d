"""How well a candidate and a claim of it answer a question. Pure.

What counts was chosen with the help of a search in steps of 0.3 (some 300 settings) on 46 development questions, and by
what a kind of question asks for. That is too few questions to trust any single number here far.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.answer.question import Question, QuestionKind
from toolrag.answer.raisers import is_error
from toolrag.answer.relevance import Relevance
from toolrag.answer.units import Unit
from toolrag.ports import Candidate
from toolrag.retrieval.paths import folder_tokens, is_aside, stem


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts for a candidate and for its best unit."""

    standing: float
    """Retrieval's score, as a share of the highest."""
    name: float
    """How well its name and the question fit."""
    focus: float
    """How close together it holds the question's words."""
    own: float
    """How much of the question the unit holds itself."""


USUAL: Final = Weights(standing=2.0, name=2.0, focus=1.5, own=1.0)
# What happens in a case is said on one line of a body, whatever its function is called.
WEIGHTS: Final[dict[QuestionKind, Weights]] = {"when": Weights(standing=0.6, name=0.6, focus=1.5, own=2.0)}

WHOLE: Final = 1.0
"""How much of the question it holds at all."""
DOES: Final = 0.3
"""Its summary says what the question's vague verb says: `calculated`, `decide`."""
DUNDER: Final = -0.9
"""It is a protocol's method, such as `__eq__`: seldom what is asked about, and its name says nothing."""
ACTING: Final = ("__init__", "__call__", "__new__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__post_init__")
"""Those that do what their class is for."""
PROSE: Final = -0.9
"""It is a section of prose, which says what is done and not where."""
ASIDE: Final = -0.3
"""It uses the product: a test, an example, documentation."""
ERROR: Final = -0.8
"""It is an exception, and the question does not ask for one: what raises it says when."""

CLASS: Final = -0.3
"""It is a class, and the question is where or how something is done: that is in a method."""

# What counts for each of its units.
JOINT: Final = 2.7
"""How much it holds together with its symbol's name, class and path."""
TOPIC: Final = 0.6
"""It holds a word that says what the question is about."""
ENTRY: Final = -0.9
"""It is a doc's entry for a parameter, which tells of that alone."""
DOC: Final = -0.3
"""It is a later sentence of a doc; twice that when the question is what happens, which the code says."""
CONDITION: Final = 0.3
"""It says under which condition; twice that when the question is what happens."""
CALLS: Final = 0.3
RETURNS: Final = 0.3
"""How something is done is told by what comes of it."""
RAISES: Final = 0.6
"""What happens in a case is often an error."""
VALUE: Final = 0.3
TARGET: Final = 1.0
"""A value answers where something is defined, the better the more what is set is called as the question says."""
SETS: Final = -0.6
"""That a method sets it somewhere answers that less, and says little of what happens."""

_ASKS_FOR_ERRORS: Final = re.compile(r"\b(errors?|exceptions?|warnings?|rais\w*|fail\w*|throw\w*)\b", re.IGNORECASE)
_ASKS_FOR_VALUES: Final = re.compile(
    r"\b(defaults?|defined|declared|config\w*|set|settings?|constants?|values?|limits?|max\w*|min\w*|lists?|listed|stored"
    r"|kept|counts?|sizes?|numbers?|names?|ages?|timeouts?)\b",
    re.IGNORECASE,
)
BARE: Final = re.compile(r"(?:returns|yields) `\w+`")


def highest_score(candidates: Sequence[Candidate]) -> float:
    """The best of retrieval's scores, to hold the others against; never 0."""
    return max((candidate.score for candidate in candidates), default=0.0) or 1.0


def standing(question: Question, relevance: Relevance, candidate: Candidate, highest: float) -> float:
    """What is known of a candidate before it is read."""
    weights = WEIGHTS.get(question.kind, USUAL)
    score = weights.standing * candidate.score / highest + weights.focus * candidate.focus
    score += weights.name * relevance.name_fit(name_of(candidate))
    span = candidate.span
    if span is not None and span.name.startswith("__") and span.name.endswith("__") and span.name not in ACTING:
        score += DUNDER
    if span is not None and span.kind == "class" and question.kind in ("where", "how"):
        score += CLASS
    if span is not None and span.kind == "section" and not question.wants_docs:
        score += PROSE
    if is_aside(candidate.path) and not question.wants_tests:
        score += ASIDE
    if is_error(candidate) and not _ASKS_FOR_ERRORS.search(question.text):
        score += ERROR
    return score


def fits(question: Question, relevance: Relevance, unit: Unit) -> float:
    """What the kind of line counts for the kind of question."""
    where = question.kind == "where" and _ASKS_FOR_VALUES.search(question.text) is not None
    when = question.kind == "when"
    if unit.kind == "doc":
        return ENTRY if unit.is_entry else DOC * (1 + when)
    if unit.kind in ("value", "default"):
        return VALUE + TARGET * relevance.name_fit(unit.target) if where else -VALUE * when
    if unit.kind != "statement":
        return 0.0
    score = CONDITION * (1 + when) if " when " in unit.words or " unless " in unit.words else 0.0
    if unit.words.startswith("raises "):
        score += RAISES * when
    elif unit.words.startswith("calls "):
        score += CALLS
    elif unit.words.startswith(("returns ", "yields ")) and not BARE.match(unit.words):
        score += RETURNS * (question.kind == "how")
    elif unit.words.startswith("sets "):
        score += SETS * (where or when)
    return score


def surroundings_of(candidate: Candidate) -> list[str]:
    """What a candidate's name and place say, beside its lines."""
    return [name_of(candidate), stem(candidate.path), " ".join(folder_tokens(candidate.path))]


def container_of(candidate: Candidate) -> str:
    """The names of what encloses the symbol."""
    return candidate.span.container if candidate.span else ""


def name_of(candidate: Candidate) -> str:
    """What the symbol is called; empty for lines of the top level."""
    if candidate.span is None:
        return ""
    # What makes an object is called for its class.
    return candidate.span.container if candidate.span.name == "__init__" else candidate.span.name
