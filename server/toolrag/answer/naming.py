"""The naming rule: what a claim names must be in the lines it cites (PROTOCOL section 2). Pure.

Names are what is in backticks, words that are identifiers of the evidence and no ordinary words of prose, numbers by
value, and quoted strings. Whole tokens, case-sensitive. A comparison in backticks is a name too: `a < b` is not
supported by a line that says `a > b`. Whether code stands there as it is quoted is for `quoting` to say.
Absent on purpose: signs of numbers, which prose writes as dashes, and any reading of what a claim says about its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Final

from toolrag.answer.ordinary import is_ordinary
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
_AS_CODE: Final = re.compile(
    r"""(?<=[.(\[{*@=]) [^\W\d]\w*
      | (?<= =\x20) [^\W\d]\w*
      | (?<=\w,\x20) [^\W\d]\w* (?=[,)\]}:=])
      | (?<=\bdef\x20) \w+ | (?<=\bclass\x20) \w+ | (?<=\braise\x20) \w+ | (?<=\bexcept\x20) \w+
      | (?<=->\x20) [^\W\d]\w* | (?<=\w:\x20) [^\W\d]\w* (?=\x20?[=,)|\[\]])
      | (?<=\bimport\x20) \w+ | (?<=\bfrom\x20) \w+ (?=[\w.]*\x20import\b)
      | [^\W\d]\w* (?= [(\[] | \.\w | \x20?[-+*/|&]?=(?!=) )""",
    re.VERBOSE,
)
"""A word beside a mark that prose does not put there."""
_CONTRACTED: Final = re.compile(r"(?<=\w)['’](?:s|t|d|m|re|ve|ll)\b")
_KEYWORDS: Final = frozenset("and assert await elif else for if in is not or return while with yield".split())
"""Words that may stand before a bracket without being called."""
_WORD_NUMBERS: Final = {
    word: Decimal(value)
    for value, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """What some texts hold: their tokens, text by text and in order, and their comparisons."""

    texts: tuple[Tokens, ...]
    called: frozenset[str]
    """The names they call."""
    coded: frozenset[str]
    """The words that stand beside marks of code: parameters, attributes, targets, what is called or raised."""
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


def joined(parts: Sequence[Vocabulary]) -> Vocabulary:
    """The vocabulary of all texts of several, in their order."""
    return Vocabulary(
        tuple(tokens for part in parts for tokens in part.texts),
        frozenset().union(*(part.called for part in parts)),
        frozenset().union(*(part.coded for part in parts)),
        frozenset().union(*(part.comparisons for part in parts)),
    )


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """The vocabulary of some texts. Hidden characters count as they are written out, in lines as in claims."""
    found: list[Tokens] = []
    called: set[str] = set()
    coded: set[str] = set()
    comparisons: set[str] = set()
    for text in map(_shown, texts):
        found.append(_tokens(text))
        comparisons.update(_COMPARISON.findall(text))
        coded.update(_AS_CODE.findall(text))
        for match in _TOKEN.finditer(text):
            if text.startswith("(", match.end()) and not _DIGITS.match(match[0]):
                called.add(match[0])
    words = frozenset(coded) - _KEYWORDS
    return Vocabulary(tuple(found), frozenset(called) - _KEYWORDS, words, frozenset(comparisons))


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
    is_weak: bool = False
    """An ordinary word that is an identifier too: it may be the lines' own, and says nothing where it is not."""

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
        elif name.is_weak:
            continue
        elif name.stands_in(evidence):
            elsewhere[name.written] = None
        else:
            invented[name.written] = None
    return NamingVerdict(tuple(supported), tuple(invented), tuple(elsewhere))


def words_named(claim: str, evidence: Vocabulary) -> list[str]:
    """The words of what a claim names, in order and as often as it does.

    Where it names nothing else, they are the ordinary words in it that are identifiers too.
    """
    names = list(_names(_shown(claim), evidence))
    firm = [name for name in names if not name.is_weak]
    return [word for name in firm or names for word in name.tokens]


def words_meant(claim: str, evidence: Vocabulary) -> frozenset[str]:
    """The ordinary words of a claim that are identifiers too, which it may mean; an article or `is` it does not."""
    names = _names(_shown(claim), evidence)
    return frozenset(name.written for name in names if name.is_weak and len(name.written) > 2)


def _names(claim: str, evidence: Vocabulary) -> Iterator[_Name]:
    """Each name of a claim."""
    for match in CODE_SPAN.finditer(claim):
        # Code may be shortened, and folded from several lines: each of its tokens must be there, in any order.
        for token in _tokens(match[2]):
            yield _Name(token, (token,), _number(token) if _DIGITS.match(token) else None)
        for comparison in _COMPARISON.findall(match[2]):
            yield _Name(comparison)
    # A word is no neighbour of one across a code span: in "with `x` set to 1" nothing is called `set`.
    prose = plain(CODE_SPAN.sub(" ` ", claim))
    for match in _QUOTED.finditer(prose):
        quoted = next(group for group in match.groups() if group)
        if tokens := _tokens(quoted):
            yield _Name(quoted, tokens)
    for said in said_in(prose):
        value = _number(said.word)
        if value is not None and said.word.lower() != "one":
            yield _Name(said.word, (said.word,), value)
        elif said.joined and said.word in evidence.words:
            yield _Name(said.word, (said.word,))
        elif said.word in evidence.names or said.word in evidence.coded:
            plainly = is_ordinary(said.before, said.word, said.after)
            yield _Name(said.word, (said.word,), is_weak=plainly)


@dataclass(frozen=True, slots=True)
class Said:
    """A word of prose and what stands beside it."""

    word: str
    before: str
    """The word before it in lower case; "^" where it begins a sentence."""
    after: str
    """The word behind it; "" where a mark or the end is."""
    joined: bool
    """It is a part of code such as `self.pool` or `close()`, though without backticks."""


def said_in(prose: str) -> Iterator[Said]:
    """The words of prose without code spans. What is in quotation marks is left out."""
    text = _CONTRACTED.sub("", _QUOTED.sub(" , ", prose))
    matches = list(_TOKEN.finditer(text))
    for at, match in enumerate(matches):
        gap = text[matches[at - 1].end() : match.start()] if at else ""
        before = matches[at - 1][0].lower() if at and not gap.strip() else ""
        if not at or gap.strip() in (".", "!", "?", ":"):
            before = "^"
        follows = text[match.end() : matches[at + 1].start()] if at + 1 < len(matches) else "."
        after = "" if follows.strip() else matches[at + 1][0].lower()
        dotted = gap in ("(", "[") or gap.endswith(".") or (follows == "." and at + 1 < len(matches))
        yield Said(match[0], before, after, dotted or text.startswith("(", match.end()))


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
