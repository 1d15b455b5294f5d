"""What stand-ins of HTTP services share: a server on loopback that starts and stops, and sees its clients leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(kw_only=True)
class Arrived:
    """A request that came."""

    headers: Mapping[str, str]
    at: float
    """Seconds of the monotonic clock."""
    request: dict[str, Any] = field(default_factory=dict)
    closed: threading.Event = field(default_factory=threading.Event)
    """Set when the client closes the connection before the answer's end."""
    closed_at: float = 0.0

    def close(self) -> None:
        """Takes note of it."""
        self.closed_at = time.monotonic()
        self.closed.set()


class Running:
    """A server that runs within `with`."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.stopping = threading.Event()
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request a connection."""

    protocol_version = "HTTP/1.1"
    own_headers: Mapping[str, str] = {"Connection": "close"}

    @property
    def stopping(self) -> threading.Event:
        """Set when the stand-in ends."""
        raise NotImplementedError

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, **self.own_headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def stream(self, pieces: Iterable[bytes], seen: Arrived, *, stalls: bool, cut: bool) -> None:
        """Sends pieces one by one, then the end: unless the stream is cut, or stalls for as long as the client stays."""
        with suppress(OSError):  # the client has gone
            for piece in pieces:
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
            if stalls:
                self.is_left(seen, None)
            elif not cut:
                self.wfile.write(b"0\r\n\r\n")
            return
        seen.close()

    def is_left(self, seen: Arrived, seconds: float | None) -> bool:
        """Waits for the client to close the connection, for some seconds or as long as the stand-in runs."""
        self.connection.settimeout(0.02)
        ends_at = None if seconds is None else time.monotonic() + seconds
        while not self.stopping.is_set() and (ends_at is None or time.monotonic() < ends_at):
            try:
                gone = not self.connection.recv(1)
            except TimeoutError:
                continue
            except OSError:
                gone = True
            if gone:
                seen.close()
                return True
        self.connection.settimeout(None)
        return False
