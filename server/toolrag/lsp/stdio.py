"""LSP over this process' stdin and stdout, which may be pipes, sockets, files or a terminal.

By threads: not everything can be polled, and a descriptor made non-blocking is so for whoever shares it too. The
threads are daemons on descriptors of their own, so that none of them can hold up the end of the process.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Final

from toolrag.lsp.connection import FLUSH_SECONDS, MAX_PENDING_BYTES
from toolrag.lsp.framing import Body, Frames, Skipped, frame

_CHUNK_BYTES: Final = 1024 * 1024
_CHUNKS_AHEAD: Final = 4
"""How many chunks are read before the first of them is taken."""


def claim_stdio() -> tuple[int, int]:
    """Take stdin and stdout for messages alone: their descriptors, which no child inherits.

    What any library prints goes to stderr from now on, and what reads stdin finds it empty.
    """
    taken = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    for descriptor in taken:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.setmode(descriptor, os.O_BINARY)
        else:
            os.set_blocking(descriptor, True)
    return taken


class Stdio:
    """A connection over two descriptors."""

    def __init__(self, read_from: int, write_to: int, gone: Callable[[], None]) -> None:
        """`gone` is called, from whatever thread sees it first, when the client can no longer be reached."""
        self._read_from = read_from
        self._write_to = write_to
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._frames = Frames()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_CHUNKS_AHEAD)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pending = 0
        self._lost = False
        self._drained = asyncio.Event()
        self._flushed = asyncio.Event()
        for work, name in ((self._read, "stdin"), (self._write, "stdout")):
            threading.Thread(target=work, name=name, daemon=True).start()

    @property
    def pending(self) -> int:
        """Bytes that were sent and not yet taken."""
        return self._pending

    async def receive(self) -> Body | Skipped | None:
        """The next message; None when the client has gone. Raises FramingError."""
        while (item := self._frames.take()) is None:
            chunk = await self._chunks.get()
            self._room.release()
            if not chunk:
                self._chunks.put_nowait(chunk)  # asked again, the answer is the same
                return None
            self._frames.feed(chunk)
        return item

    def send(self, body: bytes) -> None:
        """Puts a message into the queue of the thread that writes."""
        if self._lost:
            return
        data = frame(body)
        with self._lock:
            self._pending += len(data)
        self._outgoing.put(data)

    async def drain(self) -> None:
        """Waits while more than MAX_PENDING_BYTES are pending."""
        while self._pending > MAX_PENDING_BYTES and not self._lost:
            self._drained.clear()
            await self._drained.wait()

    async def close(self) -> None:
        """Sends what is pending, within FLUSH_SECONDS."""
        self._outgoing.put(None)
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._flushed.wait()
        except TimeoutError:
            self._lost = True

    def _read(self) -> None:
        """The thread that reads."""
        while True:
            self._room.acquire()
            try:
                data = os.read(self._read_from, _CHUNK_BYTES)
            except OSError:
                data = b""
            self._on_loop(self._chunks.put_nowait, data)
            if not data:
                self._gone()
                return

    def _write(self) -> None:
        """The thread that writes. What is sent to a client that has gone is dropped."""
        while (data := self._outgoing.get()) is not None:
            rest = memoryview(data)
            while rest and not self._lost:
                try:
                    rest = rest[os.write(self._write_to, rest) :]
                except OSError:
                    self._lost = True
                    self._gone()
                    self._on_loop(self._chunks.put_nowait, b"")  # what it still sends has no reader for its answer
            with self._lock:
                was, self._pending = self._pending, self._pending - len(data)
            if self._lost or (was > MAX_PENDING_BYTES >= self._pending):
                self._on_loop(self._drained.set)
        self._on_loop(self._flushed.set)

    def _on_loop(self, work: Callable[..., object], *arguments: object) -> None:
        """Have the loop do something, unless it has ended; then nobody waits for it."""
        try:
            self._loop.call_soon_threadsafe(work, *arguments)
        except RuntimeError:
            return
