"""Statements read from lines, without a grammar: what is joined, what is left out, and that nothing is misplaced."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.statements import masked, statements
from toolrag.text import LineRange, Text


def read(code: str, marks: tuple[str, ...] = ("#",)) -> list[str]:
    """Each statement with its lines counted as people do: `1-3 x = f(a)`; comments as `2 # words`."""
    text = Text(code)
    found = []
    for one in statements(text, LineRange(0, text.n_lines), marks):
        last = f"-{one.lines.end}" if len(one.lines) > 1 else ""
        found.append(f"{one.lines.start + 1}{last} {'# ' if one.is_comment else ''}{one.text}")
    return found


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("\n  \n\t\n", [], id="blank lines"),
        pytest.param("x = 1\ny = 2", ["1 x = 1", "2 y = 2"], id="a statement a line"),
        pytest.param("x = f(\n    a,\n    b,\n)\ny", ["1-4 x = f(a, b)", "5 y"], id="a call over lines"),
        pytest.param("x = [\n  1,\n\n  2]\ny", ["1-4 x = [1, 2]", "5 y"], id="a list with a blank line"),
        pytest.param("x = (\n  1,\n)", ["1-3 x = (1,)"], id="the comma of a tuple stays"),
        pytest.param("return (\n  1,\n)", ["1-3 return (1,)"], id="also after a keyword"),
        pytest.param('x = {\n  "a": 1,  # one\n}', ['1-3 x = {"a": 1}'], id="comments within"),
        pytest.param("x = f(  # why\n  a)", ["1-2 x = f(a)"], id="a comment after an opening bracket"),
        pytest.param("x = a + \\\n  b\ny", ["1-2 x = a + b", "3 y"], id="a backslash"),
        pytest.param("x = '('\ny = ')'", ["1 x = '('", "2 y = ')'"], id="brackets in strings"),
        pytest.param("x = '#'  # no\n", ["1 x = '#'"], id="a hash in a string"),
        pytest.param("x = 'it\\'s ('  # no\ny", ["1 x = 'it\\'s ('", "2 y"], id="an escaped quote"),
        pytest.param("x = r'\\'  # (\ny", ["1 x = r'\\' # (", "2 y"], id="a raw string is read as if it were not"),
        pytest.param("x = '''a\n  b ( # c\n'''\ny", ["1-3 x = '''a b ( # c '''", "4 y"], id="triple quotes"),
        pytest.param('x = f"""a""" + b\ny', ['1 x = f"""a""" + b', "2 y"], id="triple quotes on one line"),
        pytest.param('x = """a\\"""b\n"""\ny', ['1-2 x = """a\\"""b """', "3 y"], id="an escaped quote in triple ones"),
        pytest.param("x = 'a\\\n(b'\ny", ["1-2 x = 'a (b'", "3 y"], id="a string over a backslash"),
        pytest.param("x = 'open\ny = 1", ["1 x = 'open", "2 y = 1"], id="a string that is not closed"),
        pytest.param("x = 'a  b'   +   c", ["1 x = 'a  b' + c"], id="blanks are folded, but in strings"),
        pytest.param("x = f( 'a, )' )", ["1 x = f('a, )')"], id="brackets are tidied, but in strings"),
        pytest.param(
            "if x:\n    y\nelif z:\n    w\nelse:\n    v", ["1 if x", "2 y", "3 elif z", "4 w", "5 else", "6 v"], id="if"
        ),
        pytest.param("if (\n  x and\n  y\n):\n  z", ["1-4 if (x and y)", "5 z"], id="a condition over lines"),
        pytest.param("# one\n# two\nx", ["1-2 # one two", "3 x"], id="a comment over lines"),
        pytest.param("# one\n  # two", ["1 # one", "2 # two"], id="comments of two indents"),
        pytest.param("#!/bin/sh\n#", ["1-2 # bin/sh"], id="a comment's own marks are off"),
        pytest.param("x = 1;\r\ny = 2\rz", ["1 x = 1", "2 y = 2", "3 z"], id="all line ends, and a semicolon"),
        pytest.param("f(\r\n\ta,\r\n\tb)\r\n", ["1-3 f(a, b)"], id="tabs and CR LF"),
        pytest.param("x = ((1)\ny", ["1-2 x = ((1) y"], id="a bracket that is not closed takes what follows"),
        pytest.param(")\nx", ["1 )", "2 x"], id="a bracket that was not opened"),
    ],
)
def test_statements_of_code(code: str, expected: list[str]) -> None:
    assert read(code) == expected


def test_other_comment_marks() -> None:
    assert read("// one\nx = 1; // two\n", ("//",)) == ["1 # one", "2 x = 1"]
    assert read("# no comment", ("//",)) == ["1 # no comment"]
    assert read("x  # y", ()) == ["1 x # y"]


def test_indents_are_columns() -> None:
    text = Text("a\n  b\n\tc\n  \td\n        e")
    assert [one.indent for one in statements(text, LineRange(0, 5), ())] == [0, 2, 8, 8, 8]


def test_only_the_range_is_read() -> None:
    text = Text("a = (\n1,\n2)\nb")
    assert [one.text for one in statements(text, LineRange(1, 3), ())] == ["1,", "2)"]
    assert [(one.text, one.lines) for one in statements(text, LineRange(0, 2), ())] == [("a = (1,", LineRange(0, 2))]


CODE = st.text(st.sampled_from("ab =+:,()[]{}\"'\\#\n\r\t.;f"), max_size=80) | st.text(max_size=60)


@given(CODE, st.data())
def test_any_text_gives_statements_in_order_within_the_range(code: str, data: st.DataObject) -> None:
    text = Text(code)
    start = data.draw(st.integers(0, text.n_lines))
    lines = LineRange(start, data.draw(st.integers(start, text.n_lines)))
    at = lines.start
    for one in statements(text, lines, ("#", "//")):
        assert one.lines.start >= at
        assert len(one.lines) > 0
        assert one.lines in lines
        assert "\n" not in one.text
        assert all(not text.line(skipped).strip() for skipped in range(at, one.lines.start))
        at = one.lines.end
    assert all(not text.line(skipped).strip() for skipped in range(at, lines.end))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("f(a) = b", "f(.) = b", id="brackets"),
        pytest.param("x['a'] + 'b = c'", "x[...] + .......", id="strings"),
        pytest.param("f('(') = (g(x), y)", "f(...) = (.......)", id="a bracket in a string"),
        pytest.param(") = (", ") = (", id="brackets that do not match"),
        pytest.param("x = '''a'b''' + c", "x = ......... + c", id="triple quotes"),
    ],
)
def test_the_outer_form_of_code(code: str, expected: str) -> None:
    assert masked(code).replace("\0", ".") == expected


@given(CODE)
def test_the_outer_form_has_the_length_of_the_code(code: str) -> None:
    assert len(masked(code)) == len(code)
