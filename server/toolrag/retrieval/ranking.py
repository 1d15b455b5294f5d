"""Order passages for a question: BM25F over passages, features of their files, penalties, saturation. Pure.

The recipe and its weights were measured on 62 repositories (server/ARCHITECTURE.md, "Ranking").
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Final

import numpy as np

from toolrag.retrieval import paths
from toolrag.retrieval.corpus import K1, Corpus, Float32, Int32
from toolrag.retrieval.kin import KIN
from toolrag.retrieval.query import Query
from toolrag.retrieval.tokens import term_hash, tokens

W_PASSAGE: Final = 0.5
W_FILE_BEST: Final = 0.3
W_COVERAGE: Final = 0.35
W_PATH: Final = 0.15
W_STEM: Final = 0.1
W_STEM_SHARE: Final = 0.25
W_EXACT: Final = 0.3
W_EXACT_AND_STEM: Final = 0.7
W_DENSE: Final = 0.05
"""Hashed vectors see the same words as BM25F; they are in for the port's sake until a trained table replaces them."""

W_KIN: Final = 0.4
"""What a kindred word counts of the word itself, where a passage has no better one."""

FILE_BEST: Final = 4
POOL: Final = 150
PREFIX_VALUE: Final = 0.8
FOLDER_VALUE: Final = 0.5
DECAY: Final = 0.6
"""The n-th passage of a file counts DECAY^n of its score: variety over files."""
DEEP_DECAY: Final = 0.85
"""The same for a long list, which is read rather than looked at: the answer is often another passage of the file."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage by its number in the corpus, with its score; only the order of scores means anything."""

    passage: int
    score: float


class Ranker:
    """Ranks one corpus. Holds what depends on its paths alone."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._stems = [frozenset(tokens(paths.stem(path))) for path in corpus.paths]
        self._plain_stems = np.array([_plain(paths.stem(path)) for path in corpus.paths], dtype=object)
        self._stem_files = _files_by_token(self._stems)
        self._stem_words = sorted(self._stem_files)
        self._folder_files = _files_by_token([frozenset(paths.folder_tokens(path)) for path in corpus.paths])
        self._factors: dict[tuple[bool, bool], Float32] = {}

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
        score = W_PASSAGE * lexical + file_score[corpus.file_of]
        exact = self._exact(query)
        if query.names:
            whole = 1.0 if query.is_name else 0.5
            stems = np.isin(self._plain_stems, [_plain(name) for name in query.names]).astype(np.float32)
            score += W_EXACT * whole * exact + W_EXACT_AND_STEM * exact * stems[corpus.file_of]
        for passage, cosine in dense.items():
            score[passage] += W_DENSE * max(cosine, 0.0)
        score *= self._path_factors(query)[corpus.file_of]
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
            counts[token] = 0 if at is None else len(np.unique(self._corpus.file_of[self._of(at)]))
        return counts

    def idf(self, token: str) -> float:
        """How rare a token is: BM25's idf, and for one that no passage has a value above every other."""
        at = self._corpus.term(term_hash(token))
        return math.log(1 + 2 * self._corpus.n_passages) if at is None else float(self._corpus.idf[at])

    def _of(self, at: int) -> Int32:
        return self._corpus.postings[self._corpus.ptr[at] : self._corpus.ptr[at + 1]]

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
                passages = self._of(at)
                impacts = corpus.impacts[corpus.ptr[at] : corpus.ptr[at + 1]]
                worth = idf if one == token else W_KIN * min(idf, float(corpus.idf[at]))
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
        n_files = len(self._corpus.paths)
        stem = np.zeros(n_files, np.float32)
        path = np.zeros(n_files, np.float32)
        total = 0.0
        touched: dict[int, set[str]] = defaultdict(set)
        for token, weight in zip(query.tokens, query.weights, strict=True):
            idf = weight * self.idf(token)
            total += idf
            value = np.zeros(n_files, np.float32)
            for other in self._related_stems(token):
                files = self._stem_files[other]
                value[files] = np.maximum(value[files], 1.0 if other == token else PREFIX_VALUE)
                for file in files:
                    touched[file].add(other)
            stem += idf * value
            folders = self._folder_files.get(token)
            if folders is not None:
                value[folders] = np.maximum(value[folders], FOLDER_VALUE)
            path += idf * value
        share = np.zeros(n_files, np.float32)
        for file, matched in touched.items():
            share[file] = len(matched) / len(self._stems[file])
        return (W_PATH * path + W_STEM * stem) / total + W_STEM_SHARE * share

    def _related_stems(self, token: str) -> list[str]:
        """The words of file names that are the token, begin with it, or begin it; 3 letters at least."""
        if len(token) < 3:
            return [token] if token in self._stem_files else []
        begun = [token[:size] for size in range(3, len(token)) if token[:size] in self._stem_files]
        first = bisect_left(self._stem_words, token)
        return begun + list(takewhile(lambda word: word.startswith(token), islice(self._stem_words, first, None)))

    def _path_factors(self, query: Query) -> Float32:
        """`paths.factor` of every file; there are four kinds of question, so each is kept."""
        wants = (query.wants_tests, query.wants_docs)
        if wants not in self._factors:
            self._factors[wants] = np.array(
                [paths.factor(path, wants_tests=wants[0], wants_docs=wants[1]) for path in self._corpus.paths],
                np.float32,
            )
        return self._factors[wants]

    def _exact(self, query: Query) -> Float32:
        """1 for passages that define a name of the query, less for other case and for constants and headings."""
        corpus = self._corpus
        exact = np.zeros(corpus.n_passages, np.float32)
        for name in query.names:
            folded = corpus.folded_name == np.uint64(term_hash(name.lower()))
            same = corpus.name == np.uint64(term_hash(name))
            exact = np.maximum(exact, np.where(folded, np.where(corpus.defines, 0.6, 0.2), 0.0).astype(np.float32))
            exact = np.maximum(exact, np.where(same, np.where(corpus.defines, 1.0, 0.4), 0.0).astype(np.float32))
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


def _files_by_token(by_file: list[frozenset[str]]) -> dict[str, list[int]]:
    files: dict[str, list[int]] = {}
    for file, found in enumerate(by_file):
        for token in sorted(found):
            files.setdefault(token, []).append(file)
    return files


def _plain(name: str) -> str:
    """A name without case, separators and plural."""
    return "".join(character for character in name.lower() if character.isalnum()).rstrip("s")
