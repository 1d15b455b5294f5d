"""The dense part of an index: the vectors of its passages, and the engine that finds the nearest of them.

What is embedded is kept by text in the store, so an edit costs the passages it touched. Which engine serves goes by
the number of vectors (`EXACT_BELOW`). Filling goes on while searches are answered from what is in already.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from toolrag.adapters.store import Store
from toolrag.adapters.store_file import DamagedStoreError
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.errors import ReadError
from toolrag.ports import Embeddable, Embedder, VectorIndex
from toolrag.retrieval.corpus import Corpus
from toolrag.retrieval.terms import embeddable_passages
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done and how much there is: files, or vectors."""
ReadText = Callable[[str], TextSnapshot]
"""The text of a file by its path, on any thread. Raises ReadError."""
Engine = Callable[[int], VectorIndex]
"""An empty index for so many vectors."""

FILES: Final = 32
"""Files that are embedded at once, in one transaction."""
CHUNK: Final = 128
"""Vectors that are added at once. A search waits for a chunk: about 15 ms of hnswlib."""


@dataclass(frozen=True, slots=True)
class DenseState:
    """How much of an index has vectors."""

    engine: str
    indexed: int
    """Passages' texts that can be found by their vectors."""
    total: int
    complete: bool
    """All of these can be found, and nothing else."""


class Dense:
    """The vectors of one root. The store, which `use` must have named before anything
    else, is used on `thread` alone; `nearest` may be asked at any time."""

    def __init__(self, read_text: ReadText, embedder: Embedder, engine: Engine, thread: WorkerThread) -> None:
        self._store: Store | None = None
        self._folder: Path | None = None
        self._read_text = read_text
        self._embedder = embedder
        self._engine = engine
        self._thread = thread
        self._vectors: VectorIndex = engine(0)
        self._wanted: frozenset[int] = frozenset()
        self._lacking: set[int] = set()
        self._has_surplus = False
        self._is_in_doubt = False
        self._is_kept = True

    def use(self, store: Store, folder: Path | None) -> None:
        """Vectors are kept in this store, and the index in this folder between runs; None to keep none."""
        self._store, self._folder = store, folder

    @property
    def state(self) -> DenseState:
        """How far it is."""
        n_wanted, n_lacking = len(self._wanted), len(self._lacking)
        complete = not (n_lacking or self._has_surplus or self._is_in_doubt)
        return DenseState(self._vectors.engine, n_wanted - n_lacking, n_wanted, complete)

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """At most `limit` pairs of text id and cosine among the vectors that are in, nearest first."""
        return self._vectors.nearest(vector, limit)

    async def take_up(self, corpus: Corpus) -> None:
        """Begins with a corpus: loads what an earlier run kept, if it is of the engine that serves now."""
        await self._thread.run(self._load, corpus)

    async def expect(self, corpus: Corpus) -> None:
        """From now on `state` tells how much of this corpus is in."""
        await self._thread.run(self._expect, corpus)

    def doubt(self) -> None:
        """Something else is searched now: what is in is not complete until it has been followed."""
        self._is_in_doubt = True

    async def follow(self, corpus: Corpus, progress: Progress = lambda *_: None) -> None:
        """Makes the index hold exactly a corpus's vectors: embeds what is missing, adds it, and drops the rest.

        Cancelled, what was embedded stays. Raises sqlite3.DatabaseError.
        """
        if await self._thread.run(self._has_just, corpus):
            return
        missing = await self._thread.run(self._missing, corpus)
        for first in range(0, len(missing), FILES):
            progress("Embedding", first, len(missing))
            await self._thread.run(self._embed, corpus, missing[first : first + FILES])
        progress("Embedding", len(missing), len(missing))
        filling, new = await self._thread.run(self._aim, corpus)
        for first in range(0, len(new), CHUNK):
            progress("Linking vectors", first, len(new))
            await self._thread.run(self._add, filling, new[first : first + CHUNK])
        progress("Linking vectors", len(new), len(new))
        self._vectors = filling

    def forget(self) -> None:
        """Begins with nothing: an engine may remember what it no longer finds."""
        self._vectors = self._engine(0)
        self._lacking, self._has_surplus = set(self._wanted), False

    async def keep(self) -> None:
        """Writes the index down for the next run, if it is not the one that was read."""
        if self._folder is not None and not self._is_kept:
            await self._thread.run(self._save, self._folder)

    @property
    def _kept_in(self) -> Store:
        assert self._store is not None
        return self._store

    def _load(self, corpus: Corpus) -> None:
        self._wanted = frozenset(corpus.text_ids.tolist())
        vectors = self._engine(len(self._wanted))
        path = self._folder and vectors_path(self._folder, vectors, self._embedder)
        self._is_kept = path is not None and vectors.load(str(path))
        self._vectors = vectors
        self._compare()

    def _expect(self, corpus: Corpus) -> None:
        self._wanted = frozenset(corpus.text_ids.tolist())
        self._compare()

    def _compare(self) -> None:
        ids = self._vectors.ids
        self._lacking, self._has_surplus = set(self._wanted - ids), not ids <= self._wanted
        self._is_in_doubt = False

    def _has_just(self, corpus: Corpus) -> bool:
        self._expect(corpus)
        return self.state.complete

    def _missing(self, corpus: Corpus) -> list[tuple[int, set[int]]]:
        """Files of the corpus with the text ids in them that have no vector."""
        kept = self._kept_in.vector_ids(self._embedder.id)
        missing: dict[int, set[int]] = defaultdict(set)
        lacks = ~np.isin(corpus.text_ids, np.fromiter(kept, np.int64, len(kept)))
        for passage in np.flatnonzero(lacks).tolist():
            missing[int(corpus.file_of[passage])].add(int(corpus.text_ids[passage]))
        return list(missing.items())

    def _embed(self, corpus: Corpus, files: Sequence[tuple[int, set[int]]]) -> None:
        """Embeds and keeps the passages of some files. One transaction.

        A file that changed since it was indexed is passed over: its passages are no longer those of the corpus.
        """
        found: dict[int, Embeddable] = {}
        for file, wanted in files:
            analysis = self._kept_in.analysis(corpus.shas[file], corpus.languages[file])
            try:
                snapshot = self._read_text(corpus.paths[file])
            except ReadError:
                continue  # gone or denied since: the next refresh takes it out
            if analysis is None or snapshot.sha != corpus.shas[file]:
                continue
            if any(passage.lines.end > snapshot.text.n_lines for passage in analysis.parsed.passages):
                raise DamagedStoreError("an analysis is not of its text")
            passages = embeddable_passages(snapshot.text, analysis)
            ids = analysis.terms.text_ids.tolist()
            found.update((text_id, one) for text_id, one in zip(ids, passages, strict=True) if text_id in wanted)
        if found:
            vectors = self._embedder.embed(list(found.values()))
            with self._kept_in.transaction():
                self._kept_in.put_vectors(self._embedder.id, dict(zip(found, vectors, strict=True)))

    def _aim(self, corpus: Corpus) -> tuple[VectorIndex, list[int]]:
        """The index that is to hold the corpus's vectors, without others, and the ids that it lacks and can have."""
        self._wanted = frozenset(corpus.text_ids.tolist())
        filling = self._engine(len(self._wanted))
        if filling.engine == self._vectors.engine:
            filling = self._vectors
            surplus = filling.ids - self._wanted
            filling.remove(surplus)
            self._is_kept &= not surplus
        self._lacking, self._has_surplus = set(self._wanted - filling.ids), False
        kept = self._kept_in.vector_ids(self._embedder.id)
        # In arrays: Python would sort for 20 ms without letting go of the interpreter.
        known, lacking = (np.fromiter(ids, np.int64, len(ids)) for ids in (kept, self._lacking))
        new: list[int] = np.intersect1d(known, lacking, assume_unique=True).tolist()
        return filling, new

    def _add(self, filling: VectorIndex, text_ids: Sequence[int]) -> None:
        found = self._kept_in.vectors(self._embedder.id, text_ids, self._embedder.dimensions)
        filling.add(list(found), np.stack(list(found.values())))
        self._lacking.difference_update(found)
        self._is_kept = False

    def _save(self, folder: Path) -> None:
        path = vectors_path(folder, self._vectors, self._embedder)
        try:
            self._vectors.save(str(path))
        except OSError as error:
            log.warning("The vector index could not be kept (%s); it is built again next time.", error.strerror)
            return
        self._is_kept = True
        for other in folder.glob("vectors-*.bin"):
            if other != path:
                other.unlink(missing_ok=True)  # of another engine or embedder: it would be denied nothing any more


def vectors_path(folder: Path, vectors: VectorIndex, embedder: Embedder) -> Path:
    """Where an index is kept: each engine has its form, and the vectors of two embedders do not mix."""
    return folder / f"vectors-{vectors.engine}-{sha256(embedder.id.encode()).hexdigest()[:8]}.bin"
