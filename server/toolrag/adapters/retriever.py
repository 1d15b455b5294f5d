"""The Retriever port over the index: ranks, then makes each candidate agree with its text as it is now.

What the index says is a hint. Before a candidate leaves, its file is read; where the sha differs the text is parsed
again and the symbol looked up in it, and what cannot be found again is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from toolrag.adapters.dense import DenseState
from toolrag.adapters.ignore import IgnoreStack, folders_above, parse_rules
from toolrag.adapters.live_reader import Analyses, Decoded, Glances, LiveReader
from toolrag.adapters.pointing import of_name, places_of, pointing, same_symbol
from toolrag.ports import (
    Candidate,
    Embedder,
    Place,
    Scope,
    Searched,
    SearchResult,
    SpanParser,
)
from toolrag.retrieval import paths
from toolrag.retrieval.corpus import DEFINING_KINDS, Corpus, Float32, build_corpus, last_name
from toolrag.retrieval.name_search import NameSearch
from toolrag.retrieval.query import Query, parse_query
from toolrag.retrieval.ranking import DECAY, DEEP_DECAY, Ranker
from toolrag.retrieval.reasons import reasons_for
from toolrag.retrieval.terms import embeddable_question
from toolrag.retrieval.tokens import identifier_tokens, name_token, question_words
from toolrag.retrieval.windows import POOL, focus, reordered
from toolrag.symbols import Analysis

MOST_FILES: Final = 60
"""Files that are read for the definitions of a name that very many have."""
NEAREST: Final = 50
"""How many neighbours of the question's vector take part."""


class Neighbours(Protocol):
    """The part of `Dense` that a search needs."""

    @property
    def state(self) -> DenseState:
        """How far it is."""
        ...

    def nearest(self, vector: Float32, limit: int) -> list[tuple[int, float]]:
        """At most `limit` pairs of text id and cosine, nearest first."""
        ...


class View:
    """What can be found at one moment: a corpus with its ranking. Never changed; the next state is another view."""

    def __init__(
        self, corpus: Corpus, n_skipped: int, *, complete: bool, documents: Sequence[str] | None = None
    ) -> None:
        """`complete`: nothing waits to be indexed. `n_skipped` files and folders were left out.

        `documents` is what each file of the corpus is asked for by; None where that is its path.
        """
        self.corpus: Final = corpus
        self.ranker: Final = Ranker(corpus)
        self.ranker.prepare()  # a view is made on a thread, and searched on the event loop
        self.n_skipped: Final = n_skipped
        self.complete: Final = complete
        self.documents: Final = corpus.paths if documents is None else documents
        self.languages: Final = dict(sorted(Counter(corpus.languages).items()))
        self._by_text: Final = np.argsort(corpus.text_ids, kind="stable")
        self._sorted_ids: Final = corpus.text_ids[self._by_text]
        self.name_search: Final = NameSearch(corpus)
        self.name_search.prepare()

    def named(self, file: int) -> tuple[str, str]:
        """What a file is asked for by, and its language."""
        return self.documents[file], self.corpus.languages[file]

    def passages_of(self, text_id: int) -> list[int]:
        """The passages that have a text."""
        first, last = np.searchsorted(self._sorted_ids, [text_id, text_id + 1])
        found: list[int] = self._by_text[first:last].tolist()
        return found


class IndexedRetriever:
    """Searches one root as it was when `show` was last called; before that there is nothing in it."""

    def __init__(self, documents: Glances, parser: SpanParser, vectors: Neighbours, embedder: Embedder) -> None:
        self._view = View(build_corpus([]), 0, complete=False)
        self._analyses: Analyses = _none
        self._decoded = Decoded()
        self._documents = documents
        self._parser = parser
        self._vectors = vectors
        self._embedder = embedder

    def show(self, view: View, analyses: Analyses) -> None:
        """From now on this is what is searched. A search that is under way ends on the view it began with.

        `analyses` gives those of the view's texts. It is asked on the event loop: it must not wait for a transaction.
        """
        self._view, self._analyses = view, analyses

    @property
    def view(self) -> View:
        """What is searched."""
        return self._view

    @property
    def decoded(self) -> Decoded:
        """The analyses that were needed last. To be changed on the event loop alone."""
        return self._decoded

    @property
    def analyses(self) -> Analyses:
        """Gives the analyses of what is searched."""
        return self._analyses

    @property
    def documents(self) -> Sequence[str]:
        """What each file that is searched is asked for by."""
        return self._view.documents

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """The best passages for a question or a name; an empty query has no candidates."""
        view = self._view
        parsed = parse_query(query)
        weights = {
            token: weight * view.ranker.idf(token) for token, weight in zip(parsed.tokens, parsed.weights, strict=True)
        }
        reader = self._reader()
        found: list[Candidate] = []
        decay = DEEP_DECAY if limit > POOL else DECAY
        wanted = max(POOL, 2 * limit)
        hits = view.ranker.rank(parsed, wanted, self._dense(view, parsed), _allowed(view, scope), decay)
        await reader.read(view.named(int(view.corpus.file_of[hit.passage])) for hit in hits)
        for hit in hits:
            candidate = await self._candidate(view, reader, hit.passage, hit.score, parsed, weights)
            if candidate is not None and candidate not in found:
                found.append(candidate)
        found.sort(key=lambda candidate: -candidate.score)
        return SearchResult(tuple(found[:limit]), self._searched(view, parsed))

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """Symbols of exactly this name, or of this dotted name's end (`Session.send`), best first."""
        view = self._view
        allowed = _allowed(view, scope)
        files = []
        for file in view.corpus.files_defining(last_name(name)):
            if allowed is None or allowed[file]:
                path = view.corpus.paths[file]
                files.append((-paths.factor(path, wants_tests=False, wants_docs=False), path, file))
        reader = self._reader()
        found: list[tuple[tuple[float, bool, str, int], Candidate]] = []
        nearest = sorted(files)[:MOST_FILES] if limit > 0 else []
        await reader.read(view.named(file) for _, _, file in nearest)
        for factor, path, file in nearest:
            live = await reader.file(*view.named(file))
            if live is None:
                continue
            for span in of_name(live[1], name):
                candidate = pointing(*live, view.corpus.languages[file], span, span.lines)
                if candidate is not None:
                    order = (factor, span.kind not in DEFINING_KINDS, path, span.lines.start)
                    found.append((order, replace(candidate, score=round(-factor, 4), reasons=("exact name",))))
        return tuple(candidate for _, candidate in sorted(found, key=lambda row: row[0])[:limit])

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """At most `limit` places that call the name: product code, then examples and tests, each by path and line."""
        view = self._view
        last = last_name(name)
        allowed = _allowed(view, scope)
        files = {file for file, _, _ in view.corpus.calls_of(last) if allowed is None or allowed[file]}
        ordered = sorted(files, key=lambda file: (paths.is_aside(view.corpus.paths[file]), view.corpus.paths[file]))
        reader = self._reader()
        found: list[Place] = []
        for file in ordered:
            if len(found) >= limit:
                break
            live = await reader.file(*view.named(file))
            if live is not None:
                found += places_of(*live, last)
        return tuple(found[:limit])

    def defines(self, name: str) -> bool:
        """Whether some symbol has exactly this name."""
        return bool(self._view.corpus.files_defining(name))

    def idf(self, token: str) -> float:
        """How rare a token is among the passages."""
        return self._view.ranker.idf(token)

    def files(self, scope: Scope) -> Sequence[str]:
        """Each document that is searched, by path."""
        view = self._view
        allowed = _allowed(view, scope)
        order = sorted(range(len(view.corpus.paths)), key=lambda file: view.corpus.paths[file])
        return [view.documents[file] for file in order if allowed is None or allowed[file]]

    def _reader(self) -> LiveReader:
        return LiveReader(self._documents, self._parser, self._analyses, self._decoded)

    def _dense(self, view: View, query: Query) -> dict[int, float]:
        # With a part of the vectors the order would depend on which part. And hashed vectors know no words but the
        # passages' own: near one whose words are nowhere is near by chance.
        if not self._vectors.state.complete or not any(view.ranker.coverage(query).values()):
            return {}
        vector = self._embedder.embed([embeddable_question(query.text, query.tokens, view.ranker.idf)])[0]
        return {
            passage: cosine
            for text_id, cosine in self._vectors.nearest(vector, NEAREST)
            for passage in view.passages_of(text_id)
        }

    def _searched(self, view: View, query: Query) -> Searched:
        counts = view.ranker.coverage(query)
        words = question_words(query.text)
        missing = [word for word in words if not any(counts.get(token) for token in _needed(word))]
        return Searched(
            files=len(view.corpus.paths),
            skipped=view.n_skipped,
            complete=view.complete,
            terms=tuple(words),
            missing=tuple(missing),
            dense_complete=self._vectors.state.complete,
        )

    async def _candidate(
        self, view: View, reader: LiveReader, passage: int, score: float, query: Query, weights: Mapping[str, float]
    ) -> Candidate | None:
        file = int(view.corpus.file_of[passage])
        sha, language = view.corpus.shas[file], view.corpus.languages[file]
        live = await reader.file(*view.named(file))
        if live is None:
            return None
        snapshot, analysis = live
        ordinal: int | None = int(view.corpus.ordinal[passage])
        if snapshot.sha != sha:
            indexed = reader.indexed(sha, language)
            ordinal = None if indexed is None else same_symbol(indexed, int(view.corpus.ordinal[passage]), analysis)
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


def _none(_sha: str, _language: str) -> Analysis | None:
    return None


def _allowed(view: View, scope: Scope) -> Float32 | None:
    """1 for each file that a scope has in it, else 0; None where it has all."""
    if not scope.include and not scope.exclude:
        return None
    include, exclude = (
        IgnoreStack(parse_rules("\n".join(globs), "scope", denies=False), "", None)
        for globs in (scope.include, scope.exclude)
    )
    return np.array(
        [(not scope.include or _matches(include, path)) and not _matches(exclude, path) for path in view.corpus.paths],
        np.float32,
    )


def _needed(word: str) -> tuple[str, ...]:
    """Tokens of which one must occur for a word to be there: a name's whole, any of another word's."""
    name = name_token(word)
    return (name,) if name is not None else identifier_tokens(word)


def _matches(globs: IgnoreStack, path: str) -> bool:
    """Whether globs in gitignore syntax match a file or a folder above it."""
    return globs.ignores(path, False) or any(globs.ignores(folder, True) for folder in folders_above(path))
