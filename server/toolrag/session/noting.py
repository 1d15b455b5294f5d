"""Marks written citations in open Markdown documents that no longer stand: told when edits settle or files change.

Off unless the settings want it. A document is marked anew when it was edited, when an open document that it cites was,
and when documents are opened, closed or written by somebody else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from toolrag.answer.linking import stands
from toolrag.session.edits import MOST_SECONDS, QUIET_SECONDS
from toolrag.session.settling import Settling
from toolrag.session.types import Events, Links
from toolrag.session.written_links import WrittenLinks

log = logging.getLogger(__name__)


class Noting:
    """Belongs to one event loop."""

    def __init__(
        self, links: WrittenLinks, language: Callable[[str, str, str], str | None], events: Events, enabled: bool
    ) -> None:
        """`language` says what language an open document is in, by its URI, path and text."""
        self._links = links
        self._language = language
        self._events = events
        self._is_enabled = enabled
        self._cited: dict[str, frozenset[str]] = {}
        """Open Markdown documents by their URIs, each with the URIs of the documents it cites."""
        self._told: dict[str, Links] = {}
        """What was told last of those of which something was."""
        self._settling: Settling[str] = Settling(QUIET_SECONDS, MOST_SECONDS)
        self._stirred = asyncio.Event()
        self._working = asyncio.Lock()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(_report_end)

    def use(self, enabled: bool) -> None:
        """The user's settings say whether anything is marked."""
        self._is_enabled = enabled
        if enabled:
            self.sweep()
        for uri in () if enabled else [*self._told]:
            self._clear(uri)

    def opened(self, uri: str, text: str) -> None:
        """A document was opened, and may be cited."""
        self._cited.pop(uri, None)
        if self._language(uri, uri, text) == "markdown":
            self._cited[uri] = frozenset()
        else:
            self._clear(uri)
        self.sweep()

    def changed(self, uri: str) -> None:
        """An open document has another text now."""
        for one, cited in self._cited.items():
            if one == uri or uri in cited:
                self._touch(one)

    def closed(self, uri: str) -> None:
        """A document is no longer open: its file is the truth again."""
        self._cited.pop(uri, None)
        self._settling.drop(uri)
        self._clear(uri)
        self.sweep()

    def sweep(self) -> None:
        """Files may have been written by somebody else, or may be read no more."""
        for uri in self._cited:
            self._touch(uri)

    async def settle(self) -> None:
        """Takes up whatever has been touched, now."""
        async with self._working:
            while (uri := self._settling.take(float("inf"))) is not None:
                await self._take_up(uri)

    async def close(self) -> None:
        """Ends the task."""
        self._task.cancel()
        await asyncio.wait([self._task])

    def _touch(self, uri: str) -> None:
        if self._is_enabled:
            self._settling.touch(uri, asyncio.get_running_loop().time())
            self._stirred.set()

    def _clear(self, uri: str) -> None:
        if self._told.pop(uri, None) is not None:
            self._events.unstanding(uri, None)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = self._settling.next_due()
            self._stirred.clear()
            try:
                async with asyncio.timeout_at(due):
                    await self._stirred.wait()
            except TimeoutError:
                async with self._working:
                    uri = self._settling.take(loop.time())
                    if uri is not None:
                        await self._take_up(uri)

    async def _take_up(self, uri: str) -> None:
        links = await self._links.links(uri)
        # It may have been closed meanwhile, or the settings changed.
        if not self._is_enabled or uri not in self._cited:
            return
        if links is None:
            self._clear(uri)
            return
        self._cited[uri] = frozenset(one.snapshot.uri for one in links.citations if one.snapshot is not None)
        fallen = Links(links.snapshot, tuple(one for one in links.citations if not stands(one)))
        before = self._told.get(uri)
        if not fallen.citations:
            self._clear(uri)
        elif before is None or _key(before) != _key(fallen):
            self._told[uri] = fallen
            self._events.unstanding(uri, fallen)


def _key(links: Links) -> object:
    """What an editor is told of a document."""
    return (
        links.snapshot.version,
        links.snapshot.text.content,
        [(one.written, one.verdict, one.lines) for one in links.citations],
    )


def _report_end(task: asyncio.Task[None]) -> None:
    """A task that ends by itself has met a fault of ours: it is said."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("Written citations are not marked any more: a fault.", exc_info=fault)
