"""A model's sentence taken apart: the citations in it, and its words as safe Markdown. Pure.

Told to a model is `[e1:12-18]`. Read is what models make of it: other brackets and dashes, blanks, `L12`, "lines 12 to
18", several in one pair of brackets, a citation within code marks or in the middle of a sentence.
Absent on purpose: emphasis, links, images, HTML and headings; of a model's markup only code spans are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolrag.answer.prose import CODE_SPAN, markdown

_CITED: Final = "\0"
"""Stands for a citation while its sentence is mended; no text has it of its own."""
_BRACKETS: Final = re.compile(r"(?:\[|【|(?<!\w)\()([^\[\]()【】\n]{2,300})[\])】](?:\([^()\s]{0,300}\))?")
"""What may be a citation, with the destination that a model made it a link to."""
_PARTS: Final = re.compile(r"\s?(?:[,;&]|\band\b)\s?|\s(?=[eE]\d)")
_LINE: Final = r"(?:lines?\s?|L)?(\d{1,9})"
_PART: Final = re.compile(
    rf"(?:(?:see|cf\.?|evidence)\s)?([eE]\d{{1,6}})?(?:\s?[:#@]?\s?{_LINE}(?:\s?(?:[-‐‑‒–—−]|\.\.|to\s)\s?{_LINE})?)?"
)
_GAP: Final = re.compile(
    r" ?(?P<open>\*{1,3}|[(\[](?:see|cf\.?|from)? ?)?\0(?:(?: ?[,;&])?(?: and)? ?\0)*(?(open) ?(?:[)\]]|\*{1,3}))"
    r" ?(?P<after>[.,;:!?]?)"
)
_CODE_OR_GAP: Final = re.compile(rf"{CODE_SPAN.pattern}|{_GAP.pattern}", re.DOTALL)
_CODE_OR_STRESS: Final = re.compile(
    rf"{CODE_SPAN.pattern}"
    r"|(?<![*\w])(?P<stars>\*{1,3})(?=[^\s*])(?P<words>(?:`[^`\n]{0,200}`|[^*`\n]){1,400}?)(?<=[^\s*])(?P=stars)(?![*\w])",
    re.DOTALL,
)
_ONLY_POINTS: Final = re.compile(r"(?i)\W*(?:sources?|references?|citations?|cited|evidence|see)?\W*")


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation as a model wrote it: an id of evidence, and lines of its file."""

    evidence: str
    start: int | None
    """1-based; None where the whole of the evidence is meant."""
    end: int | None
    """1-based, inclusive."""

    def __str__(self) -> str:
        lines = (
            "" if self.start is None else f":{self.start}" if self.start == self.end else f":{self.start}-{self.end}"
        )
        return f"[{self.evidence}{lines}]"


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words with the citations marked in them."""

    marked: str
    """White space folded, each citation one mark."""
    cites: tuple[Cite, ...]
    """Each once, in order."""

    @property
    def is_bare(self) -> bool:
        """Whether it only points: no words are left beside the citations."""
        return bool(self.cites) and _ONLY_POINTS.fullmatch(self.marked) is not None

    @property
    def ends_cited(self) -> bool:
        """Whether a citation is the last of it."""
        return self.marked.rstrip(" .,;:!?*_`\"')").endswith(_CITED)

    @property
    def text(self) -> str:
        """The words without citations, as Markdown that does nothing."""
        words = _CODE_OR_GAP.sub(lambda match: match[0] if match[1] else _mended(match), self.marked)
        # Three layers of stars are as many as a model writes.
        for _ in range(3):
            words = _CODE_OR_STRESS.sub(lambda match: match[0] if match[1] else match["words"], words)
        words = words.lstrip(" :;,–—").rstrip()
        return markdown(f"{words[:-1].rstrip()}." if words.endswith(":") else words)


def parse_sentence(words: str) -> Sentence:
    """Words of a model with their citations found."""
    flat = " ".join(words.replace(_CITED, "").split())
    cites: list[Cite] = []
    pieces: list[str] = []
    at = 0
    for match in CODE_SPAN.finditer(flat):
        pieces += [_without_cites(flat[at : match.start()], cites), _code(match, cites)]
        at = match.end()
    pieces.append(_without_cites(flat[at:], cites))
    return Sentence("".join(pieces), tuple(dict.fromkeys(cites)))


def _without_cites(words: str, cites: list[Cite]) -> str:
    def mark(match: re.Match[str]) -> str:
        found = _cites_of(match[1].strip())
        cites.extend(found)
        return _CITED if found else match[0]

    return _BRACKETS.sub(mark, words)


def _code(match: re.Match[str], cites: list[Cite]) -> str:
    """A code span; one that holds nothing but a citation is that citation."""
    inside = _BRACKETS.fullmatch(match[2].strip())
    found = _cites_of(inside[1].strip()) if inside else []
    cites.extend(found)
    return _CITED if found else match[0]


def _cites_of(inside: str) -> list[Cite]:
    """The citations between two brackets; none unless all that stands there are citations."""
    found: list[Cite] = []
    for part in _PARTS.split(inside):
        match = _PART.fullmatch(part.strip())
        if match is None or not match[0]:
            return []
        evidence, first, last = match.groups()
        start, end = (None, None) if first is None else (int(first), int(last or first))
        if evidence:
            found.append(Cite(evidence.lower(), start, end))
        elif not found or start is None:
            return []
        elif found[-1].start is None:
            found[-1] = Cite(found[-1].evidence, start, end)
        else:
            found.append(Cite(found[-1].evidence, start, end))
    return found


def _mended(gap: re.Match[str]) -> str:
    """What is put where citations were: the mark after them, unless one is there, or a blank between words."""
    before, after = gap.string[: gap.start()][-1:], gap["after"]
    if not before:
        return ""
    if after:
        is_ended = before in ".!?" or (before in ",;:" and after in ",;:")
        follows = gap.string[gap.end() : gap.end() + 1]
        return ("" if is_ended else after) + (" " if gap[0].endswith(" ") and follows else "")
    return "" if gap.end() == len(gap.string) or before in "([" or gap.string[gap.end()] in ")]" else " "
