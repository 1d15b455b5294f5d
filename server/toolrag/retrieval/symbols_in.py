"""Find a symbol of one text in another version of it, and say whether one fits the text it is said to be of. Pure."""

from __future__ import annotations

import re
from typing import Final

from toolrag.symbols import ParsedFile, Span
from toolrag.text import LineRange, Text

_SEPARATOR: Final = re.compile(r"::|->| > |[.#\\]")


def find_symbol(parsed: ParsedFile, span: Span) -> Span | None:
    """The span of the same name, container and kind; None when there is none, or more than one."""
    wanted = (span.name, span.container, span.kind)
    same = [other for other in parsed.spans if (other.name, other.container, other.kind) == wanted]
    return same[0] if len(same) == 1 else None


def parent_of(parsed: ParsedFile, span: Span) -> Span | None:
    """The innermost symbol that holds all of this one."""
    around = [other for other in parsed.spans if other is not span and span.lines in other.lines and other != span]
    return min(around, key=lambda other: len(other.lines), default=None)


def name_parts(name: str) -> list[str]:
    """The parts of a dotted, scoped or nested name, from the outside in."""
    return [part for part in _SEPARATOR.split(name) if part]


def stands(text: Text, span: Span) -> bool:
    """Whether a symbol can be one of this text: its lines are there, they hold its name, and the text its container's.

    So what an altered or planted index says of a file is not followed, nor are its names shown.
    """
    inside = [span.header] if span.doc is None else [span.header, span.doc]
    if span.lines.end > text.n_lines or any(lines not in span.lines for lines in inside):
        return False
    if not len(span.header) or span.header_end < 0:
        return False
    if span.kind == "section":
        above = text.slice(LineRange(0, span.header.start))
        return _spelt(span.name, text.slice(span.header)) and _spelt(span.container.replace(" > ", " "), above)
    return span.name in text.slice(span.lines) and all(part in text.content for part in name_parts(span.container))


def _spelt(name: str, text: str) -> bool:
    """Whether a text has the characters of a heading's name in their order; its markup stands between them."""
    characters = iter(text)
    return all(character in characters for character in name if not character.isspace())
