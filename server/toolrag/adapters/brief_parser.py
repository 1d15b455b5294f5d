"""Parsing for somebody who waits at most a moment; the parse goes on, and the next look finds it done."""

from __future__ import annotations

import asyncio
from typing import Final

from toolrag.adapters.live_reader import Decoded
from toolrag.ports import SpanParser
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

PATIENCE_SECONDS: Final = 0.08
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
        """Parses some texts, given with their languages; those that are done in time are among the decoded ones."""
        tasks = [task for snapshot, language in texts if (task := self._begun(snapshot, language)) is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=self._seconds)

    def _begun(self, snapshot: TextSnapshot, language: str) -> asyncio.Task[Analysis] | None:
        key = snapshot.sha, language
        if key not in self._under_way:
            if len(self._under_way) >= MOST_UNDER_WAY:
                return None
            self._under_way[key] = asyncio.create_task(self._parsed(snapshot, language), name="A brief parse")
        return self._under_way[key]

    async def _parsed(self, snapshot: TextSnapshot, language: str) -> Analysis:
        try:
            analysis = await self._parser.parse(snapshot.text.content, language)
            self._decoded.put(snapshot.sha, language, analysis)
            return analysis
        finally:
            del self._under_way[snapshot.sha, language]
