"""What becomes of cited lines, by a model that is slow and plain: each line is an object, and an edit names lines.

It shares no code with `toolrag.answer`: alignments are compared by trying them without each pair, texts are kept whole,
and PROTOCOL's table is applied to lines instead of hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace


class Line:
    """One line; the object is its identity."""

    def __init__(self, text: str) -> None:
        self.text = text


State = list[tuple[Line, str]]
"""The lines of a text, each with what it said then."""


def common(old: Sequence[str], new: Sequence[str], without: tuple[int, int] = (-1, -1)) -> int:
    """The most lines that both have in the same order, where one pair does not count as equal."""
    lengths = [0] * (len(new) + 1)
    for i, one in enumerate(old):
        before = lengths.copy()
        for j, other in enumerate(new):
            both = one == other and (i, j) != without
            lengths[j + 1] = before[j] + 1 if both else max(before[j + 1], lengths[j])
    return lengths[-1]


def certain(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of equal lines without which not as many lines could be kept."""
    most = common(old, new)
    equal = [(i, j) for i, one in enumerate(old) for j, other in enumerate(new) if one == other]
    return [pair for pair in equal if common(old, new, pair) < most]


@dataclass
class Citation:
    """Lines that were cited."""

    start: int
    texts: list[str]
    lines: list[Line]
    before: list[str]
    after: list[str]
    is_told: bool
    """One of its lines stood nowhere else."""
    is_around_told: bool
    """On each side a line stood nowhere else."""
    twins: set[Line] = field(default_factory=set)
    was_whole: bool = False

    @property
    def size(self) -> int:
        return len(self.texts)


class Reference:
    """A document, its earlier texts, and citations."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lines = [Line(text) for text in texts]
        self.earlier: list[State] = []
        self.citations: list[Citation] = []

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    def state(self) -> State:
        return [(line, line.text) for line in self.lines]

    def newest_first(self) -> list[State]:
        """The lines now, and of each earlier text."""
        return [self.state(), *reversed(self.earlier)]

    def return_to(self, state: State) -> None:
        """The lines of a text, as they were."""
        for line, text in state:
            line.text = text
        self.lines = [line for line, _ in state]

    def cite(self, start: int, size: int, state: State) -> Citation:
        """Lines of a text that the document has, or had."""
        texts = [text for _, text in state]
        cited = texts[start : start + size]
        before, after = texts[max(0, start - 3) : start], texts[start + size : start + size + 3]

        def alone(some: list[str]) -> bool:
            return any(texts.count(text) == 1 and text.strip() != "" for text in some)

        once = len(places(texts, cited)) == 1
        found = Citation(
            start,
            cited,
            [line for line, _ in state[start : start + size]],
            before,
            after,
            once and alone(cited),
            not alone(cited) and alone(before) and alone(after),
        )
        self.citations.append(found)
        self.look_for_twins(found, self.state())
        return found

    # Edits, by lines.

    def replace(self, start: int, end: int, texts: Sequence[str]) -> None:
        """Lines go, others come; an equal one is the same where nothing else could be meant."""
        new = [Line(text) for text in texts]
        for i, j in certain([line.text for line in self.lines[start:end]], texts):
            new[j] = self.lines[start + i]
        self.lines[start:end] = new

    def write(self, at: int, text: str) -> None:
        """A line is edited within, and stays the same line."""
        self.lines[at].text = text

    def finish(self, before: State) -> None:
        """After all edits of one notification: new lines are those that an earlier equal text had there."""
        self.earlier.append(before)
        old = {line for line, _ in before}
        for state in reversed(self.earlier):
            if [text for _, text in state] == self.texts:
                for at, (line, text) in enumerate(state):
                    if self.lines[at] not in old and line not in self.lines:
                        line.text = text
                        self.lines[at] = line
                        old.add(line)
        for citation in self.citations:
            if citation.was_whole and not self.is_whole(citation):
                self.look_for_twins(citation, before)
            citation.was_whole = self.is_whole(citation)

    def look_for_twins(self, citation: Citation, state: State) -> None:
        """The lines that say what a cited one says, in a text in which the citation stands whole."""
        own = list(zip(citation.lines, citation.texts, strict=True))
        if any(state[at : at + citation.size] == own for at in range(len(state))):
            citation.twins = {line for line, text in state if text in citation.texts} - {*citation.lines}
            citation.was_whole = True

    def is_whole(self, citation: Citation) -> bool:
        at = [at for at in range(len(self.lines)) if self.lines[at : at + citation.size] == citation.lines]
        return bool(at) and [line.text for line in citation.lines] == citation.texts

    # PROTOCOL's table.

    def standing(self, citation: Citation) -> tuple[str, int | None]:
        """A standing, and the first of the lines."""
        texts, size = self.texts, citation.size
        found = places(texts, citation.texts)
        possible = [at for at in found if citation.twins.isdisjoint(self.lines[at : at + size])]
        there = [(offset, self.lines.index(line)) for offset, line in enumerate(citation.lines) if line in self.lines]
        for at in (*(at - offset for offset, at in there), citation.start):
            if at in possible:
                return "verified", at
        if there:
            return "changed", None
        if len(found) == 1 and found == possible:
            (at,) = found
            above, below = texts[max(0, at - len(citation.before)) : at], texts[at + size :][: len(citation.after)]
            if citation.is_told or (citation.is_around_told and (above, below) == (citation.before, citation.after)):
                return "moved", at
        above = [at + len(citation.before) for at in places(texts, citation.before)] if any(citation.before) else []
        below = places(texts, citation.after) if any(citation.after) else []
        if {*above} - {*found} or {*below} - {at + size for at in found}:
            return "changed", None
        return "gone", None

    def told_alone(self, citation: Citation) -> tuple[str, int | None]:
        """The same for somebody who knows nothing but the citation and the text."""
        return self.standing(replace(citation, lines=[], twins=set()))


def places(texts: Sequence[str], some: Sequence[str]) -> list[int]:
    """Where some lines stand, one above the other."""
    return [at for at in range(len(texts) - len(some) + 1) if list(texts[at : at + len(some)]) == list(some)]
