"""Which language a file is taken for."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files

import pytest
from toolrag.retrieval.languages import ANY_TEXT, LANGUAGES, language_for, language_of, text_decides


@pytest.mark.parametrize(
    ("path", "first_line", "expected"),
    [
        pytest.param("a.py", "", "python", id="suffix"),
        pytest.param("folder.d/typing.pyi", "", "python", id="stub"),
        pytest.param("WINDOW.PYW", "", "python", id="suffix in capitals"),
        pytest.param("README.md", "", "markdown", id="markdown"),
        pytest.param("docs/a.markdown", "", "markdown", id="long suffix"),
        pytest.param("a.mdown", "", "markdown", id="odd suffix"),
        pytest.param("bin/tool", "#!/usr/bin/env python3", "python", id="env"),
        pytest.param("tool", "#!/usr/bin/python", "python", id="direct"),
        pytest.param("tool", "#! /opt/bin/python3.12 -I", "python", id="version and option"),
        pytest.param("tool", "#!/usr/bin/env -S python3 -u", "python", id="env -S"),
        pytest.param("tool", "#!/usr/bin/env -S LANG=C python3", "python", id="env with a variable"),
        pytest.param("tool", "\ufeff#!/usr/bin/python3", "python", id="byte order mark"),
        pytest.param("tool", "#!/usr/bin/tclsh", "text", id="another program"),
        pytest.param("tool", "#!/usr/bin/pythonic", "text", id="a longer name"),
        pytest.param("tool", "print(1)", "text", id="no shebang"),
        pytest.param("tool", "", "text", id="nothing to go by"),
        pytest.param("a.txt", "#!/usr/bin/env python3", "text", id="a suffix says more than a shebang"),
        pytest.param("a.unheard-of", "", "text", id="any other suffix"),
        pytest.param("", "", None, id="no name"),
        pytest.param("folder.py/data", "", "text", id="a folder's suffix"),
        pytest.param(".py", "", "text", id="a hidden file without suffix"),
        pytest.param("a/.toolragignore", "", None, id="the list of what must stay unseen"),
        pytest.param("logo.PNG", "", None, id="an image"),
        pytest.param("a/b.tar.gz", "", None, id="an archive"),
        pytest.param("django.mo", "", None, id="a compiled catalogue"),
        pytest.param("a.pyc", "", None, id="compiled code"),
        pytest.param("font.woff2", "", None, id="a font"),
        pytest.param("go.mod", "", "text", id="a module's file"),
        pytest.param("index.html", "", "html", id="a page"),
        pytest.param("intro.rst", "", "rst", id="reStructuredText"),
        pytest.param("a.css", "", "css", id="a style sheet"),
        pytest.param("lib/a.dart", "", "dart", id="Dart"),
        pytest.param("a.h", "", "c", id="a header, as far as its path tells"),
    ],
)
def test_a_language_is_known_by_suffix_or_else_by_shebang(path: str, first_line: str, expected: str | None) -> None:
    """The suffix decides in any case; only a file without one is known by its first line. Anything else is text."""
    assert language_of(path, first_line) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param("a.h", "int f(void);\n", "c", id="a header of C"),
        pytest.param("a.h", "#pragma once\nnamespace a {\n}\n", "cpp", id="a namespace"),
        pytest.param("a.h", "inline namespace v1 {\n}\n", "cpp", id="an inline namespace"),
        pytest.param("a.h", "template <typename T>\nT f(T);\n", "cpp", id="a template"),
        pytest.param("A.H", "  class Foo;\n", "cpp", id="a class, in a header in capitals"),
        pytest.param("a.h", "struct A {\n  int x;\n private:\n  int y;\n};\n", "cpp", id="private members"),
        pytest.param("a.h", "std::string name();\n", "cpp", id="std"),
        pytest.param("a.h", "/* a class of things\n * class Foo is not here\n */\nint f();\n", "c", id="in a comment"),
        pytest.param("a.h", "int template;\nint class_of(int namespace_id);\n", "c", id="names in C"),
        pytest.param("a.c", "namespace a {\n", "c", id="only a header may be either"),
        pytest.param("tool", "#!/bin/sh\nnamespace x\n", "bash", id="a script"),
        pytest.param("tool", "#!/usr/bin/env python3", "python", id="a script of one line"),
        pytest.param("tool", "\n#!/bin/sh\n", "text", id="a shebang further down"),
        pytest.param("tool", "#!" + "/usr/bin/env =" * 20_000, "text", id="an endless shebang"),
        pytest.param("docs/a.txt", "====\nTitle\n====\n\n.. note:: x\n", "rst", id="a title and a directive"),
        pytest.param("README", "Title\n=====\n\nSee :doc:`x`.\n", "rst", id="a title and a role"),
        pytest.param("a.txt", ".. _x:\n\nTitle\n-----\n", "rst", id="a title and a target"),
        pytest.param("a.txt", "Title\n=====\n\nWords.\n", "text", id="a title alone"),
        pytest.param("a.txt", "See :doc:`x`.\n", "text", id="a role alone"),
        pytest.param("a.log", ".. _x:\n\nTitle\n-----\n", "text", id="another suffix"),
        pytest.param("a.md", ".. _x:\n\nTitle\n-----\n", "markdown", id="a suffix that says what it is"),
        pytest.param("a.png", "Title\n=====\n", None, id="never text"),
    ],
)
def test_a_text_says_what_its_path_does_not(path: str, text: str, expected: str | None) -> None:
    """A header of C++, a script without a suffix, and reStructuredText under another name."""
    assert language_for(path, text) == expected


@pytest.mark.parametrize(
    "path", ["a.py", "a.h", "a.txt", "README", "Makefile", "a.png", "a.rst", ".bashrc", "a.c", "x.yz"]
)
@pytest.mark.parametrize("text", ["", "#!/bin/sh\n", "class A {\n", ".. _x:\n\nTitle\n-----\n", "words\n"])
def test_where_the_text_does_not_decide_the_path_is_enough(path: str, text: str) -> None:
    """A file whose text has not changed need not be read again to know its language."""
    assert text_decides(path) or language_for(path, text) == language_of(path)


def test_what_is_never_text_is_never_read() -> None:
    """No language has a suffix that is not read."""
    for language in LANGUAGES.values():
        for suffix in language.suffixes:
            assert language_of(f"a{suffix}") == language.name
            assert suffix == suffix.lower()
    assert LANGUAGES[ANY_TEXT].grammar is None


def test_every_language_has_a_query() -> None:
    """A line in the table without its query would fail at the first parse."""
    for language in LANGUAGES.values():
        for query in language.queries:
            assert files("toolrag.retrieval").joinpath("queries", query).is_file()


def test_the_table_imports_no_grammar() -> None:
    """Commands that parse nothing do not pay for grammars."""
    code = "import sys, toolrag.retrieval.languages; print([name for name in sys.modules if 'tree_sitter' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
