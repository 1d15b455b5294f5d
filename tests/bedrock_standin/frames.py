"""Messages of the binary event stream (AWS SDK reference, "Event stream encoding"; Smithy, "Amazon Event Stream").

A message: its length and its headers' length, 4 bytes each, a CRC-32 of those 8 bytes, the headers, the payload, and a
CRC-32 of all before. A header: a name's length in 1 byte, the name, a type (7 for a text), 2 bytes of length, the text.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

_TEXT = 7


def message(headers: Mapping[str, str], payload: bytes) -> bytes:
    written = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", _TEXT, len(value.encode())) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack("!II", len(written) + len(payload) + 16, len(written))
    checked = prelude + struct.pack("!I", zlib.crc32(prelude)) + written + payload
    return checked + struct.pack("!I", zlib.crc32(checked))


def event(name: str, members: Mapping[str, Any]) -> bytes:
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return message(headers, json.dumps(members).encode())


def exception(name: str, sentence: str) -> bytes:
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, json.dumps({"message": sentence}).encode())


def spoilt(frame: bytes) -> bytes:
    """The same message with a byte of its payload changed, so that its last CRC is wrong."""
    return frame[:-6] + bytes([frame[-6] ^ 0x01]) + frame[-5:]


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]
