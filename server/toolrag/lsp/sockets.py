"""LSP over a TCP or a web socket connection, for one client.

A web page that a person visits can make their browser reach local ports. `framing` refuses what a browser posts; the
handshake of a web socket names the page it comes from, and is refused unless that page is local itself.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from toolrag.lsp.connection import FLUSH_SECONDS, MAX_PENDING_BYTES
from toolrag.lsp.framing import Body, Frames, Skipped, frame

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

_CHUNK_BYTES: Final = 1024 * 1024
_LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Tcp:
    """A connection over asyncio's streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._frames = Frames()
        writer.transport.set_write_buffer_limits(high=MAX_PENDING_BYTES)

    @property
    def pending(self) -> int:
        """Bytes that were sent and not yet taken."""
        return self._writer.transport.get_write_buffer_size()

    async def receive(self) -> Body | Skipped | None:
        """The next message; None when the client has gone. Raises FramingError."""
        while (item := self._frames.take()) is None:
            try:
                chunk = await self._reader.read(_CHUNK_BYTES)
            except OSError:
                chunk = b""
            if not chunk:
                return None
            self._frames.feed(chunk)
        return item

    def send(self, body: bytes) -> None:
        """Hands a message to the transport, which sends it as the client takes it."""
        if not self._writer.is_closing():
            self._writer.write(frame(body))

    async def drain(self) -> None:
        """Waits while more than MAX_PENDING_BYTES are pending."""
        try:
            await self._writer.drain()
        except OSError:
            return

    async def close(self) -> None:
        """Sends what is pending, within FLUSH_SECONDS."""
        self._writer.close()
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._writer.wait_closed()
        except OSError:  # TimeoutError is one
            self._writer.transport.abort()


class WebSocket:
    """A connection over a web socket: one message a frame, as text, without headers."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._pending = 0
        self._drained = asyncio.Event()
        self._sending = asyncio.create_task(self._send_queued(), name="web socket")

    @property
    def pending(self) -> int:
        """Bytes that were sent and not yet taken."""
        return self._pending

    async def receive(self) -> Body | Skipped | None:
        """The next message; None when the client has gone."""
        from websockets.exceptions import ConnectionClosed

        try:
            return Body(await self._socket.recv(decode=False))
        except ConnectionClosed:
            return None

    def send(self, body: bytes) -> None:
        """Puts a message into the queue."""
        self._pending += len(body)
        self._outgoing.put_nowait(body)

    async def drain(self) -> None:
        """Waits while more than MAX_PENDING_BYTES are pending."""
        while self._pending > MAX_PENDING_BYTES and not self._sending.done():
            self._drained.clear()
            await self._drained.wait()

    async def close(self) -> None:
        """Sends what is pending, within FLUSH_SECONDS."""
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._outgoing.join()
                await self._socket.close()
        except TimeoutError:
            self._socket.transport.abort()
        self._sending.cancel()
        await asyncio.wait([self._sending])

    async def _send_queued(self) -> None:
        from websockets.exceptions import ConnectionClosed

        lost = False
        while True:
            body = await self._outgoing.get()
            if not lost:
                try:
                    await self._socket.send(body, text=True)
                except ConnectionClosed:
                    lost = True
            self._pending -= len(body)
            self._outgoing.task_done()
            if self._pending <= MAX_PENDING_BYTES:
                self._drained.set()


def is_local_page(origin: str | None) -> bool:
    """Whether a web socket may be opened from here: by no page at all, or by one of this machine."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).hostname in _LOCAL_HOSTS
    except ValueError:
        return False
