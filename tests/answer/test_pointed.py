"""The word under a pointer is found, and told from words in comments, strings and prose."""

from __future__ import annotations

import pytest
from toolrag.answer.hover.pointed import Pointed, pointed_at
from toolrag.text import Text


def pointed(marked: str, language: str = "python") -> Pointed | None:
    """What is under the `|` of a text."""
    return pointed_at(Text(marked.replace("|", "", 1)), marked.index("|"), language)


@pytest.mark.parametrize(
    ("marked", "name", "qualifier"),
    [
        pytest.param("send(|request)", "request", "", id="at its start"),
        pytest.param("send|(request)", "send", "", id="at its end"),
        pytest.param("a\r\nse|nd", "send", "", id="on a later line"),
        pytest.param("session.se|nd()", "send", "session", id="after a dot"),
        pytest.param("a.b . c|d", "cd", "b", id="after a dot with blanks"),
        pytest.param("Box::ne|w()", "new", "Box", id="after two colons"),
        pytest.param("p->ne|xt", "next", "p", id="after an arrow"),
        pytest.param("größ|e_1", "größe_1", "", id="in any script"),
        pytest.param("f(x).se|nd", "send", "", id="what is no name does not qualify"),
    ],
)
def test_a_word_is_found_with_what_qualifies_it(marked: str, name: str, qualifier: str) -> None:
    found = pointed(marked, "cpp")
    assert found is not None
    assert (found.name, found.qualifier, found.is_code) == (name, qualifier, True)
    assert marked.replace("|", "", 1)[found.start : found.end] == name


@pytest.mark.parametrize("marked", ["|", "a |  b", "a = |(1)", "12|3", "a\n|\nb", "x" * 300 + "|"])
def test_where_no_word_is_there_is_none(marked: str) -> None:
    assert pointed(marked) is None


@pytest.mark.parametrize(
    ("language", "marked", "is_code"),
    [
        ("python", "a = 1  # se|nd", False),
        ("python", "a = '# no'; se|nd()", True),
        ("python", "a = 'se|nd'", False),
        ("python", "a = 'it\\'s se|nd'", False),
        ("python", '"""\nit\'s\n"""\nse|nd()', True),
        ("python", '"""\nit\'s se|nd\n"""', False),
        ("python", "'''a\n\"se|nd", False),
        ("python", 'f"{se|nd}"', True),
        ("python", 'f"{x} se|nd"', False),
        ("python", 'rf"a{se|nd(1)}"', True),
        ("python", '"{se|nd}"', False),
        ("python", "it's open\nse|nd()", True),
        ("rust", "fn f<'a>(x: &'a str) { se|nd('\"') }", True),
        ("rust", "/* se|nd */", False),
        ("rust", "let c = 'x'; se|nd()", True),
        ("javascript", "`a ${se|nd()} b`", True),
        ("javascript", "`a\n se|nd b`", False),
        ("javascript", "x = 'a' // se|nd", False),
        ("go", '`raw\n"`; se|nd()', True),
        ("ruby", '"a #{se|nd} b"', True),
        ("c", '#include "x.h"\nse|nd();', True),
        ("lua", "--[[ it's\nse|nd ]]", False),
        ("lua", "--[[ a ]] se|nd()", True),
        ("markdown", "Call se|nd.", False),
        ("text", "Call se|nd.", False),
        ("", "Call se|nd.", False),
        ("json", '{"se|nd": 1}', False),
    ],
)
def test_code_is_told_from_words(language: str, marked: str, is_code: bool) -> None:
    found = pointed(marked, language)
    assert found is not None
    assert found.is_code == is_code


@pytest.mark.parametrize("unit", ["'", '"', '"""', "`", "/*", "\\'", "'\\", "${", "f'{", "#"])
@pytest.mark.parametrize("language", ["python", "javascript", "rust", "elixir", "julia"])
def test_no_text_takes_long(unit: str, language: str) -> None:
    # Twice the text in about twice the time: with a quadratic rule this test would take minutes.
    assert pointed_at(Text(unit * 50_000 + " send"), len(unit) * 50_000 + 2, language) is not None
