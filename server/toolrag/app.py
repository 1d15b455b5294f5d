"""The composition root: the only place that names adapters, and where a workspace is put together."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from toolrag.adapters.cache_dir import DATABASE, clear_derived, clear_leftovers, private_index_dir
from toolrag.adapters.clock import SystemClock
from toolrag.adapters.corpus_file import load_corpus, save_corpus
from toolrag.adapters.dense import embed_missing, fill_index, vectors_path
from toolrag.adapters.documents import Documents
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.adapters.fence import Fence
from toolrag.adapters.fingerprint import analysis_fingerprint, corpus_fingerprint
from toolrag.adapters.ignore import parse_rules
from toolrag.adapters.indexer import Coverage, Indexer
from toolrag.adapters.parse_process import ParseProcess
from toolrag.adapters.retriever import IndexedRetriever
from toolrag.adapters.roots import Root, open_root
from toolrag.adapters.store import Store
from toolrag.adapters.store_file import DamagedStoreError, is_damage, move_aside
from toolrag.answer.extractive import Extractive
from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.config import Settings, VectorChoice
from toolrag.errors import ConfigError
from toolrag.ports import Embedder, Retriever, SpanParser, VectorIndex
from toolrag.retrieval.corpus import Corpus, IndexedFile, build_corpus

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Place:
    """A root that is open for reading: what every command needs."""

    root: Root
    fence: Fence
    documents: Documents
    settings: Settings

    def reader(self, parser: SpanParser) -> RangeReader:
        """A fresh run's reader."""
        return RangeReader(self.documents, parser, self.settings.read, self.settings.budget)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A root that can be searched and asked."""

    place: Place
    retriever: Retriever
    parser: SpanParser
    coverage: Coverage | None
    """Of this run's refresh; None when it was left out."""
    n_spans: int
    engine: str

    def extractive(self) -> Extractive:
        """The answerer without a model."""
        place = self.place
        return Extractive(self.retriever, place.documents, self.parser, SystemClock(), place.settings)


@contextmanager
def open_place(root: str, settings: Settings) -> Iterator[Place]:
    """Open a root behind the fence. Raises ConfigError when it is not a folder that can be read."""
    opened = open_root(root)
    fence = Fence([opened], settings.read, settings.deny)
    try:
        yield Place(opened, fence, Documents(fence), settings)
    finally:
        fence.close()


async def read_range(place: Place, path: str, start: int, end: int, sha: str | None) -> ReadResult:
    """One read outside any run. Raises ReadError."""
    async with ParseProcess(place.settings.index.parse_seconds) as parser:  # it starts only if something is parsed
        return await place.reader(parser).read_range(path, start, end, sha)


@asynccontextmanager
async def open_workspace(place: Place, *, refresh: bool, progress: Progress) -> AsyncIterator[Workspace]:
    """Index a place, or take up its index as it is, and make it searchable.

    Where the cache cannot be kept (a full disk, a folder that is not ours) the index is held in memory, and one log
    line says so. Raises ConfigError when hnswlib is asked for and not there.
    """
    vectors = vector_index(place.settings.index.vectors, HashingEmbedder().dimensions)
    async with ParseProcess(place.settings.index.parse_seconds) as parser:
        opening = _Opening(place, parser, vectors, refresh, progress)
        store, workspace = await opening.load(_cache_folder(place.root))
        try:
            yield workspace
        finally:
            store.close()


def vector_index(choice: VectorChoice, dimensions: int) -> VectorIndex:
    """The vector index that serves: HNSW where hnswlib is installed, else the exact one."""
    if choice == "hnsw" and find_spec("hnswlib") is None:
        raise ConfigError('hnswlib is not installed. Run `make hnsw`, or set index.vectors to "auto".')
    if choice != "exact" and find_spec("hnswlib") is not None:
        from toolrag.adapters.vectors_hnsw import HnswVectors

        return HnswVectors(dimensions)
    from toolrag.adapters.vectors_flat import FlatVectors

    return FlatVectors(dimensions)


def deny_problems(settings: Settings) -> list[str]:
    """A sentence for each of the user's globs that means nothing as it is written."""
    return list(parse_rules("\n".join(settings.deny), "the setting deny", denies=True).problems)


def embedder() -> Embedder:
    """The embedder that serves."""
    return HashingEmbedder()


def _cache_folder(root: Root) -> Path | None:
    try:
        folder = private_index_dir(root.real)
    except ConfigError as error:
        log.warning("%s The index is held in memory for this run.", error)
        return None
    try:
        clear_leftovers(folder, time.time())
    except OSError as error:
        log.warning("What an earlier run left in the cache folder cannot be removed (%s).", error.strerror)
    return folder


@dataclass(frozen=True, slots=True)
class _Opening:
    """What it takes to make a workspace, wherever its index is kept."""

    place: Place
    parser: ParseProcess
    vectors: VectorIndex
    refresh: bool
    progress: Progress

    async def load(self, folder: Path | None) -> tuple[Store, Workspace]:
        """The first attempt that holds: on the database as it is, on one begun anew if that is damaged, in memory."""
        if folder is None:
            return await self._attempt(None)
        try:
            return await self._attempt(folder)
        except sqlite3.DatabaseError as error:
            found = error
        if is_damage(found):
            try:
                aside = move_aside(folder / DATABASE)
                log.warning("The index was damaged (%s); it was moved to %s and is built anew.", found, aside.name)
                return await self._attempt(folder)
            except (sqlite3.DatabaseError, OSError) as error:
                log.warning("The index cannot be kept on disk (%s); it is held in memory for this run.", error)
        else:
            log.warning("The index cannot be kept on disk (%s); it is held in memory for this run.", found)
        return await self._attempt(None)

    async def _attempt(self, folder: Path | None) -> tuple[Store, Workspace]:
        store = Store(folder and folder / DATABASE, analysis_fingerprint())
        try:
            return store, await self._workspace(store, folder)
        except BaseException:
            store.close()
            raise

    async def _workspace(self, store: Store, folder: Path | None) -> Workspace:
        place = self.place
        coverage = None
        if self.refresh:
            scrub = (lambda: None) if folder is None else partial(_clear_derived, folder)
            indexer = Indexer(place.fence, place.root, store, self.parser, place.settings.index, scrub)
            coverage = await indexer.refresh(partial(self.progress, "Indexing"))
            with store.transaction():
                store.put_meta("coverage", json.dumps(asdict(coverage)))
        corpus = _corpus(store, folder)
        if self.refresh:
            await embed_missing(corpus, store, place.documents, embedder(), partial(self.progress, "Embedding"))
        path = folder and vectors_path(folder, self.vectors, embedder())
        await fill_index(corpus, store, embedder(), self.vectors, path, partial(self.progress, "Linking vectors"))
        retriever = IndexedRetriever(
            corpus=corpus,
            store=store,
            documents=place.documents,
            parser=self.parser,
            vectors=self.vectors,
            embedder=embedder(),
            n_skipped=_n_skipped(store),
            complete=coverage is not None and coverage.complete,
        )
        return Workspace(place, retriever, self.parser, coverage, corpus.n_spans, self.vectors.engine)


def _clear_derived(folder: Path) -> None:
    try:
        clear_derived(folder)
    except OSError as error:
        log.warning("What was made from a file that is denied now cannot be removed (%s).", error.strerror)


def _n_skipped(store: Store) -> int:
    found = store.meta("coverage")
    try:
        return sum(json.loads(found)["skipped"].values()) if found else 0
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedStoreError("the last run's coverage is altered") from None


def _corpus(store: Store, folder: Path | None) -> Corpus:
    """The corpus of the store's files: taken up where it was kept, else built, and kept."""
    rows = store.files()
    digest = hashlib.sha256(corpus_fingerprint().encode())
    for row in rows.values():
        digest.update(json.dumps([row.path, row.sha, row.language]).encode())
    key = digest.hexdigest()
    path = folder / "corpus.bin" if folder else None
    kept = load_corpus(path, key) if path else None
    if kept is not None:
        return kept
    files = []
    for row in rows.values():
        analysis = store.analysis(row.sha, row.language)
        if analysis is not None:
            files.append(IndexedFile(row.path, row.sha, row.language, analysis))
    corpus = build_corpus(files)
    # One that lacks a file is not kept: the next refresh parses that file, and then it would be found again.
    if path is not None and len(files) == len(rows):
        try:
            save_corpus(path, corpus, key)
        except OSError as error:
            log.warning("The search arrays could not be kept (%s); they are built again next time.", error.strerror)
    return corpus
