"""What the language server needs of a session. Types alone; `toolrag.session` has the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from toolrag.answer.checking import CheckedText
from toolrag.answer.edits import Edit
from toolrag.answer.hover.markup import Format
from toolrag.answer.hover.names import Listed
from toolrag.answer.reading import ReadResult
from toolrag.answer.types import Answer
from toolrag.config import Settings
from toolrag.ports import Scope, SearchResult
from toolrag.session.types import Ask, Folder, Hover, Links, Watch
from toolrag.text import Position, PositionEncoding, TextSnapshot


class Session(Protocol):
    """Answers over the folders and documents of one client."""

    async def start(self, folders: Sequence[Folder]) -> None: ...  # noqa: D102
    async def change_folders(self, added: Sequence[Folder], removed: Sequence[Folder]) -> None: ...  # noqa: D102
    async def configure(self, settings: Settings) -> None: ...  # noqa: D102
    def opened(  # noqa: D102
        self, uri: str, language_id: str, text: str, version: int | None, notebook: str | None = None
    ) -> None: ...
    def changed(self, uri: str, text: str, version: int | None, edits: Sequence[Edit] | None = None) -> None: ...  # noqa: D102
    def saved(self, uri: str) -> None: ...  # noqa: D102
    def closed(self, uri: str) -> None: ...  # noqa: D102
    def files_changed(self, uris: Sequence[str]) -> None: ...  # noqa: D102
    async def ask(self, ask: Ask, watch: Watch) -> Answer: ...  # noqa: D102
    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult: ...  # noqa: D102
    async def read_range(self, path: str, start: int, end: int, expect_sha: str | None) -> ReadResult: ...  # noqa: D102
    async def locate(self, citation: Mapping[str, object], encoding: PositionEncoding) -> Mapping[str, object]: ...  # noqa: D102
    async def cited(self, answer_id: str, citation_id: str) -> TextSnapshot: ...  # noqa: D102
    async def verify_text(self, text: str, encoding: PositionEncoding) -> Mapping[str, object]: ...  # noqa: D102
    async def verify_answer(self, answer: Mapping[str, object], encoding: PositionEncoding) -> Mapping[str, object]: ...  # noqa: D102
    async def hover(  # noqa: D102
        self, uri: str, position: Position, encoding: PositionEncoding, form: Format, command_links: bool
    ) -> Hover | None: ...
    async def links(self, uri: str) -> Links | None: ...  # noqa: D102
    async def written_at(self, uri: str, position: Position, encoding: PositionEncoding) -> CheckedText | None: ...  # noqa: D102
    async def explain(  # noqa: D102
        self, uri: str, position: Position, encoding: PositionEncoding, model: str | None, watch: Watch
    ) -> Answer: ...
    async def shown(self, answer: Answer) -> str: ...  # noqa: D102
    async def symbols(self, query: str) -> Sequence[Listed]: ...  # noqa: D102
    async def replay(self, run: str, verify: bool, encoding: PositionEncoding) -> Mapping[str, object]: ...  # noqa: D102
    async def clear_journals(self) -> Mapping[str, object]: ...  # noqa: D102
    def status(self) -> Mapping[str, object]: ...  # noqa: D102
    async def reindex(self) -> None: ...  # noqa: D102
    async def close(self) -> None: ...  # noqa: D102
