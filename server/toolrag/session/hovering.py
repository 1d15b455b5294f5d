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
from toolrag.text import LineRange, Position, PositionEncoding

MOST_LISTED = 100


class Hovering:
    """Serves one session."""

    def __init__(self, documents: Documents, names: Names, language: Callable[[str, str, str], str | None]) -> None:
        """`language` says what language an open document is in, by its URI, path and text."""
        self._documents = documents
        self._names = names
        self._language = language
        self._explanations = Explanations()

    async def hover(
        self, uri: str, position: Position, encoding: PositionEncoding, form: Format, command_links: bool
    ) -> Hover | None:
        """What is known of the name at a position; None where there is none, or the document may not be read."""
        found = await self._pointed(uri, position, encoding)
        if found is None:
            return None
        front, pointed = found
        facts = await gather(pointed, front, self._names)
        if facts is None:
            # Words of a comment or a string may be a written citation: that is told by whoever reads those.
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
        found = await self._pointed(uri, position, encoding)
        line = position.line if found is None else found[1].line
        facts = None if found is None else await gather(found[1], found[0], self._names)
        question = "what does this do?" if facts is None else f"what does `{facts.name}` do?"
        answer = await ask(Ask(question, uri, LineRange(line, line + 1), model=model))
        if facts is not None and facts.is_certain and _is_about(answer, facts.definitions[0].place):
            self._explanations.keep(facts.key, answer)
        return answer

    async def symbols(self, query: str) -> Sequence[Listed]:
        """Symbols whose names fit a query, best first; none for an empty one."""
        return await self._names.matching(query, MOST_LISTED)

    async def _pointed(self, uri: str, position: Position, encoding: PositionEncoding) -> tuple[Front, Pointed] | None:
        try:
            snapshot = await self._documents.snapshot(uri)
        except ReadError:
            return None
        language = self._language(uri, snapshot.path, snapshot.text.content) or ""
        pointed = pointed_at(snapshot.text, snapshot.text.offset(position, encoding), language)
        return None if pointed is None else (Front(snapshot, language), pointed)


def _is_about(answer: Answer, place: Place) -> bool:
    """Whether an answer cites a line of some lines: a namesake may have been taken for the symbol."""
    return any(one.snapshot.uri == place.snapshot.uri and one.lines.overlaps(place.lines) for one in answer.citations)
