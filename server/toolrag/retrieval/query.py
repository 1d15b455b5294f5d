"""What a question asks retrieval for: its tokens, and the names it holds. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolrag.retrieval.corpus import last_name
from toolrag.retrieval.tokens import (
    IDENTIFIER,
    QUESTION_STOPWORDS,
    VAGUE_WORDS,
    identifier_tokens,
    plain_name,
    question_tokens,
    unique,
)

_BACKTICKED: Final = re.compile(r"(?<!`)`+([^`]+)`+")
"""Each run of backticks is tried once, from its start: a question may hold thousands."""
_NAME: Final = re.compile(r"[^\W\d]\w*(?:(?:::|\\|->|\.|#)[^\W\d]\w*)*[!?]?")
_DISTINCT: Final = re.compile(
    r"""(?<![\w.])(?:
        [^\W\d]\w*(?:(?:::|\.)[^\W\d]\w*)+   # dotted or scoped
      | [A-Za-z]+_\w+ | _\w+                # snake_case, private
      | [A-Z][a-z0-9]+[A-Z]\w* | [a-z]+[A-Z]\w+ | [A-Z]{2,}[a-z]\w*   # inner capitals
    )(?:\(\))?""",
    re.VERBOSE,
)
_WANTS_TESTS: Final = re.compile(
    r"\b(tests?|tested|testing|fixtures?|specs?|benchmarks?|mock(?:s|ed|ing)?|fakes?)\b", re.IGNORECASE
)
_WANTS_DOCS: Final = re.compile(
    r"\b(docs?|documentation|documented|readme|changelog|examples?|tutorials?|guides?|how do i (?:install|run|use))\b",
    re.IGNORECASE,
)
_WANTS_DATA: Final = re.compile(
    r"\b(config(?:s|ured|uration|urations)?|settings?|ci|workflows?|pipelines?|dependenc(?:y|ies)|lockfile"
    r"|json|ya?ml|toml|xml|csv|svg|ini|translations?|locales?)\b|\w\.(?:json|ya?ml|toml|xml|csv|svg|ini|cfg)\b",
    re.IGNORECASE,
)
_WANTS_MARKUP: Final = re.compile(
    r"\b(html|css|scss|sass|less|templates?|stylesheets?|styles?|styled|markup|layouts?|pages?|forms?|buttons?)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"\W*(how|what|when|where|which|who|whose|why)\b", re.IGNORECASE)
VAGUE_WEIGHT: Final = 0.7
COMPOUND_WORDS: Final = 4
"""The most words of a compound."""
MAX_COMPOUND_WORDS: Final = 40
_VAGUE_TOKENS: Final = frozenset(token for word in VAGUE_WORDS for token in identifier_tokens(word))


@dataclass(frozen=True, slots=True)
class Query:
    """A question as retrieval sees it."""

    text: str
    tokens: tuple[str, ...]
    names: tuple[str, ...]
    """Names that stand in it: backticked, dotted, or of a shape that prose does not have; the last part of each."""
    weights: tuple[float, ...]
    """What each token counts beside its rarity: VAGUE_WEIGHT for a vague word of a question in prose, else 1."""
    is_name: bool
    """The whole question is one name."""
    compounds: tuple[str, ...]
    """Two to four neighbouring words of it as one `plain_name`: "the json object" may mean `JsonObject`."""
    wants_tests: bool
    wants_docs: bool
    wants_data: bool
    """Configuration, or a data format by name."""
    wants_markup: bool
    """Pages or their style."""


def parse_query(text: str) -> Query:
    """Read a question or a bare name."""
    stripped = text.strip().rstrip("?!. ")
    names = list(distinct_names(text))
    found = tuple(question_tokens(text))
    vague = _VAGUE_TOKENS if _ASKS.match(text) and not _VAGUE_TOKENS.issuperset(found) else frozenset[str]()
    is_name = bool(_NAME.fullmatch(stripped))
    if is_name:
        names.append(stripped)
    return Query(
        text=text,
        tokens=found,
        names=tuple(dict.fromkeys(last_name(name) for name in names)),
        weights=tuple(VAGUE_WEIGHT if token in vague else 1.0 for token in found),
        is_name=is_name,
        wants_tests=bool(_WANTS_TESTS.search(text)),
        wants_docs=bool(_WANTS_DOCS.search(text)),
        wants_data=bool(_WANTS_DATA.search(text)),
        wants_markup=bool(_WANTS_MARKUP.search(text)),
        compounds=tuple(_compounds(text)),
    )


def _compounds(text: str) -> list[str]:
    """The compounds of a question's first words: a pasted page asks for none of its later ones."""
    words = IDENTIFIER.findall(text)[:MAX_COMPOUND_WORDS]
    found = []
    for first, word in enumerate(words):
        if word.lower() in QUESTION_STOPWORDS:
            continue
        for last in range(first + 1, min(first + COMPOUND_WORDS, len(words))):
            if words[last].lower() not in QUESTION_STOPWORDS:
                run = words[first : last + 1]
                found += [plain_name("".join(run)), "".join(map(plain_name, run))]
    return unique(found)


def distinct_names(text: str) -> list[str]:
    """Names in a sentence: what is in backticks and is a name, then words no prose would write so; without `()`."""
    found = [inner.strip().removesuffix("()") for inner in _BACKTICKED.findall(text) if _NAME.match(inner.strip())]
    found += [match.removesuffix("()") for match in _DISTINCT.findall(text)]
    return [name for name in dict.fromkeys(found) if _NAME.fullmatch(name)]
