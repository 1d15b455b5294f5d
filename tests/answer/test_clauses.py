"""What a statement is said to do: its own code, whole and unaltered, and few words beside it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.blocks import alternative_of, children_of, opener_of
from toolrag.answer.clauses import circumstance, clause, code
from toolrag.answer.naming import check_names, vocabulary
from toolrag.answer.statements import Statement, statements
from toolrag.text import LineRange, Text


def read(source: str) -> list[Statement]:
    text = Text(source)
    return statements(text, LineRange(0, text.n_lines), ("#",))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("x = 1", "sets `x` to `1`", id="an assignment"),
        pytest.param("self.a[0].b = f(1)", "sets `self.a[0].b` to `f(1)`", id="to a place"),
        pytest.param("f(a).b = g(c)", "sets `f(a).b` to `g(c)`", id="to a place of a call's value"),
        pytest.param('x["a b"] = 1', 'sets `x["a b"]` to `1`', id="to an entry"),
        pytest.param("a, *b = c", "sets `a, *b` to `c`", id="to several"),
        pytest.param("(a, b), c = d", "sets `(a, b), c` to `d`", id="to a nest of them"),
        pytest.param("x: dict[str, int] = {}", "sets `x` to `{}`", id="with a type"),
        pytest.param("x = y == z", "sets `x` to `y == z`", id="of a comparison"),
        pytest.param(
            "match = p.search(x)", "sets `match` to `p.search(x)`", id="to a name that is a keyword elsewhere"
        ),
        pytest.param("use = 1", "sets `use` to `1`", id="to another such name"),
        pytest.param("x -= 1", "updates `x` with `-= 1`", id="an update keeps its sign"),
        pytest.param("x **= 2", "updates `x` with `**= 2`", id="an update of two signs"),
        pytest.param("x <<= 2", "updates `x` with `<<= 2`", id="a shift"),
        pytest.param("return", None, id="a bare return"),
        pytest.param("return a, b", "returns `a, b`", id="a return"),
        pytest.param("return(a)", "returns `(a)`", id="a return in brackets"),
        pytest.param("yield x", "yields `x`", id="a yield"),
        pytest.param("yield from x", "yields each of `x`", id="a delegation"),
        pytest.param('raise E("read from disk")', 'raises `E("read from disk")`', id="a raise"),
        pytest.param("raise E(x) from error", "raises `E(x)`", id="a raise with its cause"),
        pytest.param("raise", None, id="a bare raise"),
        pytest.param('assert x in ("a", "b")', 'requires `x in ("a", "b")`', id="an assertion"),
        pytest.param('assert x, "a, b"', "requires `x`", id="an assertion with words"),
        pytest.param("f(a=1)", "calls `f(a=1)`", id="a call with a keyword"),
        pytest.param("await f(1)", "calls `f(1)`", id="an awaited call"),
        pytest.param("a.b(1).c[2](x)", "calls `a.b(1).c[2](x)`", id="a chain of calls"),
        pytest.param("func(x)", "calls `func(x)`", id="of a name that is a keyword elsewhere"),
        pytest.param("f(\n  a,\n  b,\n)", "calls `f(a, b)`", id="over lines"),
        pytest.param("f(a) + g(b)", None, id="an expression"),
        pytest.param("a == b", None, id="a comparison"),
        pytest.param('"""Usage: a = b."""', None, id="a docstring"),
        pytest.param('"a" = 1', None, id="no place"),
        pytest.param("x = 1; y = 2", None, id="two statements on a line"),
        pytest.param("if x: y = 1", None, id="a block on a line"),
        pytest.param("for x in f(a=1):", None, id="a loop"),
        pytest.param("with a as b:", None, id="a context"),
        pytest.param("match (x):", None, id="a match"),
        pytest.param("def f(a=1):", None, id="a definition"),
        pytest.param("async def f(a=1):", None, id="an async definition"),
        pytest.param("class A(B, c=1):", None, id="a class"),
        pytest.param("@f(a=1)", None, id="a decorator"),
        pytest.param("from .a import b", None, id="an import"),
        pytest.param("type X = int", None, id="a type alias"),
        pytest.param("pass", None, id="nothing"),
        pytest.param("# x = 1", None, id="a comment"),
    ],
)
def test_what_a_statement_does(source: str, expected: str | None) -> None:
    [statement] = read(source)
    said = clause(statement)
    assert (said and said.text) == expected


def test_an_assignment_says_its_target() -> None:
    said = clause(read("a.b: int = 3")[0])
    assert said is not None
    assert (said.kind, said.target) == ("assign", "a.b")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("if x:", "when `x`", id="a condition"),
        pytest.param("elif x == 1:", "when `x == 1`", id="another one"),
        pytest.param("if (a and b):", "when `a and b`", id="in brackets"),
        pytest.param("if (a) and (b):", "when `(a) and (b)`", id="between brackets"),
        pytest.param("if f(x):", "when `f(x)`", id="a call"),
        pytest.param("if (a + b) * c > d:", "when `(a + b) * c > d`", id="that begins with a bracket"),
        pytest.param("for k, v in x.items():", "for each `k, v` in `x.items()`", id="a loop"),
        pytest.param("async for x in [y for y in z]:", "for each `x` in `[y for y in z]`", id="a loop over a loop"),
        pytest.param("while x:", "as long as `x`", id="a loop with a condition"),
        pytest.param("except (A, B) as error:", "on `A, B`", id="errors"),
        pytest.param("except A:", "on `A`", id="an error"),
        pytest.param("except:", "", id="any error"),
        pytest.param("else:", "", id="otherwise"),
        pytest.param("try:", "", id="an attempt"),
        pytest.param("def f():", "", id="a definition"),
    ],
)
def test_when_a_block_runs(source: str, expected: str) -> None:
    assert circumstance(read(source)[0]) == expected


NESTED = """\
if a:
    # why
    b = 1
    if c:
        d = 2
    else:
        e = 3
    # after
else:
    f = 4
g = 5
"""


def test_the_shape_of_blocks() -> None:
    body = read(NESTED)
    at = {one.text: index for index, one in enumerate(body) if one.text != "else"}
    inner, outer = (index for index, one in enumerate(body) if one.text == "else")
    assert [opener_of(body, at[text]) for text in ("if a", "b = 1", "d = 2", "e = 3", "f = 4", "g = 5")] == [
        None,
        at["if a"],
        at["if c"],
        inner,
        outer,
        None,
    ]
    assert children_of(body, at["if a"]) == [at["b = 1"], at["if c"], inner]
    assert children_of(body, outer) == [at["f = 4"]]
    assert children_of(body, at["g = 5"]) == []
    assert alternative_of(body, at["if a"]) == outer
    assert alternative_of(body, at["if c"]) == inner
    assert alternative_of(body, at["g = 5"]) is None


def test_an_elif_is_no_plain_alternative() -> None:
    assert alternative_of(read("if a:\n  b\nelif c:\n  d\nelse:\n  e"), 0) is None


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("a + b", 5, "`a + b`", id="it fits"),
        pytest.param("a + bcd", 6, "`a + …`", id="a word is never cut"),
        pytest.param("f(aaaa, bbbb, cccc)", 16, "`f(aaaa, bbbb, …`", id="between arguments"),
        pytest.param("aaa <= bbb", 6, "`aaa …`", id="nor an operator"),
        pytest.param("a" * 80, 72, "`…`", id="one long word"),
        pytest.param("a`b", 72, "``a`b``", id="with a backtick"),
    ],
)
def test_code_is_shortened_at_a_token(text: str, limit: int, expected: str) -> None:
    assert code(text, limit) == expected


CODE = st.text(st.sampled_from("ab =+:,()[]{}\"'\\#\n.;f1<>`\u200b\t"), max_size=100) | st.text(max_size=60)
OPENERS = st.sampled_from(["", "if ", "return ", "raise ", "x = ", "assert ", "for a in ", "while ", "f(", "yield "])


@given(OPENERS, CODE)
def test_what_is_said_of_any_lines_is_named_in_them(opener: str, source: str) -> None:
    text = Text(opener + source)
    for statement in statements(text, LineRange(0, text.n_lines), ("#",)):
        cited = vocabulary([text.slice(statement.lines)])
        said = clause(statement)
        for words in (said.text if said else "", circumstance(statement)):
            found = check_names(words, cited, cited)
            # In text that is no code, such as `a=<`, a sign alone may be another sign than it was beside others.
            assert not [name for name in found.invented if re.search(r"\w", name)], words
            assert not found.elsewhere
