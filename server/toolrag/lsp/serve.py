"""Run the language server: over stdin and stdout, or for the first client of a port."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal

from toolrag.errors import ConfigError
from toolrag.lsp import lifetime, log_lines, methods
from toolrag.lsp.connection import Connection
from toolrag.lsp.framing import MAX_BODY_BYTES
from toolrag.lsp.server import MakeSession, Server
from toolrag.lsp.settings import SettingsFile
from toolrag.lsp.sockets import Tcp, WebSocket, is_local_page
from toolrag.lsp.stdio import Stdio, claim_stdio

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

Client = Callable[[Connection], Coroutine[None, None, None]]
Listening = tuple[Iterable[socket.socket], Callable[[], None]]
"""The sockets that are listened on, and what ends that."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Address:
    """Where to wait for a client."""

    kind: Literal["tcp", "ws"]
    host: str
    port: int
    """0 for one that is free; the log says which."""


@dataclass(frozen=True, slots=True)
class _Making:
    """What a server is made of."""

    session: MakeSession
    file: SettingsFile

    def server(self) -> Server:
        server = Server(self.session, self.file)
        methods.register(server)
        return server


def serve(address: Address | None, make_session: MakeSession, file: SettingsFile) -> int:
    """Serve one client, over stdio where there is no address; 0 when it shut the server down first, else 1.

    Raises ConfigError for an address that cannot be listened on.
    """
    making = _Making(make_session, file)
    with log_lines.to_stderr():
        return asyncio.run(_over_stdio(making) if address is None else _at(address, making))


async def _over_stdio(making: _Making) -> int:
    def gone() -> None:
        lifetime.end_by_force(1)

    stop = asyncio.Event()
    with lifetime.ended_by_signals(stop.set):
        return await _converse(Stdio(*claim_stdio(), gone), making.server(), stop)


async def _converse(connection: Connection, server: Server, stop: asyncio.Event) -> int:
    """Serve a client until it, or whoever may stop this process, ends it; the exit code."""
    protocol = server.protocol
    with log_lines.to_client(protocol.notify):
        listening = asyncio.create_task(protocol.listen(connection), name="listening")
        ends = [listening, *(asyncio.create_task(event.wait()) for event in (protocol.ended, stop))]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if server.protocol.stage != "new" or stop.is_set():
            lifetime.end_by_force(0 if protocol.stage == "shut down" else 1)
        for task in ends:
            task.cancel()
        await asyncio.wait(ends)
        await server.close()
        await connection.close()
    return 0 if protocol.stage == "shut down" else 1


async def _at(address: Address, making: _Making) -> int:
    """Serve the first client that initializes; one that leaves before that was none. Others are turned away."""
    stop = asyncio.Event()
    code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    busy = False

    async def client(connection: Connection) -> None:
        nonlocal busy
        if busy:
            await connection.close()
            return
        busy = True
        server = making.server()
        ended = await _converse(connection, server, stop)
        busy = False
        if not code.done() and (server.protocol.stage != "new" or stop.is_set()):
            code.set_result(ended)

    with lifetime.ended_by_signals(stop.set):
        sockets, close = await (_listen_tcp if address.kind == "tcp" else _listen_ws)(address, client)
        _say_where(sockets, address)
        waited: list[asyncio.Future[int] | asyncio.Task[Literal[True]]] = [code, asyncio.create_task(stop.wait())]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        waited[1].cancel()
        close()
        if busy:
            await code
        return code.result() if code.done() else 1


async def _listen_tcp(address: Address, client: Client) -> Listening:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await client(Tcp(reader, writer))

    try:
        listener = await asyncio.start_server(connected, address.host, address.port)
    except OSError as error:
        raise _unusable(address, error) from None
    return listener.sockets, listener.close


async def _listen_ws(address: Address, client: Client) -> Listening:
    from websockets.asyncio.server import serve

    async def connected(socket: ServerConnection) -> None:
        await client(WebSocket(socket))

    def refused(socket: ServerConnection, request: Request) -> Response | None:
        if is_local_page(request.headers.get("Origin")):
            return None
        return socket.respond(HTTPStatus.FORBIDDEN, "toolrag serves no web page of another machine.\n")

    try:
        listener = await serve(
            connected,
            address.host,
            address.port,
            process_request=refused,
            max_size=MAX_BODY_BYTES,
            compression=None,  # the client is near
        )
    except OSError as error:
        raise _unusable(address, error) from None
    return listener.sockets, listener.close


def _unusable(address: Address, error: OSError) -> ConfigError:
    reason = error.strerror or "there is no such host"
    return ConfigError(
        f"{address.host}:{address.port} cannot be listened on ({reason}). Name another with --tcp or --ws."
    )


def _say_where(sockets: Iterable[socket.socket], address: Address) -> None:
    """Say on stderr where a client may connect, and who else could."""
    names = [one.getsockname() for one in sockets]
    log.warning("Waiting for a client at %s.", " and ".join(f"{name[0]}:{name[1]}" for name in names))
    if any(not ipaddress.ip_address(name[0]).is_loopback for name in names):
        log.warning("Whoever can reach %s can read the folders' files here.", address.host)
