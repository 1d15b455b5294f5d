"""A journal as bytes: one event a line in canonical JSON, each chained to the one before, long texts beside it. Pure.

A line is `{"attributes": {…}, "hash": …, "kind": …, "prev": …}`, sorted keys, no blanks, ASCII. `hash` is the SHA-256
of the same object without `hash`; `prev` is the hash of the line before, empty on the first. A text of LONG characters
or more, and each document's, is a blob: `{"toolrag.blob": SHA-256 of its bytes}` stands in its place. So whatever byte
is changed, of a line or of a blob, a digest disagrees.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LONG: Final = 2_000
"""Characters; such texts come again from run to run, and from turn to turn: each is kept once."""

BLOB: Final = "toolrag.blob"
_JSON: Final = "toolrag.json"
"""Stands for an object that itself has a member BLOB or this one: a model may write what it likes."""

START, END = "run.start", "run.end"
_PLAIN: Final = frozenset({int, float, bool, type(None)})
_MEMBERS: Final = frozenset({"attributes", "hash", "kind", "prev"})


class Blob(str):
    """A text that is kept beside the events whatever its length."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What was asked of the outside world and what it said, or what the run decided."""

    kind: str
    attributes: Mapping[str, object]
    """JSON values; OpenTelemetry's names where it has one, else `toolrag.…`."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A journal to be kept."""

    lines: bytes
    blobs: Mapping[str, bytes]
    """By SHA-256, 64 hex digits."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A journal whose chain is whole, with its blobs in their places."""

    events: tuple[Event, ...]
    is_finished: bool
    """Its last event is `run.end`."""


class BrokenError(ValueError):
    """A journal that is not what was written; `event` is the line, counted from 1, where that shows."""

    def __init__(self, event: int, message: str) -> None:
        super().__init__(message)
        self.event = event
        self.message = message


def canonical(value: object) -> str:
    """JSON that is the same for the same value. Raises TypeError for what is no JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def seal(events: Iterable[Event]) -> Sealed:
    """Chain some events. Raises TypeError for one whose attributes are no JSON."""
    outliner = _Outliner()
    lines: list[bytes] = []
    prev = ""
    for event in events:
        attributes = canonical(outliner.outlined(event.attributes))
        kind, before = canonical(event.kind), prev
        prev = _digest(_object(attributes, kind, before))
        lines.append(_object(attributes, kind, before, prev))
    return Sealed(b"".join(line + b"\n" for line in lines), outliner.blobs)


def opened(data: bytes, blob: Callable[[str], bytes | None]) -> Opened:
    """A journal, checked byte for byte, and every blob that it names. Raises BrokenError, or what `blob` raises."""
    *lines, rest = data.split(b"\n")
    if rest or not lines:
        raise BrokenError(max(1, len(lines) + bool(rest)), "The journal is cut off within a line.")
    inliner = _Inliner(blob)
    events: list[Event] = []
    prev = ""
    for number, line in enumerate(lines, 1):
        value = _checked(number, line, prev)
        prev = str(value["hash"])
        try:
            attributes = inliner.inlined(value["attributes"])
        except _BlobError as error:
            raise BrokenError(number, str(error)) from None
        kind = str(value["kind"])
        if (kind == START) != (number == 1) or (kind == END and number < len(lines)):
            raise BrokenError(number, f"A journal has {kind} at another place.")
        assert isinstance(attributes, dict)
        events.append(Event(kind, attributes))
    return Opened(tuple(events), events[-1].kind == END)


def first_of(line: bytes) -> Mapping[str, object]:
    """The attributes of a journal's first line, for a list of journals, long texts left out. Raises BrokenError."""
    attributes = _checked(1, line.removesuffix(b"\n"), "")["attributes"]
    assert isinstance(attributes, dict)
    return attributes


def _checked(number: int, line: bytes, prev: str) -> dict[str, object]:
    """One line as the object it is. Raises BrokenError."""
    altered = BrokenError(number, f"Line {number} of the journal is not what was written.")
    try:
        value = json.loads(line)
        if not isinstance(value, dict) or value.keys() != _MEMBERS or canonical(value).encode() != line:
            raise altered
    except (ValueError, RecursionError):
        raise altered from None
    if not isinstance(value["attributes"], dict) or not isinstance(value["kind"], str):
        raise altered
    unsigned = {name: value[name] for name in ("attributes", "kind", "prev")}
    if value["hash"] != _digest(canonical(unsigned).encode()):
        raise altered
    if value["prev"] != prev:
        raise BrokenError(number, f"Line {number} of the journal does not follow the line before it.")
    return value


class _Outliner:
    """Takes long texts out of values."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self._known: dict[str, str] = {}

    def outlined(self, value: object) -> object:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if isinstance(value, str):
            return {BLOB: self._kept(value)} if kind is Blob or len(value) >= LONG else value
        if kind is dict or isinstance(value, Mapping):
            assert isinstance(value, Mapping)
            if BLOB in value or _JSON in value:
                return {_JSON: self._kept(canonical(value))}
            return {key: self.outlined(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.outlined(item) for item in value]
        return value

    def _kept(self, text: str) -> str:
        text = str(text)
        sha = self._known.get(text)
        if sha is None:
            data = text.encode("utf-8", "surrogatepass")
            sha = self._known[text] = _digest(data)
            self.blobs[sha] = data
        return sha


class _BlobError(ValueError):
    """A blob that is not there, or not what was written."""


class _Inliner:
    """Puts long texts back into values; each blob is read once."""

    def __init__(self, blob: Callable[[str], bytes | None]) -> None:
        self._blob = blob
        self._known: dict[str, str] = {}

    def inlined(self, value: object) -> object:
        if isinstance(value, dict):
            if value.keys() == {BLOB}:
                return self._text(value[BLOB])
            if value.keys() == {_JSON}:
                return json.loads(self._text(value[_JSON]))
            return {key: self.inlined(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.inlined(item) for item in value]
        return value

    def _text(self, sha: object) -> str:
        if not isinstance(sha, str):
            raise _BlobError("It names a blob that is none.")
        if sha not in self._known:
            data = self._blob(sha)
            if data is None:
                raise _BlobError(f"The blob {sha} is gone.")
            if _digest(data) != sha:
                raise _BlobError(f"The blob {sha} is not what was written.")
            self._known[sha] = data.decode("utf-8", "surrogatepass")
        return self._known[sha]


def _object(attributes: str, kind: str, prev: str, digest: str | None = None) -> bytes:
    """The canonical form of an event, put together so that what is large in it is written once."""
    signed = "" if digest is None else f'"hash":"{digest}",'
    return f'{{"attributes":{attributes},{signed}"kind":{kind},"prev":"{prev}"}}'.encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
