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
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Final

from toolrag.adapters.around import Around
from toolrag.adapters.cache_dir import DATABASE, clear_derived
from toolrag.adapters.dense import Dense
from toolrag.adapters.documents import from_disk
from toolrag.adapters.fence import Fence
from toolrag.adapters.fingerprint import analysis_fingerprint
from toolrag.adapters.indexer import Indexer
from toolrag.adapters.live_reader import Analyses
from toolrag.adapters.refresh import Coverage, n_skipped_in
from toolrag.adapters.roots import Root
from toolrag.adapters.shown import LiveFile, Shown
from toolrag.adapters.store import FileRow, Store, Stores
from toolrag.adapters.store_file import is_damage, move_aside
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.retrieval.corpus import Corpus
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

MANY_PARSED: Final = 200
"""Texts after which the parse process is worth ending: it holds some 100 MB then, and begins anew in 0.1 s."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


class Index:
    """Keeps one root searchable. Belongs to one event loop. At most one refresh and one `complete_dense` at a time.

    A database that proves to be damaged is moved aside and begun anew, and one that cannot be kept (a full disk, a
    folder that is not ours) is held in memory, each with one log line: the caller sees no difference but time.
    """

    def __init__(self, around: Around, folder: Path | None, publish: Callable[[], Awaitable[None]]) -> None:
        """`folder` is the root's cache folder; None holds everything in memory.

        `publish` is called whenever something else can be found.
        """
        self._around = around
        self._publish = publish
        self._folder = folder
        self._thread = WorkerThread("index")
        self._dense_thread = WorkerThread("vectors")
        self._stores: Stores | None = None
        self._dense = Dense(self._read_text, around.embedder, around.engine, self._dense_thread)
        self._shown = Shown(folder)
        self._taking_up = asyncio.Lock()
        self._mending = asyncio.Lock()
        self._generation = 0
        self.is_shown = False
        """Whether there is anything yet that could be searched."""
        self.corpus = self._shown.corpus
        """What is searched, open documents included."""
        self.n_skipped = 0
        """Files and folders that are left out."""
        self.coverage: Coverage | None = None
        """What the last refresh of this process found."""

    @property
    def root(self) -> Root:
        """The folder."""
        return self._around.root

    @property
    def complete(self) -> bool:
        """Nothing waits to be indexed."""
        return self.coverage is not None and self.coverage.complete

    @property
    def dense(self) -> Dense:
        """The vectors of what is searched."""
        return self._dense

    def use(self, fence: Fence, root: Root) -> None:
        """Other folders were opened or closed: files are read through this fence from now on."""
        self._around = replace(self._around, fence=fence, root=root)

    def would_index(self, path: str, differs: bool) -> bool:
        """Whether an open document is to be searched as it is: it differs from a file that is indexed, or from none."""
        return differs and (self._shown.is_known(path) or not self._exists(path))

    def analysis(self, sha: str, language: str) -> Analysis | None:
        """The analysis of a text that is searched. On the event loop; raises sqlite3.DatabaseError."""
        live = self._shown.analysis(sha, language)
        if live is not None or self._stores is None:
            return live
        return self._stores.reading.analysis(sha, language)

    async def open(self) -> None:
        """Takes up what earlier runs left, as it is: what was searchable then is searchable now."""

        async def take_up() -> None:
            await self._take_up()
            if not self.is_shown:
                await self._show(*await self._thread.run(self._rebuilt, (await self._opened()).own))

        await self._mended(take_up, take_up)

    async def refresh(self, progress: Progress = lambda *_: None) -> Coverage:
        """Brings the index up to date with the disk; searchable by words when it returns. See `complete_dense`.

        Raises ConfigError where there is more to index than is allowed.
        """
        refresh = partial(self._refresh, progress)
        await self._mended(refresh, refresh)
        assert self.coverage is not None
        return self.coverage

    async def show(self, path: str, live: LiveFile | None) -> None:
        """An open document has another text than its file; None when it has the same again, or was closed."""

        async def show() -> None:
            await self._take_up()
            analyses = (await self._opened()).own.analysis
            corpus = await self._thread.run(self._laid_over, path, live, analyses)
            if self.is_shown and corpus is not self.corpus:
                self._dense.doubt()  # what was typed is found first, and its missing vectors are counted afterwards
                self.corpus = corpus
            await self._show(corpus, self.n_skipped)

        await self._mended(show, show)

    async def complete_dense(self, progress: Progress = lambda *_: None) -> None:
        """Brings the vectors up to date with what is searched now."""

        async def complete() -> None:
            if self.is_shown:
                await self._dense.follow(self.corpus, progress)

        async def again() -> None:
            await self._refresh(progress)
            await complete()

        await self._mended(complete, again)

    async def keep_dense(self) -> None:
        """Writes the graph of the vectors down for the next process, which could link them anew from the database.

        hnswlib does not let go of the interpreter meanwhile: a quarter of a second for 50,000 vectors.
        """
        await self._dense.keep()

    def close(self) -> None:
        """Ends the threads and the connections. Whatever uses them must have been cancelled, and have ended."""
        self._thread.close()
        self._dense_thread.close()
        if self._stores is not None:
            self._stores.close()
            self._stores = None

    async def _mended(self, work: Callable[[], Awaitable[None]], again: Callable[[], Awaitable[None]]) -> None:
        """Does some work; where the database fails, does it once more, by `again`, on one begun anew or in memory."""
        begun = self._generation
        try:
            return await work()
        except sqlite3.DatabaseError as error:
            if self._folder is None and begun == self._generation:
                raise
            found = error
        async with self._mending:
            if begun == self._generation:  # else another has mended it meanwhile, under this one's feet
                self._generation += 1
                return await self._mend(found, again)
        return await again()

    async def _mend(self, found: sqlite3.DatabaseError, again: Callable[[], Awaitable[None]]) -> None:
        assert self._folder is not None
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
        self._stores, self.is_shown = None, False
        self._dense.forget()

    async def _opened(self) -> Stores:
        """The connections, opened by the first who needs them."""
        if self._stores is None:
            self._stores = await self._thread.run(
                Stores, self._folder and self._folder / DATABASE, analysis_fingerprint()
            )
            self._dense.use(self._stores.dense, self._folder)
        return self._stores

    async def _take_up(self) -> None:
        async with self._taking_up:
            if self.is_shown:
                return
            kept = await self._dense_thread.run(self._kept, (await self._opened()).dense)
            if kept is not None:
                await self._show(*kept)

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
        if coverage.parsed > MANY_PARSED:
            await around.parser.rest()
        corpus = await self._thread.run(self._found, stores.own, coverage, rows)
        self.coverage = coverage
        await self._show(corpus, sum(coverage.skipped.values()))

    async def _show(self, corpus: Corpus, n_skipped: int) -> None:
        """Makes a corpus the one that is searched."""
        if not self.is_shown:
            await self._dense.take_up(corpus)
        elif corpus is not self.corpus:
            await self._dense.expect(corpus)
        self.corpus, self.n_skipped, self.is_shown = corpus, n_skipped, True
        await self._publish()

    def _kept(self, store: Store) -> tuple[Corpus, int] | None:
        """What an earlier run made searchable, and how much it left out; None where it is not kept."""
        if not self._shown.take_up():
            return None
        return self._shown.corpus, n_skipped_in(store.meta("coverage"))

    def _rebuilt(self, store: Store) -> tuple[Corpus, int]:
        """The same of what the store has, where only that is left of an earlier run."""
        self._shown.use((row for row in store.files().values() if not row.left_out), store.analysis)
        return self._shown.corpus, n_skipped_in(store.meta("coverage"))

    def _found(self, store: Store, coverage: Coverage, rows: Sequence[FileRow]) -> Corpus:
        """The corpus of just these files, under the open documents."""
        store.put_meta("coverage", json.dumps(asdict(coverage)))
        self._shown.use(rows, store.analysis)
        return self._shown.corpus

    def _laid_over(self, path: str, live: LiveFile | None, analyses: Analyses) -> Corpus:
        self._shown.show(path, live, analyses)
        return self._shown.corpus

    def _read_text(self, path: str) -> TextSnapshot:
        """The text of a file of the root, on any thread. Raises ReadError."""
        live = self._shown.snapshot(path)
        return live or from_disk(self._around.fence, self._around.fence.locate_in(self._around.root, path))

    def _exists(self, path: str) -> bool:
        try:
            self._around.root.lstat(path.split("/"))
        except OSError:
            return False
        return True

    def _before_scrub(self) -> None:
        """What was made from the store goes first: a run that is killed then leaves nothing that is denied."""
        self._dense.forget()
        self._around.before_scrub()
        try:
            if self._folder is not None:
                clear_derived(self._folder)
        except OSError as error:
            log.warning("What was made from a file that is denied now cannot be removed (%s).", error.strerror)
