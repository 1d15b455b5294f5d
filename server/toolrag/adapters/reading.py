"""The bytes of one file at one moment: opened, judged and read by one descriptor. Only the fence may use it.

Absent on purpose: where a path leads and whether its name is allowed, which was judged before.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.adapters.openers import Opener
from toolrag.adapters.resolver import os_error
from toolrag.adapters.roots import Root
from toolrag.errors import ReadError

_TRIES: Final = 3
_CHUNK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file's bytes and what fstat said of the same descriptor, unchanged from the first byte to the last."""

    data: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


def read_file(
    opener: Opener,
    root: Root,
    parts: Sequence[str],
    max_bytes: int,
    label: str,
    judge: Callable[[os.stat_result], None],
) -> FileBytes:
    """The bytes of a regular file whose path was resolved. Raises ReadError.

    `label` is what messages call the file. `judge` is shown what fstat says before a byte is read, and may raise.
    """
    for _ in range(_TRIES):
        try:
            # Opening a device or FIFO has effects of its own, so its kind is asked for first, and again when open.
            refuse_irregular(root.lstat(parts).st_mode, label)
            descriptor = opener.open(root, parts)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EXDEV):
                refuse_irregular(stat.S_IFLNK, label)
            raise os_error(error, label) from error
        try:
            found = _read_open(descriptor, max_bytes, label, judge)
        except OSError as error:
            raise os_error(error, label) from error
        finally:
            os.close(descriptor)
        if found is not None:
            return found
    raise ReadError("changed_while_reading", f"{label} changed each time it was read; ask for it again.")


def refuse_irregular(mode: int, label: str) -> None:
    """Raises ReadError for what is not a regular file."""
    if stat.S_ISREG(mode):
        return
    if stat.S_ISLNK(mode):
        raise ReadError("changed_while_reading", f"{label} became a link while it was read; ask for it again.")
    kind = "a folder; ask for a file in it" if stat.S_ISDIR(mode) else "a FIFO, socket or device; ask for a file"
    raise ReadError("not_regular", f"{label} is {kind}.")


def _read_open(
    descriptor: int, max_bytes: int, label: str, judge: Callable[[os.stat_result], None]
) -> FileBytes | None:
    """The bytes of an open file; None when it changed meanwhile. Raises ReadError or OSError."""
    before = os.fstat(descriptor)
    refuse_irregular(before.st_mode, label)
    judge(before)
    if before.st_size > max_bytes:
        raise ReadError(
            "too_large", f"{label} has more than {max_bytes:,} bytes, the most that is read; do without it."
        )
    # One byte more than there should be: a file that grows is seen to, and cannot keep the reader.
    data = _read_up_to(descriptor, before.st_size + 1)
    after = os.fstat(descriptor)
    unchanged = (before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_size,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )
    if not unchanged or len(data) != after.st_size:
        return None
    return FileBytes(data, after.st_size, after.st_mtime_ns, after.st_ctime_ns, after.st_ino, after.st_dev)


def _read_up_to(descriptor: int, n_bytes: int) -> bytes:
    chunks: list[bytes] = []
    while n_bytes > 0 and (chunk := os.read(descriptor, min(n_bytes, _CHUNK_BYTES))):
        chunks.append(chunk)
        n_bytes -= len(chunk)
    return b"".join(chunks)
