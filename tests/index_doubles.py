"""Doubles for the index: files as the corpus takes them, a small tree on disk, an embedder, a retriever."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import numpy.typing as npt
from doubles import MemoryDocuments
from toolrag.adapters.dense import DenseState
from toolrag.adapters.parse_worker import analyse
from toolrag.ports import Candidate, Embeddable, Place, Scope, Searched, SearchResult, VectorIndex
from toolrag.retrieval.corpus import Corpus, IndexedFile, build_corpus, last_name
from toolrag.retrieval.cuts import signature
from toolrag.retrieval.languages import language_of
from toolrag.retrieval.paths import is_aside
from toolrag.retrieval.symbols_in import name_parts, parent_of
from toolrag.retrieval.tokens import question_tokens, question_words, tokens
from toolrag.symbols import Analysis, Passage
from toolrag.text import TextSnapshot, blob_sha


def analysis_of(text: str, language: str = "python") -> Analysis:
    """What the parse process would answer."""
    return analyse(text, language, 60.0)


def indexed(files: Mapping[str, str]) -> list[IndexedFile]:
    """Files as the corpus takes them, in the mapping's order."""
    return [
        IndexedFile(path, blob_sha(text.encode()), language_of(path) or "", analysis_of(text, language_of(path) or ""))
        for path, text in files.items()
    ]


def corpus_of(files: Mapping[str, str]) -> Corpus:
    """The corpus of some texts by path."""
    return build_corpus(indexed(files))


def assert_same(one: object, other: object) -> None:
    """The same members, parts included; arrays of the same kind and where NumPy is quick on them."""
    assert type(one) is type(other)
    for field in fields(one):  # type: ignore[arg-type]
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right, strict=True)
            assert right.flags.aligned
        elif is_dataclass(left):
            assert_same(left, right)
        else:
            assert (left, type(left)) == (right, type(right))


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Files below a folder, which is made."""
    root.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


class SumEmbedder:
    """An Embedder of two dimensions: it weighs a text's terms by whether they are even or odd."""

    id = "sum-2"
    dimensions = 2

    def embed(self, texts: Sequence[Embeddable]) -> npt.NDArray[np.float32]:
        """Each term's weight goes to one of the two."""
        rows = np.zeros((len(texts), 2), np.float32)
        for row, text in zip(rows, texts, strict=True):
            np.add.at(row, (text.terms & np.uint64(1)).astype(np.int64), text.weights)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


class AllIn:
    """Neighbours in a vector index that is complete as it is."""

    def __init__(self, vectors: VectorIndex) -> None:
        self._vectors = vectors

    @property
    def state(self) -> DenseState:
        """Nothing is missing."""
        count = len(self._vectors.ids)
        return DenseState(self._vectors.engine, count, count, complete=True)

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """The index's own."""
        return self._vectors.nearest(vector, limit)


class ParsingRetriever:
    """A Retriever without an index: it parses every text for every question, and counts words."""

    def __init__(self, documents: MemoryDocuments) -> None:
        self._documents = documents

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """Passages by how many of the question's tokens they have, then by path and line."""
        asked = question_tokens(query)
        found = []
        for snapshot, analysis in await self._parsed(scope):
            for passage in analysis.parsed.passages:
                score = len(set(asked) & set(tokens(snapshot.text.slice(passage.lines))))
                if score:
                    found.append(self._candidate(snapshot, analysis, passage, float(score)))
        found.sort(key=lambda candidate: (-candidate.score, candidate.path, candidate.lines.start))
        words = tuple(question_words(query))
        missing = tuple(word for word in words if not self._holds(word))
        return SearchResult(tuple(found[:limit]), Searched(len(self._documents.files), 0, True, words, missing))

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """Symbols whose qualified name ends with the name's parts; examples and tests last."""
        wanted = name_parts(name)
        found = [
            self._candidate(snapshot, analysis, Passage(at, span.lines), 1.0)
            for snapshot, analysis in await self._parsed(scope)
            for at, span in enumerate(analysis.parsed.spans)
            if name_parts(span.qualified_name)[-len(wanted) :] == wanted
        ]
        return tuple(sorted(found, key=lambda candidate: (is_aside(candidate.path), candidate.path))[:limit])

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """Lines that call the name; examples and tests last."""
        found = [
            Place(snapshot.uri, snapshot.root, snapshot.path, snapshot.sha, one.line, span)
            for snapshot, analysis in await self._parsed(scope)
            for one in analysis.parsed.references
            if one.kind == "call" and one.name == last_name(name)
            for span in [None if one.span is None else analysis.parsed.spans[one.span]]
        ]
        return tuple(sorted(found, key=lambda place: (is_aside(place.path), place.path, place.line))[:limit])

    def defines(self, name: str) -> bool:
        """Whether some symbol has exactly this name."""
        texts = self._documents.files.items()
        return any(
            span.name == name
            for path, text in texts
            for span in analysis_of(text, language_of(path) or "").parsed.spans
        )

    def idf(self, token: str) -> float:
        """By the share of files that have the token."""
        n_files = len(self._documents.files)
        n_holding = sum(token in tokens(text) for text in self._documents.files.values())
        return math.log(1 + 2 * n_files / (1 + 2 * n_holding))

    def files(self, scope: Scope) -> list[str]:
        """Each file that the scope has in it."""
        return sorted(path for path in self._documents.files if _is_in(path, scope))

    def _holds(self, word: str) -> bool:
        wanted = set(question_tokens(word))
        return any(wanted & set(tokens(text)) for text in self._documents.files.values())

    async def _parsed(self, scope: Scope) -> list[tuple[TextSnapshot, Analysis]]:
        found = []
        for path in self.files(scope):
            snapshot = await self._documents.snapshot(path)
            found.append((snapshot, analysis_of(snapshot.text.content, language_of(path) or "")))
        return found

    def _candidate(self, snapshot: TextSnapshot, analysis: Analysis, passage: Passage, score: float) -> Candidate:
        span = None if passage.span is None else analysis.parsed.spans[passage.span]
        return Candidate(
            uri=snapshot.uri,
            root=snapshot.root,
            path=snapshot.path,
            sha=snapshot.sha,
            language=language_of(snapshot.path) or "",
            span=span,
            parent=None if span is None else parent_of(analysis.parsed, span),
            lines=passage.lines,
            signature="" if span is None else signature(snapshot.text, span, language_of(snapshot.path) or ""),
            score=score,
            focus=0.0,
            reasons=("counted",),
        )


def _is_in(path: str, scope: Scope) -> bool:
    included = not scope.include or any(fnmatch(path, glob) for glob in scope.include)
    return included and not any(fnmatch(path, glob) for glob in scope.exclude)
