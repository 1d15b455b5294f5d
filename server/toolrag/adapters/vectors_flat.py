"""The exact vector index: one matrix, one product a search. Serves where hnswlib cannot be had."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toolrag.adapters.sealed_file import read_sealed, write_sealed


class FlatVectors:
    """Vectors of unit length in a NumPy matrix."""

    engine = "exact"

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._ids = np.zeros(0, np.int64)
        self._matrix = np.zeros((0, dimensions), np.float32)

    @property
    def ids(self) -> frozenset[int]:
        """The ids that can be found."""
        return frozenset(self._ids.tolist())

    def add(self, ids: Sequence[int], vectors: npt.NDArray[np.float32]) -> None:
        """Puts vectors in; an id that is already there gets the new one."""
        self.remove(ids)
        self._ids = np.concatenate([self._ids, np.array(ids, np.int64)])
        self._matrix = np.concatenate([self._matrix, vectors.astype(np.float32).reshape(-1, self._dimensions)])

    def remove(self, ids: Iterable[int]) -> None:
        """Takes ids out; one that is not there is passed over."""
        keep = ~np.isin(self._ids, np.array(list(ids), np.int64))
        if not keep.all():
            self._ids, self._matrix = self._ids[keep], self._matrix[keep]

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """At most `limit` pairs of id and cosine, nearest first, equal cosines by id."""
        cosines = self._matrix @ vector
        order = np.lexsort((self._ids, -cosines))[:limit]
        return [(int(self._ids[row]), float(cosines[row])) for row in order]

    def save(self, path: str) -> None:
        """Writes the index to one file, whole or not at all. Raises OSError."""
        header = {"kind": self.engine, "dimensions": self._dimensions, "count": len(self._ids)}
        write_sealed(Path(path), header, self._ids.tobytes() + self._matrix.tobytes())

    def load(self, path: str) -> bool:
        """Takes up what `save` wrote. False, and nothing changed, when the file is missing or in any doubt."""
        found = read_sealed(Path(path))
        if found is None:
            return False
        header, payload = found
        count = header.get("count")
        wanted = {"kind": self.engine, "dimensions": self._dimensions, "count": count}
        if header != wanted or not isinstance(count, int) or len(payload) != count * (8 + 4 * self._dimensions):
            return False
        self._ids = np.frombuffer(payload[: count * 8], np.int64)
        self._matrix = np.frombuffer(payload[count * 8 :], np.float32).reshape(count, self._dimensions)
        return True
