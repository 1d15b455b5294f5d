"""What the index keeps between runs: files, analyses by content, vectors by text. SQLite in WAL mode, mode 0600.

Everything here is a cache. A database that cannot be used as one is moved aside and begun anew. SQLite has no
checksums, so each analysis and each vector carries its own. Deleted rows are overwritten (`secure_delete`) and nothing
goes to temporary files, so that text that becomes denied does not linger.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Final

import numpy as np
import numpy.typing as npt

from toolrag.adapters.codec import decode_analysis, encode_analysis
from toolrag.adapters.store_file import DamagedStoreError, is_damage, move_aside, open_again, open_database
from toolrag.symbols import Analysis

log = logging.getLogger(__name__)

_DIGEST_BYTES: Final = 16
_ASKED_AT_ONCE: Final = 500
"""SQLite took at most 999 parameters a statement before 3.32."""


@dataclass(frozen=True, slots=True)
class Stat:
    """What tells that a file may have changed; a hint, the sha decides."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class FileRow:
    """One indexed file as it was when it was last read."""

    path: str
    stat: Stat
    read_ns: int
    """Wall clock when its bytes were read."""
    sha: str
    language: str
    problems: tuple[str, ...] = ()
    """What went wrong when it was parsed."""
    left_out: str = ""
    """Why it is not indexed, by what is in it; empty for one that is. Kept so that it is not read again each time."""


class Store:
    """One root's database. `version` names the form of what is kept: a database of another version is emptied.

    Every method raises sqlite3.OperationalError when the disk is full, busy or not ours, and an error for which
    `is_damage` holds when the database is broken. One connection: what runs beside a transaction on another thread
    takes a `sibling`.
    """

    def __init__(self, path: Path | None, version: str) -> None:
        """At `path`, or in memory only."""
        self._path = path
        self._transaction = RLock()  # one connection has one transaction: siblings in memory take turns
        self._is_owner = True
        try:
            self._db = open_database(path, version)
        except sqlite3.DatabaseError as error:
            if path is None or not is_damage(error):
                raise
            aside = move_aside(path)
            log.warning("The index was damaged (%s); it was moved to %s and is built anew.", error, aside.name)
            self._db = open_database(path, version)

    @property
    def is_on_disk(self) -> bool:
        """Whether it outlives its connections."""
        return self._path is not None

    def sibling(self) -> Store:
        """The same database through a connection of its own, which waits for nobody's transaction to read.

        In memory there is but one connection: siblings take turns.
        """
        other = copy(self)
        if self._path is None:
            other._is_owner = False
        else:
            other._db, other._transaction = open_again(self._path), RLock()
        return other

    def close(self) -> None:
        """Ends the connection."""
        if self._is_owner:
            self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes within are kept together or not at all."""
        with self._transaction:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite rolls back by itself when the disk is full
                    self._db.execute("ROLLBACK")
                raise

    def meta(self, key: str) -> str | None:
        """A note kept under a key, such as the last run's coverage."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put_meta(self, key: str, value: str) -> None:
        """Keeps a note."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def files(self) -> dict[str, FileRow]:
        """All files by path, in the order of the paths' bytes."""
        rows = self._db.execute(
            "SELECT path, size, mtime_ns, ctime_ns, inode, read_ns, sha, language, problems, left_out "
            "FROM file ORDER BY path"
        )
        found = {}
        try:
            for path_bytes, size, mtime_ns, ctime_ns, inode, read_ns, sha, language, problems, left_out in rows:
                path = os.fsdecode(_bytes(path_bytes))
                stat = Stat(*map(_integer, (size, mtime_ns, ctime_ns, inode)))
                found[path] = FileRow(
                    path, stat, _integer(read_ns), str(sha), str(language), _sentences(problems), str(left_out)
                )
        except (TypeError, ValueError) as error:
            raise DamagedStoreError(f"a file's row is altered: {error}") from None
        return found

    def put_file(self, row: FileRow) -> None:
        """Adds or replaces one file."""
        stat = row.stat
        self._db.execute(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                os.fsencode(row.path),
                *(stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, row.read_ns),
                *(row.sha, row.language, json.dumps(row.problems), row.left_out),
            ),
        )

    def forget_file(self, path: str) -> None:
        """Drops a file; its analysis stays, for a branch that comes back, until it is collected."""
        self._db.execute("DELETE FROM file WHERE path = ?", (os.fsencode(path),))

    def analysed(self) -> set[tuple[str, str]]:
        """Sha and language of every text whose analysis is kept."""
        return set(self._db.execute("SELECT sha, language FROM analysis"))

    def analysis(self, sha: str, language: str) -> Analysis | None:
        """The analysis of a text; None when it is not kept."""
        row = self._db.execute("SELECT data FROM analysis WHERE sha = ? AND language = ?", (sha, language)).fetchone()
        return None if row is None else _analysis(row[0])

    def put_analysis(self, sha: str, language: str, analysis: Analysis) -> None:
        """Keeps the analysis of a text."""
        data = _sealed(encode_analysis(analysis))
        self._db.execute("INSERT OR REPLACE INTO analysis VALUES (?, ?, ?)", (sha, language, data))

    def note_spare(self, now: int) -> None:
        """Notes which analyses no file has, and since when; `now` is in seconds of the wall clock."""
        used = "EXISTS (SELECT 1 FROM file WHERE file.sha = {0}.sha AND file.language = {0}.language)"
        self._db.execute(
            "INSERT OR IGNORE INTO spare SELECT sha, language, ? FROM analysis WHERE NOT " + used.format("analysis"),
            (now,),
        )
        self._db.execute("DELETE FROM spare WHERE " + used.format("spare"))

    def drop_spare(self, n_kept: int, before: int = 0) -> int:
        """Drops the analyses that no file has but the newest `n_kept`, and those spare since before a time.

        Needs `note_spare` after the last change of a file; how many went.
        """
        doomed = (
            "SELECT sha, language FROM spare WHERE since < ? OR rowid IN "
            "(SELECT rowid FROM spare ORDER BY since DESC, rowid DESC LIMIT -1 OFFSET ?)"
        )
        count = self._db.execute(f"DELETE FROM analysis WHERE (sha, language) IN ({doomed})", (before, n_kept)).rowcount
        self._db.execute(f"DELETE FROM spare WHERE (sha, language) IN ({doomed})", (before, n_kept))
        return count

    def drop_spare_vectors(self) -> None:
        """Drops the vectors of texts that no analysis has."""
        used: set[int] = set()
        for row in self._db.execute("SELECT data FROM analysis"):
            used.update(_analysis(row[0]).terms.text_ids.tolist())
        kept = {row[0] for row in self._db.execute("SELECT DISTINCT text_id FROM vector")}
        self._db.executemany("DELETE FROM vector WHERE text_id = ?", ((text_id,) for text_id in kept - used))

    def flush_deleted(self) -> bool:
        """Takes deleted rows out of the write-ahead log too. False when another process was reading all the while."""
        busy, _, _ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def vector_ids(self, embedder: str) -> set[int]:
        """The text ids that an embedder's vectors are kept for."""
        return {row[0] for row in self._db.execute("SELECT text_id FROM vector WHERE embedder = ?", (embedder,))}

    def vectors(self, embedder: str, text_ids: Iterable[int], dimensions: int) -> dict[int, npt.NDArray[np.float32]]:
        """The vectors kept for these texts."""
        found: dict[int, npt.NDArray[np.float32]] = {}
        wanted = list(text_ids)
        for first in range(0, len(wanted), _ASKED_AT_ONCE):
            asked = wanted[first : first + _ASKED_AT_ONCE]
            rows = self._db.execute(
                f"SELECT text_id, data FROM vector WHERE embedder = ? AND text_id IN ({','.join('?' * len(asked))})",
                (embedder, *asked),
            )
            found.update((text_id, _vector(data, dimensions)) for text_id, data in rows)
        return found

    def put_vectors(self, embedder: str, vectors: Mapping[int, npt.NDArray[np.float32]]) -> None:
        """Keeps vectors by text id, in half precision: cosines change by less than 0.001."""
        self._db.executemany(
            "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
            ((embedder, text_id, _sealed(vector.astype("<f2").tobytes())) for text_id, vector in vectors.items()),
        )


class Stores:
    """One database through three connections, so that none waits for another's transaction to read."""

    def __init__(self, path: Path | None, version: str) -> None:
        self.own = Store(path, version)
        """For the thread that refreshes."""
        self.dense = self.own.sibling()
        """For the thread of the vectors."""
        self.reading = self.own.sibling()
        """For searches, on the event loop."""

    def close(self) -> None:
        """Ends the connections."""
        for store in (self.dense, self.reading, self.own):
            store.close()


def _sealed(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest() + data


def _unsealed(kept: object, what: str) -> bytes:
    if not isinstance(kept, bytes) or _sealed(kept[_DIGEST_BYTES:]) != kept:
        raise DamagedStoreError(f"{what} is altered")
    return kept[_DIGEST_BYTES:]


def _analysis(kept: object) -> Analysis:
    try:
        return decode_analysis(_unsealed(kept, "an analysis"))
    except ValueError as error:
        raise DamagedStoreError(str(error)) from None


def _vector(kept: object, dimensions: int) -> npt.NDArray[np.float32]:
    data = _unsealed(kept, "a vector")
    if len(data) == 2 * dimensions:
        vector = np.frombuffer(data, "<f2").astype(np.float32)
        if np.isfinite(vector).all():
            return vector
    raise DamagedStoreError("a vector is altered")


def _sentences(kept: str) -> tuple[str, ...]:
    return () if kept == "[]" else tuple(str(sentence) for sentence in json.loads(kept))


def _bytes(kept: object) -> bytes:
    if not isinstance(kept, bytes):  # a row whose path is a text is not found by its path, and would never be dropped
        raise TypeError(f"{kept!r} is not bytes")
    return kept


def _integer(kept: object) -> int:
    if type(kept) is not int:
        raise TypeError(f"{kept!r} is not an integer")
    return kept
