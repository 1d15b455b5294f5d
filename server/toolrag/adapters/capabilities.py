"""What models were found to take and to refuse, remembered between runs: a small JSON file in the user's state folder.

A key names a model where it is reached (`bedrock <model id>`, `openai <base url> <model>`); no credential is in it.
The file is a convenience: any doubt about it is a miss, and without it everything is learned anew. What was learned is
believed for KEPT_DAYS, since services learn too.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs

log = logging.getLogger(__name__)

FILE: Final = "capabilities.json"
KEPT_DAYS: Final = 30
MAX_BYTES: Final = 1_000_000
"""A larger file is none of ours: an entry has about a hundred bytes."""
_DAY_SECONDS: Final = 86_400


def capabilities_file() -> Path | None:
    """Where the file of this user is kept, `XDG_STATE_HOME` moves it on Linux; None where nothing says where."""
    try:
        path = Path(platformdirs.user_state_dir("toolrag", appauthor=False)) / FILE
    except RuntimeError:  # no HOME, and a user the system does not know
        return None
    return path if path.is_absolute() else None


class _Entry(NamedTuple):
    day: int
    """When something was last learned of it, in days of the wall clock."""
    facts: Mapping[str, object]


class Capabilities:
    """Facts about models by key, in memory and in a file. Never raises for the file's sake. Belongs to one thread."""

    def __init__(self, path: Path | None, now: Callable[[], float] = time.time) -> None:
        """`path` None: in memory only. `now`: seconds of the wall clock. Nothing is read before the first use."""
        self._path = path
        self._now = now
        self._known: dict[str, _Entry] | None = None

    def get(self, key: str) -> Mapping[str, object]:
        """What was learned of a model, JSON values that nobody has checked; empty where nothing was."""
        entry = self._all().get(key)
        return entry.facts if entry is not None and self._today() - entry.day <= KEPT_DAYS else {}

    def learn(self, key: str, **what: object) -> None:
        """Remembers facts, JSON values, beside those that are known of this model."""
        if self._path is not None:  # another process may have learned something meanwhile
            self._known = {**self._all(), **_read(self._path)}
        known = self._all()
        known[key] = _Entry(self._today(), {**self.get(key), **what})
        if self._path is None:
            return
        kept = {name: entry for name, entry in known.items() if self._today() - entry.day <= KEPT_DAYS}
        try:
            _write(self._path, kept)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            log.warning("What models can do cannot be kept in %s (%s); it is kept for this run.", self._path, reason)
            self._path = None

    def _today(self) -> int:
        return int(self._now() // _DAY_SECONDS)

    def _all(self) -> dict[str, _Entry]:
        if self._known is None:
            self._known = _read(self._path) if self._path is not None else {}
        return self._known


def _read(path: Path) -> dict[str, _Entry]:
    """The entries of a file; none where it is missing or in any doubt."""
    try:
        # A FIFO in its place would keep the reader for ever, and what a link leads to is not ours.
        with open(path, "rb", opener=_open_plainly) as file:
            if not _is_ours(os.fstat(file.fileno())):
                return {}
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return {}
    try:
        found = json.loads(data) if len(data) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return {}
    entries: dict[str, _Entry] = {}
    for key, entry in found.items() if isinstance(found, dict) else ():
        day, facts = (entry.get("day"), entry.get("facts")) if isinstance(entry, dict) else (None, None)
        if isinstance(day, int) and isinstance(facts, dict):
            entries[key] = _Entry(day, facts)
    return entries


def _open_plainly(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_ours(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _write(path: Path, entries: Mapping[str, _Entry]) -> None:
    """Writes a file of mode 0600 in a folder of mode 0700, whole or not at all. Raises OSError.

    It is not forced to the disk: one that a crash cuts is in doubt, which is a miss.
    """
    folder = path.parent
    for level in (*reversed(folder.parents), folder):  # `parents=True` would give those above the umask's mode
        level.mkdir(mode=0o700, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        folder.chmod(0o700)
    descriptor, beside = tempfile.mkstemp(prefix=".writing.", dir=folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({key: entry._asdict() for key, entry in entries.items()}, file, indent=1, sort_keys=True)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
