"""An explanation is told again only while every line it cites stands, and no more than some are kept."""

from __future__ import annotations

import asyncio

from doubles import MemoryDocuments
from toolrag.answer.citations import anchor_of
from toolrag.answer.hover.kept import MOST_KEPT, Explanations
from toolrag.answer.types import Answer, Citation, Claim, Usage
from toolrag.ports import Searched
from toolrag.text import LineRange

FILES = {"a.py": "def a():\n    return b()\n", "b.py": "def b():\n    return 1\n"}


def answered(documents: MemoryDocuments) -> Answer:
    """Two claims, of a line of each file."""
    citations = []
    for number, path in enumerate(FILES, 1):
        snapshot, lines = asyncio.run(documents.snapshot(path)), LineRange(1, 2)
        anchor = anchor_of(snapshot.text, lines)
        citations.append(Citation(f"r{number}", snapshot, lines, snapshot.text.sha_of(lines), anchor, "", "verified"))
    claims = (Claim("c1", "`a` calls `b`.", ("r1", "r2")), Claim("c2", "`b` is 1.", ("r2",)))
    searched = Searched(2, 0, True, ())
    return Answer("0", "?", "answered", None, "extractive", claims, tuple(citations), (), searched, Usage())


def told(kept: Explanations, documents: MemoryDocuments, name: str = "a") -> list[tuple[str, list[int]]]:
    found = asyncio.run(kept.of((name, ""), documents))
    return [(claim.id, [one.lines.start for one in citations]) for claim, citations in found]


def test_it_is_told_with_its_lines_where_they_are_now() -> None:
    documents, kept = MemoryDocuments(FILES), Explanations()
    kept.keep(("a", ""), answered(documents))
    assert told(kept, documents) == [("c1", [1, 1]), ("c2", [1])]
    documents.files["b.py"] = "# above\n" + FILES["b.py"]
    assert told(kept, documents) == [("c1", [1, 2]), ("c2", [2])]
    assert told(kept, documents, "b") == []


def test_nothing_of_it_is_told_once_one_line_does_not_stand() -> None:
    for text in ("def b():\n    return 2\n", None):
        documents, kept = MemoryDocuments(FILES), Explanations()
        kept.keep(("a", ""), answered(documents))
        if text is None:
            del documents.files["b.py"]
        else:
            documents.files["b.py"] = text
        assert told(kept, documents) == []
        documents.files["b.py"] = FILES["b.py"]
        assert told(kept, documents) == []


def test_the_ones_that_were_told_last_are_kept() -> None:
    documents, kept = MemoryDocuments(FILES), Explanations()
    for number in range(MOST_KEPT + 1):
        kept.keep((f"{number}", ""), answered(documents))
        assert told(kept, documents, "0")
    assert told(kept, documents, "1") == []
    assert told(kept, documents, "2")
