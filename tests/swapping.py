"""Two paths that change places without pause, so that a check and the opening after it see different things."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """Exchanges the two, atomically (renameat2(2), Linux), over and over in another thread."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    arguments = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    stop = threading.Event()
    failed: list[int] = []

    def swap() -> None:
        while not stop.is_set():
            if renameat2(*arguments):
                failed.append(ctypes.get_errno())
                return

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        stop.set()
        swapper.join()
    assert not failed, os.strerror(failed[0])
