"""The store's database as a file: opened, begun, emptied for another version, and moved aside when it is damaged.

Absent on purpose: what is in it, which is `store`'s.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from toolrag.adapters.cache_dir import remove, set_aside

BUSY_MS: Final = 20_000
"""How long one process waits for another's transaction."""

_WAL_TRIES: Final = 20
"""Six processes that opened a new database at the same moment needed up to 2."""

_PRAGMAS: Final = (
    "synchronous=NORMAL",
    "secure_delete=ON",
    "temp_store=MEMORY",
    "trusted_schema=OFF",
)
_TABLES: Final = ("meta", "file", "analysis", "spare", "vector")
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS file (path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, "
    "ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, read_ns INTEGER NOT NULL, sha TEXT NOT NULL, "
    "language TEXT NOT NULL, problems TEXT NOT NULL, left_out TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS file_by_sha ON file (sha)",
    "CREATE TABLE IF NOT EXISTS analysis (sha TEXT NOT NULL, language TEXT NOT NULL, data BLOB NOT NULL, "
    "PRIMARY KEY (sha, language))",
    # Analyses that no file has, in the order in which they became so.
    "CREATE TABLE IF NOT EXISTS spare (sha TEXT NOT NULL, language TEXT NOT NULL, since INTEGER NOT NULL, "
    "PRIMARY KEY (sha, language))",
    "CREATE TABLE IF NOT EXISTS vector (embedder TEXT NOT NULL, text_id INTEGER NOT NULL, data BLOB NOT NULL, "
    "PRIMARY KEY (embedder, text_id))",
)


class DamagedStoreError(sqlite3.DatabaseError):
    """What is kept is not what was put in, though SQLite itself sees nothing wrong."""


_LOGS: Final = ("-wal", "-shm")
"""What SQLite keeps beside a database."""


def open_database(path: Path | None, version: str) -> sqlite3.Connection:
    """A connection to the database at `path`, or to one in memory, whose tables hold rows of `version` alone.

    Raises sqlite3.DatabaseError; see `is_damage`.
    """
    if path is not None:
        _create(path)
    db = sqlite3.connect(path or ":memory:", timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    try:
        _keep_a_log(db)
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        db.execute("BEGIN IMMEDIATE")
        _refuse_programs(db)
        if not _has_version(db, version):
            for table in _TABLES:
                db.execute(f"DROP TABLE IF EXISTS {table}")  # its columns may be others
            for statement in _SCHEMA:
                db.execute(statement)
            db.execute("INSERT INTO meta VALUES ('version', ?)", (version,))
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def open_again(path: Path) -> sqlite3.Connection:
    """Another connection to a database that `open_database` has open. Raises sqlite3.DatabaseError."""
    db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    try:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
    except BaseException:
        db.close()
        raise
    return db


def move_aside(path: Path) -> Path:
    """Renames a damaged database, and drops its log, so that a new one can be begun. Gives the new name.

    Another process may do the same at the same time: what is gone already is fine. Raises OSError.
    """
    for suffix in _LOGS:
        remove(path.with_name(path.name + suffix))
    return set_aside(path)


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the database itself is broken or not one of ours, rather than busy, full or forbidden."""
    if isinstance(error, DamagedStoreError):
        return True
    # Errors of the sqlite3 module's own have no code. The low byte is the kind; the rest says more of it.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    # All statements are fixed, so SQLite can only object to one (SQLITE_ERROR) where the tables are not ours.
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def _create(path: Path) -> None:
    """Makes the file with mode 0600, which SQLite gives its log too. Raises sqlite3.DatabaseError."""
    for name in (path, *(path.with_name(path.name + suffix) for suffix in _LOGS)):
        # SQLite would wait for a FIFO, write where a link leads, and say of each something else.
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(name.lstat().st_mode):
                raise DamagedStoreError(f"{name.name} is not a file")
    try:
        os.close(
            os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
        )
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ELOOP):
            raise DamagedStoreError("a folder or a link is in its place") from None
        raise sqlite3.OperationalError(error.strerror or "it cannot be opened") from error


def _keep_a_log(db: sqlite3.Connection) -> None:
    """Switches to a write-ahead log. SQLite does not wait there for another process that does the same."""
    for _ in range(_WAL_TRIES):
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            db.execute("BEGIN IMMEDIATE")  # this does wait
            db.execute("ROLLBACK")
        else:
            return
    raise sqlite3.OperationalError("other processes keep it locked")


def _refuse_programs(db: sqlite3.Connection) -> None:
    """Raises DamagedStoreError for a trigger or a view: ours has none, and a trigger can drop what is put in."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')").fetchone():
        raise DamagedStoreError("it holds a trigger or a view")


def _has_version(db: sqlite3.Connection, version: str) -> bool:
    if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").fetchone():
        return False
    row = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    return row is not None and row[0] == version
