"""Server-sent events as bytes bring them, in whatever pieces. Pure.

Source: the HTML standard, "Server-sent events", of which `data` is all that counts here. An event whose blank line is
missing at the end of the stream is given too: some servers end so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

MAX_EVENT_BYTES: Final = 2_000_000
"""A call's arguments may come in one piece; more is none that a tool takes."""


class BrokenStreamError(Exception):
    """What came is no stream of events, or too much of one."""


class Events:
    """Takes pieces of a body, and gives the `data` of each event that is complete with them."""

    def __init__(self, max_bytes: int) -> None:
        """`max_bytes`: of the whole stream."""
        self._left = max_bytes
        self._rest = bytearray()
        self._data: list[bytes] = []
        self._n_data = 0
        self._at_start = True
        self._after_cr = False

    def take(self, piece: bytes) -> Iterator[str]:
        """The events that end in this piece. Raises BrokenStreamError."""
        self._left -= len(piece)
        if self._left < 0:
            raise BrokenStreamError("more came than a reply has")
        if self._after_cr and piece:
            piece = piece.removeprefix(b"\n")  # of a line end that two pieces share
            self._after_cr = False
        self._rest += piece
        if self._rest.endswith(b"\r"):
            self._after_cr = True
        *lines, rest = bytes(self._rest).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = bytearray(rest)
        if len(rest) + self._n_data > MAX_EVENT_BYTES:
            raise BrokenStreamError("an event is larger than a reply")
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[str]:
        """The event that the end of the stream completes. Raises BrokenStreamError."""
        rest, self._rest = bytes(self._rest), bytearray()
        if rest:
            yield from self._line(rest)
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[str]:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.startswith(b"data:"):
            value = line[5:].removeprefix(b" ")
            self._data.append(value)
            self._n_data += len(value)
        elif not line and self._data:
            data, self._data, self._n_data = b"\n".join(self._data), [], 0
            try:
                yield data.decode("utf-8")
            except UnicodeDecodeError:
                raise BrokenStreamError("it is not UTF-8") from None
