"""The naming rule: what a claim names must be in the lines it cites (PROTOCOL section 2). Pure.

Names are what is in backticks, words that are identifiers of the evidence and look like names or are called there,
numbers by value, and quoted strings. Whole tokens, case-sensitive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from toolrag.answer.prose import plain

_TOKEN: Final = re.compile(r"0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?|[^\W\d]\w*")
_BACKTICKED: Final = re.compile(r"(`+)(.+?)\1(?!`)", re.DOTALL)
_QUOTED: Final = re.compile(r"\"([^\"\n]+)\"|(?<![\w])'([^'\n]+)'(?!\w)|“([^”\n]+)”")
_LOOKS_NAMED: Final = re.compile(r"_|[^\W\d_].*[A-Z]|[^\W\d].*\d")
_WORD_NUMBERS: Final = {
    word: float(value)
    for value, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tokens of some lines, in order, and which identifiers are called there."""

    tokens: tuple[str, ...]
    called: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """Each token once."""
        return frozenset(self.tokens)

    @property
    def numbers(self) -> frozenset[float]:
        """The values of all numbers, words from one to twelve included."""
        return frozenset(number for token in self.tokens if (number := _number(token)) is not None)


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """The vocabulary of some texts taken together."""
    tokens: list[str] = []
    called: set[str] = set()
    for text in texts:
        for match in _TOKEN.finditer(text):
            tokens.append(match[0])
            if text[match.end() : match.end() + 1] == "(" and not match[0][0].isdigit():
                called.add(match[0])
    return Vocabulary(tuple(tokens), frozenset(called))


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


def check_names(claim: str, cited: Vocabulary, evidence: Vocabulary) -> NamingVerdict:
    """Hold a claim's names against the lines it cites and the run's whole evidence."""
    verdicts: dict[str, list[str]] = {"supported": [], "invented": [], "elsewhere": []}
    for name, tokens in _names(claim, evidence):
        if _holds(cited, tokens):
            verdicts["supported"].append(name)
        elif _holds(evidence, tokens):
            verdicts["elsewhere"].append(name)
        else:
            verdicts["invented"].append(name)
    return NamingVerdict(*(tuple(dict.fromkeys(names)) for names in verdicts.values()))


def _names(claim: str, evidence: Vocabulary) -> list[tuple[str, tuple[str, ...]]]:
    """Each name of a claim with the tokens that must stand together."""
    names: list[tuple[str, tuple[str, ...]]] = []
    for match in _BACKTICKED.finditer(claim):
        # Code may be shortened at a line break: each of its tokens must be there, in any order.
        names += [(token, (token,)) for token in _TOKEN.findall(match[2])]
    prose = plain(_BACKTICKED.sub(" ", claim))
    for match in _QUOTED.finditer(prose):
        quoted = next(group for group in match.groups() if group)
        names.append((quoted, tuple(_TOKEN.findall(quoted))))
    named = {word for word in evidence.words if _LOOKS_NAMED.search(word)} | evidence.called
    for token in _TOKEN.findall(prose):
        if _number(token) is not None or token in named:
            names.append((token, (token,)))
    return names


def _holds(lines: Vocabulary, tokens: tuple[str, ...]) -> bool:
    if not tokens:
        return True
    if len(tokens) == 1:
        number = _number(tokens[0])
        return tokens[0] in lines.words or (number is not None and number in lines.numbers)
    size = len(tokens)
    return any(lines.tokens[at : at + size] == tokens for at in range(len(lines.tokens) - size + 1))


def _number(token: str) -> float | None:
    """The value of a number as code or prose writes it; None for another word."""
    if not token[0].isdigit():
        return _WORD_NUMBERS.get(token.lower())
    plain = token.replace("_", "").lower()
    try:
        return float(int(plain, 0)) if plain.startswith(("0x", "0b", "0o")) else float(plain)
    except ValueError:
        return None
