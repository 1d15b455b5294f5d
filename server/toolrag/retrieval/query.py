"""What a question asks retrieval for: its tokens, and the names it holds. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolrag.retrieval.corpus import last_name
from toolrag.retrieval.tokens import question_tokens

_BACKTICKED: Final = re.compile(r"`+([^`]+)`+")
_NAME: Final = re.compile(r"[^\W\d]\w*(?:(?:::|\\|->|\.|#)[^\W\d]\w*)*[!?]?")
_DISTINCT: Final = re.compile(
    r"""(?<![\w.])(?:
        [^\W\d]\w*(?:(?:::|\.)[^\W\d]\w*)+   # dotted or scoped
      | [A-Za-z]+_\w+ | _\w+                # snake_case, private
      | [A-Z][a-z0-9]+[A-Z]\w* | [a-z]+[A-Z]\w+ | [A-Z]{2,}[a-z]\w*   # inner capitals
    )(?:\(\))?""",
    re.VERBOSE,
)
_WANTS_TESTS: Final = re.compile(r"\b(tests?|tested|testing|fixtures?|specs?|benchmarks?)\b", re.IGNORECASE)
_WANTS_DOCS: Final = re.compile(
    r"\b(docs?|documentation|documented|readme|changelog|examples?|tutorials?|guides?|how do i (?:install|run|use))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question as retrieval sees it."""

    text: str
    tokens: tuple[str, ...]
    names: tuple[str, ...]
    """Names that stand in it: backticked, dotted, or of a shape that prose does not have; the last part of each."""
    is_name: bool
    """The whole question is one name."""
    wants_tests: bool
    wants_docs: bool


def parse_query(text: str) -> Query:
    """Read a question or a bare name."""
    stripped = text.strip().rstrip("?!. ")
    names = list(distinct_names(text))
    is_name = bool(_NAME.fullmatch(stripped))
    if is_name:
        names.append(stripped)
    return Query(
        text=text,
        tokens=tuple(question_tokens(text)),
        names=tuple(dict.fromkeys(last_name(name) for name in names)),
        is_name=is_name,
        wants_tests=bool(_WANTS_TESTS.search(text)),
        wants_docs=bool(_WANTS_DOCS.search(text)),
    )


def distinct_names(text: str) -> list[str]:
    """Names in a sentence: what is in backticks and is a name, then words no prose would write so; without `()`."""
    found = [inner.strip().removesuffix("()") for inner in _BACKTICKED.findall(text) if _NAME.match(inner.strip())]
    found += [match.removesuffix("()") for match in _DISTINCT.findall(text)]
    return [name for name in dict.fromkeys(found) if _NAME.fullmatch(name)]
