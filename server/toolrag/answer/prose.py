"""Words of a file as safe Markdown, and Markdown as words for a terminal. Pure.

What a file says is data: nothing in it becomes markup, a link or an image in an answer.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_CODE: Final = re.compile(r"(`+)(.+?)\1(?!`)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_URL: Final = re.compile(r"<?\b[a-z][a-z0-9+.-]*://[^\s<>`]+>?", re.IGNORECASE)
# An underscore within a word is no markup (CommonMark 6.2), and names are easier to read without backslashes.
_SPECIAL: Final = re.compile(r"([\\<>\[\]*~|#!&]|(?<!\w)_|_(?!\w))")
_ESCAPED: Final = re.compile(r"\\([\\<>\[\]*_~|#!&])")
_HIDDEN: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff")


def markdown(words: str) -> str:
    """A file's words as Markdown that shows them and does nothing: code stays code, all else is escaped."""
    pieces: list[str] = []
    at = 0
    flat = " ".join(visible(words).split())
    for match in _CODE.finditer(flat):
        pieces += [_escaped(flat[at : match.start()]), match[0]]
        at = match.end()
    return "".join([*pieces, _escaped(flat[at:])])


def plain(text: str) -> str:
    """Markdown of an answer as a terminal shows it: escapes off, backticks kept."""
    return _ESCAPED.sub(r"\1", text)


def visible(text: str, keep: str = "\n\t") -> str:
    """Text with control and direction characters written out (`\\x1b`), so that a terminal obeys none of them."""
    return "".join(
        character
        if character in keep or (unicodedata.category(character) not in ("Cc", "Cs") and character not in _HIDDEN)
        else _written_out(character)
        for character in text
    )


def _written_out(character: str) -> str:
    value = ord(character)
    return f"\\x{value:02x}" if value < 0x100 else f"\\u{value:04x}"


def _escaped(words: str) -> str:
    words = _URL.sub(lambda match: f"`{match[0].strip('<>')}`", _LINK.sub(r"\1", words.replace("`", "'")))
    pieces: list[str] = []
    at = 0
    for match in _CODE.finditer(words):
        pieces += [_SPECIAL.sub(r"\\\1", words[at : match.start()]), match[0]]
        at = match.end()
    return "".join([*pieces, _SPECIAL.sub(r"\\\1", words[at:])])
