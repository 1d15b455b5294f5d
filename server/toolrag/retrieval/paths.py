"""What a path alone says about a file: its words, its stem, and whether it is a test, an example or a doc. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolrag.retrieval.tokens import tokens, unique

_INDEX_STEMS: Final = frozenset({"__init__", "index", "init", "lib", "main", "mod", "package-info"})
_TEST: Final = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|__mocks__|testdata|fixtures?|mocks?|bench(es|marks?)?)/"
    r"|(^|/)(test_[^/]*|[^/]*_tests?|[^/]*_spec|[^/]*\.(test|spec)|[^/]*[a-z](Tests?|Spec|Suite)|conftest)\.\w+$"
)
_EXAMPLE: Final = re.compile(r"(^|/)(examples?|demos?|samples?|docs?|docs_src|website|tutorials?)/", re.IGNORECASE)
_LEGACY: Final = re.compile(r"(^|/)_?(compat|legacy|deprecated)(/|\.\w+$)", re.IGNORECASE)
_LOG: Final = re.compile(
    r"(^|/)(change(s|log)|history|news|releases?([-_.]?notes)?)(\.(md|markdown|mdown|rst|txt))?$", re.IGNORECASE
)
"""Prose only: `core/history.py` is code."""
_AROUND: Final = re.compile(r"(^|/)\.[^/]+/")
_PROSE: Final = (".md", ".markdown", ".mdown", ".rst")
_STUB: Final = (".pyi", ".d.ts")


def stem(path: str) -> str:
    """The file's name without suffixes; its folder's for names that say nothing, such as `__init__`."""
    *folders, name = path.split("/")
    bare = name if name.startswith(".") else name.split(".", 1)[0]
    return folders[-1] if bare.lower() in _INDEX_STEMS and folders else bare


def path_tokens(path: str) -> list[str]:
    """Tokens of the file's name and its last two folders, each once."""
    *folders, name = path.split("/")
    bare = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return unique(tokens(" ".join([bare, *folders[-2:]])))


def folder_tokens(path: str) -> list[str]:
    """Tokens of the last two folders, each once."""
    return unique(tokens(" ".join(path.split("/")[-3:-1])))


@lru_cache(maxsize=100_000)
def is_test(path: str) -> bool:
    """Whether the path is that of a test, a fixture or a benchmark."""
    return bool(_TEST.search(path))


def is_aside(path: str) -> bool:
    """Whether the path is that of a test, an example or documentation: what uses a product, not the product."""
    return is_test(path) or bool(_EXAMPLE.search(path))


def factor(path: str, *, wants_tests: bool, wants_docs: bool) -> float:
    """What a file's score is multiplied by: below 1 for tests, examples, legacy code, stubs, prose and the like.

    A question that asks for tests or for documentation lifts the matching ones (the factors were measured with the
    recipe in server/ARCHITECTURE.md, "Ranking").
    """
    product = 1.0
    if is_test(path) and not wants_tests:
        product *= 0.3
    if _EXAMPLE.search(path) and not wants_docs:
        product *= 0.3
    if _LEGACY.search(path):
        product *= 0.3
    if path.rsplit("/", 1)[-1] in ("__init__.py", "package-info.java"):
        product *= 0.5
    if _AROUND.search(path):
        product *= 0.3  # what a project is built and checked with
    if path.endswith(_STUB):
        product *= 0.7
    if not wants_docs:
        if path.endswith(_PROSE):
            product *= 0.7
        if _LOG.search(path):
            product *= 0.3  # says what was, seldom what is
    return product
