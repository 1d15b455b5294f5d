"""The Retriever port over the index: ranks, then makes each candidate agree with its text as it is now.

What the index says is a hint. Before a candidate leaves, its file is read; where the sha differs the text is parsed
again and the symbol looked up in it, and what cannot be found again is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from toolrag.adapters.ignore import IgnoreStack, folders_above, parse_rules
from toolrag.adapters.live_reader import LiveReader
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
from toolrag.retrieval import cuts, paths
from toolrag.retrieval.corpus import Corpus, Float32, last_name
from toolrag.retrieval.query import Query, parse_query
from toolrag.retrieval.ranking import Ranker
from toolrag.retrieval.reasons import reasons_for
from toolrag.retrieval.symbols_in import find_symbol, name_parts, parent_of, stands
from toolrag.retrieval.terms import embeddable_question
from toolrag.retrieval.tokens import identifier_tokens, question_words
from toolrag.retrieval.windows import POOL, focus, reordered
from toolrag.symbols import Analysis, Span
from toolrag.text import TextSnapshot

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
        hits = self._ranker.rank(parsed, max(POOL, 2 * limit), self._dense(parsed), self._allowed(scope))
        for hit in hits:
            candidate = await self._candidate(reader, hit.passage, hit.score, parsed, weights)
            if candidate is not None and candidate not in found:
                found.append(candidate)
        found.sort(key=lambda candidate: -candidate.score)
        return SearchResult(tuple(found[:limit]), self._searched(parsed))

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """Symbols of exactly this name, or of this dotted name's end (`Session.send`), best first."""
        wanted = parse_query(f"`{name}`")
        allowed = self._allowed(scope)
        reader = LiveReader(self._documents, self._parser, self._store)
        rows = []
        for passage in self._corpus.named(last_name(name)).tolist():
            file = int(self._corpus.file_of[passage])
            if allowed is not None and not allowed[file]:
                continue
            factor = paths.factor(self._corpus.paths[file], wants_tests=False, wants_docs=False)
            rows.append((-factor, not self._corpus.defines[passage], passage, factor))
        found: dict[tuple[str, Span], Candidate] = {}
        for _, _, passage, factor in sorted(rows):
            if len(found) >= limit:
                break
            candidate = await self._candidate(reader, passage, factor, wanted, {})
            if candidate is None or candidate.span is None or not _ends_with(candidate.span, name):
                continue
            found.setdefault((candidate.path, candidate.span), candidate)
        return tuple(found.values())

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """At most `limit` places that call the name, product code before tests, then by path and line."""
        last = last_name(name)
        allowed = self._allowed(scope)
        files = {file for file, _, _ in self._corpus.calls_of(last) if allowed is None or allowed[file]}
        ordered = sorted(files, key=lambda file: (paths.is_test(self._corpus.paths[file]), self._corpus.paths[file]))
        reader = LiveReader(self._documents, self._parser, self._store)
        found: list[Place] = []
        for file in ordered:
            if len(found) >= limit:
                break
            live = await reader.file(self._corpus.paths[file], self._corpus.shas[file], self._corpus.languages[file])
            if live is not None:
                found += _places(*live, last)
        return tuple(found[:limit])

    def defines(self, name: str) -> bool:
        """Whether some symbol has exactly this name."""
        return bool(len(self._corpus.named(name)))

    def idf(self, token: str) -> float:
        """How rare a token is among the passages."""
        return self._ranker.idf(token)

    def _dense(self, query: Query) -> dict[int, float]:
        if not query.tokens or not self._corpus.n_passages:
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
        missing = [word for word in words if not any(counts.get(token) for token in identifier_tokens(word))]
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
            ordinal = None if indexed is None else _same_symbol(indexed, int(self._corpus.ordinal[passage]), analysis)
        if ordinal is None or ordinal >= len(analysis.parsed.passages):
            return None
        at = analysis.parsed.passages[ordinal]
        span = None if at.span is None else analysis.parsed.spans[at.span]
        if at.lines.end > snapshot.text.n_lines or (span is not None and not stands(snapshot.text, span)):
            return None
        parent = None if span is None else parent_of(analysis.parsed, span)
        if parent is not None and not stands(snapshot.text, parent):
            return None
        focused = focus(snapshot.text, at.lines, weights)
        return Candidate(
            uri=snapshot.uri,
            root=snapshot.root,
            path=snapshot.path,
            sha=snapshot.sha,
            language=language,
            span=span,
            parent=parent,
            lines=at.lines,
            signature=cuts.signature(snapshot.text, span, language) if span else "",
            score=round(reordered(score, focused), 4),
            focus=round(focused, 4),
            reasons=reasons_for(query, snapshot.path, analysis, ordinal),
        )


def _same_symbol(old: Analysis, ordinal: int, new: Analysis) -> int | None:
    """The passage of a new analysis that holds the symbol an old passage had; None when it is not there just once."""
    at = old.parsed.passages[ordinal].span if ordinal < len(old.parsed.passages) else None
    if at is None:
        return None
    now = find_symbol(new.parsed, old.parsed.spans[at])
    if now is None:
        return None
    where = new.parsed.spans.index(now)
    return next((index for index, passage in enumerate(new.parsed.passages) if passage.span == where), None)


def _matches(globs: IgnoreStack, path: str) -> bool:
    """Whether globs in gitignore syntax match a file or a folder above it."""
    return globs.ignores(path, False) or any(globs.ignores(folder, True) for folder in folders_above(path))


def _ends_with(span: Span, name: str) -> bool:
    wanted = name_parts(name)
    return name_parts(span.qualified_name)[-len(wanted) :] == wanted


def _places(snapshot: TextSnapshot, analysis: Analysis, name: str) -> list[Place]:
    """The lines of a file that call the name, in order, each with the symbol around it."""
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    calls = {
        (reference.line, -1 if reference.span is None else reference.span)
        for reference in analysis.parsed.references
        if reference.kind == "call" and reference.name == name and reference.line < snapshot.text.n_lines
    }
    places = []
    for line, at in sorted(calls):
        inside = None if at < 0 else analysis.parsed.spans[at]
        if named.search(snapshot.text.line(line)) and (inside is None or stands(snapshot.text, inside)):
            places.append(Place(snapshot.uri, snapshot.root, snapshot.path, snapshot.sha, line, inside))
    return places
