"""Bring the index of one root up to date: walk, read what changed, parse it, keep it. Reads through the fence alone.

Size and times are a hint: a file that was written within the clock's grain of being read is read again, and the sha
decides. Each batch is one transaction, so a run that is killed leaves a smaller index, never a wrong one.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.adapters.collection import Denials, collect
from toolrag.adapters.fence import Fence, Root
from toolrag.adapters.store import FileRow, Stat, Store
from toolrag.adapters.walk import Found, Skipped, Walk
from toolrag.config import IndexLimits
from toolrag.errors import ConfigError, ReadError
from toolrag.ports import SpanParser
from toolrag.retrieval.languages import language_of
from toolrag.retrieval.not_source import by_path, by_text
from toolrag.symbols import Analysis
from toolrag.text import NotTextError, blob_sha, decode

BATCH: Final = 64
"""Files a transaction; also how many wait for the parse process at once."""
GRAIN_NS: Final = 2_000_000_000
"""File systems keep times by up to 2 s (FAT); a file written so shortly before it was read may change unseen."""

SECONDS_A_FILE: Final = 0.006
BYTES_A_FILE: Final = 45_000
"""Measured on Django 5.2 (2,822 files, 492,000 lines) with two cores; `toolrag index` prints the seconds it took."""

Progress = Callable[[int, int], None]
"""Called with the number of files done and the number of all that must be read."""


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


class Indexer:
    """Keeps one root's store true."""

    def __init__(
        self,
        fence: Fence,
        root: Root,
        store: Store,
        parser: SpanParser,
        limits: IndexLimits,
        before_scrub: Callable[[], None] = lambda: None,
    ) -> None:
        """`before_scrub` is called before anything is scrubbed: what was made from the store must go first."""
        self._fence = fence
        self._root = root
        self._store = store
        self._parser = parser
        self._limits = limits
        self._before_scrub = before_scrub

    async def refresh(self, progress: Progress) -> Coverage:
        """One pass over the root. Raises sqlite3.DatabaseError when the cache's disk is full or it is damaged."""
        run = _Run(self._fence, self._root, self._store, self._parser, self._limits)
        coverage, denials, gone = await run.refresh(progress)
        collect(self._store, coverage.files, gone, denials, self._before_scrub)
        return coverage


class _Run:
    """One refresh: what it has met so far."""

    def __init__(self, fence: Fence, root: Root, store: Store, parser: SpanParser, limits: IndexLimits) -> None:
        self._fence = fence
        self._root = root
        self._store = store
        self._parser = parser
        self._limits = limits
        self._problems: list[str] = []
        self._skipped: Counter[str] = Counter()
        self._parsed = 0
        self._denials = Denials(fence, root)

    async def refresh(self, progress: Progress) -> tuple[Coverage, Denials, list[FileRow]]:
        """What was found, what may not be known, and the rows of the run before that no longer hold."""
        known = self._store.files()
        kept, stale = self._compare(known)
        n_new = sum(path not in known for path, _ in stale)
        if n_new > self._limits.max_files:
            raise ConfigError(_cost(n_new, self._limits.max_files))
        changed = False
        for first in range(0, len(stale), BATCH):
            progress(first, len(stale))
            for row in await self._read_batch(stale[first : first + BATCH]):
                kept[row.path] = row
                changed |= row.path not in known or known[row.path].sha != row.sha
        progress(len(stale), len(stale))
        gone = [row for path, row in known.items() if path not in kept]
        self._problems += self._fence.problems
        for path in sorted(kept):
            self._problems += [f"{path}: {problem}" for problem in kept[path].problems]
        coverage = Coverage(
            files=len(kept),
            languages=dict(sorted(Counter(row.language for row in kept.values()).items())),
            skipped=dict(sorted(self._skipped.items())),
            parsed=self._parsed,
            changed=changed or bool(gone),
            problems=tuple(self._problems),
        )
        return coverage, self._denials, gone

    def _compare(self, known: dict[str, FileRow]) -> tuple[dict[str, FileRow], list[tuple[str, str]]]:
        """The rows that still hold, by path, and path and language of the files that must be read."""
        analysed = self._store.analysed()
        kept: dict[str, FileRow] = {}
        stale: list[tuple[str, str]] = []
        walk = Walk(self._fence, self._root)
        for entry in walk:
            if isinstance(entry, Skipped):
                self._skipped[entry.reason] += 1
                if entry.reason in ("secret", "ignored"):
                    self._denials.add(entry.path, entry.is_dir)
                continue
            language = self._language(entry)
            if language is None:
                continue
            row = known.get(entry.path)
            if (
                row is not None
                and row.language == language
                and _unchanged(row, entry)
                and (row.sha, language) in analysed
            ):
                kept[entry.path] = row
            else:
                stale.append((entry.path, language))
        self._problems += walk.problems
        return kept, stale

    def _language(self, entry: Found) -> str | None:
        other = by_path(entry.path)
        if other is not None:
            self._skipped[other] += 1
            return None
        language = language_of(entry.path)
        if language is None:
            self._skipped["language"] += 1
        elif entry.size > self._limits.max_file_bytes:
            self._skipped["too_large"] += 1
            self._problems.append(f"{entry.path} has {entry.size:,} bytes; it is read when named, but not indexed.")
            return None
        return language

    async def _read_batch(self, files: Sequence[tuple[str, str]]) -> list[FileRow]:
        """Reads, parses and keeps some files; the rows of those that are indexed."""
        read: list[FileRow] = []
        known: dict[tuple[str, str], Analysis] = {}
        texts: dict[tuple[str, str], str] = {}
        for path, language in files:
            found = self._read(path, language)
            if found is None:
                continue
            row, text = found
            read.append(row)
            key = row.sha, language
            if key not in known and key not in texts:
                analysis = self._store.analysis(*key)
                if analysis is None:
                    texts[key] = text
                else:
                    known[key] = analysis
        analyses = await asyncio.gather(*(self._parser.parse(text, key[1]) for key, text in texts.items()))
        parsed = dict(zip(texts, analyses, strict=True))
        self._parsed += len(parsed)
        rows = []
        with self._store.transaction():
            for key, analysis in parsed.items():
                if _is_whole(analysis, texts[key]):
                    self._store.put_analysis(*key, analysis)
            for row in read:
                key = row.sha, row.language
                problems = (parsed.get(key) or known[key]).parsed.problems
                if key in parsed and not _is_whole(parsed[key], texts[key]):
                    # The next run tries again: the parser may have failed for want of time, memory or a process.
                    self._skipped["unparsed"] += 1
                    self._problems += [f"{row.path}: {problem}" for problem in problems]
                    continue
                rows.append(FileRow(row.path, row.stat, row.read_ns, row.sha, row.language, problems))
                self._store.put_file(rows[-1])
        return rows

    def _read(self, path: str, language: str) -> tuple[FileRow, str] | None:
        read_ns = time.time_ns()
        try:
            data = self._fence.read(self._fence.locate_in(self._root, path))
            text, _ = decode(data.data)
        except ReadError as error:
            self._skipped[error.code] += 1
            if error.code in ("secret_denied", "ignored"):
                self._denials.add(path, is_folder=False)  # another of its names is denied: a hard link
            return None
        except NotTextError:
            self._skipped["not_text"] += 1
            return None
        other = by_text(text, language)
        if other is not None:
            self._skipped[other] += 1
            return None
        stat = Stat(data.size, data.mtime_ns, data.ctime_ns, data.inode)
        return FileRow(path, stat, read_ns, blob_sha(data.data), language), text


def _cost(n_files: int, max_files: int) -> str:
    """What indexing so many files takes, so that a user can decide."""
    minutes = n_files * SECONDS_A_FILE / 60
    gigabytes = n_files * BYTES_A_FILE / 1e9
    return (
        f"There are {n_files:,} files to index, more than {max_files:,}: about {minutes:.0f} minutes and "
        f"{gigabytes:.1f} GB of cache. Go on with --yes, set index.max_files, name a smaller folder with --root, or "
        "leave folders out with a .toolragignore."
    )


def _is_whole(analysis: Analysis, text: str) -> bool:
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
