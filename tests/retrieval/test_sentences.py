"""Words of docs: markup goes, code stays as it is, and half a sentence is none."""

from __future__ import annotations

import pytest
from toolrag.retrieval.prose import DocLine, read_items, whole_items
from toolrag.retrieval.sentences import clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("replaced with ``_``. Prefixed with ``_`` to", "replaced with `_`. Prefixed with `_` to", id="_"),
        pytest.param("disallows ``+``, ``_``, and ``-``", "disallows `+`, `_`, and `-`", id="marks as code"),
        pytest.param("``a**b**c`` and ``**kwargs``", "`a**b**c` and `**kwargs`", id="stars in code"),
        pytest.param("``<b>`` and <b>this</b>", "`<b>` and this", id="a tag in code, and one that is none"),
        pytest.param(
            "``hooks[name](x)`` or hooks[name](x)", "`hooks[name](x)` or hooks[name](x)", id="calls, not links"
        ),
        pytest.param("2**3 and 4**5, **really**", "2**3 and 4**5, really", id="powers, and weight"),
        pytest.param("an :rfc:`2822` date, see :pep:`333`", "an RFC 2822 date, see PEP 333", id="numbered documents"),
        pytest.param(":class:`~foo.Bar` and :meth:`x <y>`", "`Bar` and `x`", id="roles"),
        pytest.param("`link <http://x>`_, `other`__", "link, other", id="reStructuredText links"),
        pytest.param("[`foo`](http://y) ![alt](z)", "`foo` alt", id="Markdown links"),
        pytest.param("use {@link #read(String)} or {@code x}", "use `read(String)` or `x`", id="Javadoc's inline tags"),
        pytest.param("``a `b` c``", "``a `b` c``", id="backticks in code"),
    ],
)
def test_markup_goes_and_code_stays(text: str, expected: str) -> None:
    """Nothing within code is taken for markup."""
    assert clean(text) == expected


def test_a_list_that_ends_a_sentence_is_not_told_without_it() -> None:
    """Entries after a line that ends in a colon say nothing by themselves; a plain list and fields do."""
    lines = [
        "Returns None if:",
        "",
        "- nothing is set,",
        "- or it is empty.",
        "",
        "A list.",
        "",
        "- whole",
        ":param x: y",
    ]
    items = whole_items(read_items([DocLine(at, line) for at, line in enumerate(lines)]))
    assert [" ".join(line.text for line in item.lines) for item in items] == [
        "Returns None if:",
        "A list.",
        "whole",
        "x: y",
    ]
