"""The journals of runs, kept in the user's state folder: private, whole or not at all, and not for ever.

`journal/RUN.jsonl` is a run's events and `journal/blobs/SHA256` a text that any number of them name. Nothing is synced
to the disk: a power failure may cost the last journals, and their chain says so. Absent on purpose: what is in them,
which `answer.journal` knows.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from toolrag.adapters.cache_dir import LEFTOVER_SECONDS, TEMPORARY
from toolrag.adapters.private_files import entries_of, open_plainly, read_plain, size_of, write_whole
from toolrag.answer.journal.chain import BrokenError, Sealed, first_of
from toolrag.config import JournalSettings
from toolrag.errors import ConfigError

COLLECT_SECONDS: Final = 86_400
KEPT_SHARE: Final = 0.9
"""When there is too much, so much of what is allowed stays: the next run should not have to collect again."""
YOUNG_SECONDS: Final = 60
"""A blob this young may belong to a run that another process is still writing."""
SUFFIX: Final = ".jsonl"
_TALLY: Final = "tally"
"""When was last collected, in seconds of the wall clock, and the bytes that are kept as far as is known."""
_RUN: Final = re.compile(r"[0-9a-f]{16}")
_BEGINNING: Final = re.compile(r"[0-9a-f]{1,16}")
_SHA: Final = re.compile(r"[0-9a-f]{64}")
_SHAS: Final = re.compile(rb'"toolrag\.(?:blob|json)":"([0-9a-f]{64})"')
_LISTED: Final = 5
"""Runs that a sentence names."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run as it is listed."""

    run: str
    when: float
    """When it was written, in seconds of the wall clock."""
    model: str
    question: str
    """Empty, like the model, where the journal's first line is damaged."""
    bytes: int
    """Of its events alone."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was removed."""

    runs: int
    bytes: int


class Journals:
    """All journals of this user. Any thread may use it, one call after another."""

    def __init__(self, settings: JournalSettings, home: Path | None = None) -> None:
        """Raises ConfigError where nothing says where the state folder is. Makes nothing yet."""
        self._settings = settings
        self.folder: Final = (state_home() if home is None else home) / "journal"
        self._blobs: Final = self.folder / "blobs"

    def keep(self, run: str, sealed: Sealed, roots: Iterable[str] = ()) -> None:
        """Keep a run's journal, in the place of an older one of the same name.

        `roots` are the real paths of the folders it was in: it may lie in none of them. Raises ConfigError or OSError
        where it cannot be kept; then the older one is still there, or nothing.
        """
        self._make_private(roots)
        written = sum(self._keep_blob(sha, data) for sha, data in sealed.blobs.items())
        write_whole(self.folder / f"{run}{SUFFIX}", sealed.lines)
        self._collect_if_due(written + len(sealed.lines), time.time())

    def runs(self) -> list[KeptRun]:
        """Every run that is kept, the latest first. Raises OSError."""
        return [_listed(path, status) for path, status in self._files()]

    def find(self, given: str) -> str:
        """The run that `last`, an id, or the beginning of one means.

        Raises ConfigError, which names the latest runs, for none and for several.
        """
        names = [path.stem for path, _ in self._files()]
        if given == "last" and names:
            return names[0]
        found = [name for name in names if name.startswith(given)] if _BEGINNING.fullmatch(given) else []
        if len(found) == 1:
            return found[0]
        if not names:
            raise ConfigError(
                "No run is kept. Ask something first, such as: toolrag ask 'where are retries configured?'"
            )
        latest = ", ".join(names[:_LISTED])
        if found:
            raise ConfigError(f"Several runs begin with {given}: {', '.join(found[:_LISTED])}. Give more of its id.")
        raise ConfigError(f"No run {given!r} is kept. The latest are: {latest}. See `toolrag journal`.")

    def load(self, run: str) -> bytes:
        """A run's journal as it is kept. Raises ConfigError when there is none, or OSError."""
        data = read_plain(self.folder / f"{run}{SUFFIX}") if _RUN.fullmatch(run) else None
        if data is None:
            raise ConfigError(f"No run {run!r} is kept.")
        return data

    def blob(self, sha: str) -> bytes | None:
        """A text by its SHA-256, not yet checked; None where there is none. Raises OSError."""
        return read_plain(self._blobs / sha) if _SHA.fullmatch(sha) else None

    def clear(self) -> Cleared:
        """Remove every journal. Raises OSError."""
        n_runs = len(self._files())
        total = sum(status.st_size for folder in (self.folder, self._blobs) for _, status in entries_of(folder))
        if self.folder.is_symlink():
            self.folder.unlink()  # whatever it leads to is not ours
        elif self.folder.exists():
            shutil.rmtree(self.folder)
        return Cleared(n_runs, total)

    def forget(self, root: str) -> None:
        """Remove the runs in a root, its real path, in one around it or in one below: a file there is denied now.

        Which runs read it cannot be told once its name is another, so all go. Raises OSError.
        """
        named: set[str] = set()
        for path, _ in self._files():
            data = read_plain(path) or b""
            if _may_be_in(root, data):
                path.unlink(missing_ok=True)
            else:
                named |= {sha.decode() for sha in _SHAS.findall(data)}
        self._drop_blobs(named, float("inf"))

    def collect(self, now: float) -> None:
        """Remove the runs that are too old, then the oldest while all take too much, then what no run names.

        `now` is the wall clock. Raises OSError.
        """
        room = int(self._settings.max_bytes * KEPT_SHARE) if self._size() > self._settings.max_bytes else None
        named: set[str] = set()
        used = 0
        for path, status in self._files():
            data = read_plain(path) or b""
            new = {sha.decode() for sha in _SHAS.findall(data)} - named
            size = len(data) + sum(size_of(self._blobs / sha) for sha in new)
            if status.st_mtime < now - self._settings.max_days * 86_400 or (room is not None and used + size > room):
                path.unlink(missing_ok=True)
                continue
            used += size
            named |= new
        self._drop_blobs(named, now - YOUNG_SECONDS)
        for path, status in list(entries_of(self.folder)):
            if path.name.startswith(TEMPORARY) and status.st_mtime < now - LEFTOVER_SECONDS:
                path.unlink(missing_ok=True)
        write_whole(self.folder / _TALLY, f"{now:.0f} {self._size()}".encode())

    def _drop_blobs(self, named: set[str], before: float) -> None:
        """Remove the texts that no run names, if they were last used before some time."""
        for path, status in list(entries_of(self._blobs)):
            if path.name not in named and status.st_mtime < before:
                path.unlink(missing_ok=True)

    def _collect_if_due(self, added: int, now: float) -> None:
        try:
            collected, known = map(int, (read_plain(self.folder / _TALLY) or b"").split())
        except ValueError:
            collected, known = 0, 0  # a new folder, or a damaged tally
        if not now - COLLECT_SECONDS < collected <= now + COLLECT_SECONDS or known + added > self._settings.max_bytes:
            self.collect(now)
        else:
            write_whole(self.folder / _TALLY, f"{collected} {known + added}".encode())

    def _keep_blob(self, sha: str, data: bytes) -> int:
        """The bytes that were written: none where the blob is there. One that is used again is young again."""
        path = self._blobs / sha
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_size == len(data):
                os.utime(path, follow_symlinks=False) if os.utime in os.supports_follow_symlinks else os.utime(path)
                return 0
        write_whole(path, data)
        return len(data)

    def _files(self) -> list[tuple[Path, os.stat_result]]:
        """The journals, the latest first."""
        found = [
            (path, status)
            for path, status in entries_of(self.folder)
            if path.suffix == SUFFIX and _RUN.fullmatch(path.stem)
        ]
        return sorted(found, key=lambda one: (-one[1].st_mtime_ns, one[0].name))

    def _size(self) -> int:
        return sum(status.st_size for folder in (self.folder, self._blobs) for _, status in entries_of(folder))

    def _make_private(self, roots: Iterable[str]) -> None:
        """Make the folders, or check those that are there. Raises ConfigError or OSError."""
        if not self.folder.is_absolute():
            raise ConfigError(f"The state folder {self.folder} is not absolute. Set XDG_STATE_HOME to a full path.")
        real = Path(os.path.realpath(self.folder))
        if any(Path(root) in real.parents for root in roots):
            raise ConfigError(f"{self.folder} lies inside the workspace. Set XDG_STATE_HOME to a folder outside it.")
        for level in (*reversed(self.folder.parents), self.folder, self._blobs):
            if not os.path.lexists(level):
                with contextlib.suppress(FileExistsError):  # another process may be at the same
                    level.mkdir(mode=0o700)
            if level not in (self.folder.parent, self.folder, self._blobs):
                continue
            status = level.lstat()
            if not stat.S_ISDIR(status.st_mode):
                raise ConfigError(f"{level} is not a folder. Remove it.")
            if hasattr(os, "getuid") and status.st_uid != os.getuid():
                raise ConfigError(f"{level} belongs to another user. Set XDG_STATE_HOME to a folder of your own.")
            if stat.S_IMODE(status.st_mode) & 0o077:
                level.chmod(0o700)


def state_home() -> Path:
    """toolrag's folder among the user's state; `XDG_STATE_HOME` moves it on Linux. Raises ConfigError where it is not
    known: no HOME, and a user the system does not know."""
    try:
        return Path(platformdirs.user_state_dir("toolrag", appauthor=False))
    except RuntimeError:
        raise ConfigError("There is no home folder to keep journals in. Set HOME or XDG_STATE_HOME.") from None


def _may_be_in(root: str, data: bytes) -> bool:
    """Whether a run was in a root, around it or below it; a damaged one may have been."""
    try:
        roots = first_of(data.partition(b"\n")[0])["toolrag.roots"]
    except (BrokenError, KeyError):
        return True
    if not isinstance(roots, list) or not all(isinstance(one, str) for one in roots):
        return True
    wanted = Path(root)
    return any(wanted == Path(one) or wanted in Path(one).parents or Path(one) in wanted.parents for one in roots)


def _listed(path: Path, status: os.stat_result) -> KeptRun:
    model = question = ""
    with contextlib.suppress(BrokenError, OSError), open(path, "rb", opener=open_plainly) as file:
        start = first_of(file.readline())
        model, question = (str(start.get(f"toolrag.{name}", "")) for name in ("model", "asked"))
    return KeptRun(path.stem, status.st_mtime, model, question, status.st_size)
