"""Where lines that are known by their text stand in a text, and how that stands by PROTOCOL's table. Pure.

`citations.locate` decides the same with the hash of the lines alone. With their text, a text of which many citations
are sought is gone through once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from toolrag.answer.citations import hash_of
from toolrag.answer.types import Anchor, Standing
from toolrag.text import LineRange

EMPTY = hash_of("")


@dataclass(frozen=True, slots=True)
class Sought:
    """Cited lines: where they were, what they were, and what stood around them."""

    lines: LineRange
    texts: tuple[str, ...]
    anchor: Anchor


class Lines:
    """The lines of a text, without their ends, found by what they are."""

    def __init__(self, texts: Sequence[str]) -> None:
        """The texts must not change."""
        self.texts = texts

    def has(self, texts: Sequence[str], place: LineRange) -> bool:
        """Whether some lines stand at a place."""
        return place.end <= len(self.texts) and all(self.texts[place.start + k] == line for k, line in enumerate(texts))

    def places(self, texts: Sequence[str]) -> list[LineRange]:
        """Every place at which some lines stand, one above the other."""
        rarest = min(range(len(texts)), key=lambda k: len(self._at.get(texts[k], ())))
        starts = (at - rarest for at in self._at.get(texts[rarest], ()))
        found = (LineRange(start, start + len(texts)) for start in starts if start >= 0)
        return [place for place in found if self.has(texts, place)]

    def all_of(self, texts: Sequence[str]) -> Iterator[int]:
        """Every line that is one of some lines."""
        return (at for line in {*texts} for at in self._at.get(line, ()))

    def standing(self, sought: Sought, may_be: Callable[[LineRange], bool]) -> tuple[Standing, LineRange | None]:
        """How cited lines stand here, and where they are when they are here (PROTOCOL section 2, "Standings").

        `may_be` says of a place that has the text whether its lines can be the cited ones, where more is known.
        """
        if self.has(sought.texts, sought.lines) and may_be(sought.lines):
            return "verified", sought.lines
        places = self.places(sought.texts)
        if len(places) == 1 and self._is_told(places[0], sought.anchor) and may_be(places[0]):
            return "moved", places[0]
        return self.missing(sought, places), None

    def missing(self, sought: Sought, places: Sequence[LineRange]) -> Standing:
        """How lines stand that are not here: `changed` where a side of their anchor stands beside other text."""
        before, after = sought.anchor.before, sought.anchor.after
        ends = {start + len(before) for start in self._starts_of(before)}
        if ends - {place.start for place in places} or self._starts_of(after) - {place.end for place in places}:
            return "changed"
        return "gone"

    @cached_property
    def _at(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self.texts):
            found.setdefault(line, []).append(at)
        return found

    @cached_property
    def _hashes(self) -> list[str]:
        by_line = {line: hash_of(line) for line in self._at}
        return [by_line[line] for line in self.texts]

    @cached_property
    def _hashes_at(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self._hashes):
            found.setdefault(line, []).append(at)
        return found

    def _starts_of(self, side: tuple[str, ...]) -> set[int]:
        """Where one side of an anchor begins; nowhere for one of empty lines, which stand everywhere."""
        if all(line == EMPTY for line in side):
            return set()
        hashes = self._hashes
        return {at for at in self._hashes_at.get(side[0], ()) if tuple(hashes[at : at + len(side)]) == side}

    def _is_told(self, place: LineRange, anchor: Anchor) -> bool:
        """Whether the single place where cited lines stand now has the very lines that were cited."""
        if anchor.told == "lines":
            return anchor.occurrences == 1
        return anchor.told == "around" and self._has_around(place, anchor)

    def _has_around(self, place: LineRange, anchor: Anchor) -> bool:
        above = self._hashes[max(0, place.start - len(anchor.before)) : place.start]
        below = self._hashes[place.end : place.end + len(anchor.after)]
        return (tuple(above), tuple(below)) == (anchor.before, anchor.after)
