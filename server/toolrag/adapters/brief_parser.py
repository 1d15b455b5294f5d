"""Parsing for somebody who waits at most a moment; the parse goes on, and the next look finds it done."""

from __future__ import annotations

import asyncio
from typing import Final

from toolrag.adapters.live_reader import Decoded
from toolrag.ports import SpanParser
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

PATIENCE_SECONDS: Final = 0.05
"""A file of 2,000 lines takes the parse process 20 to 40 ms; while it indexes, others are before it in its queue."""
MOST_UNDER_WAY: Final = 8
"""Parses that nobody waits for any more; beyond them none is begun."""


class BriefParser:
    """Belongs to one event loop. What is parsed is put with the analyses that are kept decoded."""

    def __init__(self, parser: SpanParser, decoded: Decoded, seconds: float = PATIENCE_SECONDS) -> None:
        self._parser = parser
        self._decoded = decoded
        self._seconds = seconds
        self._under_way: dict[tuple[str, str], asyncio.Task[Analysis]] = {}

    async def parse(self, texts: list[tuple[TextSnapshot, str]]) -> None:
        """Parses some texts, given with their languages; those that are done in time are among the decoded ones.

        A text is waited for once: whoever asks for it again while it is under way goes on without it.
        """
        begun = [self._begin(snapshot, language) for snapshot, language in texts if self._may_begin(snapshot, language)]
        if begun:
            await asyncio.wait(begun, timeout=self._seconds)

    def _may_begin(self, snapshot: TextSnapshot, language: str) -> bool:
        return (snapshot.sha, language) not in self._under_way and len(self._under_way) < MOST_UNDER_WAY

    def _begin(self, snapshot: TextSnapshot, language: str) -> asyncio.Task[Analysis]:
        task = asyncio.create_task(self._parsed(snapshot, language), name="A brief parse")
        self._under_way[snapshot.sha, language] = task
        return task

    async def _parsed(self, snapshot: TextSnapshot, language: str) -> Analysis:
        try:
            analysis = await self._parser.parse(snapshot.text.content, language)
            self._decoded.put(snapshot.sha, language, analysis)
            return analysis
        finally:
            del self._under_way[snapshot.sha, language]
