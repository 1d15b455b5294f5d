"""Who raises the errors a question is about: what happens in a case is said there, not where the error is defined.

Pure; awaits ports. By name only, like the claims about callers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolrag.ports import Candidate, Place, Retriever, Scope
from toolrag.retrieval.paths import is_test, stem

MAX_ERRORS: Final = 2
MAX_PLACES: Final = 12
MAX_RAISERS: Final = 4
"""Functions that are looked at for each error."""
PASSED_ON: Final = 0.9
"""What a function that raises an error has of the error's own score."""
_ENDINGS: Final = ("Error", "Exception", "Warning")
_FILES: Final = ("errors", "exceptions", "error", "exception", "exc")


async def with_raisers(candidates: Sequence[Candidate], retriever: Retriever, scope: Scope) -> list[Candidate]:
    """The candidates, and the functions that name the first errors among them as called."""
    found = {(one.uri, one.span.lines): one for one in candidates if one.span is not None}
    added: list[Candidate] = []
    for error in [one for one in candidates if is_error(one)][:MAX_ERRORS]:
        assert error.span is not None  # is_error says so
        places = await retriever.references(error.span.name, MAX_PLACES, scope)
        for place in _functions(places)[:MAX_RAISERS]:
            assert place.span is not None  # _functions says so
            known = found.get((place.uri, place.span.lines))
            raiser = known or await _defined(place, retriever, scope)
            if raiser is not None:
                score = max(raiser.score, PASSED_ON * error.score)
                added.append(replace(raiser, score=score, focus=max(raiser.focus, error.focus)))
    unique = {(one.uri, one.lines): one for one in (*candidates, *added)}
    return list(unique.values())


def is_error(candidate: Candidate) -> bool:
    """Whether the symbol is an exception: it shares its words with what raises it, and says less.

    Known by its name's ending, its bases', or its file's name.
    """
    if candidate.span is None or candidate.span.kind != "class":
        return False
    bases = candidate.signature.partition("(")[2].rstrip("): ").split(",")
    ends = any(name.strip().endswith(_ENDINGS) for name in (candidate.span.name, *bases))
    return ends or stem(candidate.path).strip("_") in _FILES


def _functions(places: Sequence[Place]) -> list[Place]:
    """One place of each function of the product."""
    inside = [place for place in places if place.span is not None and place.span.kind in ("function", "method")]
    return list({(place.uri, place.span): place for place in inside if not is_test(place.path)}.values())


async def _defined(place: Place, retriever: Retriever, scope: Scope) -> Candidate | None:
    assert place.span is not None
    for one in await retriever.definitions(place.span.qualified_name, 8, scope):
        if one.uri == place.uri and one.span == place.span:
            return replace(one, score=0.0)
    return None
