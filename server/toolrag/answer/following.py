"""Follow cited lines through every edit of their document. Pure.

Each line has an identity. An edit ends some, makes new ones, and leaves the rest: an undo, a redo, or a branch that
comes back, gives new lines the identity they had in the last equal text. So a cited line is told from its twins by what
happened to it, where `citations.locate`, which sees one text alone, could only say that nobody knows.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from toolrag.answer.edits import Edit, agreed
from toolrag.answer.placing import Lines, Sought
from toolrag.answer.types import Standing
from toolrag.text import LineRange

MOST_TEXTS: Final = 4_000
"""Earlier texts of a document that an edit may bring back."""
MOST_ENDED: Final = 200_000
"""Lines that those may have had and it has not any more."""
MOST_BINDINGS: Final = 8
_BOM: Final = "\ufeff"

Key = TypeVar("Key", bound=Hashable)
Stood = tuple[Standing, LineRange | None]
"""A standing, and where the lines are when they are there."""


@dataclass(frozen=True, slots=True)
class _Binding:
    """The lines a citation was found to be."""

    ids: tuple[int, ...]
    standing: Standing


@dataclass(slots=True)
class _Followed:
    sought: Sought
    bindings: list[_Binding] = field(default_factory=list)
    """The citation's own lines first, then what it was found to be in texts that came by no edit."""
    twins: frozenset[int] = frozenset()
    """Other lines that said what one of its lines says when it was last seen whole."""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class _Past:
    """An earlier text, and how to come back to its lines from those of the text after it."""

    digest: bytes
    start: int
    ended: tuple[int, ...]
    n_new: int


class Following(Generic[Key]):
    """One document and the citations into it, by keys of the caller's. Not to be shared between threads."""

    def __init__(self, texts: Sequence[str]) -> None:
        """The document's lines, without their ends."""
        self._texts = list(texts)
        self._ids = list(range(len(texts)))
        self._next = len(texts)
        self._digest = _digest(self._texts)
        self._past: deque[_Past] = deque()
        self._n_ended = 0
        self._followed: dict[Key, _Followed] = {}
        self._followers: dict[int, set[Key]] = {}
        self._index: tuple[Lines, dict[int, int]] | None = None

    @property
    def keys(self) -> frozenset[Key]:
        """The citations that are followed."""
        return frozenset(self._followed)

    @property
    def texts(self) -> Sequence[str]:
        """The document's lines now."""
        return self._texts

    def follow(self, key: Key, sought: Sought, then: Sequence[str]) -> None:
        """A citation into the document as it was `then`: now, or some edits ago; else it is looked for."""
        one = self._followed[key] = _Followed(sought)
        digest = _digest(then)
        ids = next(self._earlier(digest, self._ids), None)
        if ids is not None:
            self._bind(key, one, _Binding(tuple(ids[sought.lines.start : sought.lines.end]), "verified"))
        else:
            self._find(key, one)

    def forget(self, key: Key) -> None:
        """A citation matters no more."""
        one = self._followed.pop(key, None)
        if one is not None:
            self._let_go(key, {number for binding in one.bindings for number in binding.ids})

    def edit(self, edits: Iterable[Edit]) -> None:
        """The document was edited: all that one notification brings."""
        ids, texts, first_new = self._ids.copy(), self._texts.copy(), self._next
        touched: set[int] = set()
        self._index = None
        for edit in edits:
            touched |= self._apply(edit)
        self._ended(ids, first_new, touched)
        self._check(touched, ids, texts)

    def replace(self, texts: Sequence[str]) -> None:
        """The document has these lines now, and nobody says by which edits."""
        self.edit([Edit(LineRange(0, len(self._texts)), tuple(texts))])

    def see(self, texts: Sequence[str]) -> None:
        """The document has these lines, and came to them by no edit: its file was written by somebody else.

        An earlier text has its own lines again. In another, each citation is looked for by its text and anchor.
        """
        digest = _digest(texts)
        if digest == self._digest:
            return
        ids = self._ids.copy()
        back = next(self._earlier(digest, ids), None)
        self._ids = list(range(self._next, self._next + len(texts))) if back is None else back
        self._next += len(texts)
        self._texts = list(texts)
        self._remember(ids, digest)
        self._index = None
        for key, one in self._followed.items():
            if back is None:
                self._find(key, one)
            one.is_whole = self._is_whole(one)

    def standings(self) -> dict[Key, Stood]:
        """How each citation stands now."""
        return {key: self._standing(one) for key, one in self._followed.items()}

    def _standing(self, one: _Followed) -> Stood:
        lines, at = self._indexed()
        sought, n_lines = one.sought, len(one.sought.texts)
        is_there = False
        for binding in reversed(one.bindings):
            for offset, number in enumerate(binding.ids):
                start = at.get(number, -1) - offset
                is_there = is_there or number in at
                place = LineRange(max(start, 0), max(start, 0) + n_lines)
                # The rest may have been typed anew where it stood.
                if number in at and start >= 0 and lines.has(sought.texts, place) and self._may_be(one, place):
                    return ("verified" if place == sought.lines else binding.standing), place
        if is_there:
            is_back = lines.has(sought.texts, sought.lines) and self._may_be(one, sought.lines)
            return ("verified", sought.lines) if is_back else ("changed", None)
        return lines.standing(sought, lambda place: self._may_be(one, place))

    def _may_be(self, one: _Followed, place: LineRange) -> bool:
        """Whether lines with a citation's text are not known to be others."""
        return one.twins.isdisjoint(self._ids[place.start : place.end])

    def _apply(self, edit: Edit) -> set[int]:
        """Makes one edit; the identities of lines that have another text now."""
        start, end, new = edit.lines.start, edit.lines.end, list(edit.new)
        if start == 0 and new:
            new[0] = new[0].removeprefix(_BOM)  # as documents do: it is no text
        if edit.is_within:
            self._texts[start] = new[0]
            return {self._ids[start]}
        ids = list(range(self._next, self._next + len(new)))
        self._next += len(new)
        for before, after in agreed(self._texts[start:end], new):
            ids[after] = self._ids[start + before]
        self._texts[start:end] = new
        self._ids[start:end] = ids
        return set()

    def _ended(self, before: Sequence[int], first_new: int, touched: set[int]) -> None:
        """Gives new lines the identity they had when the text was the same, and notes what the edit has ended."""
        digest = _digest(self._texts)
        new = [at for at, number in enumerate(self._ids) if number >= first_new]
        there = set(self._ids)
        for back in self._earlier(digest, before) if new else ():
            for at in new:
                if self._ids[at] >= first_new and back[at] not in there:
                    self._ids[at] = back[at]
                    there.add(back[at])
        start, stop = self._remember(before, digest)
        if start is not None:
            # Lines beside the place too: what was put between two parts them.
            touched |= {*before[max(start - 1, 0) : len(before) - stop + 1]}
            touched |= {*self._ids[max(start - 1, 0) : len(self._ids) - stop + 1]}

    def _remember(self, before: Sequence[int], digest: bytes) -> tuple[int | None, int]:
        """Keeps the text before; how many lines are the same at the start, None for all, and at the end."""
        start, stop, ids = 0, 0, self._ids
        most = min(len(before), len(ids))
        if before == ids:
            start = most
        else:
            while start < most and before[start] == ids[start]:
                start += 1
            while stop < most - start and before[-1 - stop] == ids[-1 - stop]:
                stop += 1
        ended = tuple(before[start : len(before) - stop])
        self._past.append(_Past(self._digest, start, ended, len(ids) - stop - start))
        self._n_ended += len(ended)
        while len(self._past) > MOST_TEXTS or self._n_ended > MOST_ENDED:
            self._n_ended -= len(self._past.popleft().ended)
        self._digest = digest
        return (None if before == ids else start), stop

    def _earlier(self, digest: bytes, now: Sequence[int]) -> Iterator[list[int]]:
        """The identities of the lines each time that the text had a digest, the last time first."""
        if digest == self._digest:
            yield list(now)
        if any(past.digest == digest for past in self._past):
            ids = list(now)
            for past in reversed(self._past):
                ids[past.start : past.start + past.n_new] = past.ended
                if past.digest == digest:
                    yield ids.copy()

    def _check(self, touched: Iterable[int], before: Sequence[int], texts: Sequence[str]) -> None:
        """Notes for each citation that an edit broke which lines its twins were."""
        keys = {key for number in touched for key in self._followers.get(number, ())}
        if not keys:
            return
        then = Lines(texts)
        for key in keys:
            one = self._followed[key]
            was_whole, one.is_whole = one.is_whole, self._is_whole(one)
            if was_whole and not one.is_whole:
                own = {number for binding in one.bindings for number in binding.ids}
                one.twins = frozenset(before[at] for at in then.all_of(one.sought.texts)) - own

    def _is_whole(self, one: _Followed) -> bool:
        """Whether a citation's lines stand somewhere, all of them, together and as they were."""
        lines, at = self._indexed()
        for binding in one.bindings:
            start = at.get(binding.ids[0])
            if start is not None and tuple(self._ids[start : start + len(binding.ids)]) == binding.ids:
                return lines.has(one.sought.texts, LineRange(start, start + len(binding.ids)))
        return False

    def _find(self, key: Key, one: _Followed) -> None:
        """Looks for a citation in the text as it is, of which nothing else is known."""
        standing, place = self._indexed()[0].standing(one.sought, lambda _: True)
        one.twins = frozenset()
        if place is not None:
            self._bind(key, one, _Binding(tuple(self._ids[place.start : place.end]), standing))

    def _bind(self, key: Key, one: _Followed, binding: _Binding) -> None:
        one.bindings.append(binding)
        if len(one.bindings) > MOST_BINDINGS:
            ended = one.bindings.pop(1)
            self._let_go(key, {*ended.ids}.difference(*(other.ids for other in one.bindings)))
        for number in binding.ids:
            self._followers.setdefault(number, set()).add(key)
        one.is_whole = self._is_whole(one)
        if one.is_whole:
            alike = self._indexed()[0].all_of(one.sought.texts)
            one.twins = frozenset(self._ids[at] for at in alike) - set(binding.ids)

    def _let_go(self, key: Key, ids: Iterable[int]) -> None:
        for number in ids:
            self._followers[number].discard(key)
            if not self._followers[number]:
                del self._followers[number]

    def _indexed(self) -> tuple[Lines, dict[int, int]]:
        """The lines by what they are, and where each identity stands. Made once for each text."""
        if self._index is None:
            self._index = Lines(self._texts), {number: at for at, number in enumerate(self._ids)}
        return self._index


def _digest(texts: Sequence[str]) -> bytes:
    return hashlib.blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
