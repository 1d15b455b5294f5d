"""Take off what makes a comment or a string literal: the words of a doc, and code without its comments. Pure.

Works by the marks in the table of `languages`, line by line. Absent on purpose: syntax. What is taken off is known to
be a comment or a doc already, or is a signature, where a comment mark in a string is the only thing to look out for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from toolrag.retrieval.languages import Language

_STRING: Final = r"\"(?:\\.|[^\"\\])*(?:\"|$)|(?<!\w)'(?:\\.|[^'\\])*(?:'|$)"
_OPENING_QUOTES: Final = re.compile(r"\s*[rRuU]?(\"\"\"|'''|\"|')")
_STAR: Final = re.compile(r"\s*\*+(?=\s|$)")


@cache
def _comment_or_string(language: Language) -> re.Pattern[str]:
    """A string, or a comment with the blanks before it; a mark of a word's kind stands apart from what is before."""
    line = [rf"(?:(?<=\s)|^){re.escape(mark)}.*" for mark in language.comments]
    block = [rf"{opening}(?s:.*?)(?:{re.escape(closing)}|$)" for opening, closing in language.block_comments]
    return re.compile(rf"({_STRING})|\s*(?:{'|'.join([*block, *line]) or '(?!)'})")


def without_comments(lines: list[str], language: Language) -> list[str]:
    """Lines of code without their comments; a comment in the middle of a line leaves a blank."""
    pattern = _comment_or_string(language)
    return [pattern.sub(lambda match: match[1] or " ", line) for line in lines]


def without_marks(lines: list[str], language: Language) -> list[str]:
    """The lines of doc comments without what makes them comments; each line stays a line.

    `#:` is how Sphinx marks the doc of an attribute. A star that begins a line of a block is decoration.
    """
    words: list[str] = []
    closing = ""
    column = 0
    for line in lines:
        if not closing:
            opened = _opened(line, language)
            if opened is None:
                words.append(_without_line_mark(line, language.comments))
                continue
            line, closing = line[opened[0] :], opened[1]
            # What follows text on the first line stands below it, at its column.
            column = opened[0] if line.strip() else 0
        elif star := _STAR.match(line):
            stars = line[star.end() :]
            line = stars if line.strip() != closing else line
        else:
            line = line[min(column, len(line) - len(line.lstrip())) :]
        inside, ended, _ = line.partition(closing)
        words.append(inside.rstrip("* ") if ended else inside)
        closing = "" if ended else closing
    return words


def begins_block(line: str, language: Language) -> bool:
    """Whether a line begins with a block comment, or what the table counts as one: a doc that is an attribute."""
    return _opened(line, language) is not None


def _opened(line: str, language: Language) -> tuple[int, str] | None:
    """Where the inside of a block comment that begins a line starts, and what will end it."""
    for opening, closing in language.block_comments:
        if match := re.compile(rf"\s*(?:{opening})").match(line):
            return match.end(), closing
    return None


def _without_line_mark(line: str, marks: tuple[str, ...]) -> str:
    words = line.strip()
    for mark in sorted(marks, key=len, reverse=True):
        if words.startswith(mark):
            return words.removeprefix(mark).removeprefix(":")
    return words


def without_quotes(lines: list[str]) -> list[str]:
    """A string literal's lines without prefix and quotes, nor what stands behind it."""
    opening = _OPENING_QUOTES.match(lines[0])
    if opening is None:
        return lines
    quote = opening[1]
    lines = [lines[0][opening.end() :], *lines[1:]]
    closing = re.compile(rf"(?:\\.|(?!{quote}).)*")
    for index, line in enumerate(lines):
        inside = closing.match(line)
        if inside and line.startswith(quote, inside.end()):
            return [*lines[:index], line[: inside.end()], *("" for _ in lines[index + 1 :])]
        lines[index] = line.removesuffix("\\")
    return lines
