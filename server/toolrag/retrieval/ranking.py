"""Order passages for a question: BM25F over passages, features of their files, penalties, saturation. Pure.

The recipe and its weights were measured on 62 repositories (server/ARCHITECTURE.md, "Ranking").
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

import numpy as np

from toolrag.retrieval import paths
from toolrag.retrieval.corpus import BODILESS, CONSTANT, DEFINES, K1, Corpus, Float32, Int64, UInt64
from toolrag.retrieval.kin import KIN
from toolrag.retrieval.query import Query
from toolrag.retrieval.tokens import plain_name, term_hash

W_PASSAGE: Final = 0.5
W_FILE_BEST: Final = 0.3
W_COVERAGE: Final = 0.35
W_PATH: Final = 0.15
W_STEM: Final = 0.1
W_STEM_SHARE: Final = 0.3
W_EXACT: Final = 0.3
W_EXACT_AND_STEM: Final = 0.7
W_COMPOUND_STEM: Final = 0.2
W_COMPOUND_NAME: Final = 0.3
"""Words of the question that stand side by side are the name of the file, or of the passage's symbol, in one."""
W_DENSE: Final = 0.05
"""Hashed vectors see the same words as BM25F; they are in for the port's sake until a trained table replaces them."""

W_KIN: Final = 0.4
"""What a kindred word counts of the word itself, where a passage has no better one."""

FILE_BEST: Final = 10
POOL: Final = 200
PREFIX_VALUE: Final = 0.8
FOLDER_VALUE: Final = 0.5
DECAY: Final = 0.6
"""The n-th passage of a file counts DECAY^n of its score: variety over files."""
DEEP_DECAY: Final = 0.85
"""The same for a long list, which is read rather than looked at: the answer is often another passage of the file."""
CONSTANT_FACTOR: Final = 0.6
"""A line of its own, and mostly name: a table of error codes would fill a page. Not when a name is asked for."""
BODILESS_FACTOR: Final = 0.8
"""A signature and no more: where the body is says more."""
DEPTH_FACTOR: Final = 0.98
"""For each folder a file is in."""

_OTHER_CASE: Final = 0.6
_NOT_DEFINED: Final = 0.4
_NEITHER: Final = 0.2
"""What a name counts in another case or plural; where it is a constant, a module or a heading; and for both."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage by its number in the corpus, with its score; only the order of scores means anything."""

    passage: int
    score: float


class Ranker:
    """Ranks one corpus. Works out nothing before it is asked."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._factors: dict[tuple[bool, ...], Float32] = {}

    def prepare(self) -> None:
        """Works out what the first question would otherwise wait for."""
        _ = self._corpus.worth, self._by_plain_name, self._role_factors

    def rank(
        self,
        query: Query,
        limit: int,
        dense: Mapping[int, float],
        allowed: Float32 | None = None,
        decay: float = DECAY,
    ) -> list[Hit]:
        """The best `limit` passages, best first, ties by number.

        `dense` gives the cosine of passages near the question's vector. `allowed` has 0 for each file that may not
        be used and 1 for the others.
        """
        corpus = self._corpus
        if not corpus.n_passages or not query.tokens:
            return []
        lexical, coverage = self._lexical(query)
        file_score = W_FILE_BEST * self._best_of_files(lexical) + W_COVERAGE * coverage
        file_score += self._path_features(query)
        compounds = _hashes(query.compounds)
        file_score += W_COMPOUND_STEM * np.isin(corpus.names.plain_stems, compounds)
        score = W_PASSAGE * lexical + file_score[corpus.file_of]
        exact = self._exact(query)
        if query.names:
            whole = 1.0 if query.is_name else 0.5
            stems = np.isin(corpus.names.plain_stems, _hashes(map(plain_name, query.names))).astype(np.float32)
            score += W_EXACT * whole * exact + W_EXACT_AND_STEM * exact * stems[corpus.file_of]
        named = self._named(compounds)
        score[named[(corpus.roles[named] & DEFINES) > 0]] += W_COMPOUND_NAME
        for passage, cosine in dense.items():
            score[passage] += W_DENSE * max(cosine, 0.0)
        score *= self._path_factors(query)[corpus.file_of] * self._role_factors[query.is_name or query.wants_values]
        found = (lexical > 0) | (exact > 0)
        found[list(dense)] = True
        if allowed is not None:
            found &= allowed[corpus.file_of] > 0
        return self._saturate(np.where(found, score, -1.0), limit, decay)

    def coverage(self, query: Query) -> dict[str, int]:
        """For each token of the query, in how many files it occurs."""
        counts: dict[str, int] = {}
        for token in query.tokens:
            at = self._corpus.term(term_hash(token))
            counts[token] = 0 if at is None else len(np.unique(self._corpus.file_of[self._corpus.passages_with(at)]))
        return counts

    def idf(self, token: str) -> float:
        """How rare a token is: BM25's idf, and for one that no passage has a value above every other."""
        n_passages = self._corpus.n_passages
        at = self._corpus.term(term_hash(token))
        if at is None:
            return math.log(1 + 2 * n_passages)
        n_holding = len(self._corpus.passages_with(at))
        return math.log(1 + (n_passages - n_holding + 0.5) / (n_holding + 0.5))

    def _lexical(self, query: Query) -> tuple[Float32, Float32]:
        """BM25F of each passage over its maximum, and the share of the query's idf that each file holds.

        A passage holds each word of the query once: by the word itself or by the best of its kindred words.
        """
        corpus = self._corpus
        score = np.zeros(corpus.n_passages, np.float32)
        coverage = np.zeros(len(corpus.paths), np.float32)
        total = 0.0
        for token, weight in zip(query.tokens, query.weights, strict=True):
            idf = weight * self.idf(token)
            total += idf
            held = np.zeros(corpus.n_passages, np.float32)
            for one in (token, *sorted(KIN.get(token, ()))):
                at = corpus.term(term_hash(one))
                if at is None:
                    continue
                passages, impacts = corpus.passages_with(at), corpus.impacts(at)
                worth = idf if one == token else W_KIN * min(idf, self.idf(one))
                held[passages] = np.maximum(held[passages], worth * (K1 + 1) * impacts / (K1 + impacts))
                if one == token:
                    coverage[np.unique(corpus.file_of[passages])] += idf
            score += held
        highest = float(score.max())
        return (score / highest if highest > 0 else score), coverage / total

    def _best_of_files(self, lexical: Float32) -> Float32:
        """The sum of each file's best FILE_BEST passages among the first POOL, over the maximum."""
        file_of = self._corpus.file_of
        result = np.zeros(len(self._corpus.paths), np.float32)
        used: dict[int, int] = defaultdict(int)
        for passage in _top(lexical, POOL):
            file = int(file_of[passage])
            if used[file] < FILE_BEST:
                used[file] += 1
                result[file] += lexical[passage]
        highest = float(result.max())
        return result / highest if highest > 0 else result

    def _path_features(self, query: Query) -> Float32:
        """What file names and folders say, weighted and summed."""
        names = self._corpus.names
        n_files = len(self._corpus.paths)
        stem = np.zeros(n_files, np.float32)
        path = np.zeros(n_files, np.float32)
        total = 0.0
        touched: set[int] = set()
        n_touched = np.zeros(n_files, np.float32)
        for token, weight in zip(query.tokens, query.weights, strict=True):
            idf = weight * self.idf(token)
            total += idf
            value = np.zeros(n_files, np.float32)
            for at in self._related_stems(token):
                files = names.stem_files[names.stem_ptr[at] : names.stem_ptr[at + 1]]
                value[files] = np.maximum(value[files], 1.0 if names.stem_words[at] == token else PREFIX_VALUE)
                n_touched[files] += at not in touched
                touched.add(at)
            stem += idf * value
            term = np.uint64(term_hash(token))
            at = int(np.searchsorted(names.folder_terms, term))
            if at < len(names.folder_terms) and names.folder_terms[at] == term:
                folders = names.folder_files[names.folder_ptr[at] : names.folder_ptr[at + 1]]
                value[folders] = np.maximum(value[folders], FOLDER_VALUE)
            path += idf * value
        share = n_touched / np.maximum(names.n_stem_tokens, 1)
        return ((W_PATH * path + W_STEM * stem) / total + W_STEM_SHARE * share).astype(np.float32)

    def _related_stems(self, token: str) -> list[int]:
        """Numbers of the words of file names that are the token, begin with it, or begin it; 3 letters at least."""
        words = self._corpus.names.stem_words
        first = bisect_left(words, token)
        if len(token) < 3:
            return [first] if first < len(words) and words[first] == token else []
        begun = []
        for size in range(3, len(token)):
            at = bisect_left(words, token[:size], hi=first)
            if at < first and words[at] == token[:size]:
                begun.append(at)
        longer = takewhile(lambda at: words[at].startswith(token), range(first, len(words)))
        return [*begun, *longer]

    def _path_factors(self, query: Query) -> Float32:
        """What each file's path multiplies its score by; kept for each of the few kinds of question."""
        wants = (query.wants_tests, query.wants_docs, query.wants_data, query.wants_markup)
        if wants not in self._factors:
            names = self._corpus.names
            by_traits = np.zeros(paths.N_TRAITS)
            for traits in np.unique(names.traits).tolist():
                by_traits[traits] = paths.factor_of(
                    traits, wants_tests=wants[0], wants_docs=wants[1], wants_data=wants[2], wants_markup=wants[3]
                )
            self._factors[wants] = (by_traits[names.traits] * DEPTH_FACTOR**names.depths).astype(np.float32)
        return self._factors[wants]

    @cached_property
    def _role_factors(self) -> dict[bool, Float32]:
        """What each passage's role multiplies its score by: where a name or a value is asked for, and elsewhere."""
        roles = self._corpus.roles
        bodiless = np.where(roles & BODILESS, BODILESS_FACTOR, 1.0).astype(np.float32)
        return {True: bodiless, False: np.where(roles & CONSTANT, CONSTANT_FACTOR, bodiless).astype(np.float32)}

    @cached_property
    def _by_plain_name(self) -> tuple[UInt64, Int64]:
        """The passages' plain names, ascending, and whose each is."""
        order = np.argsort(self._corpus.plain, kind="stable")
        return self._corpus.plain[order], order

    def _named(self, plain_hashes: UInt64) -> Int64:
        """The passages that have one of these plain names."""
        names, passages = self._by_plain_name
        firsts, lasts = np.searchsorted(names, plain_hashes, "left"), np.searchsorted(names, plain_hashes, "right")
        found = [passages[first:last] for first, last in zip(firsts, lasts, strict=True) if first < last]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)

    def _exact(self, query: Query) -> Float32:
        """1 for passages that define a name of the query, less for other case and for constants and headings."""
        corpus = self._corpus
        exact = np.zeros(corpus.n_passages, np.float32)
        for name in query.names:
            written, plain = np.uint64(term_hash(name)), plain_name(name)
            passages = self._named(_hashes([plain])) if plain else np.flatnonzero(corpus.name == written)
            same = corpus.name[passages] == written
            defines = (corpus.roles[passages] & DEFINES) > 0
            value = np.where(same, np.where(defines, 1.0, _NOT_DEFINED), np.where(defines, _OTHER_CASE, _NEITHER))
            exact[passages] = np.maximum(exact[passages], value)
        return exact

    def _saturate(self, score: Float32, limit: int, decay: float) -> list[Hit]:
        """The best passages after each further one of a file has been decayed."""
        seen: dict[int, int] = defaultdict(int)
        hits = []
        for passage in _top(score, max(120, 4 * limit)):
            file = int(self._corpus.file_of[passage])
            hits.append(Hit(passage, float(score[passage]) * decay ** seen[file]))
            seen[file] += 1
        return sorted(hits, key=lambda hit: (-hit.score, hit.passage))[:limit]


def _top(score: Float32, limit: int) -> list[int]:
    """Numbers of the highest positive scores, highest first, ties by number."""
    limit = min(limit, len(score))
    if limit <= 0:
        return []
    # A partition's choice among equal scores is arbitrary, so everything that ties with the last one is sorted too.
    least = float(np.partition(score, len(score) - limit)[len(score) - limit])
    chosen = np.flatnonzero((score >= least) & (score > 0))
    order = np.lexsort((chosen, -score[chosen]))
    return [int(passage) for passage in chosen[order][:limit]]


def _hashes(names: Iterable[str]) -> UInt64:
    return np.array([term_hash(name) for name in names], np.uint64)
