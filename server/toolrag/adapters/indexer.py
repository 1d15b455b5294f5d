"""Bring the index of one root up to date: what changed is read, parsed and kept, batch by batch.

The walk, the reads and the database have a thread of their own (`refresh`); while the parse process is at one batch,
the one before it is kept and the one after it read. Each batch is one transaction, so a run that is killed leaves a
smaller index, never a wrong one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace

from toolrag.adapters.fence import Fence, Root
from toolrag.adapters.parse_wire import is_for_now
from toolrag.adapters.refresh import Batch, Coverage, Refresh, is_whole
from toolrag.adapters.store import FileRow, Store
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.config import IndexLimits
from toolrag.ports import SpanParser
from toolrag.retrieval.languages import ANY_TEXT
from toolrag.symbols import Analysis

Progress = Callable[[int, int], None]
"""Called with the number of files done and the number of all that must be read."""


class Indexer:
    """Keeps one root's store true. The store is used on `thread` alone."""

    def __init__(
        self,
        fence: Fence,
        root: Root,
        store: Store,
        parser: SpanParser,
        limits: IndexLimits,
        thread: WorkerThread,
        before_scrub: Callable[[], None] = lambda: None,
    ) -> None:
        """`before_scrub` is called before anything is scrubbed: what was made from the store must go first."""
        self._fence = fence
        self._root = root
        self._store = store
        self._parser = parser
        self._limits = limits
        self._thread = thread
        self._before_scrub = before_scrub

    async def refresh(self, progress: Progress) -> tuple[Coverage, list[FileRow]]:
        """One pass over the root: what it found, and the files that are indexed, by path.

        Stopped, it leaves the batches that were kept. Raises sqlite3.DatabaseError when the cache's disk is full or
        it is damaged, and ConfigError where there is more to index than is allowed.
        """
        run = Refresh(self._fence, self._root, self._store, self._limits)
        n_stale = await self._thread.run(run.look)
        done = 0
        ahead: Batch | None = None
        parses: list[asyncio.Task[Analysis]] = []
        try:
            for files in run.batches():
                batch = await self._thread.run(run.read, files)
                under_way = {} if ahead is None else dict(zip(ahead.texts, parses, strict=True))
                parses, before = self._start(batch, under_way), parses
                if ahead is None:
                    progress(0, n_stale)
                else:
                    await self._keep(run, ahead, before)
                    done += ahead.n_files
                    progress(done, n_stale)
                ahead = batch
            if ahead is not None:
                await self._keep(run, ahead, parses)
        finally:
            await _abandon(parses)
        progress(n_stale, n_stale)
        return await self._thread.run(run.end, self._before_scrub)

    def _start(
        self, batch: Batch, under_way: dict[tuple[str, str], asyncio.Task[Analysis]]
    ) -> list[asyncio.Task[Analysis]]:
        """Hands a batch's new texts to the parser, in order; one that the batch before has too is parsed once."""
        return [
            under_way.get(key) or asyncio.create_task(self._parse(text, key[1])) for key, text in batch.texts.items()
        ]

    async def _parse(self, text: str, language: str) -> Analysis:
        """A text's analysis; as plain text, with what went wrong, where its own language's parser fails on it."""
        analysis = await self._parser.parse(text, language)
        if is_whole(analysis, text) or is_for_now(analysis):
            return analysis
        plain = await self._parser.parse(text, ANY_TEXT)
        problems = (*analysis.parsed.problems, "It is searched as plain text.", *plain.parsed.problems)
        return replace(plain, parsed=replace(plain.parsed, problems=problems))

    async def _keep(self, run: Refresh, batch: Batch, parses: Iterable[asyncio.Task[Analysis]]) -> None:
        """Waits for a batch's analyses and keeps them."""
        analyses = await asyncio.gather(*parses)
        await self._thread.run(run.keep, batch, dict(zip(batch.texts, analyses, strict=True)))


async def _abandon(parses: Iterable[asyncio.Task[Analysis]]) -> None:
    """Nobody waits for these any more."""
    left = [parse for parse in parses if not parse.done()]
    for parse in left:
        parse.cancel()
    if left:
        await asyncio.wait(left)
