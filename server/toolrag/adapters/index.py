"""One root's index: refreshed, searchable as soon as its words are in, its vectors completed beside.

Everything that blocks has one of two threads: `index` walks, reads, keeps and builds the search arrays; `vectors`
embeds and links, with a connection of its own. The event loop only passes between them, so that a search, or an
editor, waits for neither.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

from toolrag.adapters.cache_dir import DATABASE, clear_derived
from toolrag.adapters.corpus_file import load_corpus, save_corpus
from toolrag.adapters.dense import Dense, DenseState, Engine
from toolrag.adapters.documents import from_disk
from toolrag.adapters.fence import Fence
from toolrag.adapters.fingerprint import analysis_fingerprint, corpus_fingerprint
from toolrag.adapters.indexer import Indexer
from toolrag.adapters.refresh import Coverage
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.roots import Root
from toolrag.adapters.store import FileRow, Store
from toolrag.adapters.store_file import DamagedStoreError, is_damage, move_aside
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.config import IndexLimits
from toolrag.ports import DocumentSource, Embedder, SpanParser
from toolrag.retrieval.corpus import Corpus, IndexedFile, build_corpus
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""
CORPUS: Final = "corpus.bin"


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
        self._corpus: Corpus | None = None
        self._key = ""
        self.coverage: Coverage | None = None
        """What the last refresh of this process found."""
        self.retriever = IndexedRetriever(around.documents, around.parser, self._dense, around.embedder)

    @property
    def n_spans(self) -> int:
        """Symbols that can be found."""
        return self._corpus.n_spans if self._corpus else 0

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
            if self._corpus is not None:
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
        return await again()

    def _begin_anew(self, folder: Path) -> Path:
        self._forget()
        return move_aside(folder / DATABASE)

    def _forget(self) -> None:
        """As if nothing had been opened; what is searchable stays until the next view."""
        if self._stores is not None:
            self._stores.close()
        self._stores, self._corpus, self._key = None, None, ""
        self._dense.forget()

    async def _opened(self) -> _Stores:
        """The connections, opened by the first who needs them."""
        if self._stores is None:
            self._stores = await self._thread.run(_Stores, self._folder)
            self._dense.use(self._stores.dense, self._folder)
        return self._stores

    async def _take_up(self) -> None:
        stores = await self._opened()
        if self._corpus is None:
            await self._show(*await self._dense_thread.run(self._kept, stores.dense))

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
        await self._show(*await self._thread.run(self._built, stores.own, coverage, rows))
        self.coverage = coverage

    async def _show(self, key: str, view: View | None) -> None:
        """Makes a view the one that is searched; None for the one that is."""
        if view is None:
            return
        if self._corpus is None:
            await self._dense.take_up(view.corpus)
        elif view.corpus is not self._corpus:
            await self._dense.expect(view.corpus)
        self._corpus, self._key = view.corpus, key
        self.retriever.show(view, (await self._opened()).reading)

    def _kept(self, store: Store) -> tuple[str, View | None]:
        """What the store says was there, and the corpus of it where that is kept."""
        rows = [row for row in store.files().values() if not row.left_out]
        key = _key(rows)
        corpus = load_corpus(self._folder / CORPUS, key) if self._folder else None
        if corpus is None:
            return key, None
        return key, View(corpus, _n_skipped(store.meta("coverage")), complete=False)

    def _built(self, store: Store, coverage: Coverage, rows: Sequence[FileRow]) -> tuple[str, View]:
        """A view of just these files."""
        store.put_meta("coverage", json.dumps(asdict(coverage)))
        key = _key(rows)
        corpus = self._corpus if self._key == key else None
        if corpus is None:
            corpus, is_whole = _build(store, rows)
            # One that lacks a file is not kept: the next refresh parses that file, and then it would be found again.
            if self._folder is not None and is_whole:
                try:
                    save_corpus(self._folder / CORPUS, corpus, key)
                except OSError as error:
                    log.warning(
                        "The search arrays could not be kept (%s); they are built again next time.", error.strerror
                    )
        return key, View(corpus, sum(coverage.skipped.values()), complete=coverage.complete)

    def _read_text(self, path: str) -> TextSnapshot:
        """The text of a file of the root, on any thread. Raises ReadError."""
        return from_disk(self._around.fence, self._around.fence.locate_in(self._around.root, path))

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


def _build(store: Store, rows: Sequence[FileRow]) -> tuple[Corpus, bool]:
    """The corpus of these files, and whether all of them are in it."""
    files = []
    for row in rows:
        analysis = store.analysis(row.sha, row.language)
        if analysis is not None:
            files.append(IndexedFile(row.path, row.sha, row.language, analysis))
    return build_corpus(files), len(files) == len(rows)


def _key(rows: Iterable[FileRow]) -> str:
    """Names a corpus by the code that makes it and the files it is made from."""
    digest = hashlib.sha256(corpus_fingerprint().encode())
    for row in rows:
        digest.update(json.dumps([row.path, row.sha, row.language]).encode())
    return digest.hexdigest()


def _n_skipped(coverage: str | None) -> int:
    try:
        return sum(json.loads(coverage)["skipped"].values()) if coverage else 0
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedStoreError("the last run's coverage is altered") from None
