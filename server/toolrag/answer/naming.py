"""The naming rule: what a claim names must be in the lines it cites (PROTOCOL section 2). Pure.

Names are what is in backticks, words that are identifiers of the evidence and look like names or are called there,
numbers by value, and quoted strings. Whole tokens, case-sensitive. A comparison in backticks is a name too: `a < b` is
not supported by a line that says `a > b`.
Absent on purpose: signs of numbers, which prose writes as dashes, and any reading of what a claim says about its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Final

from toolrag.answer.prose import CODE_SPAN, plain, visible

_TOKEN: Final = re.compile(
    r"""0[xX][\da-fA-F_]+ | 0[bB][01_]+ | 0[oO][0-7_]+
      | (?:\d[\d_]*(?:\.\d[\d_]*)? | (?<![\w.)\]])\.\d[\d_]*) (?:[eE][+-]?\d+(?!\w))?
      | [^\W\d]\w*""",
    re.VERBOSE,
)
_COMPARISON: Final = re.compile(r"(?<![-=<>!])(?:[=!]==?|[<>]=?)(?![=<>])")
"""Arrows and shifts are none."""
_DIGITS: Final = re.compile(r"\.?\d")
"""How a number begins."""
_QUOTED: Final = re.compile(r"\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”\n]+)”")
_KEYWORDS: Final = frozenset("and assert await elif else for if in is not or return while with yield".split())
"""Words that may stand before a bracket without being called."""
_WORD_NUMBERS: Final = {
    word: Decimal(value)
    for value, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """What some texts hold: their tokens, text by text and in order, the names they call, and their comparisons."""

    texts: tuple[Tokens, ...]
    called: frozenset[str]
    comparisons: frozenset[str]

    @cached_property
    def words(self) -> frozenset[str]:
        """Each token once."""
        return frozenset(token for tokens in self.texts for token in tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        """The identifiers that prose cannot say by accident: by their looks, or because they are called."""
        return frozenset(word for word in self.words if _looks_named(word)) | self.called

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """The values of all numbers, words from one to twelve included."""
        return frozenset(number for word in self.words if (number := _number(word)) is not None)


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """The vocabulary of some texts. Hidden characters count as they are written out, in lines as in claims."""
    found: list[Tokens] = []
    called: set[str] = set()
    comparisons: set[str] = set()
    for text in map(_shown, texts):
        found.append(_tokens(text))
        comparisons.update(_COMPARISON.findall(text))
        for match in _TOKEN.finditer(text):
            if text.startswith("(", match.end()) and not _DIGITS.match(match[0]):
                called.add(match[0])
    return Vocabulary(tuple(found), frozenset(called) - _KEYWORDS, frozenset(comparisons))


@dataclass(frozen=True, slots=True)
class NamingVerdict:
    """Which names of a claim are in its cited lines, and which are not."""

    supported: tuple[str, ...]
    invented: tuple[str, ...]
    """In no evidence of the run."""
    elsewhere: tuple[str, ...]
    """In the evidence, but not in the cited lines."""

    @property
    def passes(self) -> bool:
        """Nothing is named that the cited lines do not hold, and something is named that they do."""
        return bool(self.supported) and not self.invented and not self.elsewhere


@dataclass(frozen=True, slots=True)
class _Name:
    written: str
    tokens: Tokens = ()
    """Those that must stand together; none for a comparison."""
    value: Decimal | None = None
    """A number's, which may be written in other ways."""

    def stands_in(self, lines: Vocabulary) -> bool:
        if not self.tokens:
            return self.written in lines.comparisons
        if self.value is not None and self.value in lines.numbers:
            return True
        size = len(self.tokens)
        if size == 1:
            return self.tokens[0] in lines.words
        return any(text[at : at + size] == self.tokens for text in lines.texts for at in range(len(text) - size + 1))


def check_names(claim: str, cited: Vocabulary, evidence: Vocabulary) -> NamingVerdict:
    """Hold a claim's names against the lines it cites and the run's whole evidence."""
    supported, invented, elsewhere = dict[str, None](), dict[str, None](), dict[str, None]()
    for name in _names(_shown(claim), evidence):
        if name.stands_in(cited):
            supported[name.written] = None
        elif name.stands_in(evidence):
            elsewhere[name.written] = None
        else:
            invented[name.written] = None
    return NamingVerdict(tuple(supported), tuple(invented), tuple(elsewhere))


def _names(claim: str, evidence: Vocabulary) -> Iterator[_Name]:
    """Each name of a claim."""
    for match in CODE_SPAN.finditer(claim):
        # Code may be shortened, and folded from several lines: each of its tokens must be there, in any order.
        for token in _tokens(match[2]):
            yield _Name(token, (token,), _number(token) if _DIGITS.match(token) else None)
        for comparison in _COMPARISON.findall(match[2]):
            yield _Name(comparison)
    prose = plain(CODE_SPAN.sub(" ", claim))
    for match in _QUOTED.finditer(prose):
        quoted = next(group for group in match.groups() if group)
        if tokens := _tokens(quoted):
            yield _Name(quoted, tokens)
    for token in _tokens(prose):
        value = _number(token)
        if value is not None or token in evidence.names:
            yield _Name(token, (token,), value)


def _shown(text: str) -> str:
    return visible(" ".join(text.split()))


def _tokens(text: str) -> Tokens:
    return tuple(match[0] for match in _TOKEN.finditer(text))


def _looks_named(word: str) -> bool:
    return not _DIGITS.match(word) and ("_" in word or any(letter.isupper() or letter.isdigit() for letter in word[1:]))


def _number(token: str) -> Decimal | None:
    """The value of a number as code or prose writes it; None for another word."""
    if not _DIGITS.match(token):
        return _WORD_NUMBERS.get(token.lower())
    digits = token.replace("_", "").lower()
    try:
        return Decimal(int(digits, 0) if digits.startswith(("0x", "0b", "0o")) else digits)
    except (ValueError, InvalidOperation):
        return None  # `0x_` alone, or an exponent beyond what a number can have: only the same spelling is the same
