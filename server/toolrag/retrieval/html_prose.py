"""The prose of HTML, line by line: what a reader of the page reads as sentences. Pure.

Tags go, entities become what they stand for, and a block of the page is a paragraph. Code, scripts, styles, tables and
navigation are left out. Each piece keeps its line, so that a sentence can be cited where it stands. Absent on purpose:
a parser; what follows no rule is text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Final

from toolrag.retrieval.prose import DocLine

_MARK: Final = re.compile(r"<!--|</?([A-Za-z][\w:-]*)|\{%[^{}]*%\}|\{#[^{}]*#\}")
_HEADING: Final = re.compile(r"h[1-6]$")
_SILENT: Final = frozenset("pre script style svg math textarea table nav head template select button form".split())
_INLINE: Final = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup
    time tt u var wbr
    """.split()
)


def html_prose(lines: Sequence[DocLine]) -> list[DocLine]:
    """The text of some lines of HTML up to the next heading, with an empty line between any two blocks."""
    found: list[DocLine] = []
    closing = ""
    silent = ""
    for line in lines:
        at, piece, text = 0, "", line.text
        while at < len(text):
            if closing:
                end = text.find(closing, at)
                at, closing = (len(text), closing) if end < 0 else (end + len(closing), "")
                continue
            mark = _MARK.search(text, at)
            if not silent:
                piece += text[at : mark.start() if mark else len(text)]
            if mark is None:
                break
            at = mark.end()
            if mark[1] is None:
                closing = "-->" if mark[0] == "<!--" else ""
                continue
            tag, ends, closing = mark[1].lower(), mark[0][1] == "/", ">"
            if silent:
                silent = "" if ends and tag == silent else silent
                continue
            if _HEADING.match(tag) and not ends:
                _take(found, line.line, piece)
                return found
            if tag in _SILENT and not ends:
                silent = tag
            if tag not in _INLINE:
                _take(found, line.line, piece)
                found.append(DocLine(line.line, ""))
                piece = "- " if tag == "li" and not ends else ""
        _take(found, line.line, piece)
    return found


def _take(found: list[DocLine], line: int, piece: str) -> None:
    words = " ".join(html.unescape(piece).split())
    if words.strip("- "):
        found.append(DocLine(line, words))
