"""The files a search points into, as they are now: each read once, with the analysis of the text that was read.

The store is asked for that analysis first; what it does not have, or has damaged, is parsed again.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable

from toolrag.errors import ReadError
from toolrag.ports import DocumentSource, SpanParser
from toolrag.retrieval.languages import LANGUAGES
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)


Analyses = Callable[[str, str], Analysis | None]
"""The analysis that is kept of a text, by its sha and language. Raises sqlite3.DatabaseError."""


class LiveReader:
    """Serves one search."""

    def __init__(self, documents: DocumentSource, parser: SpanParser, analyses: Analyses) -> None:
        self._documents = documents
        self._parser = parser
        self._analyses = analyses
        self._files: dict[str, tuple[TextSnapshot, Analysis] | None] = {}
        self._indexed: dict[tuple[str, str], Analysis | None] = {}
        self._is_damaged = False

    def indexed(self, sha: str, language: str) -> Analysis | None:
        """The analysis of the text that was indexed; None when the store has lost it."""
        key = (sha, language)
        if key not in self._indexed:
            self._indexed[key] = self._kept(sha, language)
        return self._indexed[key]

    async def file(self, path: str, sha: str, language: str) -> tuple[TextSnapshot, Analysis] | None:
        """The text now and its own analysis; None when it may not, or cannot, be read any more."""
        if path not in self._files:
            self._files[path] = await self._read(path, sha, language)
        return self._files[path]

    async def _read(self, path: str, sha: str, language: str) -> tuple[TextSnapshot, Analysis] | None:
        if language not in LANGUAGES:
            return None
        try:
            snapshot = await self._documents.snapshot(path)
        except ReadError:
            return None  # gone or denied since it was indexed: a hint that leads nowhere is dropped
        analysis = self.indexed(sha, language) if snapshot.sha == sha else None
        if analysis is None:
            analysis = await self._parser.parse(snapshot.text.content, language)
        return snapshot, analysis

    def _kept(self, sha: str, language: str) -> Analysis | None:
        try:
            return self._analyses(sha, language)
        except sqlite3.DatabaseError as error:
            if not self._is_damaged:
                log.warning("The index cannot be read (%s); files are parsed again as they are needed.", error)
            self._is_damaged = True
            return None
