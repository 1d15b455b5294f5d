"""The files a search points into, as they are now, each with the analysis of the text that was read.

The analyses that are kept are asked first; what they do not have, or have damaged, is parsed again.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from toolrag.ports import SpanParser
from toolrag.retrieval.languages import LANGUAGES
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

MOST_ANALYSES: Final = 512
"""Analyses that stay decoded; one takes about 10 to 50 kB."""

Analyses = Callable[[str, str], Analysis | None]
"""The analysis that is kept of a text, by its sha and language. Raises sqlite3.DatabaseError."""


class Glances(Protocol):
    """Where the texts of hints come from."""

    async def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts of some documents; None for one that may not, or cannot, be read."""
        ...


class Decoded:
    """The analyses that were asked for last, decoded. Changed on one thread alone."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Analysis] = OrderedDict()
        self._is_damaged = False

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self._kept

    def get(self, sha: str, language: str, analyses: Analyses) -> Analysis | None:
        """The analysis of a text; None when it is lost."""
        key = (sha, language)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        found = self.asked([key], analyses).get(key)
        if found is not None:
            self.put(sha, language, found)
        return found

    def asked(self, keys: Sequence[tuple[str, str]], analyses: Analyses) -> dict[tuple[str, str], Analysis]:
        """Those of some analyses that are kept; nothing is remembered of them. On any thread."""
        found = {}
        try:
            for key in keys:
                analysis = analyses(*key)
                if analysis is not None:
                    found[key] = analysis
        except sqlite3.DatabaseError as error:
            if not self._is_damaged:
                log.warning("The index cannot be read (%s); files are parsed again as they are needed.", error)
            self._is_damaged = True
        return found

    def put(self, sha: str, language: str, analysis: Analysis) -> None:
        """Keeps an analysis; the one that was not asked for longest goes where there are too many."""
        self._kept[sha, language] = analysis
        if len(self._kept) > MOST_ANALYSES:
            self._kept.popitem(last=False)


class LiveReader:
    """Serves one search."""

    def __init__(self, documents: Glances, parser: SpanParser, analyses: Analyses, decoded: Decoded) -> None:
        self._documents = documents
        self._parser = parser
        self._analyses = analyses
        self._decoded = decoded
        self._texts: dict[str, TextSnapshot | None] = {}

    def indexed(self, sha: str, language: str) -> Analysis | None:
        """The analysis of the text that was indexed; None when it is lost."""
        return self._decoded.get(sha, language, self._analyses)

    async def read(self, files: Iterable[tuple[str, str]]) -> None:
        """Reads the files that will be asked for, by path and language, all in one go."""
        new = {path: language for path, language in files if path not in self._texts}
        self._texts.update(zip(new, await self._documents.glances(list(new)), strict=True))
        # Each takes a millisecond or more, and there are dozens: not on the event loop.
        wanted = [(text.sha, new[path]) for path in new if (text := self._texts[path]) is not None]
        missing = [key for key in wanted if key not in self._decoded]
        if missing:
            found = await asyncio.to_thread(self._decoded.asked, missing, self._analyses)
            for key, analysis in found.items():
                self._decoded.put(*key, analysis)

    async def file(self, path: str, language: str) -> tuple[TextSnapshot, Analysis] | None:
        """The text now and its own analysis; None when it may not, or cannot, be read any more.

        What is gone or denied since it was indexed is a hint that leads nowhere.
        """
        if path not in self._texts:
            await self.read([(path, language)])
        snapshot = self._texts[path]
        if snapshot is None or language not in LANGUAGES:
            return None
        analysis = self.indexed(snapshot.sha, language)
        if analysis is None:
            analysis = await self._parser.parse(snapshot.text.content, language)
            self._decoded.put(snapshot.sha, language, analysis)
        return snapshot, analysis
