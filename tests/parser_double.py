"""A SpanParser without a process: the same work, done in place."""

from __future__ import annotations

from toolrag.adapters.parse_worker import analyse
from toolrag.symbols import Analysis


class InlineParser:
    """Parses on the caller's thread, without a limit worth the name."""

    def __init__(self, limit_seconds: float = 60.0) -> None:
        self._limit_seconds = limit_seconds

    async def parse(self, text: str, language: str) -> Analysis:
        """As `ports.SpanParser.parse`."""
        return analyse(text, language, self._limit_seconds)

    async def rest(self) -> None:
        """There is nothing to let go."""
