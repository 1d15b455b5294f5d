"""The open folders: each with its index, which follows the disk in the background. Folders come and go.

A folder that cannot be opened, or holds more than is allowed, is said to be a problem, and the others go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from toolrag.adapters.around import Around
from toolrag.adapters.fence import Fence
from toolrag.adapters.index import Index
from toolrag.adapters.library import Library
from toolrag.adapters.names import path_of_uri, shown
from toolrag.adapters.roots import Root, open_root
from toolrag.config import Settings
from toolrag.errors import ConfigError
from toolrag.session.types import Events, Folder

log = logging.getLogger(__name__)

FOLDER_UNREADABLE: Final = "The folder {} is not on this machine; open it where it is."


@dataclass(eq=False, slots=True)
class Opened:
    """One folder that is open."""

    folder: Folder
    root: Root
    index: Index
    wanted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the disk may have changed."""
    dense_wanted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when what is searched has changed."""
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    problem: str = ""
    """Why its index could not be brought up to date."""
    phase: str = "starting"
    done: int = 0
    total: int = 0
    """Files that were to be read in the refresh that runs, or ran last."""


class Folders:
    """Opens and closes folders, and keeps their indexes true. Belongs to one event loop."""

    def __init__(
        self,
        settings: Settings,
        library: Library,
        around: Callable[[Fence, Root], Around],
        cache: Callable[[Root], Path | None],
        events: Events,
        refreshed: Callable[[Opened], None],
        switch: Callable[[Fence], None],
    ) -> None:
        """`around` says what an index stands on, `cache` where it is kept; `refreshed` is told of each refresh.

        `switch` is given each new fence, before the roots that are not in it any more are closed.
        """
        self._settings = settings
        self._library = library
        self._around = around
        self._cache = cache
        self._events = events
        self._refreshed = refreshed
        self._switch = switch
        self._refused: dict[str, str] = {}
        self.opened: list[Opened] = []

    @property
    def problems(self) -> list[str]:
        """Sentences about folders that are not, or not wholly, there."""
        found = list(self._refused.values())
        for one in self.opened:
            found += [one.problem] if one.problem else []
            found += one.index.coverage.problems if one.index.coverage else []
        return found

    async def change(self, added: Sequence[Folder], removed: Sequence[Folder]) -> None:
        """Opens some folders and closes others; searches see it when this returns."""
        gone_uris = {_key(folder.uri) for folder in removed}
        for uri in gone_uris:
            self._refused.pop(uri, None)
        gone = [one for one in self.opened if _key(one.folder.uri) in gone_uris]
        for one in gone:
            await self._close(one)
        staying = [one for one in self.opened if one not in gone]
        known = {_key(one.folder.uri) for one in staying}
        roots: list[tuple[Folder, Root]] = []
        for folder in added:
            if _key(folder.uri) not in known:
                root = self._open(folder)
                if root is not None:
                    known.add(_key(folder.uri))
                    roots.append((folder, root))
        fence = Fence(
            [*(one.root for one in staying), *(root for _, root in roots)], self._settings.read, self._settings.deny
        )
        by_real = {root.real: root for root in fence.roots}
        for one in staying:
            one.root = by_real[one.root.real]
            one.index.use(fence, one.root)
        taken = {one.root.real for one in staying}
        new = []
        for folder, root in roots:
            if root.real in taken:
                continue  # the same folder under another name: it counts once
            taken.add(root.real)
            named = by_real[root.real]
            index = Index(self._around(fence, named), self._cache(named), self._library.show)
            new.append(Opened(folder, named, index))
        self._switch(fence)
        self.opened = [*staying, *new]
        self._library.indexes = [one.index for one in self.opened]
        for one in gone:
            one.root.close()
        await self._library.show()
        for one in new:
            one.tasks = [asyncio.create_task(self._follow(one)), asyncio.create_task(self._complete(one))]
            for task in one.tasks:
                task.add_done_callback(partial(self._ended, one))
        for one in self.opened:
            one.wanted.set()  # what lies in a folder of its own now is not indexed twice

    def index_of(self, root: str) -> Opened | None:
        """The open folder of a root's name."""
        return next((one for one in self.opened if one.root.name == root), None)

    def touch(self) -> None:
        """The disk may have changed."""
        for one in self.opened:
            one.wanted.set()

    async def close(self) -> None:
        """Closes every folder."""
        for one in self.opened:
            await self._close(one)
        self._switch(Fence([], self._settings.read, self._settings.deny))
        for one in self.opened:
            one.root.close()
        self.opened = []
        self._library.indexes = []

    def _open(self, folder: Folder) -> Root | None:
        path = path_of_uri(folder.uri)
        problem = FOLDER_UNREADABLE.format(shown(folder.uri))
        if path is not None:
            try:
                return replace(open_root(path), uri=folder.uri.rstrip("/"))
            except ConfigError as error:
                problem = str(error)
        self._refused[_key(folder.uri)] = problem
        self._events.log(logging.WARNING, problem)
        return None

    async def _close(self, one: Opened) -> None:
        for task in one.tasks:
            task.cancel()
        if one.tasks:
            await asyncio.wait(one.tasks)
        with contextlib.suppress(OSError):  # a shortcut for the next start, which does without
            await one.index.keep_dense()
        await asyncio.to_thread(one.index.close)

    def _ended(self, one: Opened, task: asyncio.Task[None]) -> None:
        """A task that ends by itself has met a fault of ours: it is said, not waited for."""
        if not task.cancelled() and (fault := task.exception()) is not None:
            one.phase, one.problem = "failed", f"The folder {shown(one.folder.name)} is not followed any more: a fault."
            log.error("%s", one.problem, exc_info=fault)
            self._events.log(logging.ERROR, one.problem)

    async def _follow(self, one: Opened) -> None:
        """Refreshes an index whenever it is wanted."""

        def progress(phase: str, done: int, total: int) -> None:
            one.done, one.total = done, total
            self._events.progress(phase, done, total)

        while True:
            await one.wanted.wait()
            one.wanted.clear()
            one.phase = "indexing"
            try:
                await one.index.refresh(progress)
            except ConfigError as error:
                one.phase, one.problem = "failed", str(error)
            except (sqlite3.DatabaseError, OSError) as error:
                one.phase, one.problem = "failed", f"The folder {shown(one.folder.name)} cannot be indexed ({error})."
            else:
                one.phase, one.problem = "ready", ""
            if one.problem:
                self._events.log(logging.ERROR, one.problem)
            one.dense_wanted.set()
            self._refreshed(one)

    async def _complete(self, one: Opened) -> None:
        """Completes an index' vectors whenever it is wanted."""
        while True:
            await one.dense_wanted.wait()
            one.dense_wanted.clear()
            with contextlib.suppress(sqlite3.DatabaseError):  # said by the index; what is in them already is used
                await one.index.complete_dense(self._events.progress)


def _key(uri: str) -> str:
    """What two spellings of a folder's URI have in common."""
    return path_of_uri(uri) or uri
