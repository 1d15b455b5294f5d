"""Documents as the editor has them: an open one is its buffer and nothing else, any other is read through the fence.

While a document is open its file is no longer the truth (LSP, "textDocument/didOpen"). When a snapshot is asked for,
its file is still looked at, through the fence, but only to learn the form and the blob sha its text has on disk. Absent
on purpose: editing, which the language server does before it hands over a whole text; and any look at the disk for a
document that is not inside a root or whose URI is not a `file:` one.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote

from toolrag.adapters.fence import Fence, Place, denial
from toolrag.adapters.names import is_file_uri, path_of_uri, shown
from toolrag.adapters.roots import Root
from toolrag.adapters.secrets import is_secret
from toolrag.adapters.texts import Texts
from toolrag.errors import ReadError
from toolrag.text import Form, NotTextError, Text, TextSnapshot, blob_sha, decode, fold

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""Two characters at least: one letter is a Windows drive."""
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class _Buffer:
    """An open document."""

    uri: str
    """As the client gave it."""
    text: str
    version: int | None
    spelt: tuple[Root, str] | None
    """Where its URI says it is, by the text alone; None outside every root."""
    real: str | None
    """The absolute path of its file, links resolved; None where there is none that could be read."""
    notebook: str | None = None
    """The URI of the notebook that it is a cell of: what is denied of that is denied of its cells."""


class Documents:
    """Live buffers over the disk (PROTOCOL section 1). To be used on one thread; paths and files are read on others."""

    def __init__(self, fence: Fence) -> None:
        self._desk = _Desk(fence, {}, Texts())

    @property
    def open_uris(self) -> tuple[str, ...]:
        """URIs of the open documents as the client gave them, in the order they were opened."""
        return tuple(buffer.uri for buffer in self._desk.buffers.values())

    def open(self, uri: str, text: str, version: int | None, notebook: str | None = None) -> None:
        """A document was opened with this text, which need not be its file's. One that is open is replaced."""
        self._put(self._desk.buffer(uri, text, version, notebook))

    def change(self, uri: str, text: str, version: int | None) -> None:
        """An open document has this text now. Raises KeyError when it is not open."""
        self._put(replace(self._desk.buffers[_identity(uri)], text=text, version=version))

    def save(self, uri: str) -> None:
        """An open document was written to its file, which may be a new one. Raises KeyError when it is not open."""
        self._put(replace(self._desk.buffers[_identity(uri)], real=self._desk.real(uri)))

    def close(self, uri: str) -> None:
        """A document is no longer open: its file is the truth again. Raises KeyError when it is not open."""
        buffers = dict(self._desk.buffers)
        del buffers[_identity(uri)]
        self._desk = replace(self._desk, buffers=buffers)

    def use(self, fence: Fence) -> None:
        """Folders were opened or closed: everything goes by this fence from now on."""
        desk = replace(self._desk, fence=fence)
        opened = [desk.buffer(one.uri, one.text, one.version, one.notebook) for one in desk.buffers.values()]
        self._desk = replace(desk, buffers={_identity(one.uri): one for one in opened})

    async def snapshot(self, path: str) -> TextSnapshot:
        """The text of one document at the moment of the call: see DocumentSource."""
        while True:
            desk = self._desk
            snapshot = await asyncio.to_thread(desk.snapshot, path)
            # It may have been opened while its file was read; then the buffer is the truth.
            if snapshot.source == "buffer" or self._desk.buffers.keys() == desk.buffers.keys():
                return snapshot

    async def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts of some documents, for hints; None for one that may not, or cannot, be read.

        As `snapshot`, but a file that by its size, times and inode has not changed is not read again.
        """
        return await asyncio.to_thread(self._desk.glances, paths)

    async def snapshots(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts of some documents, each read now; None for one that may not, or cannot, be read."""
        return await asyncio.to_thread(self._desk.snapshots, paths)

    def _put(self, buffer: _Buffer) -> None:
        # A new mapping each time: other threads go on with the one they have.
        self._desk = replace(self._desk, buffers={**self._desk.buffers, _identity(buffer.uri): buffer})


@dataclass(frozen=True, slots=True)
class _Desk:
    """The open documents at one moment. Never changed, so that any thread may read from it."""

    fence: Fence
    buffers: Mapping[str, _Buffer]
    texts: Texts

    def buffer(self, uri: str, text: str, version: int | None, notebook: str | None) -> _Buffer:
        """A document that is opened."""
        return _Buffer(uri, text, version, self.spelt(uri), self.real(uri), notebook)

    def snapshot(self, path: str) -> TextSnapshot:
        """The text of one document. Raises ReadError."""
        found = self.find(path)
        if isinstance(found, Place):
            return from_disk(self.fence, found, self.texts)
        return _from_buffer(self.fence, found)

    def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts of some documents, where they can be had."""
        found: list[TextSnapshot | None] = []
        for path in paths:
            try:
                place = self.find(path)
                kept = self.texts.unchanged(place) if isinstance(place, Place) else None
                found.append(kept or self.snapshot(path))
            except ReadError:
                found.append(None)
        return found

    def snapshots(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts of some documents, where they can be had."""
        found: list[TextSnapshot | None] = []
        for path in paths:
            try:
                found.append(self.snapshot(path))
            except ReadError:
                found.append(None)
        return found

    def find(self, asked: str) -> _Buffer | Place:
        """The open document that `asked` means, however it is spelt, or else the place of a file. Raises ReadError."""
        buffer = self.buffers.get(_identity(asked))
        if buffer is not None:
            return buffer
        try:
            place = self.fence.locate(asked)
        except ReadError as error:
            # What is not there, or may not be reached, can still be open. A denied or ambiguous name stays refused.
            if error.code in ("secret_denied", "ignored") or "candidates" in error.details:
                raise
            buffer = self._only_buffer_at(asked)
            if buffer is None:
                raise
            return buffer
        at_place = [
            buffer
            for buffer in self.buffers.values()
            if buffer.real == place.real or buffer.spelt == (place.root, place.path)
        ]
        return at_place[0] if at_place else place

    def spelt(self, uri: str) -> tuple[Root, str] | None:
        """Where a URI says it is, by its text alone."""
        path = path_of_uri(uri)
        return None if path is None else _spelt_path(self.fence, path)

    def real(self, uri: str) -> str | None:
        """The absolute path of a URI's file, links resolved; None where there is none that could be read."""
        if path_of_uri(uri) is None:
            return None
        try:
            return self.fence.locate(uri).real
        except ReadError:
            # A new file, or one that may not be read: its buffer is found by its URI and its spelling.
            return None

    def _only_buffer_at(self, asked: str) -> _Buffer | None:
        """The open document whose URI spells one of the places that `asked` may mean. Raises ReadError for several."""
        if _SCHEME.match(asked) and not is_file_uri(asked):
            return None
        places = self.fence.spelt(asked)
        buffers = [buffer for buffer in self.buffers.values() if buffer.spelt in places]
        if len(buffers) > 1:
            spellings = [f"{buffer.spelt[0].name}/{buffer.spelt[1]}" for buffer in buffers if buffer.spelt]
            sentence = f"{shown(asked)} is open in several folders; ask for {' or '.join(map(shown, spellings))}."
            raise ReadError("not_found", sentence, candidates=spellings)
        return buffers[0] if buffers else None


def from_disk(fence: Fence, place: Place, texts: Texts | None = None) -> TextSnapshot:
    """The text of a file, whether it is open or not; read now, whatever is known of it. Raises ReadError."""
    read_ns = time.time_ns()
    data = fence.read(place)
    sha = blob_sha(data.data)
    known = None if texts is None else texts.get(sha)
    if known is None:
        try:
            text, form = decode(data.data)
        except NotTextError as error:
            sentence = f"{shown(place.path)} is not text: {error}. Ask for a text file."
            raise ReadError("not_text", sentence) from error
        known = Text(text), form
    snapshot = TextSnapshot(place.uri, place.root.name, place.path, *known, sha, "disk")
    if texts is not None:
        texts.keep(place, data, read_ns, snapshot)
    return snapshot


def _from_buffer(fence: Fence, buffer: _Buffer) -> TextSnapshot:
    """The buffer's text. Raises ReadError `secret_denied` or `ignored`."""
    if buffer.notebook is not None:
        _file_of(fence, buffer.notebook)
    place = _file_of(fence, buffer.uri)
    on_disk = None if place is None else _text_on_disk(fence, place)
    text = buffer.text.removeprefix(_BOM)
    form = Form() if on_disk is None else on_disk[1]
    dirty = on_disk is None or fold(on_disk[0]) != fold(text)
    sha = blob_sha(form.encode(text)) if on_disk is None or dirty else on_disk[2]
    if place is not None:
        root, path = place.root.name, place.path
    elif buffer.spelt is not None:
        root, path = buffer.spelt[0].name, buffer.spelt[1]
    else:
        root, path = "", buffer.uri
    return TextSnapshot(buffer.uri, root, path, Text(text), form, sha, "buffer", buffer.version, dirty)


def _file_of(fence: Fence, uri: str) -> Place | None:
    """The file of an open document; None where it has none that may be read. Raises ReadError for a denied name."""
    path = path_of_uri(uri)
    if path is None:
        path = unquote(_SCHEME.sub("", uri, count=1).partition("#")[0])
    # A document may carry a denied name though no file of that name could be read: unsaved, or outside every root.
    spelt = _spelt_path(fence, path)
    code = fence.denied(*spelt) if spelt is not None else "secret_denied" if is_secret(path) else None
    if code is not None:
        raise denial(code, shown(os.path.basename(path)))
    if spelt is None or not is_file_uri(uri):
        return None
    try:
        return fence.locate(uri)
    except ReadError as error:
        if error.code in ("secret_denied", "ignored"):
            raise
        return None


def _text_on_disk(fence: Fence, place: Place) -> tuple[str, Form, str] | None:
    """Text, form and blob sha of a file; None where it cannot be read as text. Raises ReadError for a denied one."""
    try:
        data = fence.read(place).data
        text, form = decode(data)
    except NotTextError:
        return None
    except ReadError as error:
        if error.code in ("secret_denied", "ignored"):
            raise
        return None
    return text, form, blob_sha(data)


def _spelt_path(fence: Fence, path: str) -> tuple[Root, str] | None:
    """Where an absolute path says it is; None outside every root and for what cannot be a path."""
    if not os.path.isabs(path) or "\0" in path:
        return None
    try:
        return next(iter(fence.spelt(path)), None)
    except ReadError:
        # A name that is not UTF-8.
        return None


def _identity(asked: str) -> str:
    """What two spellings of one document have in common: a file's path, or the URI itself."""
    path = path_of_uri(asked) if is_file_uri(asked) else asked if os.path.isabs(asked) else None
    return asked if path is None else f"file:{os.path.normcase(path)}"
