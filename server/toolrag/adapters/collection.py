"""Take out of the store what may no longer be known, at once, and what nobody needs, when there is too much of it.

A denied file is never read, so that it was once indexed under another name, or with another text, cannot be proved.
In doubt what is not in the tree any more goes: it costs a parse if it comes back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from toolrag.adapters.fence import Fence, Root
from toolrag.adapters.store import FileRow, Store

log = logging.getLogger(__name__)

SPARE_LEAST: Final = 1_000
SPARE_PER_FILE: Final = 2
"""Analyses of texts that no file has now, kept for a branch that comes back: so many a file, and SPARE_LEAST."""
SPARE_SECONDS: Final = 30 * 86_400
"""And so long."""


class Denials:
    """What a walk met that may not be known."""

    def __init__(self, fence: Fence, root: Root) -> None:
        self._fence = fence
        self._root = root
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, path: str, is_folder: bool) -> None:
        """A file or a folder was denied."""
        (self._folders if is_folder else self._files).add(path)

    def covers(self, rows: Sequence[FileRow]) -> bool:
        """Whether one of the rows, whose files were indexed and are not any more, may be of a text that is denied now.

        Its name is denied; or a denied file may be it under a new name: it has its inode or its size, or lies in a
        denied folder, where nothing is looked at.
        """
        if not rows:
            return False
        if self._folders or any(row.path in self._files or self._fence.denied(self._root, row.path) for row in rows):
            return True
        inodes, sizes = {row.stat.inode for row in rows}, {row.stat.size for row in rows}
        return any(inode in inodes or size in sizes for inode, size in map(self._identity, self._files))

    def _identity(self, path: str) -> tuple[int, int]:
        try:
            status = self._root.lstat(path.split("/"))
        except OSError:
            return -1, -1  # gone since it was met: like no file
        return status.st_ino, status.st_size


def collect(
    store: Store,
    n_files: int,
    gone: Sequence[FileRow],
    denials: Denials,
    before_scrub: Callable[[], None],
    *,
    changed: bool,
    now: float,
) -> None:
    """Takes the rows that are gone out, and with them whatever they may leave behind that is denied.

    A scrub drops every analysis that no file has, since those of a file's earlier texts are among them and nothing
    tells which; and the vectors that then have no text. Else they are kept for a while, for a branch that comes back:
    `changed` says that there may be new ones, `now` is the wall clock in seconds.
    """
    is_denied = denials.covers(gone)
    if is_denied:
        before_scrub()
    with store.transaction():
        for row in gone:
            store.forget_file(row.path)
        if gone or changed:
            store.note_spare(int(now))
        n_kept = 0 if is_denied else max(SPARE_LEAST, SPARE_PER_FILE * n_files)
        if store.drop_spare(n_kept, int(now) - SPARE_SECONDS) or is_denied:
            store.drop_spare_vectors()
    if is_denied and not store.flush_deleted():
        log.warning(
            "What became denied is out of the index, but another process keeps its log open; "
            "the log is emptied when that process ends."
        )
