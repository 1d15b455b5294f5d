"""Run the installed command in processes of its own, and compare what it finds with what a fresh index finds."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from torture.making import QUERIES

COMMAND = Path(sys.executable).with_name("toolrag")
TIMEOUT = 300.0
"""Seconds: a command that takes so long hangs."""
MARK = "TORTURE_PROCESS"
"""An environment variable that a command and all of its children have, by which they are found."""
CHANCES = ("parsed", "seconds")
"""What a report says of the run and not of the workspace."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        """What `--json` gave, of a command that did its work."""
        assert self.code in (0, 3), self
        found: Json = json.loads(self.out)
        return found

    @property
    def lines(self) -> list[str]:
        """What was logged."""
        return self.err.splitlines()


@dataclass(frozen=True)
class Seen:
    """All that an index says of a workspace, and what the first command to say it had to do."""

    report: Json
    searches: tuple[Json, ...]
    parsed: int
    logged: tuple[str, ...]

    def same_as(self, fresh: Seen) -> None:
        """Fails unless every candidate and every count equals a fresh index's; what was logged is compared by none."""
        assert self.report == fresh.report
        for query, ours, theirs in zip(QUERIES, self.searches, fresh.searches, strict=True):
            assert ours == theirs, query


@dataclass(frozen=True)
class Started:
    """A command that runs."""

    process: subprocess.Popen[bytes]
    mark: bytes
    """What it and all of its children have in their environment, and nothing else has."""

    def ended(self) -> Run:
        """Waits for its end."""
        with self._killed_at_last():
            out, err = self.process.communicate(timeout=TIMEOUT)
        return Run(self.process.returncode, out.decode(), err.decode())

    def killed(self, seconds: float, *, group: bool) -> bool:
        """Kills it, or it and its children, when so much time has passed; False where it ended before.

        Of the parent alone, its children must see that it is gone: fails where one does not leave.
        """
        with self._killed_at_last():
            with suppress(subprocess.TimeoutExpired):
                self.process.communicate(timeout=seconds)
                return False
            if group:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
            self.process.communicate(timeout=TIMEOUT)
            assert [pid for pid in _marked(self.mark) if not _leaves(pid)] == [], "a child outlives its parent"
        return self.process.returncode == -signal.SIGKILL

    @contextmanager
    def _killed_at_last(self) -> Iterator[None]:
        """Nothing of it is left when its test ends, however that ends."""
        try:
            yield
        finally:
            if self.process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


class Bench:
    """Commands over workspaces, each run with a cache folder that the test names."""

    def __init__(self, folder: Path, before: Callable[[], None] | None = None) -> None:
        self.folder = folder
        self.before = before
        self._numbers = count(1)
        (folder / "home").mkdir()

    def cache(self, copied_from: Path | None = None) -> Path:
        """A new cache folder: empty, or as another is now."""
        folder = self.folder / f"cache-{next(self._numbers)}"
        if copied_from is None:
            folder.mkdir()
        else:
            shutil.copytree(copied_from, folder)
        return folder

    def start(self, cache: Path, root: Path, *arguments: str) -> Started:
        """Starts a command in a process group of its own."""
        names = ("MAKE", "MFLAGS", "GIT_", "XDG_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(names)}
        mark = f"{self.folder}#{next(self._numbers)}"
        environment |= {"HOME": str(self.folder / "home"), "XDG_CACHE_HOME": str(cache), MARK: mark}
        process = subprocess.Popen(
            [str(COMMAND), *arguments, "--json", "--yes", "--root", str(root)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=self.before,
        )
        return Started(process, f"{MARK}={mark}".encode())

    def run(self, cache: Path, root: Path, *arguments: str) -> Run:
        """Runs a command to its end."""
        return self.start(cache, root, *arguments).ended()

    def seen(self, cache: Path, root: Path, *, search_first: bool = False) -> Seen:
        """What the index in a cache folder says once it is up to date; the first command brings it there."""
        runs: list[Run] = []

        def found(query: str) -> Json:
            runs.append(self.run(cache, root, "search", "-n", "40", query))
            return runs[-1].json

        first = found(QUERIES[0]) if search_first else None
        runs.append(self.run(cache, root, "index"))
        report = runs[-1].json
        searches = [found(query) for query in QUERIES]
        if first is not None:
            assert first == searches[0], "a search that brings the index up to date finds what the next one finds"
        logged = tuple(line for run in runs for line in run.lines)
        kept = {key: value for key, value in report.items() if key not in CHANCES}
        return Seen(kept, tuple(searches), report["parsed"], logged)

    def fresh(self, root: Path) -> Seen:
        """What a new index says, which is thrown away."""
        cache = self.cache()
        try:
            seen = self.seen(cache, root)
        finally:
            shutil.rmtree(cache)
        assert seen.logged == ()
        return seen


def cache_files(cache: Path) -> Path:
    """The one folder in a cache folder that holds an index."""
    (folder,) = (cache / "toolrag" / "index").iterdir()
    return folder


def _marked(mark: bytes) -> list[int]:
    """The processes that run with this in their environment."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal() and mark in _environment(int(entry))]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path("/proc", str(pid), "environ").read_bytes().split(b"\0")
    except OSError:
        return []  # it has ended


def _leaves(pid: int) -> bool:
    """Whether a process ends, by itself, within 10 seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 10)[0])
    finally:
        os.close(descriptor)
