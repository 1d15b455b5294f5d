"""The table of languages: how a file is recognised, which grammar parses it, how its comments look.

A language is one line here, one query in `queries/` and one golden file. Pure; a grammar's module is only named,
and imported by `spans` when a text in that language is parsed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

_SHEBANG: Final = re.compile(r"\ufeff?#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S+=\S*\s+)*(?:\S*/)?)?([A-Za-z_+-]+)")
"""The program a first line names, without its folder, `env`, and version digits."""


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language beside its query."""

    name: str
    suffixes: tuple[str, ...]
    """Lower case, with their dot."""

    grammar: tuple[str, str]
    """The module that brings the grammar, and its function that gives it."""

    file_names: tuple[str, ...] = ()
    """Whole names of files without a telling suffix, in lower case."""

    shebangs: tuple[str, ...] = ()
    """Programs a first line may name, without version digits."""

    comments: tuple[str, ...] = ()
    """What begins a comment that runs to the end of its line."""

    docstrings: bool = False
    """A string that is the first statement of a body, or follows an assignment, documents it (PEP 257)."""

    path_separator: str = "."
    """Stands between the names of enclosing symbols."""

    @property
    def query(self) -> str:
        """The query's file name in `queries/`."""
        return f"{self.name}.scm"


_TABLE: Final = (
    Language(
        "python",
        (".py", ".pyi", ".pyw"),
        ("tree_sitter_python", "language"),
        shebangs=("python", "pypy"),
        comments=("#",),
        docstrings=True,
    ),
    Language(
        "markdown",
        (".md", ".markdown", ".mdown"),
        ("tree_sitter_markdown", "language"),
        path_separator=" > ",
    ),
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({language.name: language for language in _TABLE})

_BY_SUFFIX: Final = {suffix: language.name for language in _TABLE for suffix in language.suffixes}
_BY_FILE_NAME: Final = {name: language.name for language in _TABLE for name in language.file_names}
_BY_SHEBANG: Final = {program: language.name for language in _TABLE for program in language.shebangs}


def language_of(path: str, first_line: str = "") -> str | None:
    """The name of a file's language; None for one without a parser here.

    By the file's whole name, else its suffix, both in any case; for a file with neither, by its shebang. `path` is
    written with `/`, or is a bare name.
    """
    file_name = posixpath.basename(path).lower()
    suffix = posixpath.splitext(file_name)[1]
    known = _BY_FILE_NAME.get(file_name) or _BY_SUFFIX.get(suffix)
    if known or suffix:
        return known
    shebang = _SHEBANG.match(first_line)
    return _BY_SHEBANG.get(shebang[1]) if shebang else None
