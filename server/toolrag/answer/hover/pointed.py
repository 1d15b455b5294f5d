"""The word under the pointer, and whether it is code. Pure.

A text is read from its start by its comments and strings, since a quote may open many lines above. It is a table of
quotes, not a grammar: a language without one here has words only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from toolrag.retrieval.languages import LANGUAGES
from toolrag.text import LineRange, Text

PROSE: Final = frozenset({"markdown", "rst", "text", "html", "json", "yaml", "toml", "css", "dockerfile", ""})
"""Texts whose words are words: what is written in them is no use of a name."""

_WORD: Final = re.compile(r"[^\W\d]\w*")
_QUALIFIER: Final = re.compile(r"([^\W\d]\w*)\s*(?:\.|::|->|\\)\s*\Z")
_LONGEST_WORD: Final = 200
_LOOK_BACK: Final = 120
"""Characters before a word in which what qualifies it is looked for."""

_TRIPLE: Final = r'"""(?:\\.|(?!""").)*+(?:"""|\Z)'
# One that is not closed ends with its line, or with the text: so nothing is read twice.
_DOUBLE: Final = r'"(?:\\.|[^"\\\r\n])*+(?:"|\\?$)'
_SINGLE: Final = r"'(?:\\.|[^'\\\r\n])*+(?:'|\\?$)"
_CHARACTER: Final = r"'(?:\\[^\n']{1,10}|[^'\\\n])'"
"""Where a single quote may also begin a lifetime, a label or a type variable."""
_BACKTICK: Final = r"`(?:\\.|[^`\\])*+(?:`|\\?\Z)"
_SINGLE_QUOTED: Final = frozenset("python javascript typescript tsx ruby php lua bash elixir sql dart make".split())
_BACKTICKED: Final = frozenset({"javascript", "typescript", "tsx", "go"})
_HOLE: Final = re.compile(r"[$#]?\{[^{}]*\Z")
"""What opens code within a string: `{` of Python's f-strings, `${`, `#{`."""

_WHOLE_HOLE: Final = re.compile(r"[$#]?\{[^{}]*(?:\}|\Z)")


@dataclass(frozen=True, slots=True)
class Pointed:
    """A word of a text."""

    name: str
    start: int
    end: int
    """Offsets in the text, in characters."""
    line: int
    qualifier: str
    """The name before it, joined by a dot or the like: `session` in `session.send`; empty where there is none."""
    is_code: bool
    """It stands in no comment, no string and no prose. What is written in those, such as a citation, is another's."""


def pointed_at(text: Text, offset: int, language: str) -> Pointed | None:
    """The word at an offset, or ending there; None where there is none."""
    line = text.line_at(offset)
    start_of_line = text.starts[line]
    at = offset - start_of_line
    for match in _WORD.finditer(text.line(line)):
        if match.start() <= at <= match.end():
            break
        if match.start() > at:
            return None
    else:
        return None
    if len(match[0]) > _LONGEST_WORD:
        return None
    start = start_of_line + match.start()
    before = _QUALIFIER.search(text.content[max(0, start - _LOOK_BACK) : start])
    is_code = language not in PROSE and not _is_literal(text.content, start, language)
    return Pointed(match[0], start, start + len(match[0]), line, before[1] if before else "", is_code)


def words_of(content: str, language: str) -> str:
    """A text with everything but its comments, strings and prose blanked out by line ends; no offset changes.

    The marks that begin comments are blanked too, and what a string's braces hold as code.
    """
    if language in PROSE:
        return content
    pieces: list[str] = []
    at = 0
    for match in _literals(language).finditer(content):
        start, literal = match.start(), match[0]
        if match.lastgroup == "comment":
            start += _opening(literal, language)
            literal = content[start : match.end()]
        elif _has_holes(content, match):
            literal = _WHOLE_HOLE.sub(lambda hole: "\n" * len(hole[0]), literal)
        pieces += ["\n" * (start - at), literal]
        at = match.end()
    return "".join([*pieces, "\n" * (len(content) - at)])


def is_doc(doc: LineRange | None, line: int) -> bool:
    """Whether a line belongs to a symbol's doc."""
    return doc is not None and doc.start <= line < doc.end


def _is_literal(content: str, offset: int, language: str) -> bool:
    """Whether what stands at an offset is in a comment or a string, but not in a string's hole for code."""
    for match in _literals(language).finditer(content):
        if match.start() > offset:
            return False
        if offset < match.end():
            is_string = match.lastgroup == "string"
            return not (is_string and _HOLE.search(content, match.start(), offset) and _has_holes(content, match))
    return False


def _has_holes(content: str, literal: re.Match[str]) -> bool:
    """Whether a string's braces hold code: by the `f` before it, or the mark before its braces."""
    before = content[max(0, literal.start() - 2) : literal.start()].lower()
    return "f" in before or before[-1:] == "$" or literal[0][0] == "`" or "#{" in literal[0] or "${" in literal[0]


def _opening(comment: str, language: str) -> int:
    """How many characters begin a comment: `//`, and `///` too."""
    for start, _ in _blocks(language):
        if block := re.match(start, comment):
            return block.end()
    mark = max((mark for mark in LANGUAGES[language].comments if comment.startswith(mark)), key=len, default="")
    return len(comment) - len(comment.removeprefix(mark).lstrip(mark[-1:])) if mark else 0


@cache
def _literals(language: str) -> re.Pattern[str]:
    """Comments and strings, whichever begins first."""
    known = LANGUAGES[language]
    comments = [rf"{start}(?s:.)*?(?:{end}|\Z)" for start, end in _blocks(language)]
    comments += [rf"{re.escape(mark)}[^\r\n]*" for mark in known.comments]
    strings = [f"(?s:{_TRIPLE})"]
    if known.docstrings or language == "dart":
        strings.append("(?s:" + _TRIPLE.replace('"', "'") + ")")
    strings.append(_DOUBLE)
    strings.append(_SINGLE if language in _SINGLE_QUOTED else _CHARACTER)
    if language in _BACKTICKED:
        strings.append(f"(?s:{_BACKTICK})")
    return re.compile(f"(?m)(?P<comment>{'|'.join(comments) or '(?!)'})|(?P<string>{'|'.join(strings)})")


def _blocks(language: str) -> tuple[tuple[str, str], ...]:
    """What begins a comment of several lines, as a regular expression, and what ends it, as one too."""
    return tuple((start, re.escape(end)) for start, end in LANGUAGES[language].block_comments)
