"""Sentences of a doc, each with the lines it stands on, and words without their markup. Pure.

Markup is what docs are written in: reStructuredText roles, literals and links, Markdown links and weight, a few HTML
tags. Absent on purpose: a model of any language; a sentence ends at its mark before a capital, or at a CJK stop.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolrag.retrieval.prose import Item
from toolrag.text import LineRange


@dataclass(frozen=True, slots=True)
class DocParagraph:
    """A paragraph, or an entry of a list: its lines in the file, and its words on one line."""

    lines: LineRange
    text: str


@dataclass(frozen=True, slots=True)
class DocSentence:
    """A sentence, or a whole entry of a list: the lines it stands on, and its words on one line."""

    lines: LineRange
    text: str
    is_entry: bool = False
    """An entry of a list or a field such as `:param x:`, not a sentence of its own."""


_BREAK: Final = re.compile(r"(?<![.!?])[.!?]+[\"'”’)\]*_`]*\s+(?=\S)|[。！？]+\s*")
_ABBREVIATION: Final = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|Mr|Mrs|Ms|Dr|St|No|Fig|Eq|Sec|approx|resp|[A-Z])\.$")


def paragraph(item: Item) -> DocParagraph:
    """All of an item, whatever it is."""
    return DocParagraph(item.lines_in_file, clean(" ".join(line.text for line in item.lines)))


def sentences(item: Item) -> Iterator[DocSentence]:
    """The sentences of a paragraph with the lines each stands on; an entry is one, whatever it holds."""
    starts, joined = [], ""
    for line in item.lines:
        starts.append(len(joined))
        joined += f"{line.text} "
    joined = joined.rstrip()
    begin = 0
    ends = [] if item.is_entry else [match for match in _BREAK.finditer(joined) if _ends_sentence(joined, match)]
    for end in (*(match.end() for match in ends), len(joined)):
        text = clean(joined[begin:end])
        if text:
            first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
            yield DocSentence(LineRange(item.lines[first].line, item.lines[last].line + 1), text, item.is_entry)
        begin = end


def _ends_sentence(text: str, stop: re.Match[str]) -> bool:
    """Whether a stop ends a sentence: it belongs to no abbreviation, and what follows may begin another."""
    following = text[stop.end() : stop.end() + 1]
    begins = following in _OPENERS or (following.isalnum() and not following.islower())
    return begins and not _ABBREVIATION.search(text[max(0, stop.start() - 8) : stop.start() + 1])


_OPENERS: Final = "\"'“‘([`:*_"
"""What a sentence may begin with beside a letter or digit."""

_MARKED: Final = re.compile(
    r"""(?P<role>:[A-Za-z][\w:.+-]*:)?(?P<ticks>``|`)(?P<code>(?!`).+?)(?P=ticks)(?!`)(?P<refers>__?(?!\w))?
      | (?<![\w)\]])!?\[(?P<link>(?:`[^`]*`|[^\]\[])*)\](?:\([^()]*\)|\[[^\]\[]*\])
      | \{@(?:code|link|linkplain|literal|value)\s+\#?(?P<inline>[^{}]+)\}
      | (?P<tag><!--(?:(?!<!--).)*?-->|</?(?:a|b|br|code|div|em|i|img|kbd|p|span|strong|sub|sup)\b[^<>]*>)
      | (?<![\w*])\*\*(?P<strong>[^\s*](?:[^*]*[^\s*])?)\*\*(?![\w*])""",
    re.VERBOSE,
)
"""What is marked up, whichever begins first: so nothing within code is taken for markup."""


def clean(text: str) -> str:
    """Words without markup: a role, a literal or a link keeps its text, code stays in backticks, untouched."""
    return _MARKED.sub(_unmarked, " ".join(text.split())).strip()


def _unmarked(found: re.Match[str]) -> str:
    if found["tag"] is not None:
        return ""
    if found["inline"] is not None:
        return f"`{found['inline'].strip()}`"
    if found["strong"] is not None:
        return clean(found["strong"])
    if found["link"] is not None:
        return clean(found["link"])
    code, role = found["code"], found["role"]
    if role and role.strip(":").lower() in ("rfc", "pep"):
        return f"{role.strip(':').upper()} {code.partition('#')[0]}"
    if role:
        return f"`{_role_text(code)}`"
    if found["refers"] and found["ticks"] == "`":
        return code.partition("<")[0].strip() or code
    return found[0].removesuffix(found["refers"] or "") if "`" in code else f"`{code.strip()}`"


def _role_text(text: str) -> str:
    """What a role shows: its title when it has one, the last name of a dotted one after `~`."""
    title = text.partition("<")[0].strip() or text
    return title.rpartition(".")[2] if title.startswith("~") else title.lstrip("!")
