"""Written citations of a document, checked against the documents they name as those are now: buffers, and files.

What takes long is done on a thread: it does not hold up the loop.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Sequence
from typing import Final

from toolrag.adapters.documents import Documents
from toolrag.answer.checking import CheckedText, Runs
from toolrag.answer.hover.markup import Format
from toolrag.answer.linking import (
    MOST_HASHED,
    MOST_READ,
    checked,
    citation_at,
    citations_in,
    hovered,
    may_have_citation,
    ways,
)
from toolrag.answer.written import Written
from toolrag.errors import ReadError
from toolrag.session.folders import Folders
from toolrag.session.types import Hover, Links
from toolrag.text import Position, PositionEncoding, TextSnapshot

_AT_ONCE: Final = 16
"""Citations."""


class WrittenLinks:
    """Serves one session."""

    def __init__(
        self,
        documents: Documents,
        language: Callable[[str, str, str], str | None],
        folders: Callable[[], Folders],
    ) -> None:
        """`language` says what language an open document is in, by its URI, path and text."""
        self._documents = documents
        self._language = language
        self._folders = folders

    async def links(self, uri: str) -> Links | None:
        """The citations of a document; None where it may not be read."""
        snapshot = await self._snapshot(uri)
        if snapshot is None:
            return None
        found = await asyncio.to_thread(citations_in, snapshot.text.content, self._language_of(snapshot))
        return Links(snapshot, tuple(await self._checked(snapshot, found)))

    async def at(self, uri: str, position: Position, encoding: PositionEncoding) -> CheckedText | None:
        """The citation at a position of a document; None where there is none, or it may not be read."""
        snapshot = await self._snapshot(uri)
        return None if snapshot is None else await self._at(snapshot, position, encoding)

    async def hover(
        self, snapshot: TextSnapshot, position: Position, encoding: PositionEncoding, form: Format
    ) -> Hover | None:
        """What is said of the citation at a position; None where there is none."""
        one = await self._at(snapshot, position, encoding)
        if one is None:
            return None
        start, end = (snapshot.text.position(at, encoding) for at in (one.written.start, one.written.end))
        return Hover(hovered(one, form), start, end)

    async def _at(self, snapshot: TextSnapshot, position: Position, encoding: PositionEncoding) -> CheckedText | None:
        offset = snapshot.text.offset(position, encoding)
        if not may_have_citation(snapshot.text, offset):
            return None  # so it is at most places, and a hover of a name must not wait
        found = await asyncio.to_thread(citation_at, snapshot.text, offset, self._language_of(snapshot))
        return None if found is None else (await self._checked(snapshot, [found]))[0]

    async def _checked(self, snapshot: TextSnapshot, found: Sequence[Written]) -> list[CheckedText]:
        """How each stands. The last are left out where what is cited is too much to be read."""
        folder = posixpath.dirname(snapshot.path) if snapshot.root else ""
        home, runs = self._home(snapshot), Runs(MOST_HASHED)
        given: dict[str, TextSnapshot | None] = {}
        read: dict[str, int] = {}
        done: list[CheckedText] = []
        for start in range(0, len(found), _AT_ONCE):
            some = found[start : start + _AT_ONCE]
            paths = list(dict.fromkeys(way for one in some for way in ways(one, folder, home) if way not in given))
            given.update(zip(paths, await self._documents.snapshots(paths) if paths else (), strict=True))
            read.update((text.uri, len(text.text.content)) for text in map(given.get, paths) if text is not None)
            done += await asyncio.to_thread(checked, some, given, folder, home, runs)
            if sum(read.values()) > MOST_READ:
                break
        return done

    def _home(self, snapshot: TextSnapshot) -> str:
        """The path of a document's own root where there are several."""
        opened = self._folders().opened
        own = self._folders().index_of(snapshot.root) if snapshot.root and len(opened) > 1 else None
        return "" if own is None else own.root.given

    def _language_of(self, snapshot: TextSnapshot) -> str:
        return self._language(snapshot.uri, snapshot.path, snapshot.text.content) or ""

    async def _snapshot(self, uri: str) -> TextSnapshot | None:
        try:
            return await self._documents.snapshot(uri)
        except ReadError:
            return None
