"""Doubles for tests of answers: a retriever in memory, documents that change under the reader, a clock that counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from doubles import MemoryDocuments
from parser_double import InlineParser
from toolrag.adapters.parse_worker import analyse
from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Evidence
from toolrag.config import Budget, ReadLimits
from toolrag.ports import Candidate, DocumentSource, Place, Scope, Searched, SearchResult
from toolrag.retrieval import cuts
from toolrag.retrieval.languages import language_of
from toolrag.retrieval.symbols_in import parent_of
from toolrag.retrieval.tokens import question_words, tokens
from toolrag.symbols import ParsedFile, Passage
from toolrag.text import LineRange, Text, TextSnapshot, blob_sha

ROOT = "workspace"


class CountingClock:
    """A quarter of a second passes between two looks at it."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """As `ports.Clock.now`."""
        self._now += 0.25
        return self._now

    async def sleep(self, seconds: float) -> None:
        """As `ports.Clock.sleep`, without waiting."""
        self._now += seconds


class ChangingDocuments:
    """A DocumentSource whose files change just before a given read; reads are counted from 1."""

    def __init__(self, files: Mapping[str, str], before: Mapping[int, Callable[[dict[str, str]], None]]) -> None:
        self._documents = MemoryDocuments(files)
        self._before = before
        self.n_reads = 0

    async def snapshot(self, path: str) -> TextSnapshot:
        """As `ports.DocumentSource.snapshot`."""
        self.n_reads += 1
        if self.n_reads in self._before:
            self._before[self.n_reads](self._documents.files)
        return await self._documents.snapshot(path)

    async def glances(self, paths: Sequence[str]) -> Sequence[TextSnapshot | None]:
        """As `ports.DocumentSource.glances`; not counted as reads."""
        return await self._documents.glances(paths)


class MemoryRetriever:
    """A Retriever over files as they were when it was made: a passage's score is the share of the query it holds.

    Unlike the real one it never reads again, so that a test can have candidates of an older text.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files: dict[str, tuple[Text, str, str, ParsedFile]] = {}
        for path, content in files.items():
            language = language_of(path)
            if language is not None:
                parsed = analyse(content, language, 60.0).parsed
                sha = blob_sha(content.encode("utf-8", "surrogatepass"))
                self._files[path] = (Text(content), sha, language, parsed)
        self._bags = [
            frozenset(tokens(text.slice(passage.lines)))
            for text, _, _, parsed in self._files.values()
            for passage in parsed.passages
        ]

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """As `ports.Retriever.search`, everywhere."""
        assert scope == Scope(), "this double knows no scopes"
        wanted = {word: frozenset(tokens(word)) for word in question_words(query)}
        every = frozenset(token for bag in wanted.values() for token in bag)
        found = []
        for path, (text, _, _, parsed) in self._files.items():
            for passage in parsed.passages:
                held = every & frozenset(tokens(f"{path} {text.slice(passage.lines)}"))
                if held:
                    found.append(self._candidate(path, passage, len(held) / len(every)))
        found.sort(key=lambda candidate: (-candidate.score, candidate.path, candidate.lines.start))
        known = frozenset[str]().union(*self._bags)
        missing = tuple(word for word, bag in wanted.items() if not bag & known)
        return SearchResult(tuple(found[:limit]), Searched(len(self._files), 0, True, tuple(wanted), missing))

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """As `ports.Retriever.definitions`, everywhere."""
        assert scope == Scope(), "this double knows no scopes"
        found = [
            self._candidate(path, passage, 1.0)
            for path, (_, _, _, parsed) in self._files.items()
            for passage in parsed.passages
            if passage.span is not None and f".{parsed.spans[passage.span].qualified_name}".endswith(f".{name}")
        ]
        return tuple({(one.path, one.span): one for one in reversed(found)}.values())[::-1][:limit]

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """As `ports.Retriever.references`, everywhere."""
        assert scope == Scope(), "this double knows no scopes"
        found = [
            Place(uri(path), ROOT, path, sha, one.line, parsed.spans[one.span] if one.span is not None else None)
            for path, (_, sha, _, parsed) in self._files.items()
            for one in parsed.references
            if one.kind == "call" and one.name == name
        ]
        return tuple(found[:limit])

    def defines(self, name: str) -> bool:
        """As `ports.Retriever.defines`."""
        return any(span.name == name for *_, parsed in self._files.values() for span in parsed.spans)

    def idf(self, token: str) -> float:
        """As `ports.Retriever.idf`."""
        return math.log(1 + (1 + len(self._bags)) / (1 + sum(token in bag for bag in self._bags)))

    def files(self, scope: Scope) -> Sequence[str]:
        """As `ports.Retriever.files`, everywhere."""
        assert scope == Scope(), "this double knows no scopes"
        return [uri(path) for path in sorted(self._files)]

    def _candidate(self, path: str, passage: Passage, score: float) -> Candidate:
        text, sha, language, parsed = self._files[path]
        span = None if passage.span is None else parsed.spans[passage.span]
        return Candidate(
            uri=uri(path),
            root=ROOT,
            path=path,
            sha=sha,
            language=language,
            span=span,
            parent=parent_of(parsed, span) if span else None,
            lines=passage.lines,
            signature=cuts.signature(text, span, language) if span else "",
            score=score,
            focus=score,
            reasons=("its words",),
        )


def uri(path: str) -> str:
    """Where MemoryDocuments has a path."""
    return f"file:///{ROOT}/{path}"


def range_reader(
    documents: DocumentSource, budget: Budget | None = None, limits: ReadLimits | None = None
) -> RangeReader:
    """A run's reader, with the default caps where none are given."""
    return RangeReader(documents, InlineParser(), limits or ReadLimits(), budget or Budget())


def evidence_of(snapshot: TextSnapshot, ranges: Iterable[tuple[int, int]]) -> list[Evidence]:
    """Evidence as a reader makes it, of ranges counted as people do."""
    return [Evidence(f"e{n}", snapshot, LineRange(start - 1, end)) for n, (start, end) in enumerate(ranges, 1)]
