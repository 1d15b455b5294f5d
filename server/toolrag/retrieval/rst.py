"""Read the sections of a text in reStructuredText: its titles, and what runs from one to the next. Pure.

A title is a line of text with a line of one punctuation mark below it, or above and below; which marks mean which
level is decided by the order in which they first appear, as docutils has it. Absent on purpose: everything else of the
markup (`prose` reads that), and docutils, which reads a whole document and follows its directives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.retrieval.sentences import clean
from toolrag.retrieval.syntax import Definition, Found, Source

_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_SHORT: Final = 4
"""An adornment this long makes a title whatever the title's width; a shorter one only when it is as long."""

_NO_TITLE: Final = re.compile(
    r"\s|\.\.(?:\s|$)|__(?:\s|$)|[-+*•‣⁃](?:\s|$)|:(?![: ])(?:[^:\\]|\\.)*(?<! ):(?:\s|$)|>>>(?:\s|$)|\|(?:\s|$)"
    r"|\+[-=]+\+|(?:=+ +)+=+\s*$"
)
"""What begins another construct: a block quote, a directive or comment, a list, a field, a doctest, a line block, a
table."""

_MARKUP: Final = re.compile(
    r"^\.\. (?:_[^:\n]+:|\[[^\]\n]+\]|(?:\|[^|\n]+\| )?[\w:-]+::)"
    r"|(?<![\w:]):[a-z][a-z:-]*:`[^`\n]+`|`[^`<>\n]{1,200} <[^`<>\n]{1,500}>`_",
    re.MULTILINE,
)
"""What no other markup has: a target, a citation, a directive; a role; a link."""

_EMPHASIS: Final = re.compile(r"(?<![\w*\\])\*(?=\S)([^*]*[^*\s\\])\*(?![\w*])")
_TEXT_TO_JUDGE: Final = 200_000


@dataclass(frozen=True, slots=True)
class Title:
    """One title; lines are 0-based."""

    first: int
    """The line of its overline, or the title's own."""
    line: int
    text: str
    """As it is written, without white space around it."""
    level: int
    """1 for the marks that appear first, and so on."""


def titles(lines: Sequence[str]) -> Iterator[Title]:
    """The titles among some lines, in order."""
    levels: dict[tuple[str, bool], int] = {}
    at = 0
    opens = True
    """Whether a paragraph may begin here: at the top, after a blank line, a title, or what is no paragraph."""
    while at < len(lines):
        line = lines[at]
        over = _ADORNMENT.match(line)
        title: tuple[int, int, str] | None = None
        if opens and over and at + 2 < len(lines) and lines[at + 2].rstrip() == line.rstrip():
            text = lines[at + 1].strip()
            if _adorns(line, text) and not _ADORNMENT.match(text):
                title = at, at + 1, text
        if title is None and opens and at + 1 < len(lines) and _is_underlined(line, lines[at + 1]):
            title = at, at, line.strip()
        if title is not None:
            first, at, text = title
            style = lines[at + 1][0], at > first
            yield Title(first, at, text, levels.setdefault(style, len(levels) + 1))
            at, opens = at + 2, True
            continue
        opens = not line.strip() or (opens and _NO_TITLE.match(line) is not None)
        at += 1


def read(source: Source) -> Found:
    """The sections of a text, each from its title, or the line above it, to the next of its level or a higher one."""
    found = Found()
    lines = [source.lines[0].removeprefix("\ufeff"), *source.lines[1:]]
    for title in titles(lines):
        start = source.starts[title.line] + len(lines[title.line]) - len(lines[title.line].lstrip())
        found.define(
            Definition(
                name=heading(title.text),
                kind="section",
                pattern=0,
                start=source.starts[title.first],
                end=source.line_end(title.line),
                name_start=start,
                header_start=source.starts[title.line],
                header_stop=source.trimmed(start, source.line_end(title.line)),
                level=title.level,
            )
        )
    found.close_sections(source)
    return found


def heading(text: str) -> str:
    """A title's words, without the markup in it."""
    words = _EMPHASIS.sub(r"\1", clean(text)).replace("`", "")
    return re.sub(r"\\(?=[^\w\s])", "", words).strip() or text


def is_underline(line: str) -> bool:
    """Whether a line below a title is its mark, or blank."""
    return not line.strip() or _ADORNMENT.match(line) is not None


def reads_as_rst(text: str) -> bool:
    """Whether a text that could be anything has both a title and markup that only reStructuredText has."""
    head = text[:_TEXT_TO_JUDGE]
    return _MARKUP.search(head) is not None and next(titles(head.split("\n")), None) is not None


def _adorns(adornment: str, text: str) -> bool:
    """Whether a line of punctuation is long enough for a title."""
    length = len(adornment.rstrip())
    return bool(text) and (length >= _SHORT or length >= _width(text))


def _is_underlined(line: str, below: str) -> bool:
    """Whether a line is a title by the line below it."""
    if not line.strip() or _NO_TITLE.match(line) or _ADORNMENT.match(line) or not _ADORNMENT.match(below):
        return False
    return _adorns(below, line)


def _width(text: str) -> int:
    """How many columns a text takes; some letters of East Asia take two, combining marks none."""
    return sum(2 if unicodedata.east_asian_width(one) in "FW" else not unicodedata.combining(one) for one in text)
