"""Log lines: on stderr by a thread, so that a client which does not read it holds nothing up, and to the client.

Absent on purpose: bodies of messages and texts of documents, at any level; what a fault says, unless asked for by
`$/setTrace verbose`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_HELD_LINES: Final = 1_000
"""Lines that wait for a stderr which is not read; more are lost."""

_STDERR: Final = 2

_MESSAGE_TYPES: Final = ((logging.ERROR, 1), (logging.WARNING, 2), (logging.INFO, 3), (logging.NOTSET, 4))
"""LSP's MessageType for a level and those above it."""

Notify = Callable[[str, object], None]

_toolrag = logging.getLogger("toolrag")


class Stderr(logging.Handler):
    """Writes warnings and worse to stderr from a thread of its own; with the frames of a fault."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines: queue.Queue[str | None] = queue.Queue(_HELD_LINES)
        self._thread = threading.Thread(target=self._write, name="stderr", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Puts a line in the queue; drops it when that is full."""
        frames = getattr(record, "frames", "")
        line = f"toolrag: {record.getMessage()}\n" + (f"{frames}\n" if frames else "")
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            return

    def close(self) -> None:
        """Writes what is held, for at most a second."""
        try:
            self._lines.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(1.0)
        super().close()

    def _write(self) -> None:
        # Past sys.stderr: whoever is stuck in it holds its lock, and the interpreter flushes it when it ends.
        while (line := self._lines.get()) is not None:
            data = line.encode("utf-8", "backslashreplace")
            try:
                while data:
                    data = data[os.write(_STDERR, data) :]
            except OSError:  # nobody reads it any more
                return


class Window(logging.Handler):
    """Sends toolrag's own lines to the client as `window/logMessage`, from whatever thread they come."""

    def __init__(self, notify: Notify) -> None:
        super().__init__()
        self._notify = notify
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        """Sends a line: at once from the loop's thread, so that it stands before what comes after it."""
        kind = next(kind for level, kind in _MESSAGE_TYPES if record.levelno >= level)
        params = {"type": kind, "message": record.getMessage()}
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            self._notify("window/logMessage", params)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._notify, "window/logMessage", params)


@contextmanager
def to_stderr() -> Iterator[None]:
    """While it lasts, warnings of ours and of libraries go to stderr. pygls logs messages' bodies at INFO."""
    root = logging.getLogger()
    before = root.handlers[:]
    stderr = Stderr()
    root.handlers[:] = [stderr]
    pygls = logging.getLogger("pygls")
    level = pygls.level
    pygls.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.handlers[:] = before
        pygls.setLevel(level)
        stderr.close()


@contextmanager
def to_client(notify: Notify) -> Iterator[None]:
    """While it lasts, toolrag's lines from INFO on go to the client too."""
    window = Window(notify)
    _toolrag.addHandler(window)
    _toolrag.setLevel(logging.INFO)
    try:
        yield
    finally:
        _toolrag.removeHandler(window)
        _toolrag.setLevel(logging.NOTSET)


def say_more(more: bool) -> None:
    """What `$/setTrace verbose` wants: lines for debugging too."""
    _toolrag.setLevel(logging.DEBUG if more else logging.INFO)
