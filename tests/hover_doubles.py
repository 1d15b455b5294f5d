"""A Names without an index: it parses every text for every question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from doubles import MemoryDocuments
from index_doubles import analysis_of
from toolrag.answer.hover.names import Front, Listed, Namesakes, Naming, NamingLine, Symbol
from toolrag.retrieval.corpus import last_name
from toolrag.retrieval.languages import language_of
from toolrag.retrieval.paths import is_aside
from toolrag.symbols import ParsedFile
from toolrag.text import TextSnapshot


class ParsingNames:
    """Over documents in memory."""

    def __init__(self, documents: MemoryDocuments) -> None:
        self._documents = documents

    async def symbols(self, name: str, front: Front, within: str, limit: int) -> Namesakes:
        found = [
            Symbol(snapshot, language, parsed, span)
            for snapshot, language in await self._texts(front)
            for parsed in [analysis_of(snapshot.text.content, language).parsed]
            for span in parsed.spans
            if last_name(span.name) == name
        ]
        found.sort(
            key=lambda one: (
                bool(within) and one.span.container.split(".")[-1] != within,
                one.snapshot.uri != front.snapshot.uri,
                is_aside(one.snapshot.path),
                one.snapshot.path,
                one.span.lines.start,
            )
        )
        return Namesakes(tuple(found[:limit]), len(found), True)

    async def lines(self, name: str, front: Front) -> Naming:
        called, word = re.compile(rf"(?<!\w){name}\s*\("), re.compile(rf"(?<!\w){name}(?!\w)")
        found = []
        for snapshot, language in await self._texts(front):
            parsed = analysis_of(snapshot.text.content, language).parsed
            heads = {span.header.start for span in parsed.spans if last_name(span.name) == name}
            for line in range(snapshot.text.n_lines):
                text = snapshot.text.line(line)
                if word.search(text):
                    is_call = line not in heads and called.search(text) is not None
                    key = (is_aside(snapshot.path), not is_call, line in heads, snapshot.path, line)
                    found.append((key, NamingLine(snapshot, language, line, is_call)))
        return Naming(tuple(one for _, one in sorted(found, key=lambda row: row[0])), True)

    async def now(self, uris: Sequence[str]) -> list[TextSnapshot | None]:
        return await self._documents.glances(uris)

    async def parsed(self, texts: Sequence[tuple[TextSnapshot, str]]) -> list[ParsedFile | None]:
        return [analysis_of(text.text.content, language).parsed if language else None for text, language in texts]

    async def matching(self, query: str, limit: int) -> list[Listed]:
        found = []
        for path, text in self._documents.files.items():
            snapshot = await self._documents.snapshot(path)
            for span in analysis_of(text, language_of(path) or "").parsed.spans:
                at = snapshot.text.line(span.header.start).find(span.name)
                if query and query.lower() in span.name.lower() and at >= 0:
                    named = Listed(
                        snapshot, span.name, span.container, span.kind, span.header.start, at, at + len(span.name)
                    )
                    fits = (span.name != query, not span.name.startswith(query), is_aside(path), path)
                    found.append((fits, span.lines.start, named))
        return [one for *_, one in sorted(found, key=lambda row: row[:2])][:limit]

    def defines(self, name: str) -> bool:
        texts = self._documents.files.items()
        return any(
            last_name(span.name) == name
            for path, text in texts
            for span in analysis_of(text, language_of(path) or "").parsed.spans
        )

    async def _texts(self, front: Front) -> list[tuple[TextSnapshot, str]]:
        snapshots = [await self._documents.snapshot(path) for path in self._documents.files]
        others = [(one, language_of(one.path) or "") for one in snapshots if one.uri != front.snapshot.uri]
        return [(front.snapshot, front.language), *others]
