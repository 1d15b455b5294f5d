"""The composition root: the only place that names adapters, and where a workspace is put together."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from toolrag.adapters import shown_answers
from toolrag.adapters.around import Around
from toolrag.adapters.cache_dir import clear_leftovers, clear_unused, private_index_dir
from toolrag.adapters.clock import SystemClock
from toolrag.adapters.dense import Engine
from toolrag.adapters.documents import Documents
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.adapters.fence import Fence
from toolrag.adapters.ignore import parse_rules
from toolrag.adapters.index import Index
from toolrag.adapters.journal import Journals as Journals
from toolrag.adapters.journaling import Journaled
from toolrag.adapters.library import Library
from toolrag.adapters.names import file_uri
from toolrag.adapters.own_file import OwnFile as OwnFile
from toolrag.adapters.parse_process import ParseProcess
from toolrag.adapters.refresh import Coverage
from toolrag.adapters.roots import Root, open_root
from toolrag.adapters.vectors_flat import EXACT_BELOW, FlatVectors
from toolrag.adapters.walk import Found, Walk
from toolrag.answer.document import document_of
from toolrag.answer.extractive import MODEL
from toolrag.answer.journal.outside import Outside, Run, answer_by
from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.answer.types import Answer
from toolrag.answer.watch import SILENT, Watch
from toolrag.config import Settings, VectorChoice
from toolrag.errors import ConfigError
from toolrag.models import chat_model
from toolrag.ports import NO_JOURNAL, ChatModel, Embedder, Retriever, SpanParser, VectorIndex

if TYPE_CHECKING:
    from toolrag.answer.journal.replay import Report

SOON: Final = 5_000
"""Missing vectors that a person does not wait long for: a second at most."""

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

    async def files(self) -> AsyncIterator[str]:
        """URIs of the files that may be indexed, for a search of lines whose file is gone. Needs no index."""
        walk = iter(Walk(self.fence, self.root))
        while (found := await asyncio.to_thread(next, walk, None)) is not None:
            if isinstance(found, Found):
                yield file_uri(os.path.join(self.root.given, *found.path.split("/")))

    def folder_of(self, file: str) -> str:
        """The folder of a file of the user's, relative to this root, with `/`; empty at the root and outside."""
        try:
            path = PurePath(os.path.realpath(file)).relative_to(self.root.real).parent.as_posix()
        except ValueError:
            return ""
        return "" if path == "." else path


@dataclass(frozen=True, slots=True)
class Workspace:
    """A root that can be searched and asked."""

    place: Place
    retriever: Retriever
    parser: SpanParser
    coverage: Coverage | None
    """Of this run's refresh; None when it was left out."""
    library: Library
    dense: asyncio.Task[None] | None
    """Completes the vectors beside; None when the refresh was left out."""

    def answerer(self, model: str, watch: Watch = SILENT) -> Journaled:
        """Who answers for a name of a model, and keeps its runs. Raises ConfigError for one that cannot be used."""
        chosen = None if model == MODEL else chat_model(model, self.place.settings)
        return recorded(self.outside(chosen, watch), [self.place.root])

    def outside(self, model: ChatModel | None, watch: Watch = SILENT) -> Outside:
        """What a run here learns from; None for one without a model."""
        place, clock = self.place, SystemClock()
        return Outside(self.retriever, place.documents, self.parser, clock, place.settings, NO_JOURNAL, model, watch)


def recorded(outside: Outside, roots: Sequence[Root], run: Run = answer_by) -> Journaled:
    """An answerer that keeps a journal of each run, unless the settings say no or there is no place for it."""
    journals = None
    if outside.settings.journal.enabled:
        try:
            journals = Journals(outside.settings.journal)
        except ConfigError as error:
            log.warning("%s Runs cannot be replayed.", error)
    return Journaled(run, outside, journals, tuple(root.real for root in roots))


def forgets(root: Root, settings: Settings) -> Callable[[], None]:
    """What removes the journals of runs in a root, and all shown answers. Where it cannot, one log line says so."""

    def forget() -> None:
        try:
            shown_answers.forget()
            Journals(settings.journal).forget(root.real)
        except ConfigError:
            return  # there is no place for any
        except OSError as error:
            log.warning(
                "Journals and answers that may hold a file that is denied now cannot be removed (%s).", error.strerror
            )

    return forget


async def replayed(run: str, journals: Journals, parser: SpanParser) -> Report:
    """Run a kept run again. Raises ConfigError when there is none, and OSError."""
    from toolrag.answer.journal.replay import check, replay

    checked = await asyncio.to_thread(lambda: check(run, journals.load(run), journals.blob))
    return await replay(checked, parser, answer_by)


async def replayed_here(run: str, journals: Journals, settings: Settings) -> Report:
    """The same, with a parser of its own, which starts only if something is parsed."""
    async with ParseProcess(settings.index.parse_seconds) as parser:
        return await replayed(run, journals, parser)


@contextmanager
def open_place(root: str, settings: Settings) -> Iterator[Place]:
    """Open a root behind the fence. Raises ConfigError when it is not a folder that can be read."""
    with open_places([root], settings) as (place,):
        yield place


@contextmanager
def open_places(roots: Sequence[str], settings: Settings) -> Iterator[list[Place]]:
    """Open several roots behind one fence. Raises ConfigError when one is not a folder that can be read."""
    opened: list[Root] = []
    try:
        for root in roots:
            opened.append(open_root(root))
    except ConfigError:
        for one in opened:
            one.close()
        raise
    fence = Fence(opened, settings.read, settings.deny)
    try:
        documents = Documents(fence)
        yield [Place(root, fence, documents, settings) for root in opened]
    finally:
        fence.close()


async def read_range(place: Place, path: str, start: int, end: int, sha: str | None) -> ReadResult:
    """One read outside any run. Raises ReadError."""
    async with ParseProcess(place.settings.index.parse_seconds) as parser:  # it starts only if something is parsed
        return await place.reader(parser).read_range(path, start, end, sha)


@asynccontextmanager
async def open_workspace(place: Place, *, refresh: bool, progress: Progress) -> AsyncIterator[Workspace]:
    """Index a place, or take up its index as it is, and make it searchable.

    It is searchable by words at once. Vectors that are missing are waited for where they are few, so that the same
    question has the same answer; many are completed meanwhile, and waited for when the body has ended without an
    error: the next command needs them. Where the cache cannot be kept (a full disk, a folder that is not
    ours) the index is held in memory, and one log line says so. Raises ConfigError when hnswlib is asked for and not
    there.
    """
    engine = vector_engine(place.settings.index.vectors, embedder().dimensions)
    limits = place.settings.index
    async with ParseProcess(limits.parse_seconds) as parser:
        library = Library(place.documents, parser, embedder())
        around = Around(
            place.fence, place.root, parser, limits, embedder(), engine, forgets(place.root, place.settings)
        )
        index = Index(around, cache_folder(place.root, place.settings), library.show)
        library.indexes = [index]
        dense = None
        try:
            await (index.refresh(progress) if refresh else index.open())
            dense = asyncio.create_task(_complete(index, progress)) if refresh else None
            state = library.state
            if dense is not None and not state.complete and state.total - state.indexed <= SOON:
                await dense
            yield Workspace(place, library.retriever, parser, index.coverage, library, dense)
            if dense is not None:
                await dense
        finally:
            if dense is not None:
                dense.cancel()
                await asyncio.wait([dense])
            index.close()
            library.close()


async def _complete(index: Index, progress: Progress) -> None:
    await index.complete_dense(progress)
    await index.keep_dense()


def vector_engine(choice: VectorChoice, dimensions: int) -> Engine:
    """Which vector index serves for so many vectors: HNSW where it pays and hnswlib is installed, else the exact one.

    Raises ConfigError when hnswlib is asked for and not there.
    """
    has_hnsw = find_spec("hnswlib") is not None
    if choice == "hnsw" and not has_hnsw:
        raise ConfigError('hnswlib is not installed. Run `make hnsw`, or set index.vectors to "auto".')

    def engine(n_vectors: int) -> VectorIndex:
        if has_hnsw and (choice == "hnsw" or (choice == "auto" and n_vectors >= EXACT_BELOW)):
            from toolrag.adapters.vectors_hnsw import HnswVectors

            return HnswVectors(dimensions)
        return FlatVectors(dimensions)

    return engine


def deny_problems(settings: Settings) -> list[str]:
    """A sentence for each of the user's globs that means nothing as it is written."""
    return list(parse_rules("\n".join(settings.deny), "the setting deny", denies=True).problems)


def embedder() -> Embedder:
    """The embedder that serves."""
    return HashingEmbedder()


def shown_answer(answer: Answer, roots: Iterable[str]) -> str:
    """The URI of a file that shows an answer, in none of these roots. Raises ConfigError where none can be written."""
    return file_uri(str(shown_answers.keep(answer.id, document_of(answer), roots, time.time())))


def cache_folder(root: Root, settings: Settings) -> Path | None:
    """Where a root's index is kept, made fit for use; None where it cannot be, and one log line says why."""
    try:
        folder = private_index_dir(root.real)
    except ConfigError as error:
        log.warning("%s The index is held in memory for this run.", error)
        return None
    try:
        clear_leftovers(folder, time.time())
        clear_unused(folder, settings.cache, time.time())
    except OSError as error:
        log.warning("What earlier runs left in the cache folder cannot be removed (%s).", error.strerror)
    return folder
