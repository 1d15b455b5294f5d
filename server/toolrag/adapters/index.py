"""One root's index: refreshed, searchable as soon as its words are in, its vectors completed beside.

Everything that blocks has one of two threads: `index` walks, reads, keeps and builds the search arrays; `vectors`
embeds and links, with a connection of its own. The event loop only passes between them, so that a search, or an
editor, waits for neither.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from toolrag.adapters.cache_dir import DATABASE, clear_derived
from toolrag.adapters.dense import Dense, DenseState, Engine
from toolrag.adapters.documents import from_disk
from toolrag.adapters.fence import Fence
from toolrag.adapters.fingerprint import analysis_fingerprint
from toolrag.adapters.indexer import Indexer
from toolrag.adapters.refresh import Coverage
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.roots import Root
from toolrag.adapters.shown import Shown
from toolrag.adapters.store import FileRow, Store
from toolrag.adapters.store_file import DamagedStoreError, is_damage, move_aside
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.config import IndexLimits
from toolrag.ports import DocumentSource, Embedder, SpanParser
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Around:
    """What an index stands on: the root, the doors to its text, and the engines."""

    fence: Fence
    root: Root
    documents: DocumentSource
    parser: SpanParser
    limits: IndexLimits
    embedder: Embedder
    engine: Engine


class Index:
    """Keeps one root searchable. Belongs to one event loop; its methods are called one at a time.

    A database that proves to be damaged is moved aside and begun anew, and one that cannot be kept (a full disk, a
    folder that is not ours) is held in memory, each with one log line: the caller sees no difference but time.
    """

    def __init__(self, around: Around, folder: Path | None) -> None:
        """`folder` is the root's cache folder; None holds everything in memory."""
        self._around = around
        self._folder = folder
        self._thread = WorkerThread("index")
        self._dense_thread = WorkerThread("vectors")
        self._stores: _Stores | None = None
        self._dense = Dense(self._read_text, around.embedder, around.engine, self._dense_thread)
        self._shown = Shown(folder)
        self._corpus = self._shown.corpus
        self._is_shown = False
        self._taking_up = asyncio.Lock()
        self.coverage: Coverage | None = None
        """What the last refresh of this process found."""
        self.retriever = IndexedRetriever(around.documents, around.parser, self._dense, around.embedder)

    @property
    def n_spans(self) -> int:
        """Symbols that can be found."""
        return self._corpus.n_spans

    @property
    def dense(self) -> DenseState:
        """How many passages have vectors, and which engine finds them."""
        return self._dense.state

    async def open(self) -> None:
        """Takes up what earlier runs left, as it is: what was searchable then is searchable now."""
        await self._mended(self._take_up, self._take_up)

    async def refresh(self, progress: Progress = lambda *_: None) -> Coverage:
        """Brings the index up to date with the disk; searchable by words when it returns. See `complete_dense`.

        Raises ConfigError where there is more to index than is allowed.
        """
        refresh = partial(self._refresh, progress)
        await self._mended(refresh, refresh)
        assert self.coverage is not None
        return self.coverage

    async def complete_dense(self, progress: Progress = lambda *_: None) -> None:
        """Brings the vectors up to date with what is searchable now, and keeps them."""

        async def complete() -> None:
            if self._is_shown:
                await self._dense.follow(self._corpus, progress)
                await self._dense.keep()

        async def again() -> None:
            await self._refresh(progress)
            await complete()

        await self._mended(complete, again)

    def close(self) -> None:
        """Ends the threads and the connections. Whatever uses them must have been cancelled, and have ended."""
        self._thread.close()
        self._dense_thread.close()
        if self._stores is not None:
            self._stores.close()
            self._stores = None

    async def _mended(self, work: Callable[[], Awaitable[None]], again: Callable[[], Awaitable[None]]) -> None:
        """Does some work; where the database fails, does it once more, by `again`, on one begun anew or in memory."""
        try:
            return await work()
        except sqlite3.DatabaseError as error:
            if self._folder is None:
                raise
            found = error
        if is_damage(found):
            try:
                aside = await self._thread.run(self._begin_anew, self._folder)
                log.warning("The index was damaged (%s); it was moved to %s and is built anew.", found, aside.name)
                return await again()
            except (sqlite3.DatabaseError, OSError) as error:
                log.warning("The index cannot be kept on disk (%s); it is held in memory for this run.", error)
        else:
            log.warning("The index cannot be kept on disk (%s); it is held in memory for this run.", found)
        self._forget()
        self._folder = None
        self._shown = Shown(None)
        return await again()

    def _begin_anew(self, folder: Path) -> Path:
        self._forget()
        self._shown = Shown(folder)
        return move_aside(folder / DATABASE)

    def _forget(self) -> None:
        """As if nothing had been opened; what is searchable stays until the next view."""
        if self._stores is not None:
            self._stores.close()
        self._stores, self._is_shown = None, False
        self._dense.forget()

    async def _opened(self) -> _Stores:
        """The connections, opened by the first who needs them."""
        if self._stores is None:
            self._stores = await self._thread.run(_Stores, self._folder)
            self._dense.use(self._stores.dense, self._folder)
        return self._stores

    async def _take_up(self) -> None:
        async with self._taking_up:
            if self._is_shown:
                return
            kept = await self._dense_thread.run(self._kept, (await self._opened()).dense)
            if kept is not None:
                await self._show(kept)

    async def _refresh(self, progress: Progress) -> None:
        around, stores = self._around, await self._opened()
        indexer = Indexer(
            around.fence, around.root, stores.own, around.parser, around.limits, self._thread, self._before_scrub
        )
        # What an earlier run left is mostly still right: it is loaded while this one looks.
        opening = asyncio.create_task(self._take_up())
        try:
            coverage, rows = await indexer.refresh(partial(progress, "Indexing"))
        finally:
            (problem,) = await asyncio.gather(opening, return_exceptions=True)
        if problem is not None:
            raise problem
        await self._show(await self._thread.run(self._found, stores.own, coverage, rows))
        self.coverage = coverage

    async def _show(self, view: View) -> None:
        """Makes a view the one that is searched."""
        if not self._is_shown:
            await self._dense.take_up(view.corpus)
        elif view.corpus is not self._corpus:
            await self._dense.expect(view.corpus)
        self._corpus, self._is_shown = view.corpus, True
        self.retriever.show(view, self._analysis)

    def _kept(self, store: Store) -> View | None:
        """The corpus of what the store says was there; None where it is not kept."""
        if not self._shown.take_up(row for row in store.files().values() if not row.left_out):
            return None
        return View(self._shown.corpus, _n_skipped(store.meta("coverage")), complete=False)

    def _found(self, store: Store, coverage: Coverage, rows: Sequence[FileRow]) -> View:
        """A view of just these files."""
        store.put_meta("coverage", json.dumps(asdict(coverage)))
        self._shown.use(rows, store)
        return View(self._shown.corpus, sum(coverage.skipped.values()), complete=coverage.complete)

    def _analysis(self, sha: str, language: str) -> Analysis | None:
        """For searches, on the event loop."""
        live = self._shown.analysis(sha, language)
        if live is not None or self._stores is None:
            return live
        return self._stores.reading.analysis(sha, language)

    def _read_text(self, path: str) -> TextSnapshot:
        """The text of a file of the root, on any thread. Raises ReadError."""
        live = self._shown.snapshot(path)
        return live or from_disk(self._around.fence, self._around.fence.locate_in(self._around.root, path))

    def _before_scrub(self) -> None:
        """What was made from the store goes first: a run that is killed then leaves nothing that is denied."""
        self._dense.forget()
        if self._folder is None:
            return
        try:
            clear_derived(self._folder)
        except OSError as error:
            log.warning("What was made from a file that is denied now cannot be removed (%s).", error.strerror)


class _Stores:
    """One database through three connections, so that none waits for another's transaction to read."""

    def __init__(self, folder: Path | None) -> None:
        self.own = Store(folder and folder / DATABASE, analysis_fingerprint())
        """For the thread that refreshes."""
        self.dense = self.own.sibling()
        """For the thread of the vectors."""
        self.reading = self.own.sibling()
        """For searches, on the event loop."""

    def close(self) -> None:
        """Ends the connections."""
        for store in (self.dense, self.reading, self.own):
            store.close()


def _n_skipped(coverage: str | None) -> int:
    try:
        return sum(json.loads(coverage)["skipped"].values()) if coverage else 0
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedStoreError("the last run's coverage is altered") from None
