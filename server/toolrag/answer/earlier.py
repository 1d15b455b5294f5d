"""The answer that a question follows: what it cited is read again, never trusted. Pure; awaits ports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolrag.answer import wire
from toolrag.answer.locating import Cited, locate_cited, parse_citation
from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Answer, Evidence
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource

_IT = re.compile(r"(?<![\w`.'])(?:it|its|that(?:\s+(?:function|method|class|one))?|they|them)(?![\w`'])", re.I)

DENIED: Final = ("path_denied", "secret_denied", "ignored")
"""Why a document may not be read, of ReadError's codes; by the others it may, and is not there."""

MOST_READ = 6
"""Citations that are read again; what a run may read is for its own question first."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier answer as a conversation carries it on."""

    question: str
    claims: tuple[str, ...]
    citations: tuple[Mapping[str, object], ...]
    """As PROTOCOL section 2 has them."""

    @staticmethod
    def of(answer: Answer) -> Earlier:
        """What goes on of an answer."""
        citations = tuple(map(wire.citation, answer.citations))
        return Earlier(answer.question, tuple(one.text for one in answer.claims), citations)

    @property
    def subject(self) -> str:
        """What it was about: the symbol of its first citation; empty where that has none."""
        return str(self.citations[0].get("symbol", "")) if self.citations else ""

    def in_full(self, question: str) -> str:
        """A question that follows, for a search: the first *it* in it is what the earlier answer was about."""
        if "`" in question or not self.subject:
            return question  # it names what it is about
        return _IT.sub(lambda _: f"`{self.subject}`", question, count=1)


async def still_allowed(earlier: Earlier, documents: DocumentSource) -> Earlier:
    """What of an earlier answer may be carried on: nothing that was said, where a document of it is denied by now."""
    allowed = [one for one in earlier.citations if not await _is_denied(parse_citation(one), documents)]
    return earlier if len(allowed) == len(earlier.citations) else Earlier(earlier.question, (), tuple(allowed))


async def _is_denied(cited: Cited, documents: DocumentSource) -> bool:
    try:
        await documents.snapshot(cited.uri)
    except ReadError as error:
        return error.code in DENIED
    return False


async def read_again(earlier: Earlier, reader: RangeReader, documents: DocumentSource) -> list[Evidence]:
    """Evidence of this run for lines that an earlier answer cited, where they stand now; what is gone is left out."""
    found = []
    for citation in earlier.citations[:MOST_READ]:
        cited: Cited = parse_citation(citation)
        located = await locate_cited(cited, documents, None)
        if located.snapshot is None or located.lines is None:
            continue
        try:
            start, end = located.lines.start + 1, located.lines.end
            found.append((await reader.read_range(located.snapshot.uri, start, end, located.snapshot.sha)).evidence)
        except ReadError as error:
            if error.code == "budget_spent":
                break
            # Changed between the two looks, or denied by now: it is not carried on.
    return found
