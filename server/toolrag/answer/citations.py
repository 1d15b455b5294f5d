"""Decide which citations stand. Pure: the caller brings the current texts."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Final

from toolrag.answer.types import Anchor, Citation, Standing, Told
from toolrag.text import LineRange, Text, lines_sha

ANCHOR_LINES: Final = 3
PIN_DIGITS: Final = 12


def anchor_of(text: Text, lines: LineRange) -> Anchor:
    """What stands around some lines of a text, how often those lines stand in it, and what tells them from twins."""
    everything = text.lines(LineRange(0, text.n_lines))
    cited = everything[lines.start : lines.end]
    before = everything[max(0, lines.start - ANCHOR_LINES) : lines.start]
    after = everything[lines.end : lines.end + ANCHOR_LINES]
    return Anchor(
        tuple(map(hash_of, before)),
        tuple(map(hash_of, after)),
        _count(everything, cited),
        _told(everything, cited, before, after),
    )


def occurrences(text: Text, sha: str, n_lines: int) -> list[LineRange]:
    """Every place in a text where `n_lines` lines have this `lines_sha`."""
    lines = text.lines(LineRange(0, text.n_lines))
    return [
        LineRange(start, start + n_lines)
        for start in range(len(lines) - n_lines + 1)
        if lines_sha(lines[start : start + n_lines]) == sha
    ]


def locate(text: Text, lines: LineRange, sha: str, anchor: Anchor) -> tuple[Standing, LineRange | None]:
    """How a citation stands in a text (PROTOCOL section 2, "Standings"), and where its lines are when they are there.

    `moved` only to the single place where the lines stand, and only if that copy is the cited one: it was the only
    one then and one of its lines stood nowhere else, or both sides of its anchor agree and could stand nowhere else.
    By counts and neighbours alone, a repeated block would pass for the one that was deleted. `changed` where a side of
    the anchor stands beside other text, also when a twin of the lines stands elsewhere.
    """
    if lines.end <= text.n_lines and text.sha_of(lines) == sha:
        return "verified", lines
    places = occurrences(text, sha, len(lines))
    if len(places) == 1 and _is_told(text, places[0], anchor):
        return "moved", places[0]
    starts, ends = {place.start for place in places}, {place.end for place in places}
    if _ends_of(text, anchor.before) - starts or _starts_of(text, anchor.after) - ends:
        return "changed", None
    return "gone", None


def written(citation: Citation) -> str:
    """`path:12-18@3f2a9c0b1d4e`: how a citation is written into text, pinned to its lines."""
    return f"{place(citation)}@{citation.lines_sha[:PIN_DIGITS]}"


def place(citation: Citation) -> str:
    """`path:12-18`, or `path:12` for one line."""
    return place_of(citation.snapshot.path, citation.lines)


def place_of(path: str, lines: LineRange) -> str:
    """`path:12-18` of any lines, or `path:12`."""
    last = f"-{lines.end}" if len(lines) > 1 else ""
    return f"{path}:{lines.start + 1}{last}"


def _count(text: list[str], lines: list[str]) -> int:
    """How often some lines stand in a text; the first line is looked for first, as most places end there."""
    if not lines:
        return 0
    return sum(text[at] == lines[0] and text[at : at + len(lines)] == lines for at in range(len(text) - len(lines) + 1))


def _told(everything: list[str], cited: list[str], before: list[str], after: list[str]) -> Told:
    count = Counter(everything)

    def tells(side: list[str]) -> bool:
        """Whether some line is the only such one; a blank line that is it today is soon one of many."""
        return any(count[line] == 1 and line.strip() for line in side)

    if tells(cited):
        return "lines"
    return "around" if tells(before) and tells(after) else "nothing"


def _is_told(text: Text, place: LineRange, anchor: Anchor) -> bool:
    """Whether the single place where cited lines stand now has the very lines that were cited."""
    if anchor.told == "lines":
        return anchor.occurrences == 1
    return anchor.told == "around" and _same_surroundings(text, place, anchor)


def hash_of(line: str) -> str:
    """A line as an anchor has it: the first PIN_DIGITS hex digits of its SHA-256."""
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:PIN_DIGITS]


def _same_surroundings(text: Text, lines: LineRange, anchor: Anchor) -> bool:
    """Whether all that stood around the lines stands around them here; at a file's edge that may have been less."""
    here = anchor_of(text, lines)
    above = here.before[max(0, len(here.before) - len(anchor.before)) :]
    return above == anchor.before and here.after[: len(anchor.after)] == anchor.after


def _ends_of(text: Text, side: tuple[str, ...]) -> set[int]:
    return {start + len(side) for start in _starts_of(text, side)}


def _starts_of(text: Text, side: tuple[str, ...]) -> set[int]:
    """The lines at which one side of an anchor begins; none for one of empty lines, which stand everywhere."""
    if all(line == _EMPTY for line in side):
        return set()
    hashes = tuple(hash_of(line) for line in text.lines(LineRange(0, text.n_lines)))
    return {at for at in range(len(hashes)) if hashes[at] == side[0] and hashes[at : at + len(side)] == side}


_EMPTY: Final = hash_of("")
