"""The seams between what is decided here and what the outside world does. Pure: protocols only.

Each has a real adapter, a double and one contract test that both pass.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from toolrag.chat import Reply, Turn
from toolrag.symbols import Analysis, Span
from toolrag.text import LineRange, TextSnapshot


class DocumentSource(Protocol):
    """Where text comes from: live buffers over the disk, behind the fence."""

    async def snapshot(self, path: str) -> TextSnapshot:
        """The text of one document now.

        `path` is relative to a root, `Folder/path`, absolute inside a root, a file URI inside a root, or the URI of
        an open document. Raises ReadError, any code but `range_invalid`, `stale_blob` and `budget_spent`.
        """
        ...

    async def glances(self, paths: Sequence[str]) -> Sequence[TextSnapshot | None]:
        """The texts of some documents, for hints; None for one that may not, or cannot, be read."""
        ...


class SpanParser(Protocol):
    """Cuts a text into spans, passages and references, and counts their terms."""

    async def parse(self, text: str, language: str) -> Analysis:
        """Never fails: what went wrong is in `parsed.problems`, and a text that cannot be parsed has no spans.

        `language` is a name from `retrieval.languages`; another one raises ValueError.
        """
        ...

    async def rest(self) -> None:
        """Much was parsed, and nothing more is expected soon: what that took may be let go."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """Which files a search may use: gitignore globs on paths relative to a root; empty `include` means all."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where retrieval points: never evidence. It was true of the text whose sha it carries."""

    uri: str
    root: str
    path: str
    sha: str
    language: str
    span: Span | None
    """The symbol; None for lines of a file's top level."""
    parent: Span | None
    """The symbol around it."""
    lines: LineRange
    """The passage that was found: all of the span, or a part."""
    signature: str
    """Cut from the text whose sha this candidate carries."""
    score: float
    focus: float
    """The share of the query's words, by rarity, that a few neighbouring lines of it hold; 0 to 1."""
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A line where a name is called, by the index; a hint like a candidate."""

    uri: str
    root: str
    path: str
    sha: str
    line: int
    span: Span | None
    """The innermost symbol around it."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search looked at, so that "it is not here" can be said truthfully (PROTOCOL section 2)."""

    files: int
    skipped: int
    complete: bool
    """Nothing waits to be indexed."""
    terms: tuple[str, ...]
    """The question's words that were looked for."""
    missing: tuple[str, ...] = ()
    """Those of them that occur in no file."""
    dense_complete: bool = True
    """Every passage could be found by its vector, not by its words alone."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Candidates, best first, and what was searched for them."""

    candidates: tuple[Candidate, ...]
    searched: Searched


class Retriever(Protocol):
    """Finds where to look. Candidates agree with the text they point into at the moment they are given."""

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """The best passages for a question or a name; an empty query has no candidates."""
        ...

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """Symbols of exactly this name, or of this dotted name's end (`Session.send`), best first."""
        ...

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """At most `limit` places that call the name: product code, then examples and tests, each by path and line."""
        ...

    def defines(self, name: str) -> bool:
        """Whether some symbol has exactly this name."""
        ...

    def idf(self, token: str) -> float:
        """How rare a token is among the passages; above every other for one that none has."""
        ...

    def files(self, scope: Scope) -> Sequence[str]:
        """Each document that is searched, as `DocumentSource.snapshot` takes it, by path."""
        ...


@dataclass(frozen=True, eq=False)
class Embeddable:
    """What an embedder is given: a text, and its terms as the lexical index counts them."""

    text: str
    terms: npt.NDArray[np.uint64]
    """Hashes of its tokens (`retrieval.tokens.term_hash`), each once."""
    weights: npt.NDArray[np.float32]
    """What each counts: `log(1 + n)` for one that occurs n times in a passage; its squared idf in a question."""


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    @property
    def id(self) -> str:
        """Names the vectors: two embedders with the same id give the same vector for the same text."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[Embeddable]) -> npt.NDArray[np.float32]:
        """An array of shape `(len(texts), dimensions)`, rows of length 1, or 0 for a text without words."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine over vectors of unit length, named by integers of ours."""

    @property
    def engine(self) -> str:
        """`hnsw` or `exact`: what status and doctor name."""
        ...

    @property
    def ids(self) -> frozenset[int]:
        """The ids that can be found."""
        ...

    def add(self, ids: Sequence[int], vectors: npt.NDArray[np.float32]) -> None:
        """Puts vectors in; an id that is already there gets the new one."""
        ...

    def remove(self, ids: Iterable[int]) -> None:
        """Takes ids out; one that is not there is passed over."""
        ...

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """At most `limit` pairs of id and cosine, nearest first, equal cosines by id."""
        ...

    def save(self, path: str) -> None:
        """Writes the index to one file, whole or not at all."""
        ...

    def load(self, path: str) -> bool:
        """Takes up what `save` wrote. False, and nothing changed, when the file is missing or in any doubt."""
        ...


class Clock(Protocol):
    """Time, so that runs can be replayed."""

    def now(self) -> float:
        """Seconds, monotonic; only differences mean anything."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


class ChatModel(Protocol):
    """A model that may call tools. Belongs to one event loop."""

    @property
    def id(self) -> str:
        """As a user names it: `bedrock:…`, `openai:…`, `editor`."""
        ...

    def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """The pieces of one reply's text as they come, then the whole Reply, last and once.

        Nothing is tried twice: who asks decides that. Raises ModelError, whatever came before, when the reply is not
        whole. Closing the iterator, or cancelling it, ends the request at once.
        """
        ...


class Journal(Protocol):
    """Takes down what a run asked of the outside world and what it was told, so that it can be run again."""

    def record(self, kind: str, fields: Mapping[str, object]) -> None:
        """One event: JSON values only. Never raises: a journal that cannot be kept is one log line."""
        ...


class _NoJournal:
    """Keeps nothing."""

    def record(self, kind: str, fields: Mapping[str, object]) -> None:
        """Nothing."""


NO_JOURNAL: Final[Journal] = _NoJournal()
