"""What the index keeps between runs: files, analyses by content, vectors by text. SQLite in WAL mode, mode 0600.

Everything here is a cache. A database that cannot be opened or is damaged is moved aside and begun anew. Deleted
rows are overwritten (`secure_delete`), so that text that becomes denied does not linger.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

log = logging.getLogger(__name__)

BUSY_MS: Final = 20_000
"""How long one process waits for another's transaction."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file (
  path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL, read_ns INTEGER NOT NULL, sha TEXT NOT NULL, language TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS analysis (
  sha TEXT NOT NULL, language TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (sha, language)
);
CREATE TABLE IF NOT EXISTS vector (
  embedder TEXT NOT NULL, text_id INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (embedder, text_id)
);
"""


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


class Store:
    """One root's database. `version` names the form of what is kept: rows of another version are dropped."""

    def __init__(self, path: Path | None, version: str) -> None:
        self._path = path
        try:
            self._db = self._open(version)
        except (sqlite3.DatabaseError, IsADirectoryError) as error:
            if path is None or (isinstance(error, sqlite3.DatabaseError) and not is_damage(error)):
                raise
            aside = move_aside(path)
            log.warning("The index was damaged (%s); it was moved to %s and is built anew.", error, aside.name)
            self._db = self._open(version)

    def _open(self, version: str) -> sqlite3.Connection:
        if self._path is not None:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(
            self._path or ":memory:", timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON", "trusted_schema=OFF"):
                db.execute(f"PRAGMA {pragma}")
            db.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            row = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
            if row is None or row[0] != version:
                for table in ("meta", "file", "analysis", "vector"):
                    db.execute(f"DELETE FROM {table}")
                db.execute("INSERT INTO meta VALUES ('version', ?)", (version,))
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes within are kept together or not at all. Raises sqlite3.OperationalError when the disk is full."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # SQLite rolls back by itself when the disk is full
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def meta(self, key: str) -> str | None:
        """A note kept under a key, such as the last run's coverage."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put_meta(self, key: str, value: str) -> None:
        """Keeps a note."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def files(self) -> dict[str, FileRow]:
        """All files by path."""
        rows = self._db.execute(
            "SELECT path, size, mtime_ns, ctime_ns, inode, read_ns, sha, language FROM file ORDER BY path"
        )
        return {
            path: FileRow(path, Stat(size, mtime_ns, ctime_ns, inode), read_ns, sha, language)
            for path, size, mtime_ns, ctime_ns, inode, read_ns, sha, language in (
                (os.fsdecode(row[0]), *row[1:]) for row in rows
            )
        }

    def put_file(self, row: FileRow) -> None:
        """Adds or replaces one file."""
        stat = row.stat
        self._db.execute(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                os.fsencode(row.path),
                stat.size,
                stat.mtime_ns,
                stat.ctime_ns,
                stat.inode,
                row.read_ns,
                row.sha,
                row.language,
            ),
        )

    def forget_file(self, path: str) -> None:
        """Drops a file that is no longer there; its analysis stays for a branch that comes back."""
        self._db.execute("DELETE FROM file WHERE path = ?", (os.fsencode(path),))

    def scrub_file(self, path: str, text_ids: Iterable[int]) -> None:
        """Drops a file that became denied, with its analysis and vectors, unless an allowed file has the same text."""
        row = self._db.execute("SELECT sha FROM file WHERE path = ?", (os.fsencode(path),)).fetchone()
        self.forget_file(path)
        if row and not self._db.execute("SELECT 1 FROM file WHERE sha = ?", row).fetchone():
            self._db.execute("DELETE FROM analysis WHERE sha = ?", row)
            self._db.executemany("DELETE FROM vector WHERE text_id = ?", ((text_id,) for text_id in text_ids))

    def flush_deleted(self) -> None:
        """Takes deleted pages out of the write-ahead log as well. Waits for readers."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def analysis(self, sha: str, language: str) -> bytes | None:
        """The encoded analysis of a text; None when it was never parsed."""
        row = self._db.execute("SELECT data FROM analysis WHERE sha = ? AND language = ?", (sha, language)).fetchone()
        return None if row is None else bytes(row[0])

    def put_analysis(self, sha: str, language: str, data: bytes) -> None:
        """Keeps the encoded analysis of a text."""
        self._db.execute("INSERT OR REPLACE INTO analysis VALUES (?, ?, ?)", (sha, language, data))

    def vector_ids(self, embedder: str) -> set[int]:
        """The text ids that an embedder's vectors are kept for."""
        return {row[0] for row in self._db.execute("SELECT text_id FROM vector WHERE embedder = ?", (embedder,))}

    def vectors(self, embedder: str, text_ids: Iterable[int]) -> dict[int, npt.NDArray[np.float32]]:
        """The vectors kept for these texts."""
        found = {}
        for text_id in text_ids:
            row = self._db.execute(
                "SELECT data FROM vector WHERE embedder = ? AND text_id = ?", (embedder, text_id)
            ).fetchone()
            if row is not None:
                found[text_id] = np.frombuffer(row[0], "<f2").astype(np.float32)
        return found

    def put_vectors(self, embedder: str, vectors: Mapping[int, npt.NDArray[np.float32]]) -> None:
        """Keeps vectors by text id, in half precision: cosines change by less than 0.001."""
        self._db.executemany(
            "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
            ((embedder, text_id, vector.astype("<f2").tobytes()) for text_id, vector in vectors.items()),
        )


def move_aside(path: Path) -> Path:
    """Renames a damaged database, and drops its log, so that a new one can be begun. Gives the new name."""
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite found the file itself to be broken, rather than busy, full or forbidden."""
    return error.sqlite_errorcode in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
