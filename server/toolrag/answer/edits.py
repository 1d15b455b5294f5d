"""What an edit does to lines: which go, which come, and which are the same ones afterwards. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.text import LineRange

MOST_CELLS: Final = 10_000
"""Lines before times lines after an edit, up to which every way to align them is compared: some 5 ms."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines that were replaced by others."""

    lines: LineRange
    """Of the text as the edit before left it."""
    new: tuple[str, ...]
    """Without line ends."""
    is_within: bool = False
    """One line was edited within: it is the same line, with another text."""


def edits_of(at: int, old: Sequence[str], new: Sequence[str], before: int, after: int) -> Iterator[Edit]:
    """One edit from a place in one line to a place in another, as edits of lines that keep apart what was not touched.

    Lines `old` from `at` on became `new`, neither of them empty; what stands before `before` in the first of `old`, and
    from `after` on in the last, was left as it is. A line of which something is left is still that line: of two that
    were joined the first one, of one that was broken its beginning, unless nothing is left there. So a line that is
    pushed down by another typed before it stays itself, whatever equal lines there are.
    """
    is_one = len(old) == len(new) == 1
    if before == 0 and after >= len(old[-1]) > 0 and not is_one:
        yield Edit(LineRange(at, at + len(old)), tuple(new))
        return
    # An empty line's end is its beginning: it is pushed down, unless only then it would be empty no more.
    stays = list(old) == [""] and new[0] == "" != new[-1]
    has_head = before > 0 or is_one or stays
    # One line cannot be both the first and the last of several, nor can two lines be one.
    has_tail = not has_head or (len(old) > 1 and len(new) > 1 and after < max(len(old[-1]), 1))
    if has_head and old[0] != new[0]:
        yield Edit(LineRange(at, at + 1), (new[0],), is_within=True)
    first = at + has_head
    gone, come = len(old) - has_head - has_tail, tuple(new[has_head : len(new) - has_tail])
    if gone or come:
        yield Edit(LineRange(first, first + gone), come)
    if has_tail and old[-1] != new[-1]:
        last = first + len(come)
        yield Edit(LineRange(last, last + 1), (new[-1],), is_within=True)


def agreed(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Which of some lines stand among others: pairs of both's indexes, in order.

    Those pairs on which all alignments of the most lines agree: of two equal lines of which one went, nobody knows
    which. Where there are too many ways to compare, lines that stand once on both sides and cross none of their
    like divide the text, and what still is too large between them is left out.
    """
    if list(old) == list(new):
        return [(at, at) for at in range(len(old))]
    single = _single(old, new)
    top = _sure(zip(old, new, strict=False), single)
    bottom = _sure(zip(reversed(old), reversed(new), strict=False), single)
    inner, inner_new = old[top : len(old) - bottom], new[top : len(new) - bottom]
    pairs = [(at, at) for at in range(top)]
    if len(inner) * len(inner_new) <= MOST_CELLS:
        pairs += ((top + i, top + j) for i, j in _of_every_alignment(inner, inner_new))
    else:
        pairs += ((top + i, top + j) for i, j in _divided(inner, inner_new))
    return [*pairs, *((len(old) - at, len(new) - at) for at in range(bottom, 0, -1))]


def _single(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """Lines that stand once on each side."""
    counts, counts_new = Counter(old), Counter(new)
    return {line for line, count in counts.items() if count == 1 == counts_new[line]}


def _sure(pairs: Iterator[tuple[str, str]], single: set[str]) -> int:
    """How many lines at one end every alignment has in place: equal ones, up to the last that stands once.

    One without it could be made longer: whatever goes past that line leaves out more than it wins.
    """
    sure = 0
    for at, (one, other) in enumerate(pairs, 1):
        if one != other:
            break
        if one in single:
            sure = at
    return sure


def _of_every_alignment(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The pairs that each longest common subsequence has."""
    above, below = _lengths(old, new), _lengths(old[::-1], new[::-1])
    n, m = len(old), len(new)
    longest = above[n][m]
    for i, line in enumerate(old):
        under, rest = above[i], below[n - i - 1]
        if any(under[j] + rest[m - j] == longest for j in range(m + 1)):
            continue  # one does without this line
        found = [j for j in range(m) if new[j] == line and under[j] + 1 + rest[m - j - 1] == longest]
        if len(found) == 1:
            yield i, found[0]


def _lengths(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """`[i][j]`: how many lines the first i of one and the first j of the other have in common, in order."""
    rows = [[0] * (len(new) + 1)]
    for line in old:
        last, row = rows[-1], [0]
        for j, other in enumerate(new):
            row.append(last[j] + 1 if line == other else max(last[j + 1], row[j]))
        rows.append(row)
    return rows


def _divided(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The same of a large text, by lines that stand once and cross none of their like. Blank lines divide nothing."""
    single = {line for line in _single(old, new) if line.strip()}
    at = {line: j for j, line in enumerate(new) if line in single}
    pairs = [(i, at[line]) for i, line in enumerate(old) if line in single]
    lowest_after = [len(new)]
    for _, j in reversed(pairs):
        lowest_after.append(min(lowest_after[-1], j))
    done_old = done_new = highest = 0
    for (i, j), lowest in zip(pairs, reversed(lowest_after[:-1]), strict=True):
        if highest <= j < lowest:
            yield from _between(old, new, LineRange(done_old, i), LineRange(done_new, j))
            yield i, j
            done_old, done_new = i + 1, j + 1
        highest = max(highest, j + 1)
    if done_old:
        yield from _between(old, new, LineRange(done_old, len(old)), LineRange(done_new, len(new)))


def _between(old: Sequence[str], new: Sequence[str], lines: LineRange, others: LineRange) -> Iterator[tuple[int, int]]:
    inner = agreed(old[lines.start : lines.end], new[others.start : others.end])
    yield from ((lines.start + i, others.start + j) for i, j in inner)
