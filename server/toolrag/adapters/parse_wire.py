"""What the parse process and its parent say to each other. Pure; an analysis is in the bytes of `codec`.

A message is a frame: two big-endian 32-bit lengths, that many bytes of JSON, that many raw bytes. The parent sends
`{language}` with the text in UTF-8, lone surrogates kept. The child sends `{}` once when it is there, then for each
text, in order, `{}` with its analysis. Absent on purpose: pickle, whose bytes run code.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Final

import numpy as np

from toolrag.adapters.codec import encode_analysis
from toolrag.symbols import Analysis, Bags, FileTerms, ParsedFile

PREFIX_BYTES: Final = 8
"""Bytes before a frame's JSON."""

_LENGTHS: Final = struct.Struct(">II")


def frame(header: dict[str, str], body: bytes = b"") -> bytes:
    """One message, whole."""
    head = json.dumps(header).encode("ascii")
    return _LENGTHS.pack(len(head), len(body)) + head + body


def lengths(prefix: bytes) -> tuple[int, int]:
    """How many bytes of JSON and of raw bytes follow a prefix."""
    n_header, n_body = _LENGTHS.unpack(prefix)
    return n_header, n_body


def read_frame(read: Callable[[int], bytes]) -> tuple[bytes, bytes] | None:
    """JSON and raw bytes of the next frame of a blocking stream; None at its end, which may cut a frame short."""
    prefix = read(PREFIX_BYTES)
    if len(prefix) < PREFIX_BYTES:
        return None
    n_header, n_body = lengths(prefix)
    header, body = read(n_header), read(n_body)
    return (header, body) if len(header) == n_header and len(body) == n_body else None


def request(text: str, language: str) -> bytes:
    """The frame that asks for one text to be parsed."""
    return frame({"language": language}, text.encode("utf-8", "surrogatepass"))


def read_request(header: bytes, body: bytes) -> tuple[str, str]:
    """The text and language of a request."""
    return body.decode("utf-8", "surrogatepass"), json.loads(header)["language"]


def answer(analysis: Analysis) -> bytes:
    """The frame that carries one analysis; `codec.decode_analysis` reads its raw bytes."""
    return frame({}, encode_analysis(analysis))


CLOSED: Final = "The parser was closed."
NOT_STARTED: Final = "The parse process could not be started."
"""Why a text could not be parsed that say nothing about the text."""


def is_for_now(analysis: Analysis) -> bool:
    """Whether the parser failed for a reason of its own: the same text may be parsed another time."""
    return bool({CLOSED, NOT_STARTED}.intersection(analysis.parsed.problems))


def without_symbols(problem: str) -> Analysis:
    """The analysis of a text that nothing is known of but what went wrong."""
    none = Bags(np.zeros(1, np.int32), np.zeros(0, np.uint64), np.zeros(0, np.uint32))
    return Analysis(ParsedFile((), (), (), (problem,)), FileTerms(none, none, none, np.zeros(0, np.int64)))
