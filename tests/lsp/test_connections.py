"""What a connection does with a client that is slow to read: sending never waits, draining does."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from toolrag.lsp import sockets, stdio
from toolrag.lsp.connection import Connection
from toolrag.lsp.sockets import Tcp, is_local_page
from toolrag.lsp.stdio import Stdio

LIMIT = 300_000
"""Set instead of 32 MB; more than a pipe or a socket of this machine takes by itself is sent below."""

SENT = [b"x" * 100_000] * 200


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_PENDING_BYTES", LIMIT)
    monkeypatch.setattr(sockets, "MAX_PENDING_BYTES", LIMIT)


Read = Callable[[int], Awaitable[bytes]]


async def pressed(connection: Connection, read: Read) -> None:
    """Send some, see that draining does not wait; send much, see that it does; read it all, see that it does not."""
    sent = iter(SENT)
    while connection.pending < LIMIT // 2:
        connection.send(next(sent))
        await asyncio.sleep(0)
    await asyncio.wait_for(connection.drain(), 5)
    for body in sent:
        connection.send(body)
    assert connection.pending > LIMIT
    draining = asyncio.create_task(connection.drain())
    await asyncio.wait([draining], timeout=0.05)
    assert not draining.done()
    left = sum(len(b"Content-Length: 100000\r\n\r\n") + len(body) for body in SENT)
    while left:
        left -= len(await read(left))
        if connection.pending > 2 * LIMIT:
            assert not draining.done()
    await draining
    while connection.pending:
        await asyncio.sleep(0)
    await connection.drain()


def test_stdio_waits_for_a_slow_client_when_it_drains_and_only_then() -> None:
    async def run() -> None:
        from_client, client_writes = os.pipe()
        client_reads, to_client = os.pipe()
        gone: list[None] = []
        connection = Stdio(from_client, to_client, lambda: gone.append(None))
        await pressed(connection, lambda most: asyncio.to_thread(os.read, client_reads, min(most, 65_536)))
        assert gone == []
        os.close(client_writes)
        assert await connection.receive() is None
        assert await connection.receive() is None
        await connection.close()
        for descriptor in (from_client, client_reads, to_client):
            os.close(descriptor)

    asyncio.run(run())


def test_stdio_does_not_wait_for_a_client_that_has_gone() -> None:
    async def run() -> None:
        from_client, client_writes = os.pipe()
        client_reads, to_client = os.pipe()
        gone = threading.Event()
        connection = Stdio(from_client, to_client, gone.set)
        for body in SENT:
            connection.send(body)
        draining = asyncio.create_task(connection.drain())
        await asyncio.wait([draining], timeout=0.05)
        os.close(client_reads)
        await asyncio.wait_for(draining, 30)
        assert await asyncio.to_thread(gone.wait, 30)
        assert await connection.receive() is None  # though the client's other pipe is open
        connection.send(b"nobody gets this")
        os.close(client_writes)
        await connection.close()
        os.close(from_client)
        os.close(to_client)

    asyncio.run(run())


def test_tcp_waits_for_a_slow_client_when_it_drains_and_only_then() -> None:
    async def run() -> None:
        made: asyncio.Future[Tcp] = asyncio.get_running_loop().create_future()
        listener = await asyncio.start_server(lambda *streams: made.set_result(Tcp(*streams)), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname(), limit=1_000)
        connection = await made
        await pressed(connection, reader.read)
        writer.close()
        assert await connection.receive() is None
        connection.send(b"nobody gets this")
        await connection.drain()
        await connection.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        listener.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("origin", "local"),
    [
        (None, True),
        ("http://localhost", True),
        ("http://localhost:3000", True),
        ("https://127.0.0.1:8443", True),
        ("http://[::1]:80", True),
        ("null", False),
        ("", False),
        ("https://example.com", False),
        ("http://localhost.example.com", False),
        ("http://localhost@example.com", False),
        ("http://[::1", False),
        ("vscode-file://vscode-app", False),
    ],
)
def test_a_web_socket_is_for_pages_of_this_machine(origin: str | None, local: bool) -> None:
    assert is_local_page(origin) == local
