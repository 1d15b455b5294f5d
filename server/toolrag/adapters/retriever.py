"""The Retriever port over the index: ranks, then makes each candidate agree with its text as it is now.

What the index says is a hint. Before a candidate leaves, its file is read; where the sha differs the text is parsed
again and the symbol looked up in it, and what cannot be found again is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from toolrag.adapters.ignore import IgnoreStack, folders_above, parse_rules
from toolrag.adapters.live_reader import LiveReader
from toolrag.adapters.pointing import of_name, places_of, pointing, same_symbol
from toolrag.adapters.store import Store
from toolrag.ports import (
    Candidate,
    DocumentSource,
    Embedder,
    Place,
    Scope,
    Searched,
    SearchResult,
    SpanParser,
    VectorIndex,
)
from toolrag.retrieval import paths
from toolrag.retrieval.corpus import DEFINING_KINDS, Corpus, Float32, last_name
from toolrag.retrieval.query import Query, parse_query
from toolrag.retrieval.ranking import DECAY, DEEP_DECAY, Ranker
from toolrag.retrieval.reasons import reasons_for
from toolrag.retrieval.terms import embeddable_question
from toolrag.retrieval.tokens import identifier_tokens, name_token, question_words
from toolrag.retrieval.windows import POOL, focus, reordered

MOST_FILES: Final = 60
"""Files that are read for the definitions of a name that very many have."""
NEAREST: Final = 50
"""How many neighbours of the question's vector take part."""


class IndexedRetriever:
    """Searches one root's corpus."""

    def __init__(
        self,
        *,
        corpus: Corpus,
        store: Store,
        documents: DocumentSource,
        parser: SpanParser,
        vectors: VectorIndex,
        embedder: Embedder,
        n_skipped: int,
        complete: bool,
    ) -> None:
        self._corpus = corpus
        self._ranker = Ranker(corpus)
        self._store = store
        self._documents = documents
        self._parser = parser
        self._vectors = vectors
        self._embedder = embedder
        self._n_skipped = n_skipped
        self._complete = complete
        self._by_text = np.argsort(corpus.text_ids, kind="stable")
        self._sorted_ids = corpus.text_ids[self._by_text]

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """The best passages for a question or a name; an empty query has no candidates."""
        parsed = parse_query(query)
        weights = {
            token: weight * self._ranker.idf(token) for token, weight in zip(parsed.tokens, parsed.weights, strict=True)
        }
        reader = LiveReader(self._documents, self._parser, self._store)
        found: list[Candidate] = []
        decay = DEEP_DECAY if limit > POOL else DECAY
        hits = self._ranker.rank(parsed, max(POOL, 2 * limit), self._dense(parsed), self._allowed(scope), decay)
        for hit in hits:
            candidate = await self._candidate(reader, hit.passage, hit.score, parsed, weights)
            if candidate is not None and candidate not in found:
                found.append(candidate)
        found.sort(key=lambda candidate: -candidate.score)
        return SearchResult(tuple(found[:limit]), self._searched(parsed))

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """Symbols of exactly this name, or of this dotted name's end (`Session.send`), best first."""
        allowed = self._allowed(scope)
        files = []
        for file in self._corpus.files_defining(last_name(name)):
            if allowed is None or allowed[file]:
                path = self._corpus.paths[file]
                files.append((-paths.factor(path, wants_tests=False, wants_docs=False), path, file))
        reader = LiveReader(self._documents, self._parser, self._store)
        found: list[tuple[tuple[float, bool, str, int], Candidate]] = []
        for factor, path, file in sorted(files)[:MOST_FILES]:
            live = await reader.file(path, self._corpus.shas[file], self._corpus.languages[file])
            if live is None or limit <= 0:
                continue
            for span in of_name(live[1], name):
                candidate = pointing(*live, self._corpus.languages[file], span, span.lines)
                if candidate is not None:
                    order = (factor, span.kind not in DEFINING_KINDS, path, span.lines.start)
                    found.append((order, replace(candidate, score=round(-factor, 4), reasons=("exact name",))))
        return tuple(candidate for _, candidate in sorted(found, key=lambda row: row[0])[:limit])

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """At most `limit` places that call the name: product code, then examples and tests, each by path and line."""
        last = last_name(name)
        allowed = self._allowed(scope)
        files = {file for file, _, _ in self._corpus.calls_of(last) if allowed is None or allowed[file]}
        ordered = sorted(files, key=lambda file: (paths.is_aside(self._corpus.paths[file]), self._corpus.paths[file]))
        reader = LiveReader(self._documents, self._parser, self._store)
        found: list[Place] = []
        for file in ordered:
            if len(found) >= limit:
                break
            live = await reader.file(self._corpus.paths[file], self._corpus.shas[file], self._corpus.languages[file])
            if live is not None:
                found += places_of(*live, last)
        return tuple(found[:limit])

    def defines(self, name: str) -> bool:
        """Whether some symbol has exactly this name."""
        return bool(self._corpus.files_defining(name))

    def idf(self, token: str) -> float:
        """How rare a token is among the passages."""
        return self._ranker.idf(token)

    def _dense(self, query: Query) -> dict[int, float]:
        # Hashed vectors know no words but the passages' own: near one whose words are nowhere is near by chance.
        if not any(self._ranker.coverage(query).values()):
            return {}
        vector = self._embedder.embed([embeddable_question(query.text, query.tokens, self._ranker.idf)])[0]
        cosines: dict[int, float] = {}
        for text_id, cosine in self._vectors.nearest(vector, NEAREST):
            first, last = np.searchsorted(self._sorted_ids, [text_id, text_id + 1])
            cosines.update(dict.fromkeys(self._by_text[first:last].tolist(), cosine))
        return cosines

    def _allowed(self, scope: Scope) -> Float32 | None:
        if not scope.include and not scope.exclude:
            return None
        include, exclude = (
            IgnoreStack(parse_rules("\n".join(globs), "scope", denies=False), "", None)
            for globs in (scope.include, scope.exclude)
        )
        return np.array(
            [
                (not scope.include or _matches(include, path)) and not _matches(exclude, path)
                for path in self._corpus.paths
            ],
            np.float32,
        )

    def _searched(self, query: Query) -> Searched:
        counts = self._ranker.coverage(query)
        words = question_words(query.text)
        missing = [word for word in words if not any(counts.get(token) for token in _needed(word))]
        return Searched(
            files=len(self._corpus.paths),
            skipped=self._n_skipped,
            complete=self._complete,
            terms=tuple(words),
            missing=tuple(missing),
        )

    async def _candidate(
        self, reader: LiveReader, passage: int, score: float, query: Query, weights: Mapping[str, float]
    ) -> Candidate | None:
        file = int(self._corpus.file_of[passage])
        path, sha, language = self._corpus.paths[file], self._corpus.shas[file], self._corpus.languages[file]
        live = await reader.file(path, sha, language)
        if live is None:
            return None
        snapshot, analysis = live
        ordinal: int | None = int(self._corpus.ordinal[passage])
        if snapshot.sha != sha:
            indexed = reader.indexed(sha, language)
            ordinal = None if indexed is None else same_symbol(indexed, int(self._corpus.ordinal[passage]), analysis)
        if ordinal is None or ordinal >= len(analysis.parsed.passages):
            return None
        at = analysis.parsed.passages[ordinal]
        span = None if at.span is None else analysis.parsed.spans[at.span]
        candidate = pointing(snapshot, analysis, language, span, at.lines)
        if candidate is None:
            return None
        focused = focus(snapshot.text, at.lines, weights)
        return replace(
            candidate,
            score=round(reordered(score, focused), 4),
            focus=round(focused, 4),
            reasons=reasons_for(query, snapshot.path, analysis, ordinal),
        )


def _needed(word: str) -> tuple[str, ...]:
    """Tokens of which one must occur for a word to be there: a name's whole, any of another word's."""
    name = name_token(word)
    return (name,) if name is not None else identifier_tokens(word)


def _matches(globs: IgnoreStack, path: str) -> bool:
    """Whether globs in gitignore syntax match a file or a folder above it."""
    return globs.ignores(path, False) or any(globs.ignores(folder, True) for folder in folders_above(path))
