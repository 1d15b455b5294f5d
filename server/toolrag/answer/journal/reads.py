"""Reads of a run without a model, taken down as the tool calls they would be. Pure; awaits ports."""

from __future__ import annotations

from typing import Final

from toolrag.answer.journal import events
from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.chat import ToolCall
from toolrag.config import Settings
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource, Journal, SpanParser

READ_RANGE: Final = "read_range"


class JournaledReader(RangeReader):
    """A RangeReader that tells a journal of each read; the text itself is in the `document` before it."""

    def __init__(self, documents: DocumentSource, parser: SpanParser, settings: Settings, journal: Journal) -> None:
        super().__init__(documents, parser, settings.read, settings.budget)
        self._journal = journal
        self._told = 0

    async def read_range(self, path: str, start: object, end: object, expect_sha: str | None = None) -> ReadResult:
        """As `RangeReader.read_range`."""
        self._told += 1
        given = {"path": path, "start": start, "end": end}
        if expect_sha is not None:
            given["expect_sha"] = expect_sha
        call = ToolCall(f"read{self._told}", READ_RANGE, given)
        try:
            result = await super().read_range(path, start, end, expect_sha)
        except ReadError as error:
            found = error.details.get("sha")
            sha = found if isinstance(found, str) else None
            self._journal.record(*events.execute_tool(call, error.wire(), expect_sha, sha))
            raise
        told = {name: value for name, value in result.wire().items() if name != "text"}
        self._journal.record(*events.execute_tool(call, told, expect_sha, result.evidence.snapshot.sha))
        return result
