"""What is said of the name under the pointer, explanations that are asked for, and lists of symbols.

Belongs to one event loop. Only an explanation asks a model, and nothing waits for indexing: what is not indexed yet is
not said, and counts say "or more".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from toolrag.adapters.documents import Documents
from toolrag.answer.hover.facts import Place, gather
from toolrag.answer.hover.kept import Explanations
from toolrag.answer.hover.markup import Format, explain_link, written
from toolrag.answer.hover.names import Front, Listed, Names
from toolrag.answer.hover.pointed import Pointed, pointed_at
from toolrag.answer.types import Answer
from toolrag.errors import ReadError
from toolrag.session.types import Ask, Hover
from toolrag.session.written_links import WrittenLinks
from toolrag.text import LineRange, Position, PositionEncoding

MOST_LISTED = 100


class Hovering:
    """Serves one session."""

    def __init__(
        self,
        documents: Documents,
        names: Names,
        language: Callable[[str, str, str], str | None],
        links: WrittenLinks,
    ) -> None:
        """`language` says what language an open document is in, by its URI, path and text."""
        self._documents = documents
        self._names = names
        self._language = language
        self._links = links
        self._explanations = Explanations()

    async def hover(
        self, uri: str, position: Position, encoding: PositionEncoding, form: Format, command_links: bool
    ) -> Hover | None:
        """What is known of the citation or the name that is written at a position.

        None where there is neither, or the document may not be read.
        """
        front = await self._front(uri)
        if front is None:
            return None
        cited = await self._links.hover(front.snapshot, position, encoding, form)
        if cited is not None:
            return cited
        pointed = _pointed(front, position, encoding)
        facts = None if pointed is None else await gather(pointed, front, self._names)
        if pointed is None or facts is None:
            return None
        explained = await self._explanations.of(facts.key, self._documents) if facts.is_certain else []
        text = written(facts, form, explained)
        at = front.snapshot.text.position(pointed.start, encoding)
        if command_links and form == "markdown":
            text += f"\n\n{explain_link(uri, at.line, at.character)}"
        return Hover(text, at, front.snapshot.text.position(pointed.end, encoding))

    async def explain(
        self,
        uri: str,
        position: Position,
        encoding: PositionEncoding,
        ask: Callable[[Ask], Awaitable[Answer]],
        model: str | None,
    ) -> Answer:
        """An answer about the symbol at a position, by whoever answers questions; a hover tells it again.

        Where no symbol is named there, it is about the one around. Raises what `ask` raises.
        """
        front = await self._front(uri)
        pointed = None if front is None else _pointed(front, position, encoding)
        line = position.line if pointed is None else pointed.line
        facts = None if front is None or pointed is None else await gather(pointed, front, self._names)
        question = "what does this do?" if facts is None else f"what does `{facts.name}` do?"
        answer = await ask(Ask(question, uri, LineRange(line, line + 1), model=model))
        if facts is not None and facts.is_certain and _is_about(answer, facts.definitions[0].place):
            self._explanations.keep(facts.key, answer)
        return answer

    async def symbols(self, query: str) -> Sequence[Listed]:
        """Symbols whose names fit a query, best first; none for an empty one."""
        return await self._names.matching(query, MOST_LISTED)

    async def _front(self, uri: str) -> Front | None:
        try:
            snapshot = await self._documents.snapshot(uri)
        except ReadError:
            return None
        return Front(snapshot, self._language(uri, snapshot.path, snapshot.text.content) or "")


def _pointed(front: Front, position: Position, encoding: PositionEncoding) -> Pointed | None:
    text = front.snapshot.text
    return pointed_at(text, text.offset(position, encoding), front.language)


def _is_about(answer: Answer, place: Place) -> bool:
    """Whether an answer cites a line of some lines: a namesake may have been taken for the symbol."""
    return any(one.snapshot.uri == place.snapshot.uri and one.lines.overlaps(place.lines) for one in answer.citations)
