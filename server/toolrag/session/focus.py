"""What stands in front of the user: what "this" means, and what comes first among equals. Pure; awaits ports."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolrag.errors import ReadError
from toolrag.ports import Candidate, DocumentSource, Place, Retriever, Scope, SearchResult
from toolrag.session.types import Ask
from toolrag.symbols import Analysis, ParsedFile, Span
from toolrag.text import LineRange, TextSnapshot

NEARER: Final = 1.15
"""What a candidate's score is multiplied with in the document in front; enough to win among equals only."""

_NOUN: Final = "(?:function|method|class|constant|variable|symbol|code|one|here)"
_THIS: Final = re.compile(
    rf"(?<![\w`.])(?:this(?:\s+{_NOUN})?|the\s+selected\s+{_NOUN}|the\s+selection)(?![\w`])", re.I
)
_WORD: Final = re.compile(r"[^\s`]{1,100}")
"""A name that can stand in a question. Keys and quoted names may be whole sentences, which a model would be asked."""

_KINDS: Final = frozenset({"class", "function", "method", "constant", "field", "type", "module"})


def says_this(question: str) -> bool:
    """Whether a question speaks of what is in front of the user."""
    return _THIS.search(question) is not None


def meant(parsed: ParsedFile, selection: LineRange) -> Span | None:
    """The symbol that a selection means: the innermost around all of it, else the first that begins in it."""
    named = [span for span in parsed.spans if span.kind in _KINDS and _WORD.fullmatch(span.name)]
    around = [span for span in named if selection in span.lines]
    if around:
        return min(around, key=lambda span: len(span.lines))
    inside = [span for span in named if selection.start <= span.lines.start < selection.end]
    return min(inside, key=lambda span: (span.lines.start, -span.lines.end), default=None)


def named(question: str, name: str) -> str:
    """The question with what "this" means in its place."""
    return _THIS.sub(lambda _: f"`{name}`", question)


@dataclass(frozen=True, slots=True)
class FocusedRetriever:
    """A Retriever for which one document comes first among equals, and one symbol of it before its namesakes."""

    inner: Retriever
    uri: str
    """Of the document in front, as snapshots have it."""
    span: Span | None = None
    """The symbol that "this" means."""

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """As the inner one's, with the document's candidates a little higher."""
        found = await self.inner.search(query, limit, scope)
        nearer = [
            replace(one, score=round(one.score * NEARER, 4)) if one.uri == self.uri else one for one in found.candidates
        ]
        return replace(found, candidates=tuple(sorted(nearer, key=lambda one: -one.score)))

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """As the inner one's, the meant symbol first, then those of the document."""
        # More than are wanted: the one in front may be far down among many of its name.
        found = await self.inner.definitions(name, max(limit, 60), scope)
        return tuple(sorted(found, key=self._distance))[:limit]

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """As the inner one's."""
        return await self.inner.references(name, limit, scope)

    def defines(self, name: str) -> bool:
        """As the inner one's."""
        return self.inner.defines(name)

    def idf(self, token: str) -> float:
        """As the inner one's."""
        return self.inner.idf(token)

    def files(self, scope: Scope) -> Sequence[str]:
        """As the inner one's."""
        return self.inner.files(scope)

    def _distance(self, candidate: Candidate) -> int:
        if candidate.uri != self.uri:
            return 2
        return 0 if self.span is not None and candidate.span == self.span else 1


async def in_front(
    ask: Ask,
    plain: Retriever,
    documents: DocumentSource,
    language_of: Callable[[str, str, str], str | None],
    analysed: Callable[[TextSnapshot, str], Awaitable[Analysis]],
) -> tuple[Retriever, str]:
    """How a question is searched for with what is in front of the user, and its words with what "this" means.

    `language_of` tells the language of a document by its URI, path and text; `analysed` parses a text in a language.
    """
    if ask.uri is None:
        return plain, ask.question
    try:
        snapshot = await documents.snapshot(ask.uri)
    except ReadError:
        return plain, ask.question
    language = language_of(ask.uri, snapshot.path, snapshot.text.content)
    if not says_this(ask.question) or ask.selection is None or language is None:
        return FocusedRetriever(plain, snapshot.uri), ask.question
    analysis = await analysed(snapshot, language)
    last = min(ask.selection.end, snapshot.text.n_lines)
    span = meant(analysis.parsed, LineRange(min(ask.selection.start, last), last))
    question = ask.question if span is None else named(ask.question, span.name)
    return FocusedRetriever(plain, snapshot.uri, span), question
