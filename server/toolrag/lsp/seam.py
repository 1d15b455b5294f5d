"""What the language server needs of a session. Types alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from toolrag.answer.reading import ReadResult
from toolrag.answer.types import Answer, Citation, Claim
from toolrag.config import Budget, Settings
from toolrag.ports import Scope, SearchResult
from toolrag.text import LineRange


@dataclass(frozen=True, slots=True)
class Folder:
    """A workspace folder, as the client gave it."""

    uri: str
    name: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and what it is asked from."""

    question: str
    uri: str | None = None
    selection: LineRange | None = None
    scope: Scope = field(default_factory=Scope)
    model: str | None = None
    budget: Budget | None = None
    follows: str | None = None


class Watch(Protocol):
    """What an ask tells while it runs; called on the loop."""

    def reading(self, message: str) -> None:
        """What is being read, in a short line."""
        ...

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Claims that were just verified, with their citations, and ids of those that no longer are."""
        ...


class Events(Protocol):
    """What a session tells by itself; called on the loop."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """How far a phase is; `done == total` ends it."""
        ...

    def log(self, level: int, sentence: str) -> None:
        """A line for the log, at one of logging's levels."""
        ...


class Session(Protocol):
    """Answers over the folders and documents of one client."""

    async def start(self, folders: Sequence[Folder]) -> None: ...  # noqa: D102
    async def change_folders(self, added: Sequence[Folder], removed: Sequence[Folder]) -> None: ...  # noqa: D102
    async def configure(self, settings: Settings) -> None: ...  # noqa: D102
    def opened(self, uri: str, text: str, version: int | None) -> None: ...  # noqa: D102
    def changed(self, uri: str, text: str, version: int | None) -> None: ...  # noqa: D102
    def saved(self, uri: str) -> None: ...  # noqa: D102
    def closed(self, uri: str) -> None: ...  # noqa: D102
    def files_changed(self, uris: Sequence[str]) -> None: ...  # noqa: D102
    async def ask(self, ask: Ask, watch: Watch) -> Answer: ...  # noqa: D102
    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult: ...  # noqa: D102
    async def read_range(self, path: str, start: int, end: int, expect_sha: str | None) -> ReadResult: ...  # noqa: D102
    async def locate(self, citation: Mapping[str, object]) -> Mapping[str, object]: ...  # noqa: D102
    async def verify_text(self, text: str) -> Mapping[str, object]: ...  # noqa: D102
    async def verify_answer(self, answer: Mapping[str, object]) -> Mapping[str, object]: ...  # noqa: D102
    def status(self) -> Mapping[str, object]: ...  # noqa: D102
    async def reindex(self) -> None: ...  # noqa: D102
    async def close(self) -> None: ...  # noqa: D102
