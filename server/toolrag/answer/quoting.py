"""Whether what a claim quotes stands in its lines as it is quoted: token by token, in order, operators too. Pure.

Quoted is code in backticks and text in quotation marks. White space, line ends, comments, quotation marks and a comma
before a closing bracket do not count; what was left out is marked by `…` or `...`. A dotted name may also be put
together from where its parts are defined: `Pool.take` of a class `Pool` with `def take`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from toolrag.answer.prose import CODE_SPAN, plain, visible

_TOKEN: Final = re.compile(
    r"""\d[\w.]* | \w+ | \.\.\. | … | ->|=>|:=|\*\*=?|//=?|<<=?|>>=?|[-+*/%@&|^=!<>]=|&&|\|\||::|[^\w\s]""",
    re.VERBOSE,
)
_PREFIX: Final = re.compile(r"(?<!\w)[rRbBuUfF]{1,2}(?=[\"'])")
_ESCAPE: Final = re.compile(r"\\[nrt\\\"']")
_COMMENT: Final = re.compile(r"(?:(?<=\s)|^)(?:#|//|--\s).*")
_CLOSED_AFTER_COMMA: Final = re.compile(r",(?=\s*[)\]}])")
_QUOTED: Final = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”")
_DOTTED: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)+")
_LITERAL: Final = re.compile(r"([\"'])(\w+)\1")
"""A string of one word: what the lines have must be a string too."""
_SEPARATOR: Final = re.compile(r"\.|::|->|#")
_DEFINES: Final = frozenset(
    "class def enum extend extension fn func function impl interface module namespace object struct trait type".split()
)
_LOOKS_LIKE_CODE: Final = re.compile(r"[()\[\]{}=<>]|\w\.\w|\w [-+*/%|&] \w")
_WORD: Final = re.compile(r"\w")
_BARE: Final = re.compile(
    r"""(?<![\w.)\]}])(?:\[\]|\{\})(?!\w)
      | (?<![\w.])[^\W\d][\w.]*(?:\ [+*%]\ [\w.]*\w)+
      | (?<![\w.])(?:self|this|cls)\.[\w.]*\w""",
    re.VERBOSE,
)
"""What is code in prose though no mark says so: an empty list, a sum, a part of the object at hand."""
_IGNORED: Final = frozenset("\"'`\\")
_LEFT_OUT: Final = frozenset(("…", "..."))

Tokens = tuple[str, ...]


def misquoted(claim: str, cited: Sequence[str]) -> tuple[str, ...]:
    """What a claim quotes that no text of its lines holds as it is quoted; names alone are for the naming rule."""
    texts = [tokens for text in cited for tokens in _readings(text)]
    shown = visible(" ".join(claim.split()))
    return tuple(dict.fromkeys(quote for quote in _quotes(shown) if not _stands(quote, texts, cited)))


def _quotes(claim: str) -> Iterator[str]:
    for match in CODE_SPAN.finditer(claim):
        yield match[2].strip()
    prose = plain(CODE_SPAN.sub(" ", claim))
    for match in _QUOTED.finditer(prose):
        whole = match[1] or match[2]
        quoted = whole.strip().rstrip(".,;:!?")
        if not _WORD.search(whole):
            yield whole
        elif _LOOKS_LIKE_CODE.search(quoted):
            yield quoted
    for match in _BARE.finditer(_QUOTED.sub(" , ", prose)):
        yield match[0]


def _stands(quote: str, texts: Sequence[Tokens], cited: Sequence[str]) -> bool:
    if not _WORD.search(quote):
        return quote.strip("\"'`") in _LEFT_OUT or any(quote in visible(text) for text in cited)
    if literal := _LITERAL.fullmatch(quote):
        pattern = re.compile(rf"([\"']){re.escape(literal[2])}\1")
        return any(pattern.search(text) for text in cited)
    bare = quote.removesuffix("()")
    if re.fullmatch(r"\w+", bare):
        return True
    if _DOTTED.fullmatch(bare):
        names = _SEPARATOR.split(bare)
        return all(_belongs(one, other, texts) for one, other in pairwise(names))
    tokens = _tokens(quote)
    if not tokens:
        return True
    if any(_find(text, tokens, 0) >= 0 for text in texts):
        return True
    parts = _parts(tokens)
    return parts not in ([], [tokens]) and any(_in_order(parts, text) for text in texts)


def _belongs(one: str, other: str, texts: Sequence[Tokens]) -> bool:
    """Whether a name is written as a part of another, or the other is defined in the lines and both stand there."""
    if any(text[at] == one and text[at + 2] == other for text in texts for at in range(len(text) - 2)):
        return True
    defined = any(before in _DEFINES and name == one for text in texts for before, name in pairwise(text))
    return defined and any(other in text for text in texts)


def _in_order(parts: Sequence[Tokens], text: Tokens) -> bool:
    """Whether the parts around what was left out stand in a text, one after the other."""
    at = 0
    for part in parts:
        found = _find(text, part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _parts(tokens: Tokens) -> list[Tokens]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token in _LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts if part]


def _find(text: Tokens, part: Tokens, start: int) -> int:
    """Where tokens stand in a row, at or after `start`; -1 where they do not."""
    size = len(part)
    return next((at for at in range(start, len(text) - size + 1) if text[at : at + size] == part), -1)


def _readings(text: str) -> tuple[Tokens, Tokens]:
    """The tokens of a text with its comments and without them."""
    shown = "\n".join(visible(line, keep="\t") for line in text.split("\n"))
    code = "\n".join(_COMMENT.sub("", line) for line in shown.split("\n"))
    return _tokens(shown), _tokens(code)


def _tokens(text: str) -> Tokens:
    plainly = _CLOSED_AFTER_COMMA.sub("", _ESCAPE.sub(" ", _PREFIX.sub("", text)))
    return tuple(token for token in _TOKEN.findall(plainly) if token not in _IGNORED)
