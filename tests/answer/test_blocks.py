"""When a statement runs is told or said to be conditional: no claim leaves a condition out."""

from __future__ import annotations

import textwrap

import pytest
from toolrag.answer.blocks import circumstances
from toolrag.answer.statements import statements
from toolrag.text import LineRange, Text


def when(source: str) -> str | None:
    """The circumstances of the statement that says `here()`; None where it belongs to a function inside."""
    text = Text(textwrap.dedent(source).strip("\n"))
    body = statements(text, LineRange(0, text.n_lines), ("#",))
    (at,) = [at for at, one in enumerate(body) if "here()" in one.text]
    found = circumstances(body, at, lambda other: body[at].lines.end - body[other].lines.start <= 12)
    return None if found is None else f"{found.words}{found.rest}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("here()", "", id="always"),
        pytest.param("if a:\n    here()", "when `a`", id="an if"),
        pytest.param("if a:\n    x()\nelse:\n    here()", "unless `a`", id="its else"),
        pytest.param("if a:\n    x()\nelif b:\n    here()", "when `b`, under further conditions", id="an elif"),
        pytest.param(
            "if a:\n    x()\nelif b:\n    y()\nelse:\n    here()", ", under further conditions", id="after elif"
        ),
        pytest.param("if a:\n    if b:\n        here()", "when `b`, under further conditions", id="two ifs"),
        pytest.param("for x in xs:\n    here()", "for each `x` in `xs`", id="a loop"),
        pytest.param("while True:\n    here()", "", id="a loop without end"),
        pytest.param("while a:\n    here()", "as long as `a`", id="a loop with a condition"),
        pytest.param("for x in xs:\n    y()\nelse:\n    here()", ", under further conditions", id="a loop's else"),
        pytest.param("with a:\n    here()", "", id="with"),
        pytest.param("try:\n    here()\nfinally:\n    x()", "", id="try"),
        pytest.param("try:\n    x()\nexcept A:\n    here()", "on `A`", id="except"),
        pytest.param(
            "try:\n    x()\nexcept A:\n    y()\nexcept B:\n    here()",
            "on `B`, under further conditions",
            id="2nd except",
        ),
        pytest.param("try:\n    x()\nexcept:\n    here()", ", under further conditions", id="a bare except"),
        pytest.param("match a:\n    case 1:\n        here()", "in the case `1`", id="case"),
        pytest.param(
            "match a:\n    case 1:\n        x()\n    case _:\n        here()", ", under further conditions", id="_"
        ),
        pytest.param("if not a:\n    return\nhere()", "unless `not a`", id="after a return"),
        pytest.param("if a:\n    raise E\nhere()", "unless `a`", id="after a raise"),
        pytest.param("if a:\n    sys.exit(1)\nhere()", "unless `a`", id="after an exit"),
        pytest.param(
            "for x in xs:\n    if a:\n        continue\n    here()",
            "unless `a`, under further conditions",
            id="continue",
        ),
        pytest.param("for x in xs:\n    if a:\n        break\nhere()", "", id="a break ends its own loop"),
        pytest.param("for x in xs:\n    if a:\n        return\nhere()", ", if it gets there", id="a return in a loop"),
        pytest.param("if a:\n    return\nif b:\n    return\nhere()", "unless `b`, if it gets there", id="two guards"),
        pytest.param("if a:\n    if b:\n        return\nhere()", ", if it gets there", id="a guard inside an if"),
        pytest.param("if a:\n    return\nelse:\n    x()\nhere()", ", if it gets there", id="a guard with an else"),
        pytest.param("try:\n    x()\nexcept A:\n    return\nhere()", ", if it gets there", id="a return in except"),
        pytest.param("if a:\n    return 1\nelse:\n    here()", "unless `a`", id="the branch before is no guard"),
        pytest.param(
            "if a:\n    if b:\n        return\n    here()",
            "unless `b`, under further conditions",
            id="inside the same if",
        ),
        pytest.param(
            "if a is None:\n    a = b\n    here()", ", under further conditions", id="what it names was changed"
        ),
        pytest.param("def f():\n    return 1\nhere()", "", id="a return of another function"),
        pytest.param("def f():\n    here()", None, id="a function inside"),
        pytest.param("class A:\n    here()", None, id="a class inside"),
        pytest.param(f"if a == {'b' * 80}:\n    here()", ", under further conditions", id="too long to tell"),
        pytest.param("if a:\n" + "    x()\n" * 20 + "    here()", ", under further conditions", id="too far to cite"),
        pytest.param(
            "if a:\n    return\n" + "x()\n" * 20 + "here()", ", if it gets there", id="a guard too far to cite"
        ),
        pytest.param("if a:\n    # a comment\n    here()", "when `a`", id="comments are nothing"),
    ],
)
def test_when_it_runs(source: str, expected: str | None) -> None:
    """The condition in words, and that there are others."""
    assert when(source) == expected
