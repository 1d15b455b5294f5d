"""Texts that were read not long ago: decoded and cut into lines once, however often they are read.

A text is kept by its blob SHA-1, so whoever reads a file and has its bytes hashed gets the text of just those bytes.
For hints alone there is a shorter way: a file that by its state has not changed need not be read. Used by any thread.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from toolrag.adapters.fence import Place
from toolrag.adapters.reading import FileBytes
from toolrag.text import Form, Text, TextSnapshot

MOST_CHARACTERS: Final = 32_000_000
GRAIN_NS: Final = 2_000_000_000
"""File systems keep times by up to 2 s (FAT); a file written so shortly before it was read may change unseen."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A snapshot, and the state of its file when it was read."""

    state: tuple[int, int, int, int, int]
    snapshot: TextSnapshot


class Texts:
    """The texts that were read last, up to MOST_CHARACTERS together."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_sha: OrderedDict[str, tuple[Text, Form]] = OrderedDict()
        self._by_place: dict[str, _Kept] = {}
        self._n_characters = 0

    def get(self, sha: str) -> tuple[Text, Form] | None:
        """The text of these bytes, if it is still here."""
        with self._lock:
            found = self._by_sha.get(sha)
            if found is not None:
                self._by_sha.move_to_end(sha)
            return found

    def keep(self, place: Place, data: FileBytes, read_ns: int, snapshot: TextSnapshot) -> None:
        """Remembers what was read of a place; the oldest goes where there is too much."""
        with self._lock:
            if snapshot.sha not in self._by_sha:
                self._by_sha[snapshot.sha] = snapshot.text, snapshot.form
                self._n_characters += len(snapshot.text.content)
            while self._n_characters > MOST_CHARACTERS:
                _, (text, _) = self._by_sha.popitem(last=False)
                self._n_characters -= len(text.content)
            if max(data.mtime_ns, data.ctime_ns) + GRAIN_NS < read_ns:
                state = data.size, data.mtime_ns, data.ctime_ns, data.inode, data.device
                self._by_place[place.uri] = _Kept(state, snapshot)
            else:
                self._by_place.pop(place.uri, None)

    def unchanged(self, place: Place) -> TextSnapshot | None:
        """The text of a place when it was last read, where its file's state is the same and tells something.

        Of a file with several names nothing is said: one of the others may be denied by now.
        """
        kept = self._by_place.get(place.uri)
        if kept is None or kept.snapshot.sha not in self._by_sha:
            return None
        try:
            status = place.root.lstat(place.path.split("/"))
        except OSError:
            return None
        state = status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev
        return kept.snapshot if state == kept.state and status.st_nlink == 1 else None
