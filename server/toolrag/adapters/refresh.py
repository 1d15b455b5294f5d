"""One refresh of an index, as its thread sees it: look, read, keep, end. `indexer` runs it and parses in between.

Size and times are a hint: a file that was written within the clock's grain of being read is read again, and the sha
decides. Absent on purpose: the event loop, and the parser.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from toolrag.adapters.collection import Denials, collect
from toolrag.adapters.fence import Fence, Root
from toolrag.adapters.store import FileRow, Stat, Store
from toolrag.adapters.store_file import DamagedStoreError
from toolrag.adapters.walk import Found, Skipped, Walk
from toolrag.config import IndexLimits
from toolrag.errors import ConfigError, ReadError
from toolrag.retrieval.languages import language_for, language_of
from toolrag.retrieval.not_source import by_path, by_text
from toolrag.symbols import Analysis
from toolrag.text import NotTextError, blob_sha, decode

BATCH: Final = 64
"""Files a transaction, at most."""
BATCH_BYTES: Final = 4_000_000
"""Bytes a transaction, about: two or three batches are in memory at once."""
GRAIN_NS: Final = 2_000_000_000
"""File systems keep times by up to 2 s (FAT); a file written so shortly before it was read may change unseen."""

SECONDS_A_FILE: Final = 0.006
BYTES_A_FILE: Final = 45_000
"""Measured on Django 5.2 (2,822 files, 492,000 lines) with two cores; `toolrag index` prints the seconds it took."""

_LIMIT: Final = "max_line_characters"
"""Under which name the store notes the limit that files were left out by."""

Key = tuple[str, str]
"""Sha and language of a text: what its analysis is kept by."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one refresh found and did."""

    files: int
    languages: dict[str, int]
    """Indexed files by language."""
    skipped: dict[str, int]
    """Files and folders that are not indexed, by reason; a skipped folder counts once."""
    parsed: int
    """Files parsed in this run; the others were known by their content."""
    changed: bool
    """The set of files, or a file's text, differs from the run before."""
    problems: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Nothing waits to be indexed: the next run would try no file again that this one could not take in."""
        return not self.skipped.keys() & {"unparsed", "unreadable", "changed_while_reading"}


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files that were read, and the texts among them that nothing is known of."""

    n_files: int
    """How many were to be read."""
    rows: list[FileRow] = field(default_factory=list)
    problems: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """What went wrong with the texts that are known, when they were parsed."""
    texts: dict[Key, str] = field(default_factory=dict)
    """Those that must be parsed."""


class Refresh:
    """One pass over a root. `look`, then `read` and `keep` for each of `batches`, then `end`; on one thread."""

    def __init__(self, fence: Fence, root: Root, store: Store, limits: IndexLimits) -> None:
        self._fence = fence
        self._root = root
        self._store = store
        self._limits = limits
        self._known: dict[str, FileRow] = {}
        self._kept: dict[str, FileRow] = {}
        self._stale: list[Found] = []
        self._problems: list[str] = []
        self._skipped: Counter[str] = Counter()
        self._parsed: set[Key] = set()
        self._changed = False
        self._denials = Denials(fence, root)

    def look(self) -> int:
        """Finds out which rows still hold; how many files must be read.

        Raises ConfigError when more new ones than `max_files` are among them.
        """
        self._known = self._store.files()
        limit = str(self._limits.max_line_characters)
        is_limit_new = self._store.meta(_LIMIT) != limit
        if is_limit_new:
            self._store.put_meta(_LIMIT, limit)
        analysed = self._store.analysed()
        walk = Walk(self._fence, self._root)
        for entry in walk:
            if isinstance(entry, Skipped):
                self._skipped[entry.reason] += 1
                if entry.reason in ("secret", "ignored"):
                    self._denials.add(entry.path, entry.is_dir)
                continue
            row = self._known.get(entry.path)
            holds = row is not None and _unchanged(row, entry)
            if (
                row is not None
                and holds
                and (not is_limit_new if row.left_out else (row.sha, row.language) in analysed)
            ):
                self._kept[entry.path] = row
            elif self._is_wanted(entry):
                self._stale.append(entry)
        self._problems += walk.problems
        n_new = sum(entry.path not in self._known for entry in self._stale)
        if n_new > self._limits.max_files:
            raise ConfigError(_cost(n_new, self._limits.max_files))
        return len(self._stale)

    def batches(self) -> Iterator[list[Found]]:
        """The files that must be read, in portions that memory and a transaction can take."""
        portion: list[Found] = []
        size = 0
        for entry in self._stale:
            if portion and (len(portion) == BATCH or size + entry.size > BATCH_BYTES):
                yield portion
                portion, size = [], 0
            portion.append(entry)
            size += entry.size
        if portion:
            yield portion

    def read(self, files: Sequence[Found]) -> Batch:
        """Reads some files, and finds what is known of their texts."""
        batch = Batch(len(files))
        for file in files:
            found = self._read(file.path)
            if found is None:
                continue
            row, text = found
            batch.rows.append(row)
            key = row.sha, row.language
            if not row.left_out and key not in batch.problems and key not in batch.texts:
                analysis = self._store.analysis(*key)
                if analysis is None:
                    batch.texts[key] = text
                else:
                    batch.problems[key] = analysis.parsed.problems
        return batch

    def keep(self, batch: Batch, analyses: dict[Key, Analysis]) -> None:
        """Keeps a batch: its files, and the analyses of its new texts. One transaction."""
        self._parsed.update(analyses)
        failed = {key for key, analysis in analyses.items() if not is_whole(analysis, batch.texts[key])}
        with self._store.transaction():
            for key, analysis in analyses.items():
                if key not in failed:
                    self._store.put_analysis(*key, analysis)
            for row in batch.rows:
                key = row.sha, row.language
                if row.left_out:
                    self._take(row)
                    continue
                problems = analyses[key].parsed.problems if key in analyses else batch.problems[key]
                if key in failed:
                    # The next run tries again: the parser could not be had.
                    self._skipped["unparsed"] += 1
                    self._problems += [f"{row.path}: {problem}" for problem in problems]
                    continue
                self._take(replace(row, problems=problems))

    def _take(self, row: FileRow) -> None:
        """Keeps a file's row."""
        self._store.put_file(row)
        self._kept[row.path] = row
        before = self._known.get(row.path)
        self._changed |= before is None or (before.sha, before.left_out) != (row.sha, row.left_out)

    def end(self, before_scrub: Callable[[], None]) -> tuple[Coverage, list[FileRow]]:
        """Takes out what no longer holds; what there is, and the rows of what is indexed, by their paths' bytes."""
        gone = [row for path, row in self._known.items() if path not in self._kept]
        collect(self._store, len(self._kept), gone, self._denials, before_scrub, changed=self._changed, now=time.time())
        problems = [*self._problems, *self._fence.problems]
        indexed = [row for row in self._kept.values() if not row.left_out]
        self._skipped.update(row.left_out for row in self._kept.values() if row.left_out)
        for path, row in sorted(self._kept.items()):
            problems += [f"{path}: {problem}" for problem in row.problems]
        indexed.sort(key=lambda row: os.fsencode(row.path))
        coverage = Coverage(
            files=len(indexed),
            languages=dict(sorted(Counter(row.language for row in indexed).items())),
            skipped=dict(sorted(self._skipped.items())),
            parsed=len(self._parsed),
            changed=self._changed or bool(gone),
            problems=tuple(problems),
        )
        return coverage, indexed

    def _is_wanted(self, entry: Found) -> bool:
        """Whether a file is to be indexed, by its name and size; notes why not."""
        other: str | None = by_path(entry.path)
        if other is None and language_of(entry.path) is None:
            other = "language"
        elif other is None and entry.size > self._limits.max_file_bytes:
            other = "too_large"
            self._problems.append(
                f"{entry.path} has {entry.size:,} bytes; files over index.max_file_bytes "
                f"({self._limits.max_file_bytes:,}) are read when named, but not indexed."
            )
        if other is not None:
            self._skipped[other] += 1
        return other is None

    def _read(self, path: str) -> tuple[FileRow, str] | None:
        """A file's row and text; None where it is not indexed, and notes why not."""
        read_ns = time.time_ns()
        problems: tuple[str, ...] = ()
        try:
            data = self._fence.read(self._fence.locate_in(self._root, path))
        except ReadError as error:
            self._skipped[error.code] += 1
            if error.code in ("secret_denied", "ignored"):
                self._denials.add(path, is_folder=False)  # another of its names is denied: a hard link
            return None
        try:
            text, _ = decode(data.data)
        except NotTextError:
            language, text, other = "", "", "not_text"
        else:
            language = language_for(path, text) or ""
            other = by_text(text, language) or ""
            longest = max(map(len, text.split("\n")))
            if not other and longest > self._limits.max_line_characters:
                other = "long_line"
                problems = (
                    f"It has a line of {longest:,} characters. Files with lines over index.max_line_characters "
                    f"({self._limits.max_line_characters:,}) are read when named, but not indexed.",
                )
        stat = Stat(data.size, data.mtime_ns, data.ctime_ns, data.inode)
        return FileRow(path, stat, read_ns, blob_sha(data.data), language, problems, other), text


def n_skipped_in(coverage: str | None) -> int:
    """How much a kept coverage says was left out. Raises DamagedStoreError."""
    try:
        return sum(json.loads(coverage)["skipped"].values()) if coverage else 0
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedStoreError("the last run's coverage is altered") from None


def _cost(n_files: int, max_files: int) -> str:
    """What indexing so many files takes, so that a user can decide."""
    minutes = n_files * SECONDS_A_FILE / 60
    gigabytes = n_files * BYTES_A_FILE / 1e9
    return (
        f"There are {n_files:,} files to index, more than {max_files:,}: about {minutes:.0f} minutes and "
        f"{gigabytes:.1f} GB of cache. Go on with --yes, set index.max_files, name a smaller folder with --root, or "
        "leave folders out with a .toolragignore."
    )


def is_whole(analysis: Analysis, text: str) -> bool:
    """Whether anything is known of a text that is not blank: the parse process gives at least its passages."""
    return bool(analysis.parsed.passages) or not text.strip()


def _unchanged(row: FileRow, entry: Found) -> bool:
    stat = row.stat
    same = (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode) == (
        entry.size,
        entry.mtime_ns,
        entry.ctime_ns,
        entry.inode,
    )
    return same and max(stat.mtime_ns, stat.ctime_ns) + GRAIN_NS < row.read_ns
