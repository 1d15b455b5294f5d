"""The Retriever port over the index: ranks, then makes each candidate agree with its text as it is now.

What the index says is a hint. Before a candidate leaves, its file is read; where the sha differs the text is parsed
again and the symbol looked up in it, and what cannot be found again is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from toolrag.adapters.codec import decode_analysis
from toolrag.adapters.ignore import IgnoreStack, folders_above, parse_rules
from toolrag.adapters.store import Store
from toolrag.errors import ReadError
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
from toolrag.retrieval.symbols_in import find_symbol, parent_of
from toolrag.retrieval.terms import embeddable_question
from toolrag.retrieval.tokens import identifier_tokens, question_words
from toolrag.retrieval.windows import POOL, focus, reordered
from toolrag.symbols import Analysis, Passage, Span
from toolrag.text import TextSnapshot

NEAREST = 50
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

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """The best passages for a question or a name; an empty query has no candidates."""
        parsed = parse_query(query)
        weights = {token: self._ranker.idf(token) for token in parsed.tokens}
        reader = _Reader(self._documents, self._parser, self._store)
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
        reader = _Reader(self._documents, self._parser, self._store)
        rows = []
        for passage in self._corpus.named(last_name(name)).tolist():
            file = int(self._corpus.file_of[passage])
            if allowed is not None and not allowed[file]:
                continue
            factor = paths.factor(self._corpus.paths[file], wants_tests=False, wants_docs=False)
            rows.append((-factor, not self._corpus.defines[passage], passage, factor))
        found: dict[tuple[str, Span], Candidate] = {}
        for _, _, passage, factor in sorted(rows):
            candidate = await self._candidate(reader, passage, factor, wanted, {})
            if candidate is None or candidate.span is None or not _ends_with(candidate.span, name):
                continue
            found.setdefault((candidate.path, candidate.span), candidate)
            if len(found) == limit:
                break
        return tuple(found.values())

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """At most `limit` places that call the name, product code before tests, then by path and line."""
        last = last_name(name)
        allowed = self._allowed(scope)
        files = {file for file, _, _ in self._corpus.calls_of(last) if allowed is None or allowed[file]}
        ordered = sorted(files, key=lambda file: (paths.is_test(self._corpus.paths[file]), self._corpus.paths[file]))
        reader = _Reader(self._documents, self._parser, self._store)
        found: list[Place] = []
        for file in ordered:
            live = await reader.file(self._corpus.paths[file], self._corpus.shas[file], self._corpus.languages[file])
            if live is None:
                continue
            snapshot, analysis = live
            named = re.compile(rf"(?<!\w){re.escape(last)}(?!\w)")
            lines = sorted(
                {
                    (reference.line, reference.span)
                    for reference in analysis.parsed.references
                    if reference.kind == "call"
                    and reference.name == last
                    and reference.line < snapshot.text.n_lines
                    and named.search(snapshot.text.line(reference.line))
                },
                key=lambda row: row[0],
            )
            for line, span in lines:
                if len(found) == limit:
                    return tuple(found)
                inside = None if span is None else analysis.parsed.spans[span]
                found.append(Place(snapshot.uri, snapshot.root, snapshot.path, snapshot.sha, line, inside))
        return tuple(found)

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
        ordered = self._corpus.text_ids[self._by_text]
        cosines = {}
        for text_id, cosine in self._vectors.nearest(vector, NEAREST):
            first, last = np.searchsorted(ordered, [text_id, text_id + 1])
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
        self, reader: _Reader, passage: int, score: float, query: Query, weights: Mapping[str, float]
    ) -> Candidate | None:
        file = int(self._corpus.file_of[passage])
        path, sha, language = self._corpus.paths[file], self._corpus.shas[file], self._corpus.languages[file]
        indexed = reader.indexed(sha, language)
        live = await reader.file(path, sha, language)
        if indexed is None or live is None:
            return None
        snapshot, analysis = live
        ordinal: int | None = int(self._corpus.ordinal[passage])
        if snapshot.sha != sha:
            ordinal = _same_symbol(indexed, int(self._corpus.ordinal[passage]), analysis)
        if ordinal is None:
            return None
        at = analysis.parsed.passages[ordinal]
        span = None if at.span is None else analysis.parsed.spans[at.span]
        if not _stands(snapshot, at, span):
            return None
        focused = focus(snapshot.text, at.lines, weights)
        return Candidate(
            uri=snapshot.uri,
            root=snapshot.root,
            path=snapshot.path,
            sha=snapshot.sha,
            language=language,
            span=span,
            parent=parent_of(analysis.parsed, span) if span else None,
            lines=at.lines,
            signature=cuts.signature(snapshot.text, span) if span else "",
            score=round(reordered(score, focused), 4),
            focus=round(focused, 4),
            reasons=reasons_for(query, path, analysis, ordinal),
        )


class _Reader:
    """Reads each file once for one search, with the analysis of the text it got."""

    def __init__(self, documents: DocumentSource, parser: SpanParser, store: Store) -> None:
        self._documents = documents
        self._parser = parser
        self._store = store
        self._files: dict[str, tuple[TextSnapshot, Analysis] | None] = {}
        self._indexed: dict[tuple[str, str], Analysis | None] = {}

    def indexed(self, sha: str, language: str) -> Analysis | None:
        """The analysis of the text that was indexed; None when the store has lost it."""
        key = (sha, language)
        if key not in self._indexed:
            data = self._store.analysis(sha, language)
            self._indexed[key] = None if data is None else decode_analysis(data)
        return self._indexed[key]

    async def file(self, path: str, sha: str, language: str) -> tuple[TextSnapshot, Analysis] | None:
        """The text now and its own analysis; None when it may not, or cannot, be read any more."""
        if path not in self._files:
            self._files[path] = await self._read(path, sha, language)
        return self._files[path]

    async def _read(self, path: str, sha: str, language: str) -> tuple[TextSnapshot, Analysis] | None:
        try:
            snapshot = await self._documents.snapshot(path)
        except ReadError:
            return None  # gone or denied since it was indexed: a hint that leads nowhere is dropped
        analysis = self.indexed(sha, language) if snapshot.sha == sha else None
        if analysis is None:
            analysis = await self._parser.parse(snapshot.text.content, language)
        return snapshot, analysis


def _same_symbol(old: Analysis, ordinal: int, new: Analysis) -> int | None:
    """The passage of a new analysis that holds the symbol an old passage had; None when it is not there just once."""
    at = old.parsed.passages[ordinal].span
    if at is None:
        return None
    now = find_symbol(new.parsed, old.parsed.spans[at])
    if now is None:
        return None
    where = new.parsed.spans.index(now)
    return next((index for index, passage in enumerate(new.parsed.passages) if passage.span == where), None)


def _stands(snapshot: TextSnapshot, passage: Passage, span: Span | None) -> bool:
    """Whether the lines are in the text and hold the symbol's name: a row of a damaged cache is not followed."""
    n_lines = snapshot.text.n_lines
    if passage.lines.end > n_lines:
        return False
    if span is None:
        return True
    if span.lines.end > n_lines or span.header not in span.lines or (span.doc and span.doc not in span.lines):
        return False
    return span.name in snapshot.text.slice(span.lines)


def _matches(globs: IgnoreStack, path: str) -> bool:
    """Whether globs in gitignore syntax match a file or a folder above it."""
    return globs.ignores(path, False) or any(globs.ignores(folder, True) for folder in folders_above(path))


def _ends_with(span: Span, name: str) -> bool:
    wanted = _dotted(name)
    return _dotted(span.qualified_name)[-len(wanted) :] == wanted


def _dotted(name: str) -> list[str]:
    return [part for part in re.split(r"::|->|[.#\\]", name) if part]
