"""The approximate vector index, on hnswlib: the extra `toolrag[hnsw]`.

Malkov, Yashunin, "Efficient and robust approximate nearest neighbor search using HNSW graphs" (2018).
hnswlib only marks deleted entries, and may not search while it adds: one lock serves both.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final

import hnswlib
import numpy as np
import numpy.typing as npt

from toolrag.adapters.cache_dir import TEMPORARY
from toolrag.adapters.sealed_file import read_sealed, write_sealed
from toolrag.adapters.vectors_flat import COSINE_DECIMALS, FlatVectors

# M and ef_construction are the paper's common choice. ef 64 gave a recall@10 of .88 to .92 on our vectors
# (server/ARCHITECTURE.md, "Vectors"), so the search looks at more.
M: Final = 16
EF_CONSTRUCTION: Final = 100
EF_SEARCH: Final = 256
SEED: Final = 100
_PART_BYTES: Final = 1 << 20
CAPACITY: Final = 1_024
"""Of an empty graph; it doubles when it is full."""


class HnswVectors:
    """Vectors of unit length in an HNSW graph, by inner product."""

    engine = "hnsw"

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._lock = Lock()
        self._live: set[int] = set()
        self._index = self._empty(CAPACITY)

    def _empty(self, capacity: int) -> hnswlib.Index:
        index = hnswlib.Index(space="ip", dim=self._dimensions)
        index.init_index(capacity, M=M, ef_construction=EF_CONSTRUCTION, random_seed=SEED)
        index.set_num_threads(1)  # two threads would make the graph depend on their timing
        return index

    @property
    def ids(self) -> frozenset[int]:
        """The ids that can be found."""
        return frozenset(self._live)

    def add(self, ids: Sequence[int], vectors: npt.NDArray[np.float32]) -> None:
        """Puts vectors in; an id that is already there, or was, gets the new one."""
        if not len(ids):
            return
        with self._lock:
            wanted = self._index.get_current_count() + len(ids)
            if wanted > self._index.get_max_elements():
                self._index.resize_index(max(wanted, 2 * self._index.get_max_elements()))
            self._index.add_items(vectors.astype(np.float32), np.array(ids, np.int64))
            self._live.update(ids)

    def remove(self, ids: Iterable[int]) -> None:
        """Takes ids out; one that is not there is passed over.

        Once the graph has more dead entries than live ones it is built anew: the dead cost memory and each search.
        """
        with self._lock:
            for label in set(ids) & self._live:
                self._index.mark_deleted(label)
                self._live.remove(label)
            if self._n_dead() > max(len(self._live), CAPACITY):
                self._index = self._rebuilt()

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """At most `limit` pairs of id and cosine, nearest first, equal cosines by id."""
        with self._lock:
            count = min(limit, len(self._live))
            if count <= 0:
                return []
            self._index.set_ef(max(EF_SEARCH, 2 * count))  # of live entries: hnswlib does not count the dead
            try:
                labels, distances = self._index.knn_query(vector.reshape(1, -1), k=count)
            except RuntimeError:
                # Fewer than `count` can be reached: a graph may fall apart when its entries are replaced.
                return self._exactly(vector, count)
        cosines = np.round(1.0 - distances[0], COSINE_DECIMALS)
        pairs = zip(labels[0].tolist(), cosines.tolist(), strict=True)
        return sorted(((int(label), float(cosine)) for label, cosine in pairs), key=lambda pair: (-pair[1], pair[0]))

    def save(self, path: str) -> None:
        """Writes the index to one file, whole or not at all. Raises OSError."""
        with self._lock, tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=Path(path).parent) as folder:
            raw = Path(folder, "graph")
            try:
                self._index.save_index(str(raw))
            except RuntimeError as error:  # hnswlib says no more of why it cannot write
                raise OSError(None, str(error)) from error
            header = {
                "kind": self.engine,
                "dimensions": self._dimensions,
                "bytes": raw.stat().st_size,
                "live": sorted(self._live),
            }
            with raw.open("rb") as graph:
                write_sealed(Path(path), header, iter(partial(graph.read, _PART_BYTES), b""))

    def load(self, path: str) -> bool:
        """Takes up what `save` wrote. False, and nothing changed, when the file is missing or in any doubt."""
        found = read_sealed(Path(path))
        if found is None:
            return False
        header, payload = found
        live = header.get("live")
        wanted = {"kind": self.engine, "dimensions": self._dimensions, "bytes": len(payload), "live": live}
        if header != wanted or not isinstance(live, list):
            return False
        index = self._read(payload, Path(path).parent)
        if index is None or not set(live) <= set(index.get_ids_list()):
            return False
        with self._lock:
            self._index, self._live = index, set(live)
        return True

    def _read(self, graph: memoryview, beside: Path) -> hnswlib.Index | None:
        """The graph that these bytes are; None when they are none, or cannot be written down for hnswlib to read."""
        index = hnswlib.Index(space="ip", dim=self._dimensions)
        try:
            # hnswlib reads files only; the digest was checked on the bytes that are written here.
            with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=beside) as folder:
                raw = Path(folder, "graph")
                raw.write_bytes(graph)
                index.load_index(str(raw))
        except (OSError, RuntimeError):
            return None
        index.set_num_threads(1)
        return index

    def _n_dead(self) -> int:
        return int(self._index.get_current_count()) - len(self._live)

    def _rebuilt(self) -> hnswlib.Index:
        ids = sorted(self._live)
        index = self._empty(max(CAPACITY, 2 * len(ids)))
        if ids:
            index.add_items(np.array(self._index.get_items(ids), np.float32), np.array(ids, np.int64))
        return index

    def _exactly(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        ids = sorted(self._live)
        flat = FlatVectors(self._dimensions)
        flat.add(ids, np.array(self._index.get_items(ids), np.float32))
        return flat.nearest(vector, limit)
