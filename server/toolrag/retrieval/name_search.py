"""Symbols by a part of their name: whole, beginning, humps (`gUN`), within, or letters in order. Pure.

What an editor's "go to symbol in workspace" asks. Names alone are looked at here; texts are for whoever shows
the result.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import nsmallest
from typing import Final

import numpy as np
import numpy.typing as npt

from toolrag.retrieval.corpus import DEFINING_KINDS, KINDS, Corpus, containers
from toolrag.retrieval.paths import N_TRAITS, factor_of
from toolrag.retrieval.symbols_in import name_parts
from toolrag.retrieval.tokens import parts, term_hash
from toolrag.symbols import Kind

Int64 = npt.NDArray[np.int64]

ENOUGH: Final = 10
"""Names that fit better than by letters in order, after which those are not looked for: they are many, and far off."""
SHORT: Final = 3
"""A query of fewer characters is in most names: it is looked for at their beginning alone."""
MOST_NAMES: Final = 400
"""Names whose symbols are ordered; of a single letter there are thousands."""
MOST_LOOKED_AT: Final = 1_000
"""Names of each kind of fit that are told apart; the shortest are what is most of the query."""
MOST_CHARACTERS: Final = 200
"""Of a query: no name that is looked for is longer."""

MOST_HUMPS: Final = 8
MOST_WORDS: Final = 12
"""Of one name are looked through for humps, so that no query can take long."""

_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A symbol as the corpus knows it: a hint, until its text was looked at."""

    file: int
    ordinal: int
    """Its number among the symbols of its file."""
    line: int
    """The first of its header."""
    kind: Kind
    name: str
    container: str


class NameSearch:
    """The names of one corpus, ready to be looked through."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def find(self, query: str, limit: int) -> list[SymbolRow]:
        """The symbols whose name fits best, best first; a dotted query wants its front in the container.

        Equal fits go by what the symbol and its file are, then by the shorter name, then by path and line.
        """
        *around, last = name_parts(query.strip()[:MOST_CHARACTERS]) or [""]
        if not last or limit < 1:
            return []
        found: list[tuple[tuple[int, float, int, str, int], int]] = []
        files, lines = self._corpus.symbols.files, self._corpus.symbols.values[:, 1]
        for rank, name in self._fitting(last):
            rows = range(int(self._firsts[name]), int(self._firsts[name + 1]))
            size = len(self._names[name])
            for row, file, line, worth in zip(
                rows,
                files[rows.start : rows.stop].tolist(),
                lines[rows.start : rows.stop].tolist(),
                self._worths[rows.start : rows.stop].tolist(),
                strict=True,
            ):
                if not around or self._is_within(row, around):
                    found.append(((rank, -worth, size, self._corpus.paths[file], line), row))
        found.sort()
        return self._rows([row for _, row in found[:limit]])

    def rows_of(self, name: str) -> list[SymbolRow]:
        """Every symbol of exactly this last name, by file."""
        rows = self._corpus.symbols.rows(term_hash(name))
        return self._rows(range(rows.start, rows.stop))

    def prepare(self) -> None:
        """Works out what is needed for whole names. What parts of names need is worked out by the first search."""
        self._rows([])
        self._factors.sum()

    def _rows(self, rows: Sequence[int]) -> list[SymbolRow]:
        """Some rows of the corpus' symbols."""
        at = np.array(rows, np.int64)
        symbols, keys, labels = self._corpus.symbols, self._corpus.label_keys, self._corpus.labels
        columns = (
            symbols.files[at],
            *symbols.values[at, :3].T,
            np.searchsorted(keys, symbols.names[at]),
            np.searchsorted(keys, self._containers[at]),
        )
        return [
            SymbolRow(file, ordinal, line, KINDS[kind], labels[name], labels[container])
            for file, ordinal, line, kind, name, container in zip(*(one.tolist() for one in columns), strict=True)
        ]

    @cached_property
    def _distinct(self) -> tuple[npt.NDArray[np.uint64], Int64]:
        names, firsts = np.unique(self._corpus.symbols.names, return_index=True)
        return names, np.append(firsts, len(self._corpus.symbols.names))

    @property
    def _firsts(self) -> Int64:
        return self._distinct[1]

    @cached_property
    def _names(self) -> list[str]:
        """Each distinct name, in the order of the rows."""
        at = np.searchsorted(self._corpus.label_keys, self._distinct[0])
        return [self._corpus.labels[one] for one in at.tolist()]

    @cached_property
    def _lower(self) -> _Lines:
        return _Lines([name.lower() for name in self._names])

    @cached_property
    def _bare(self) -> _Lines:
        """Without the underscores before them."""
        return _Lines([name.lstrip("_") or name for name in self._lower.lines])

    @cached_property
    def _words(self) -> _Lines:
        return _Lines([_words_of(name) for name in self._names])

    @cached_property
    def _containers(self) -> npt.NDArray[np.uint64]:
        return containers(self._corpus.symbols.values)

    def factor(self, file: int) -> float:
        """What a file counts among equals: less for tests, examples, copies and prose."""
        return float(self._factors[file])

    @cached_property
    def _factors(self) -> npt.NDArray[np.float32]:
        factors = [factor_of(one, wants_tests=False, wants_docs=False) for one in range(N_TRAITS)]
        of_files: npt.NDArray[np.float32] = np.array(factors, np.float32)[self._corpus.names.traits]
        return of_files

    @cached_property
    def _worths(self) -> npt.NDArray[np.float32]:
        """What each symbol counts among equals, by its file and its kind."""
        kinds = [1.0 if kind in DEFINING_KINDS else 0.6 for kind in KINDS]
        symbols = self._corpus.symbols
        worths: npt.NDArray[np.float32] = (
            self._factors[symbols.files] * np.array(kinds, np.float32)[symbols.values[:, 2]]
        )
        return worths

    def _label(self, key: int) -> str:
        at = int(np.searchsorted(self._corpus.label_keys, np.uint64(key)))
        return self._corpus.labels[at]

    def _is_within(self, row: int, around: Sequence[str]) -> bool:
        """Whether a container has these parts in its own, in order."""
        inside = iter(name_parts(self._label(int(self._containers[row])).lower()))
        return all(any(part.lower() in one for one in inside) for part in around)

    def _fitting(self, query: str) -> list[tuple[int, int]]:
        """How well a name fits, 0 best, and its number, for the best of the names that do."""
        low = query.lower()
        # A name that begins with underscores is still begun by its first letter.
        bare = low.strip("_") or low
        having = self._bare.begun_by(bare)
        if len(bare) >= SHORT and len(having) < MOST_NAMES:
            having += self._lower.holding(bare)
        ranks = {at: self._rank(at, query, low, bare) for at in having}
        humps = _humps_of(query)
        if 0 < len(humps) <= MOST_HUMPS:
            # Each word is one that a hump begins, or is passed over.
            pattern = re.compile(" " + r"\w*(?: \w+)*? ".join(map(re.escape, humps)))
            for at in self._words.begun_by(f" {humps[0]}"):
                if pattern.match(self._words.lines[at]):
                    ranks[at] = min(ranks.get(at, 5), 5)
        if len(ranks) < ENOUGH and len(low) >= SHORT:
            for at, name in enumerate(self._lower.lines):
                if low[0] in name and low[-1] in name and at not in ranks and _in_order(low, name):
                    ranks[at] = 8
        best = nsmallest(MOST_NAMES, ((rank, len(self._names[at]), at) for at, rank in ranks.items()))
        return [(rank, at) for rank, _, at in best]

    def _rank(self, at: int, query: str, low: str, bare: str) -> int:
        """How well a name fits that has all of the query in it."""
        name, lower = self._names[at], self._lower.lines[at]
        if lower == low:
            return 0 if name == query else 1
        if lower.strip("_") == bare:
            return 2
        if lower.lstrip("_").startswith(bare):
            return 3 if name.lstrip("_").startswith(query.lstrip("_")) else 4
        return 6 if f" {bare}" in self._words.lines[at] else 7


class _Lines:
    """Many short texts, searched as one."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = [line.replace("\n", " ") for line in lines]

    def holding(self, part: str) -> list[int]:
        """The numbers of the texts that have a part in them; of very many the shortest."""
        offsets = []
        at = self._text.find(part)
        while at >= 0:
            offsets.append(at)
            at = self._text.find(part, at + len(part))
        return self._shortest(np.unique(np.searchsorted(self._starts, offsets, "right") - 1))

    def begun_by(self, beginning: str) -> list[int]:
        """The numbers of the texts that begin so; of very many the shortest."""
        order, ordered = self._order
        first = bisect_left(ordered, beginning)
        last = bisect_left(ordered, beginning + "\U0010ffff", first)
        return self._shortest(order[first:last])

    @cached_property
    def _text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def _starts(self) -> Int64:
        return np.cumsum([0, *(len(line) + 1 for line in self.lines)])

    @cached_property
    def _order(self) -> tuple[Int64, list[str]]:
        order = sorted(range(len(self.lines)), key=self.lines.__getitem__)
        return np.array(order, np.int64), [self.lines[at] for at in order]

    def _shortest(self, found: Int64) -> list[int]:
        if len(found) > MOST_LOOKED_AT:
            lengths = self._starts[found + 1] - self._starts[found]
            found = found[np.argsort(lengths, kind="stable")[:MOST_LOOKED_AT]]
        numbers: list[int] = found.tolist()
        return numbers


@lru_cache(maxsize=200_000)
def _words_of(name: str) -> str:
    """The words of a name in lower case, a blank before each: ` get user name`."""
    return "".join(f" {word}" for word in parts(name)[:MOST_WORDS])


def _humps_of(query: str) -> list[str]:
    """What words of a name are to begin with: `gUN`, `get_us` and `getUs` have theirs; `gun` may be first letters."""
    humps = _HUMP.findall(query)
    if len(humps) < 2 or query.isupper():
        humps = [letter for letter in query if letter.isalnum()]
    return [hump.lower() for hump in humps]


def _in_order(query: str, name: str) -> bool:
    at = 0
    for letter in query:
        at = name.find(letter, at) + 1
        if not at:
            return False
    return True
