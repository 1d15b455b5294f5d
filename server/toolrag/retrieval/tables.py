"""Rows by the hash of a name, then by file: where names are defined and called; sorted, cut and merged. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
UInt64 = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Table:
    """By name, then by file, then in the file's order."""

    names: UInt64
    files: Int32
    values: Int32
    """Shape (rows, values of a row)."""

    def rows(self, name: int) -> slice:
        """The rows of a name."""
        key = np.uint64(name)
        return slice(int(np.searchsorted(self.names, key, "left")), int(np.searchsorted(self.names, key, "right")))


def sort_table(names: UInt64, files: Int32, values: Int32) -> Table:
    """A table of rows that are in the files' order."""
    order = np.argsort(names, kind="stable")
    return Table(names[order], files[order], values[order])


def merge_tables(old: Table, renumbered: Int32, fresh: Table) -> Table:
    """The old rows with the new numbers of their files, without those whose file is -1, and the fresh rows.

    No file is in both. `renumbered` is ascending but for the -1.
    """
    files = renumbered[old.files]
    is_kept = files >= 0
    names, files, values = old.names[is_kept], files[is_kept], old.values[is_kept]
    if not len(fresh.names):
        return Table(names, files, values)
    if not len(names):
        return fresh
    distinct = np.unique(np.concatenate([names, fresh.names]))
    n_files = 1 + int(max(files.max(initial=0), fresh.files.max(initial=0)))
    places = np.searchsorted(
        np.searchsorted(distinct, names) * n_files + files,
        np.searchsorted(distinct, fresh.names) * n_files + fresh.files,
    )
    return Table(
        np.insert(names, places, fresh.names),
        np.insert(files, places, fresh.files),
        np.insert(values, places, fresh.values, axis=0),
    )
