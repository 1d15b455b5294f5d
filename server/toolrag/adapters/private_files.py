"""Files of ours in a folder of ours: written whole or not at all, and read only where they are what we wrote.

Nothing is synced to the disk, unlike `sealed_file`: for what may be lost in a power failure.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolrag.adapters.cache_dir import TEMPORARY

_COUNT: Final = itertools.count()
"""Tells what is written at the same time apart: some clocks tick 64 times a second."""


def entries_of(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files of a folder; none where there is none, or something else is in its place."""
    if folder.is_symlink():
        return
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield Path(entry.path), status


def size_of(path: Path) -> int:
    """Bytes of a file; 0 where there is none."""
    with contextlib.suppress(FileNotFoundError):
        return path.lstat().st_size
    return 0


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of mode 0600, whole or not at all, over whatever has its name. Raises OSError."""
    beside = path.with_name(f"{TEMPORARY}{os.getpid()}.{next(_COUNT)}.{time.monotonic_ns()}.{path.name[:16]}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(beside, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(beside, path)  # a link in its place is replaced, not followed
    except BaseException:
        os.unlink(beside)
        raise


def read_plain(path: Path) -> bytes | None:
    """A regular file's bytes; None for what is none, such as a link or a FIFO. Raises OSError but for a missing one."""
    try:
        with open(path, "rb", opener=open_plainly) as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (FileNotFoundError, IsADirectoryError):
        return None
    except OSError:
        if path.is_symlink():
            return None
        raise


def open_plainly(path: str, flags: int) -> int:
    """An opener for `open`: a link is refused, and a FIFO keeps nobody waiting. Raises OSError."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
