"""What a path alone says about a file: its words, its stem, and whether it is a test, an example or a doc. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolrag.retrieval.tokens import plain_name, tokens, unique

_INDEX_STEMS: Final = frozenset({"__init__", "index", "init", "lib", "main", "mod", "package", "package-info"})
_SETUP_NAMES: Final = ("__init__.py", "package-info.java")
_TEST_FOLDER: Final = (
    r"(^|/)([Tt]ests?|testing|[Ss]pecs?|__(tests|mocks|fixtures|snapshots)__|test[-_]?(data|utils?|suite)|fixtures?"
    r"|[Mm]ocks?|[Bb]ench(es|marks?)?|e2e|[^/]*[-_]tests?|[^/]*[a-z.](Tests?|Specs?|Benchmarks?))/"
)
_TEST_FILE: Final = (
    r"(^|/)(test[-_.][^/]*|[^/]*[-_](tests?|unittests?|spec|bench(marks?)?)|[^/]*\.(test|spec|bench|test-d)"
    r"|[^/]*[a-z](Tests?|Spec|Suite)|conftest)\.\w+$|\.bats$"
)
"""In the words of pytest, unittest, Go, RSpec, Jest, JUnit, xUnit, XCTest, Kotlin, googletest and bats."""
_TEST: Final = re.compile(f"{_TEST_FOLDER}|{_TEST_FILE}")
_EXAMPLE: Final = re.compile(
    r"(^|/)_?(examples?|demos?|samples?|docs?|docs_src|documentation|website|tutorials?|playgrounds?)/", re.IGNORECASE
)
_LEGACY: Final = re.compile(r"(^|/)_?(compat|legacy|deprecated)(/|\.\w+$)", re.IGNORECASE)
_COPIED: Final = re.compile(r"(^|/)(third[-_]party|vendor(ed)?|node_modules|single_include|dist)/|\.min\.(js|css)$")
"""Another project's code, or this one's once more: generated, bundled."""
_HIDDEN: Final = re.compile(r"(^|/)\.[^/]+/")
"""A folder of settings for some tool, or of instructions to one."""
_LOG: Final = re.compile(
    r"(^|/)(change(s|log)|history|news|releases?([-_.]?notes)?)(\.(md|markdown|mdown|rst|txt))?$", re.IGNORECASE
)
"""Prose only: `core/history.py` is code."""
_PROSE: Final = (".md", ".markdown", ".mdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex")
_STUB: Final = (".pyi", ".d.ts", ".d.mts", ".d.cts")
_MARKUP: Final = (".html", ".htm", ".xhtml", ".css", ".scss", ".sass", ".less")
_DATA: Final = (
    *(".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml", ".xml", ".svg", ".csv", ".tsv", ".ini", ".cfg", ".conf"),
    *(".properties", ".lock", ".po", ".pot"),
)

# What a file is, as bits: `traits` gives them, `factor_of` reads them.
TEST: Final = 1
EXAMPLE: Final = 2
HELD_BACK: Final = 4
SETUP: Final = 8
STUB: Final = 16
PROSE: Final = 32
LOG: Final = 64
MARKUP: Final = 128
DATA: Final = 256
COPIED: Final = 512
HIDDEN: Final = 1024
N_TRAITS: Final = 2048
"""There are fewer combinations than this."""


def stem(path: str) -> str:
    """The file's name without suffixes; its folder's for names that say nothing, such as `__init__`."""
    *folders, name = path.split("/")
    bare = name if name.startswith(".") else name.split(".", 1)[0]
    return folders[-1] if bare.lower() in _INDEX_STEMS and folders else bare


@lru_cache(maxsize=100_000)
def plain_stem(path: str) -> str:
    """The stem without case, separators and plural."""
    return plain_name(stem(path))


@lru_cache(maxsize=100_000)
def stem_tokens(path: str) -> tuple[str, ...]:
    """Tokens of the stem, each once, in order of the alphabet."""
    return tuple(sorted(set(tokens(stem(path)))))


@lru_cache(maxsize=100_000)
def path_tokens(path: str) -> tuple[str, ...]:
    """Tokens of the file's name and its last two folders, each once."""
    *folders, name = path.split("/")
    bare = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return tuple(unique(tokens(" ".join([bare, *folders[-2:]]))))


def folder_tokens(path: str) -> list[str]:
    """Tokens of the last two folders, each once."""
    *folders, _ = path.split("/")
    return list(_folder_tokens("/".join(folders[-2:])))


@lru_cache(maxsize=20_000)
def _folder_tokens(folders: str) -> tuple[str, ...]:
    return tuple(unique(tokens(folders.replace("/", " "))))


@lru_cache(maxsize=100_000)
def is_test(path: str) -> bool:
    """Whether the path is that of a test, a fixture or a benchmark."""
    return bool(_TEST.search(path))


def is_aside(path: str) -> bool:
    """Whether the path is that of a test, an example or documentation: what uses a product, not the product."""
    return is_test(path) or bool(_EXAMPLE.search(path))


@lru_cache(maxsize=100_000)
def traits(path: str) -> int:
    """What a file is, by its path: the sum of the bits above."""
    lower = path.lower()
    return sum(
        bit
        for bit, holds in (
            (TEST, is_test(path)),
            (EXAMPLE, _EXAMPLE.search(path)),
            (HELD_BACK, _LEGACY.search(path)),
            (SETUP, path.rsplit("/", 1)[-1] in _SETUP_NAMES),
            (STUB, lower.endswith(_STUB)),
            (PROSE, lower.endswith(_PROSE)),
            (LOG, _LOG.search(path)),
            (MARKUP, lower.endswith(_MARKUP)),
            (DATA, lower.endswith(_DATA)),
            (COPIED, _COPIED.search(path)),
            (HIDDEN, _HIDDEN.search(path)),
        )
        if holds
    )


def factor_of(
    traits: int, *, wants_tests: bool, wants_docs: bool, wants_data: bool = False, wants_markup: bool = False
) -> float:
    """What the score of a file with these traits is multiplied by.

    Below 1 for tests, examples, legacy and copied code, hidden folders, `__init__`, stubs, prose, markup and data. A
    question that asks for one of them lifts it; one for documentation lifts pages of HTML too. The factors were
    measured with the recipe in server/ARCHITECTURE.md, "Ranking"; those of markup and data are set as prose's is:
    no development question is about them.
    """
    product = 1.0
    if traits & TEST and not wants_tests:
        product *= 0.3
    if traits & EXAMPLE and not wants_docs:
        product *= 0.3
    if traits & HELD_BACK:
        product *= 0.3
    if traits & COPIED:
        product *= 0.3
    if traits & SETUP:
        product *= 0.5
    if traits & HIDDEN and not (wants_docs or wants_data):
        product *= 0.5
    if traits & STUB:
        product *= 0.7
    if traits & PROSE and not wants_docs:
        product *= 0.6
    if traits & LOG and not wants_docs:
        product *= 0.3  # says what was, seldom what is
    if traits & MARKUP and not (wants_markup or wants_docs):
        product *= 0.6
    if traits & DATA and not wants_data:
        product *= 0.6
    return product


def factor(path: str, *, wants_tests: bool, wants_docs: bool) -> float:
    """`factor_of` for one path, where data and markup are not asked for."""
    return factor_of(traits(path), wants_tests=wants_tests, wants_docs=wants_docs)
