"""Explanations that were asked for, kept by the text of the symbol they explain, and told again while they stand. Pure.

In memory only, and no more than some. One is told only after every line it cites was read again; of one whose lines
have changed nothing is left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolrag.answer.citations import locate
from toolrag.answer.hover.names import Symbol
from toolrag.answer.types import Answer, Citation, Claim
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource

MOST_KEPT: Final = 64
Key = tuple[str, str]
"""A symbol's name, and the hash of its lines."""
Explained = list[tuple[Claim, Sequence[Citation]]]


def key_of(symbol: Symbol) -> Key:
    """By what an explanation of a symbol is kept."""
    return symbol.span.qualified_name, symbol.snapshot.text.sha_of(symbol.span.lines)


class Explanations:
    """Those that were asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Answer] = OrderedDict()

    def keep(self, key: Key, answer: Answer) -> None:
        """Remembers an answer; one without claims is nothing to tell."""
        if not answer.claims:
            return
        self._kept[key] = answer
        self._kept.move_to_end(key)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    async def of(self, key: Key, documents: DocumentSource) -> Explained:
        """What was explained, with its citations as they stand now; nothing when one of its lines does not."""
        answer = self._kept.get(key)
        if answer is None:
            return []
        now: dict[str, Citation] = {}
        for citation in answer.citations:
            try:
                snapshot = await documents.snapshot(citation.snapshot.uri)
            except ReadError:
                break
            standing, lines = locate(snapshot.text, citation.lines, citation.lines_sha, citation.anchor)
            if lines is None or standing not in ("verified", "moved"):
                break
            now[citation.id] = replace(citation, snapshot=snapshot, lines=lines)
        if len(now) < len(answer.citations):
            self._kept.pop(key, None)
            return []
        self._kept.move_to_end(key)
        return [(claim, [now[one] for one in claim.citations]) for claim in answer.claims]
