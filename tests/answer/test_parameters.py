"""The defaults of parameters: as they are written, on their own lines, and only where they are understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.adapters.parse_worker import analyse
from toolrag.answer.parameters import parameters
from toolrag.retrieval.languages import LANGUAGES
from toolrag.text import Text


def defaults_of(source: str) -> list[tuple[str, str, int, int]]:
    """Name, default, and first and last line counted from 1, of the first function's parameters."""
    spans = [span for span in analyse(source, "python", 60.0).parsed.spans if span.kind in ("function", "method")]
    found = parameters(Text(source), spans[0], LANGUAGES["python"])
    return [(one.name, one.default, one.lines.start + 1, one.lines.end) for one in found]


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        pytest.param("def f(a, b=1): ...", [("b", "1", 1, 1)], id="one of two"),
        pytest.param("def f(a: int = 1, *, b: str | None = None) -> int: ...", [("a", "1", 1, 1), ("b", "None", 1, 1)]),
        pytest.param("def f(\n    a=1,  # one, or b=2\n    b=3,\n): ...", [("a", "1", 2, 2), ("b", "3", 3, 3)]),
        pytest.param(
            "def f(a=(1, 2), b={'x': 1}, c='=,)'): ...",
            [("a", "(1, 2)", 1, 1), ("b", "{'x': 1}", 1, 1), ("c", "'=,)'", 1, 1)],
        ),
        pytest.param("def f(a=g(\n    1,\n    2,\n)): ...", [("a", "g( 1, 2, )", 1, 4)], id="over lines"),
        pytest.param("def f(a: Annotated[int, g(b=1)] = 2): ...", [("a", "2", 1, 1)], id="an = within a type"),
        pytest.param("def f(a=lambda x, y: x): ...", [], id="a lambda's commas"),
        pytest.param("def f(a=...): ...", [], id="a stub says nothing"),
        pytest.param("def f(a=b == c): ...", [("a", "b == c", 1, 1)], id="a comparison"),
        pytest.param("def f(*args, **kwargs): ...", [], id="none"),
        pytest.param("class A:\n    def f(self, a=1): ...", [("a", "1", 2, 2)], id="a method"),
    ],
)
def test_a_default_is_told_as_it_stands(signature: str, expected: list[tuple[str, str, int, int]]) -> None:
    assert defaults_of(signature + "\n") == expected


@given(st.text(alphabet="abc=,:()[]{}'\"#\n *.1lambda", max_size=60))
def test_any_signature_is_read_without_harm(inside: str) -> None:
    source = f"def f({inside}):\n    pass\n"
    text = Text(source)
    for span in analyse(source, "python", 60.0).parsed.spans:
        for one in parameters(text, span, LANGUAGES["python"]):
            assert one.lines in span.header
            assert one.name in text.slice(one.lines)
