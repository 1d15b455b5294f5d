"""Second names of denied files: a hard link under a harmless name is the secret itself.

Found by a walk over names, and only when a file with several names is read. The walk is done again when such a file
has changed since, because making a hard link changes its ctime, and whenever `forget` is called: renaming a folder
above a file leaves its ctime alone. Absent on purpose: links to files outside the roots, which package stores make by
habit and which nothing tells from a file of one's own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from toolrag.adapters.ignore import IgnoreStack
from toolrag.adapters.name_rules import NameRules
from toolrag.adapters.roots import EXHAUSTED, Root
from toolrag.errors import ReadErrorCode

MAX_ENTRIES: Final = 200_000
"""Names looked at in all roots together; where there are more, those beyond are not known."""
_CLOCK_GRAIN_NS: Final = 20_000_000
"""The kernel stamps files by its tick, 1 to 10 ms behind the clock."""

Inode = tuple[int, int]


class HardLinks:
    """Knows which inodes have a denied name."""

    def __init__(self, roots: tuple[Root, ...], names: NameRules, open_folder: Callable[[Root, str], int]) -> None:
        """`open_folder` gives a descriptor of a folder, or raises OSError."""
        self._roots = roots
        self._names = names
        self._open_folder = open_folder
        self._denied: dict[Inode, ReadErrorCode] = {}
        self._walked_ns: int | None = None
        self.is_complete = True
        """False when the roots hold more than MAX_ENTRIES names."""

    def denied(self, status: os.stat_result) -> ReadErrorCode | None:
        """Why a file may not be read because of another of its names, or None."""
        if status.st_nlink < 2:
            return None
        if self._walked_ns is None or status.st_ctime_ns >= self._walked_ns - _CLOCK_GRAIN_NS:
            self._walk()
        return self._denied.get((status.st_dev, status.st_ino))

    def forget(self) -> None:
        """Makes the next file with several names start a new walk."""
        self._walked_ns = None

    def _walk(self) -> None:
        walked_ns = time.time_ns()
        denied: dict[Inode, ReadErrorCode] = {}
        n_left = MAX_ENTRIES
        for root in self._roots:
            pending: list[tuple[str, IgnoreStack | None, ReadErrorCode | None]] = [("", None, None)]
            while pending and n_left > 0:
                folder, outer, outer_code = pending.pop()
                stack = self._names.below(root, folder, outer)
                for entry in self._entries(root, folder):
                    n_left -= 1
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    is_folder = entry.is_dir(follow_symlinks=False)
                    code = outer_code or self._names.denied_entry(root, path, is_folder, stack)
                    if is_folder:
                        # git's objects are compressed and many; none of them is a readable text's other name.
                        if not (entry.name == "objects" and path.startswith(".git/")):
                            pending.append((path, stack, code))
                    elif code is not None:
                        inode = _inode(root, folder, entry)
                        if inode is not None:
                            denied[inode] = code
        self._denied, self._walked_ns, self.is_complete = denied, walked_ns, n_left > 0

    def _entries(self, root: Root, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with scan(self._open_folder, root, folder) as entries:
                yield from entries
        except OSError as error:
            if error.errno in EXHAUSTED:
                raise
            # What may not be listed, or has gone, has no names to compare; reading it fails by itself.
            return


def _inode(root: Root, folder: str, entry: os.DirEntry[str]) -> Inode | None:
    """Which file an entry of a folder is; None when it has gone."""
    try:
        status = entry.stat(follow_symlinks=False)
    except PermissionError:
        # A folder that may be listed but not entered still tells the inodes of what is in it.
        return root.lstat(folder.split("/") if folder else ()).st_dev, entry.inode()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def scan(open_folder: Callable[[Root, str], int], root: Root, folder: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a folder below a root, from its descriptor where the system can. Raises OSError."""
    if os.scandir not in os.supports_fd:
        with os.scandir(os.path.join(root.real, *folder.split("/"))) as entries:
            yield entries
        return
    descriptor = open_folder(root, folder)
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)
