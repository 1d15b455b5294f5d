"""Open documents that differ from their files are searched as they are: taken up when the keys rest, one at a time."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable

from toolrag.adapters.documents import Documents
from toolrag.adapters.library import Library
from toolrag.adapters.shown import LiveFile
from toolrag.adapters.shown_answers import is_kept
from toolrag.errors import ReadError
from toolrag.ports import SpanParser
from toolrag.retrieval.languages import ANY_TEXT, LANGUAGES, language_for
from toolrag.session.folders import Folders, Opened
from toolrag.session.settling import Settling
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

QUIET_SECONDS = 0.25
MOST_SECONDS = 1.0
"""An edit is searched so long after the last key, and at latest so long after the first."""


class Edits:
    """Follows the open documents. Belongs to one event loop."""

    def __init__(
        self,
        documents: Documents,
        parser: SpanParser,
        library: Library,
        folders: Callable[[], Folders],
        most_characters: int,
    ) -> None:
        """A document with more than `most_characters` is served, and not searched."""
        self._documents = documents
        self._parser = parser
        self._library = library
        self._folders = folders
        self._most_characters = most_characters
        self._settling: Settling[str] = Settling(QUIET_SECONDS, MOST_SECONDS)
        self._languages: dict[str, str] = {}
        self._shown: dict[str, tuple[Opened | None, str]] = {}
        """Where each document that is laid over the disk is laid: the folder, None for none, and the path in it."""
        self._stirred = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def touch(self, uri: str, language_id: str | None = None) -> None:
        """A document was opened, or its text changed. `language_id` is the client's name for its language."""
        if language_id is not None:
            self._languages[uri] = language_id
        self._settling.touch(uri, asyncio.get_running_loop().time())
        self._stirred.set()

    def touch_all(self) -> None:
        """What is on disk has changed, or the folders have."""
        for uri in {*self._documents.open_uris, *self._shown}:
            self.touch(uri)

    def language(self, uri: str, path: str, text: str) -> str | None:
        """By its name and text; a document without a telling name is what the client says it is."""
        known = language_for(path, text)
        said = self._languages.get(uri, "")
        said = _LANGUAGE_IDS.get(said, said)
        return said if known in (None, ANY_TEXT) and said in LANGUAGES else known

    async def settle(self) -> None:
        """Takes up whatever has been touched, now."""
        while (uri := self._settling.take(float("inf"))) is not None:
            await self._take_up(uri)

    async def close(self) -> None:
        """Ends the task."""
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = self._settling.next_due()
            self._stirred.clear()
            try:
                async with asyncio.timeout_at(due):
                    await self._stirred.wait()
            except TimeoutError:
                uri = self._settling.take(loop.time())
                if uri is None:
                    continue
                try:
                    await self._take_up(uri)
                except (sqlite3.DatabaseError, OSError) as error:
                    # The document is still served and cited as it is; only searches do not see this edit.
                    log.warning("An edit cannot be searched (%s).", error)

    async def _take_up(self, uri: str) -> None:
        """Makes a document be searched as it is."""
        before = self._shown.pop(uri, None)
        snapshot = await self._snapshot(uri)
        place = None if snapshot is None else self._place(snapshot)
        if before is not None and before != place:
            await self._show(before, None)
        if snapshot is None or place is None:
            return
        live = await self._live(uri, snapshot, place)
        if live is not None or before is not None:
            await self._show(place, live)
        if live is not None:
            self._shown[uri] = place

    async def _snapshot(self, uri: str) -> TextSnapshot | None:
        """The document's text; None when it is not open, or may not be read."""
        if uri not in self._documents.open_uris:
            return None
        try:
            return await self._documents.snapshot(uri)
        except ReadError:
            return None

    def _place(self, snapshot: TextSnapshot) -> tuple[Opened | None, str]:
        return self._folders().index_of(snapshot.root) if snapshot.root else None, snapshot.path

    async def _live(self, uri: str, snapshot: TextSnapshot, place: tuple[Opened | None, str]) -> LiveFile | None:
        """The document as it is laid over the disk; None where it is as on disk, or is not to be searched."""
        opened, path = place
        if opened is not None and not opened.index.would_index(path, snapshot.dirty):
            return None
        if is_kept(uri):
            return None  # an answer is no evidence
        language = self.language(uri, path, snapshot.text.content)
        if language is None or len(snapshot.text.content) > self._most_characters:
            return None
        analysis = self._library.analysis(snapshot.sha, language)
        if analysis is None:
            analysis = await self._parser.parse(snapshot.text.content, language)
        return LiveFile(snapshot, language, analysis)

    async def _show(self, place: tuple[Opened | None, str], live: LiveFile | None) -> None:
        opened, path = place
        if opened is None:
            await self._library.show_loose(path, live)
        elif opened in self._folders().opened:
            await opened.index.show(path, live)
            opened.dense_wanted.set()


_LANGUAGE_IDS = {
    "shellscript": "bash",
    "javascriptreact": "javascript",
    "typescriptreact": "tsx",
    "makefile": "make",
    "jsonc": "json",
    "plaintext": "text",
    "restructuredtext": "rst",
}
"""Identifiers of the LSP specification, and of VS Code, where they are not our names."""
