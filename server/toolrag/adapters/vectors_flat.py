"""The exact vector index: one matrix, one product a search. Serves where hnswlib cannot be had."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from toolrag.adapters.sealed_file import read_sealed, write_sealed

EXACT_BELOW: Final = 10_000
"""Vectors up to which this index serves although hnswlib is there (server/ARCHITECTURE.md, "Vectors")."""
COSINE_DECIMALS: Final = 6
"""Cosines that agree so far are equal: what float32 can tell."""


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
        new = dict(zip(ids, vectors.astype(np.float32).reshape(-1, self._dimensions), strict=True))
        if not new:
            return
        self.remove(new)
        self._ids = np.concatenate([self._ids, np.array(list(new), np.int64)])
        self._matrix = np.concatenate([self._matrix, np.stack(list(new.values()))])

    def remove(self, ids: Iterable[int]) -> None:
        """Takes ids out; one that is not there is passed over."""
        keep = ~np.isin(self._ids, np.array(list(ids), np.int64))
        if not keep.all():
            self._ids, self._matrix = self._ids[keep], self._matrix[keep]

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """At most `limit` pairs of id and cosine, nearest first, equal cosines by id."""
        count = min(limit, len(self._ids))
        if count <= 0:
            return []
        # The product of equal rows differs in its last bits by where they lie.
        cosines = np.round(self._matrix @ vector, COSINE_DECIMALS)
        least = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        chosen = np.flatnonzero(cosines >= least)  # with all that tie with the last one
        order = chosen[np.lexsort((self._ids[chosen], -cosines[chosen]))][:count]
        return [(int(self._ids[row]), float(cosines[row])) for row in order]

    def save(self, path: str) -> None:
        """Writes the index to one file, whole or not at all. Raises OSError."""
        header = {"kind": self.engine, "dimensions": self._dimensions, "count": len(self._ids)}
        write_sealed(Path(path), header, (self._ids.data, np.ascontiguousarray(self._matrix).data))

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
        matrix = np.frombuffer(payload[count * 8 :], np.float32).reshape(count, self._dimensions)
        if not np.isfinite(matrix).all():
            return False
        self._ids, self._matrix = np.frombuffer(payload[: count * 8], np.int64), matrix
        return True
