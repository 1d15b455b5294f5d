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

from toolrag.adapters.codec import decode_analysis, encode_analysis
from toolrag.adapters.fence import Fence, Root
from toolrag.adapters.store import FileRow, Stat, Store
from toolrag.adapters.walk import Found, Skipped, Walk
from toolrag.config import IndexLimits
from toolrag.errors import ReadError
from toolrag.ports import SpanParser
from toolrag.retrieval.languages import language_of
from toolrag.symbols import Analysis
from toolrag.text import NotTextError, blob_sha, decode

BATCH: Final = 64
"""Files a transaction; also how many wait for the parse process at once."""
GRAIN_NS: Final = 2_000_000_000
"""File systems keep times by up to 2 s (FAT); a file written so shortly before it was read may change unseen."""

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


class Indexer:
    """Keeps one root's store true."""

    def __init__(self, fence: Fence, root: Root, store: Store, parser: SpanParser, limits: IndexLimits) -> None:
        self._fence = fence
        self._root = root
        self._store = store
        self._parser = parser
        self._limits = limits
        self._problems: list[str] = []
        self._skipped: Counter[str] = Counter()
        self._parsed = 0

    async def refresh(self, progress: Progress) -> Coverage:
        """One pass over the root. Raises sqlite3.OperationalError when the cache's disk is full."""
        known = self._store.files()
        kept: dict[str, str] = {}
        """Language by path of every file that stays or enters."""
        stale: list[tuple[str, str]] = []
        denied: set[str] = set()
        walk = Walk(self._fence, self._root)
        for entry in walk:
            if isinstance(entry, Skipped):
                self._skipped[entry.reason] += 1
                if entry.reason in ("secret", "ignored"):
                    denied.add(entry.path)
                continue
            language = self._language(entry)
            if language is None:
                continue
            row = known.get(entry.path)
            if row is not None and row.language == language and _unchanged(row, entry):
                kept[entry.path] = language
            else:
                stale.append((entry.path, language))
        self._problems += walk.problems
        changed = False
        for first in range(0, len(stale), BATCH):
            progress(first, len(stale))
            rows = await self._read_batch(stale[first : first + BATCH])
            kept.update({row.path: row.language for row in rows})
            changed |= any(row.path not in known or known[row.path].sha != row.sha for row in rows)
        progress(len(stale), len(stale))
        changed |= self._drop(known, kept, denied)
        return Coverage(
            files=len(kept),
            languages=dict(sorted(Counter(kept.values()).items())),
            skipped=dict(sorted(self._skipped.items())),
            parsed=self._parsed,
            changed=changed,
            problems=tuple(self._problems),
        )

    def _language(self, entry: Found) -> str | None:
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
        read_ns = time.time_ns()
        rows: list[FileRow] = []
        texts: dict[tuple[str, str], str] = {}
        for path, language in files:
            try:
                data = self._fence.read(self._fence.locate_in(self._root, path))
                text, _ = decode(data.data)
            except ReadError as error:
                self._skipped[error.code] += 1
                continue
            except NotTextError:
                self._skipped["not_text"] += 1
                continue
            sha = blob_sha(data.data)
            stat = Stat(data.size, data.mtime_ns, data.ctime_ns, data.inode)
            rows.append(FileRow(path, stat, read_ns, sha, language))
            if (sha, language) not in texts and self._store.analysis(sha, language) is None:
                texts[sha, language] = text
        paths = {(row.sha, row.language): row.path for row in reversed(rows)}
        analyses = await asyncio.gather(*(self._parser.parse(text, key[1]) for key, text in texts.items()))
        with self._store.transaction():
            for (sha, language), analysis in zip(texts, analyses, strict=True):
                self._store.put_analysis(sha, language, encode_analysis(analysis))
                self._note(paths[sha, language], analysis)
            for row in rows:
                self._store.put_file(row)
        self._parsed += len(texts)
        return rows

    def _note(self, path: str, analysis: Analysis) -> None:
        self._problems += [f"{path}: {problem}" for problem in analysis.parsed.problems]

    def _drop(self, known: dict[str, FileRow], kept: dict[str, str], denied: set[str]) -> bool:
        """Takes out what is no longer there, and scrubs what may no longer be known. Whether anything went."""
        gone = [row for path, row in known.items() if path not in kept]
        if not gone:
            return False
        scrubbed = False
        with self._store.transaction():
            for row in gone:
                if self._fence.denied(self._root, row.path) or _below(row.path, denied):
                    data = self._store.analysis(row.sha, row.language)
                    ids = decode_analysis(data).terms.text_ids.tolist() if data else []
                    self._store.scrub_file(row.path, ids)
                    scrubbed = True
                else:
                    self._store.forget_file(row.path)
        if scrubbed:
            self._store.flush_deleted()
        return True


def _unchanged(row: FileRow, entry: Found) -> bool:
    stat = row.stat
    same = (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode) == (
        entry.size,
        entry.mtime_ns,
        entry.ctime_ns,
        entry.inode,
    )
    return same and max(stat.mtime_ns, stat.ctime_ns) + GRAIN_NS < row.read_ns


def _below(path: str, denied: set[str]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:depth]) in denied for depth in range(1, len(parts) + 1))
