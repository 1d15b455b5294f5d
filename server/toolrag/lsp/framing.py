"""Cut a stream of bytes into LSP's messages: headers, an empty line, a body of `Content-Length` bytes. Pure.

Strict where a mistake would be silent: a line that is not `Name: value` ends the stream. A web page can make a browser
post to a local port, and the request's own headers would otherwise pass for ours.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
"""The largest message that is read. An editor sends whole files; `read_range` serves 8 MB."""

MAX_SKIPPED_BYTES: Final = 1024 * 1024 * 1024
"""A larger message is refused and its bytes passed over, up to this; what claims still more is no message."""

MAX_HEADER_BYTES: Final = 8 * 1024

_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n]*)")
_HEADER_BEGUN: Final = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]*|[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*)\r?")
_NO_HEADER: Final = "a header must be written `Name: value`, on a line that ends with CR LF."
_CHARSET: Final = re.compile(rb"charset=\"?([^\s;\"]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Body:
    """One message, not yet read as JSON."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    """A message that is passed over; the stream goes on after it."""

    reason: str
    """A sentence for the client."""


class FramingError(ValueError):
    """The stream is not framed as LSP has it, and where its next message begins cannot be known."""


class Frames:
    """Takes bytes as they come, in pieces of any size, and gives messages."""

    def __init__(self, max_body_bytes: int = MAX_BODY_BYTES, max_skipped_bytes: int = MAX_SKIPPED_BYTES) -> None:
        self._max_body = max_body_bytes
        self._max_skipped = max_skipped_bytes
        self._held = bytearray()
        self._awaited: int | None = None
        """Length of the body that comes next; None while headers do."""

        self._to_skip = 0
        self._whole: deque[Body | Skipped] = deque()
        self._broken: FramingError | None = None

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        if self._broken is None:
            self._held += data
            try:
                self._whole.extend(self._cut())
            except FramingError as error:
                self._broken = error

    def take(self) -> Body | Skipped | None:
        """The next message, or None until more is fed. Raises FramingError after the last whole message before it."""
        if self._whole:
            return self._whole.popleft()
        if self._broken is not None:
            raise self._broken
        return None

    def _cut(self) -> Iterator[Body | Skipped]:
        """The messages that are complete now. Raises FramingError."""
        while True:
            if self._to_skip:
                passed = min(self._to_skip, len(self._held))
                del self._held[:passed]
                self._to_skip -= passed
                if self._to_skip:
                    return
            if self._awaited is None:
                skipped = self._take_headers()
                if skipped is not None:
                    yield skipped
                    continue
            if self._awaited is None or len(self._held) < self._awaited:
                return
            body = bytes(self._held[: self._awaited])
            del self._held[: self._awaited]
            self._awaited = None
            yield Body(body)

    def _take_headers(self) -> Skipped | None:
        """Read the headers, once they are complete: sets what is awaited, or gives why it is skipped."""
        # What is wrong is said at once, before the headers are complete: whoever sent it may wait for an answer.
        end = self._held.find(b"\r\n\r\n", 0, MAX_HEADER_BYTES)
        whole = bytes(self._held[: end if end >= 0 else MAX_HEADER_BYTES])
        lines = whole.split(b"\r\n")
        headers = _headers(lines if end >= 0 else lines[:-1])
        if end < 0:
            if not _HEADER_BEGUN.fullmatch(lines[-1]):
                raise FramingError(_NO_HEADER)
            if len(self._held) >= MAX_HEADER_BYTES:
                raise FramingError(f"headers of a message take more than {MAX_HEADER_BYTES:,} bytes.")
            return None
        del self._held[: end + 4]
        length = _length(headers)
        if length > self._max_skipped:
            raise FramingError(f"a message cannot have {length:,} bytes.")
        if length > self._max_body:
            self._to_skip = length
            return Skipped(f"A message may have at most {self._max_body:,} bytes; this one has {length:,}.")
        charset = _CHARSET.search(headers.get(b"content-type", b""))
        if charset and charset[1].lower() not in (b"utf-8", b"utf8"):
            self._to_skip = length
            return Skipped("A message must be written in UTF-8.")
        self._awaited = length
        return None


def frame(body: bytes) -> bytes:
    """A message as it is sent."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    """Values by lower-case name. Raises FramingError for a line that is none, and for two lengths that differ."""
    headers: dict[bytes, bytes] = {}
    for line in lines:
        found = _HEADER.fullmatch(line)
        if found is None:
            raise FramingError(_NO_HEADER)
        name, value = found[1].lower(), found[2].strip(b" \t")
        if headers.setdefault(name, value) != value:
            raise FramingError("a message has the same header twice, with different values.")
    return headers


def _length(headers: dict[bytes, bytes]) -> int:
    value = headers.get(b"content-length")
    if value is None:
        raise FramingError("a message needs a Content-Length header.")
    # isdigit of bytes is ASCII only; int() of more digits than this would take a sign, spaces and underscores as well.
    if not value.isdigit() or len(value) > 18:
        raise FramingError("Content-Length must be a number of bytes.")
    return int(value)
