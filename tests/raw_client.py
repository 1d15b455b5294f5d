"""A language client that is nothing but bytes: it shares no code with the server, and sends what no client should."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

Json = dict[str, Any]
PATIENCE = 60.0
"""Seconds; a test that waits this long has failed."""


def framed(message: object) -> bytes:
    text = json.dumps(message, ensure_ascii=False)
    if any("\ud800" <= character <= "\udfff" for character in text):
        text = json.dumps(message)  # half a character can be written as an escape alone
    body = text.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Stream:
    """Messages over a pair of byte streams."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._arrived: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self.seen: list[Json] = []
        self._count = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._reading = False
        self._closed = False

    def start_reading(self) -> None:
        if not self._reading:
            self._reading = True
            self._thread.start()

    def _read(self) -> None:
        while True:
            length = 0
            while (line := self._incoming.readline()) not in (b"", b"\r\n"):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                self._arrived.put(None)
                return
            self._arrived.put(json.loads(self._incoming.read(length)))

    def write(self, data: bytes) -> None:
        self._outgoing.write(data)
        self._outgoing.flush()

    def notify(self, method: str, params: object = None) -> None:
        self.write(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def begin(self, method: str, params: object = None) -> int:
        self._count += 1
        self.write(framed({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}))
        return self._count

    def message(self) -> Json | None:
        """The next message; None when the server has closed its side."""
        self.start_reading()
        message = self._arrived.get(timeout=PATIENCE)
        self._closed = message is None
        if message is not None:
            self.seen.append(message)
        return message

    def answer(self, identity: object) -> Json:
        """The whole answer to a request; what comes before it is in `seen`."""
        while (message := self.message()) is not None:
            if "method" not in message and message["id"] == identity:
                return message
        raise EOFError(f"the server closed without an answer; it sent {self.seen}")

    def request(self, method: str, params: object = None) -> Any:
        return self.answer(self.begin(method, params))["result"]

    def initialize(self, **params: object) -> Any:
        result = self.request("initialize", {"processId": os.getpid(), "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    def rest(self) -> list[Json]:
        """Everything until the server closes its side."""
        found: list[Json] = []
        if self._closed:
            return found
        while (message := self.message()) is not None:
            found.append(message)
        return found


class Piped(Stream):
    """A server process and the pipes to it."""

    def __init__(
        self, command: Sequence[str], cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stderr = self.process.stderr
        super().__init__(self.process.stdout, self.process.stdin)  # type: ignore[arg-type]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue

    def hang_up(self) -> None:
        """Close the pipe to the server."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def code(self) -> int:
        """How the server ended."""
        return self.process.wait(PATIENCE)

    def leave(self) -> int:
        """Shut down and exit, as a client should; the exit code."""
        assert self.request("shutdown") is None
        self.notify("exit")
        return self.code()

    def said(self) -> str:
        """All of stderr; waits for the end of the server."""
        return self.stderr.read().decode()
