"""The answer that a question follows: what it cited is read again, never trusted. Pure; awaits ports."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolrag.answer.citations import anchor_of, locate
from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Answer, Citation, Evidence
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource
from toolrag.text import LineRange

_IT = re.compile(r"(?<![\w`.'])(?:it|its|that(?:\s+(?:function|method|class|one))?|they|them)(?![\w`'])", re.I)

MOST_READ = 6
"""Citations that are read again; what a run may read is for its own question first."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier answer as a conversation carries it on."""

    question: str
    claims: tuple[str, ...]
    citations: tuple[Citation, ...]

    @staticmethod
    def of(answer: Answer) -> Earlier:
        """What goes on of an answer."""
        return Earlier(answer.question, tuple(one.text for one in answer.claims), answer.citations)

    @property
    def subject(self) -> str:
        """What it was about: the symbol of its first citation; empty where that has none."""
        return self.citations[0].symbol if self.citations else ""

    def in_full(self, question: str) -> str:
        """A question that follows, for a search: the first *it* in it is what the earlier answer was about."""
        if "`" in question or not self.subject:
            return question  # it names what it is about
        return _IT.sub(lambda _: f"`{self.subject}`", question, count=1)


async def read_again(earlier: Earlier, reader: RangeReader, documents: DocumentSource) -> list[Evidence]:
    """Evidence of this run for lines that an earlier answer cited, where they stand now; what is gone is left out."""
    found = []
    for citation in earlier.citations[:MOST_READ]:
        try:
            lines = await _now(citation, documents)
            if lines is not None:
                read = await reader.read_range(citation.snapshot.uri, lines.start + 1, lines.end)
                found.append(read.evidence)
        except ReadError as error:
            if error.code == "budget_spent":
                break
            # Gone, or denied by now: it is not carried on.
    return found


async def _now(citation: Citation, documents: DocumentSource) -> LineRange | None:
    """Where cited lines stand now."""
    then = citation.snapshot.text
    text = (await documents.snapshot(citation.snapshot.uri)).text
    return locate(text, citation.lines, citation.lines_sha, anchor_of(then, citation.lines))[1]
