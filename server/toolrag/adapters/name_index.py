"""The Names port over the index: where to look comes from the arrays, what is said from texts looked at just now.

A file whose text is not the one that was indexed gives its symbols by a parse that is waited for only a moment.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from toolrag.adapters.brief_parser import BriefParser
from toolrag.adapters.live_reader import Glances
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.answer.hover.names import Front, Listed, Namesakes, Naming, NamingLine, Symbol
from toolrag.ports import SpanParser
from toolrag.retrieval.corpus import DEFINING_KINDS, last_name
from toolrag.retrieval.languages import LANGUAGES
from toolrag.retrieval.name_search import SymbolRow
from toolrag.retrieval.paths import EXAMPLE, TEST, is_aside
from toolrag.retrieval.symbols_in import name_parts, stands
from toolrag.retrieval.tokens import identifier_tokens, term_hash
from toolrag.symbols import ParsedFile
from toolrag.text import Text, TextSnapshot

MOST_DEFINING: Final = 24
"""Files that are looked at for the symbols of a name that very many have."""
MOST_PRODUCT: Final = 24
MOST_ASIDE: Final = 12
"""Files of product code, and of tests and examples, that are read for the lines that name something."""
MOST_LINES: Final = 150
MOST_LINES_ASIDE: Final = 50
"""Lines that are counted of each; beyond them there are "more"."""
_HEADER_LINES: Final = 5
"""A header names its symbol on one of its first lines; in C its type may stand above it."""

Texts = list[tuple[TextSnapshot, str]]


class Snapshots(Glances, Protocol):
    """Where texts come from, many in one go: on one thread, since each change of threads costs as much as a read."""

    async def snapshots(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts of some documents, each read now; None for one that may not, or cannot, be read."""
        ...


class NameIndex:
    """Belongs to one event loop. Asks a retriever for what it searches at the moment of each call."""

    def __init__(self, retriever: IndexedRetriever, documents: Snapshots, parser: SpanParser) -> None:
        self._retriever = retriever
        self._documents = documents
        self._parser = BriefParser(parser, retriever.decoded)

    async def symbols(self, name: str, front: Front, within: str, limit: int) -> Namesakes:
        """As `Names.symbols`."""
        view = self._retriever.view
        rows = view.name_search.rows_of(name)
        files = _nearest(view, rows, within)
        glances = await self._documents.glances([view.documents[file] for file in files[:MOST_DEFINING]])
        complete = view.complete and len(files) <= MOST_DEFINING
        texts = {
            file: text for file, text in zip(files, glances, strict=False) if text and text.uri != front.snapshot.uri
        }
        known = Counter(row.file for row in rows)
        stale = [file for file, text in texts.items() if text.sha != view.corpus.shas[file]]
        wanted = [(front.snapshot, front.language)] if front.language else []
        # Those that are asked for are few; of the others it is enough to know that their text is the indexed one.
        best = [file for file in texts if file not in stale][:limit]
        wanted += [(texts[file], view.corpus.languages[file]) for file in [*stale, *best]]
        found: list[Symbol] = []
        n_others = sum(known[file] for file in texts if file not in stale and file not in best)
        for (snapshot, written_in), parsed in zip(wanted, await self.parsed(wanted), strict=True):
            if parsed is None:
                complete = False
                continue
            found += [
                Symbol(snapshot, written_in, parsed, span)
                for span in parsed.spans
                if last_name(span.name) == name and stands(snapshot.text, span)
            ]
        order = {text.uri: at for at, text in enumerate([front.snapshot, *texts.values()])}
        found.sort(key=lambda one: (not _is_within(one.span.container, within), _order_of(one, order)))
        return Namesakes(tuple(found[:limit]), len(found) + n_others, complete)

    async def lines(self, name: str, front: Front) -> Naming:
        """As `Names.lines`."""
        view = self._retriever.view
        product, aside = await asyncio.to_thread(_files_saying, view, name)
        files = [*product[:MOST_PRODUCT], *aside[:MOST_ASIDE]]
        complete = view.complete and len(product) <= MOST_PRODUCT and len(aside) <= MOST_ASIDE
        glances = await self._documents.glances([view.documents[file] for file in files])
        texts: list[tuple[TextSnapshot, str, bool]] = []
        for file, snapshot in zip(files, glances, strict=True):
            if snapshot is not None and snapshot.uri != front.snapshot.uri:
                texts.append((snapshot, view.corpus.languages[file], is_aside(snapshot.path)))
        texts.insert(0, (front.snapshot, front.language, is_aside(front.snapshot.path)))
        found, is_whole = await asyncio.to_thread(_lines_with, name, texts, view)
        return Naming(tuple(found), complete and is_whole)

    async def now(self, uris: Sequence[str]) -> list[TextSnapshot | None]:
        """As `Names.now`."""
        return await self._documents.snapshots(uris)

    async def parsed(self, texts: Sequence[tuple[TextSnapshot, str]]) -> list[ParsedFile | None]:
        """As `Names.parsed`."""
        decoded = self._retriever.decoded
        texts = [(text, language) for text, language in texts]
        missing = self._missing(texts)
        if missing:
            keys = [(text.sha, language) for text, language in missing]
            kept = await asyncio.to_thread(decoded.asked, keys, self._retriever.analyses)
            for key, analysis in kept.items():
                decoded.put(*key, analysis)
            if lost := self._missing(missing):
                await self._parser.parse(lost)
        found: list[ParsedFile | None] = []
        for text, language in texts:
            key = text.sha, language
            made = decoded.get(*key, self._retriever.analyses) if key in decoded else None
            found.append(None if made is None else made.parsed)
        return found

    async def matching(self, query: str, limit: int) -> list[Listed]:
        """As `Names.matching`."""
        view = self._retriever.view
        rows = await asyncio.to_thread(view.name_search.find, query, limit)
        files = list(dict.fromkeys(row.file for row in rows))
        glances = dict(zip(files, await self._documents.glances([view.documents[file] for file in files]), strict=True))
        found = []
        for row in rows:
            snapshot = glances[row.file]
            # Another text than the indexed one has it elsewhere, or not at all; the index follows within a second.
            if snapshot is None or snapshot.sha != view.corpus.shas[row.file]:
                continue
            at = _name_at(snapshot.text, row)
            if at is not None:
                found.append(Listed(snapshot, row.name, row.container, row.kind, *at))
        return found

    def defines(self, name: str) -> bool:
        """As `Names.defines`."""
        return self._retriever.defines(name)

    def _missing(self, texts: Texts) -> Texts:
        decoded = self._retriever.decoded
        return [one for one in texts if one[1] in LANGUAGES and (one[0].sha, one[1]) not in decoded]


def _name_at(text: Text, row: SymbolRow) -> tuple[int, int, int] | None:
    """Line, start and end of a symbol's name in its header; None where the header does not hold it."""
    for line in range(row.line, min(row.line + _HEADER_LINES, text.n_lines)):
        at = next(offsets(row.name, text.line(line)), None)
        if at is not None:
            return line, at, at + len(row.name)
    is_marked = row.kind == "section" and row.line < text.n_lines
    return (row.line, 0, len(text.line(row.line))) if is_marked else None


def offsets(name: str, text: str) -> Iterator[int]:
    """Where a name stands in a text as a word of its own. A search for it alone is ten times as fast as a pattern."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
            yield at
        at = text.find(name, end)


def _is_called(name: str, line: str) -> bool:
    """Whether a line says `name(`."""
    return any(line[at + len(name) :].lstrip().startswith("(") for at in offsets(name, line))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _nearest(view: View, rows: Sequence[SymbolRow], within: str) -> list[int]:
    """The files that define a name, those that are likeliest meant first."""
    best: dict[int, tuple[bool, float, bool, str]] = {}
    for row in rows:
        far = not _is_within(row.container, within)
        factor = view.name_search.factor(row.file)
        key = (far, -factor, row.kind not in DEFINING_KINDS, view.corpus.paths[row.file])
        best[row.file] = min(key, best.get(row.file, key))
    return sorted(best, key=lambda file: best[file])


def _order_of(symbol: Symbol, order: dict[str, int]) -> tuple[int, bool, int]:
    return order[symbol.snapshot.uri], symbol.span.kind not in DEFINING_KINDS, symbol.span.lines.start


def _is_within(container: str, within: str) -> bool:
    return not within or name_parts(container)[-1:] == [within]


def _files_saying(view: View, name: str) -> tuple[list[int], list[int]]:
    """Files that have the words of a name: of product code, and tests and examples; what calls it comes first."""
    corpus = view.corpus
    passages: npt.NDArray[np.int32] | None = None
    for token in identifier_tokens(name):
        at = corpus.term(term_hash(token))
        if at is None:
            return [], []
        these = corpus.passages_with(at)
        passages = these if passages is None else np.intersect1d(passages, these, assume_unique=True)
    if passages is None:
        return [], []
    calls = Counter(file for file, _, _ in corpus.calls_of(name))
    files = np.unique(corpus.file_of[passages]).tolist()
    files.sort(key=lambda file: (not calls[file], -view.name_search.factor(file), corpus.paths[file]))
    aside = ((corpus.names.traits & (TEST | EXAMPLE)) != 0).tolist()
    return [file for file in files if not aside[file]], [file for file in files if aside[file]]


def _lines_with(
    name: str, texts: Sequence[tuple[TextSnapshot, str, bool]], view: View
) -> tuple[list[NamingLine], bool]:
    """The lines of some texts that have a name, and whether these are all."""
    heads = {(view.corpus.shas[row.file], row.line) for row in view.name_search.rows_of(name)}
    found: list[tuple[tuple[bool, bool, bool, int, int], NamingLine]] = []
    left = {False: MOST_LINES, True: MOST_LINES_ASIDE}
    for at, (snapshot, language, aside) in enumerate(texts):
        text = snapshot.text
        last = -1
        for offset in offsets(name, text.content):
            line = text.line_at(offset)
            if line == last:
                continue
            left[aside] -= 1
            if left[aside] < 0:
                break
            last = line
            is_head = (snapshot.sha, line) in heads
            is_call = not is_head and _is_called(name, text.line(line))
            found.append(((aside, not is_call, is_head, at, line), NamingLine(snapshot, language, line, is_call)))
    return [one for _, one in sorted(found, key=lambda row: row[0])], min(left.values()) >= 0
