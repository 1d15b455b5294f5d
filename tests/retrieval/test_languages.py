"""Which language a file is taken for."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files

import pytest
from toolrag.retrieval.languages import LANGUAGES, language_of


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
        pytest.param("tool", "#!/usr/bin/tclsh", None, id="another program"),
        pytest.param("tool", "#!/usr/bin/pythonic", None, id="a longer name"),
        pytest.param("tool", "print(1)", None, id="no shebang"),
        pytest.param("tool", "", None, id="nothing to go by"),
        pytest.param("a.txt", "#!/usr/bin/env python3", None, id="a suffix says more than a shebang"),
        pytest.param("", "", None, id="no name"),
        pytest.param("folder.py/data", "", None, id="a folder's suffix"),
        pytest.param(".py", "", None, id="a hidden file without suffix"),
    ],
)
def test_a_language_is_known_by_suffix_or_else_by_shebang(path: str, first_line: str, expected: str | None) -> None:
    """The suffix decides in any case; only a file without one is known by its first line."""
    assert language_of(path, first_line) == expected


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
