"""The words of a heading in Markdown and in HTML, without what marks them up. Pure."""

from __future__ import annotations

import html
import re
from typing import Final

_MARKDOWN: Final = re.compile(
    r"!?\[([^\]\[]*)\](?:\([^()]*\)|\[[^\]\[]*\])"
    r"|</?(?:a|b|br|code|div|em|i|img|kbd|p|span|strong|sub|sup)\b[^<>]*>"
    r"|\*\*(\S[^*]*)\*\*|`| #+$"
)
_ATTRIBUTES: Final = re.compile(r"(?<=\S) ?\{:? ?[#.][^{}]*\}(?: #+)?$")
_EMPHASIS: Final = re.compile(r"(?<![\w*\\])([*_])(?=[^\s*_])([^*_]*[^\s*_\\])\1(?![\w*])")
_TAG: Final = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>|\{%[^{}]*%\}", re.DOTALL)
_HEADING: Final = re.compile(r"</?[hH][1-6]\b")
_TRANSLATED: Final = re.compile(r"\{%-?\s*trans(?:late)?\s+([\"'])([^\"'%]*)\1[^%{}]*%\}")
_MAX_ELEMENT: Final = 4_000
_MAX_CHARACTERS: Final = 200
"""Of a heading with its tags, and of its words: one that is not closed runs on and on."""


def markdown_heading(text: str) -> str:
    """A link's text without its target, no marks of code or weight, HTML tags, `{#id}` or closing `#`."""
    words = _ATTRIBUTES.sub("", " ".join(text.split()))
    code = words.split("`")
    code[::2] = [_EMPHASIS.sub(r"\2", part) for part in code[::2]]
    return _MARKDOWN.sub(lambda match: match[1] or match[2] or "", "`".join(code)).strip()


def html_heading(element: str) -> str:
    """What the first heading in some HTML says, entities as what they stand for.

    No tags, no comments, no statements of a template but for what it has translated.
    """
    begins = _HEADING.search(element)
    element = element[begins.end() if begins else 0 :][:_MAX_ELEMENT]
    ends = _HEADING.search(element)
    element = _TRANSLATED.sub(r"\2", f"<h{element[: ends.start() if ends else None]}")
    words = " ".join(html.unescape(_TAG.sub("", element)).replace("\N{PILCROW SIGN}", "").split())
    if len(words) <= _MAX_CHARACTERS:
        return words
    return words[:_MAX_CHARACTERS].rpartition(" ")[0] or words[:_MAX_CHARACTERS]
