"""The composition root: the only place that names adapters, and where a workspace is put together."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from toolrag.adapters.cache_dir import index_dir, make_private
from toolrag.adapters.clock import SystemClock
from toolrag.adapters.codec import decode_analysis
from toolrag.adapters.corpus_file import load_corpus, save_corpus
from toolrag.adapters.dense import embed_missing, fill_index
from toolrag.adapters.documents import Documents
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.adapters.fence import Fence
from toolrag.adapters.fingerprint import analysis_fingerprint
from toolrag.adapters.indexer import Coverage, Indexer
from toolrag.adapters.parse_process import ParseProcess
from toolrag.adapters.retriever import IndexedRetriever
from toolrag.adapters.roots import Root, open_root
from toolrag.adapters.store import Store, is_damage, move_aside
from toolrag.answer.extractive import Extractive
from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.config import Settings, VectorChoice
from toolrag.errors import ConfigError
from toolrag.ports import Embedder, Retriever, SpanParser, VectorIndex
from toolrag.retrieval.corpus import Corpus, IndexedFile, build_corpus

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Called with the number of files done and of all that must be read."""


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
        folder = _cache_folder(place.root)
        try:
            workspace = await _load(place, parser, vectors, folder, refresh, progress)
        except sqlite3.OperationalError as error:
            if folder is None or is_damage(error):
                raise
            log.warning("The index cannot be kept on disk (%s); it is held in memory for this run.", error)
            workspace = await _load(place, parser, vectors, None, refresh, progress)
        yield workspace


def vector_index(choice: VectorChoice, dimensions: int) -> VectorIndex:
    """The vector index that serves: HNSW where hnswlib is installed, else the exact one."""
    if choice == "hnsw" and find_spec("hnswlib") is None:
        raise ConfigError('hnswlib is not installed. Run `make hnsw`, or set index.vectors to "auto".')
    if choice != "exact" and find_spec("hnswlib") is not None:
        from toolrag.adapters.vectors_hnsw import HnswVectors

        return HnswVectors(dimensions)
    from toolrag.adapters.vectors_flat import FlatVectors

    return FlatVectors(dimensions)


def embedder() -> Embedder:
    """The embedder that serves."""
    return HashingEmbedder()


def _cache_folder(root: Root) -> Path | None:
    folder = index_dir(root.real)
    try:
        make_private(folder)
    except ConfigError as error:
        log.warning("%s The index is held in memory for this run.", error)
        return None
    return folder


async def _load(
    place: Place, parser: ParseProcess, vectors: VectorIndex, folder: Path | None, refresh: bool, progress: Progress
) -> Workspace:
    """One attempt, and a second on a new database when the first finds damage half-way."""
    version = analysis_fingerprint()
    path = folder / "index.sqlite" if folder else None
    store = Store(path, version)
    try:
        return await _load_from(store, place, parser, vectors, folder, refresh, progress)
    except (sqlite3.DatabaseError, ValueError) as error:
        if path is None or (isinstance(error, sqlite3.DatabaseError) and not is_damage(error)):
            raise
        store.close()
        log.warning("The index was damaged (%s); it was moved to %s and is built anew.", error, move_aside(path).name)
        return await _load_from(Store(path, version), place, parser, vectors, folder, refresh, progress)


async def _load_from(
    store: Store,
    place: Place,
    parser: ParseProcess,
    vectors: VectorIndex,
    folder: Path | None,
    refresh: bool,
    progress: Progress,
) -> Workspace:
    coverage = None
    if refresh:
        indexer = Indexer(place.fence, place.root, store, parser, place.settings.index)
        coverage = await indexer.refresh(progress)
        with store.transaction():
            store.put_meta("coverage", json.dumps(asdict(coverage)))
    corpus = _corpus(store, folder)
    if refresh:
        await embed_missing(corpus, store, place.documents, embedder())
    fill_index(corpus, store, embedder(), vectors, folder and folder / f"vectors-{vectors.engine}.bin")
    retriever = IndexedRetriever(
        corpus=corpus,
        store=store,
        documents=place.documents,
        parser=parser,
        vectors=vectors,
        embedder=embedder(),
        n_skipped=_n_skipped(store),
        complete=refresh,
    )
    return Workspace(place, retriever, parser, coverage, corpus.n_spans, vectors.engine)


def _n_skipped(store: Store) -> int:
    found = store.meta("coverage")
    return sum(json.loads(found)["skipped"].values()) if found else 0


def _corpus(store: Store, folder: Path | None) -> Corpus:
    """The corpus of the store's files: taken up where it was kept, else built, and kept."""
    rows = store.files()
    digest = hashlib.sha256(analysis_fingerprint().encode())
    for row in rows.values():
        digest.update(json.dumps([row.path, row.sha, row.language]).encode())
    key = digest.hexdigest()
    path = folder / "corpus.bin" if folder else None
    kept = load_corpus(path, key) if path else None
    if kept is not None:
        return kept
    files = []
    for row in rows.values():
        data = store.analysis(row.sha, row.language)
        if data is not None:
            files.append(IndexedFile(row.path, row.sha, row.language, decode_analysis(data)))
    corpus = build_corpus(files)
    if path is not None:
        try:
            save_corpus(path, corpus, key)
        except OSError as error:
            log.warning("The search arrays could not be kept (%s); they are built again next time.", error.strerror)
    return corpus
