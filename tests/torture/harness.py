"""Run the installed command in processes of its own, and compare what it finds with what a fresh index finds."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from torture.counts import VECTORS
from torture.making import QUERIES, put

COMMAND = Path(sys.executable).with_name("toolrag")
TIMEOUT = 300.0
"""Seconds: a command that takes so long hangs."""
MARK = "TORTURE_PROCESS"
"""An environment variable that a command and all of its children have, by which they are found."""
PROGRESS = re.compile(r"toolrag: Indexing [\d,]+ files; ")
"""What a run with much to do says."""
CHANCES = ("parsed", "seconds", "searchableSeconds")
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


@dataclass(frozen=True)
class Seen:
    """All that an index says of a workspace, and what the first command to say it had to do."""

    report: Json
    searches: dict[str, Json]
    """What is found, by query."""
    parsed: int
    logged: tuple[str, ...]

    def same_as(self, fresh: Seen) -> None:
        """Fails unless every candidate and every count equals a fresh index's; what was logged is compared by none."""
        assert self.report == fresh.report
        assert self.searches.keys() == fresh.searches.keys()
        for query, ours in self.searches.items():
            assert _short(ours) == _short(fresh.searches[query]), query
            assert ours == fresh.searches[query]


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
        self._home = folder / "home"
        put(self._home, "toolrag/config.toml", f'[index]\nvectors = "{VECTORS}"\n')

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
        environment |= {"HOME": str(self._home), "XDG_CONFIG_HOME": str(self._home), "XDG_CACHE_HOME": str(cache)}
        environment[MARK] = mark
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

    def seen(self, cache: Path, root: Path, queries: Sequence[str] = QUERIES, *, search_first: bool = False) -> Seen:
        """What the index in a cache folder says once it is up to date; the first command brings it there."""
        commands = [("index",), *(("search", "-n", "200", query) for query in queries)]
        if search_first:
            commands.insert(0, commands[-1])
        runs = [self.run(cache, root, *command) for command in commands]
        if search_first:
            first = runs.pop(0)
            assert first.json == runs[-1].json, (
                "a search that brings the index up to date finds what the next one finds"
            )
            runs[0] = replace(runs[0], err=first.err + runs[0].err)
        report = runs[0].json
        kept = {key: value for key, value in report.items() if key not in CHANCES}
        searches = {query: run.json for query, run in zip(queries, runs[1:], strict=True)}
        logged = tuple(line for run in runs for line in run.err.splitlines() if not PROGRESS.match(line))
        return Seen(kept, searches, report["parsed"], logged)

    def fresh(self, root: Path, queries: Sequence[str] = QUERIES) -> Seen:
        """What a new index says, which is thrown away."""
        cache = self.cache()
        try:
            seen = self.seen(cache, root, queries)
        finally:
            shutil.rmtree(cache)
        assert seen.logged == ()
        return seen


def _short(found: Json) -> list[str]:
    """The candidates as lines that can be compared by eye."""
    return ["{path}:{lines} {sha:.8} {score}".format(**candidate) for candidate in found["candidates"]]


def cache_files(cache: Path) -> Path:
    """The one folder in a cache folder that holds an index."""
    (folder,) = (entry for entry in (cache / "toolrag" / "index").iterdir() if entry.is_dir())
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
