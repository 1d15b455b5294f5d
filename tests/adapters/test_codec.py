"""An analysis as bytes: it comes back equal, and nothing but an analysis comes back at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_doubles import analysis_of
from toolrag.adapters.codec import decode_analysis, encode_analysis
from toolrag.adapters.parse_wire import without_symbols
from toolrag.retrieval.terms import bags
from toolrag.symbols import Analysis, Bags, FileTerms, ParsedFile, Passage, Reference, Span
from toolrag.text import LineRange

SOURCE = 'class A(B):\n    """Doc."""\n\n    def f(self):\n        g(1)\n\n\nx = f()\n'

names = st.text(max_size=5)
ranges = st.tuples(st.integers(0, 99), st.integers(0, 9)).map(lambda pair: LineRange(pair[0], sum(pair)))
kinds = st.sampled_from(("class", "constant", "field", "function", "method", "module", "section", "type"))
spans = st.builds(Span, names, names, kinds, ranges, ranges, st.integers(0, 99), st.none() | ranges)
counts = st.dictionaries(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1), max_size=4)


@st.composite
def analyses(draw: st.DrawFn) -> Analysis:
    found = draw(st.lists(spans, max_size=4))
    owners = st.none() | st.integers(0, len(found) - 1) if found else st.none()
    passages = draw(st.lists(st.builds(Passage, owners, ranges), max_size=4))
    reference = st.builds(Reference, names, st.integers(0, 99), st.sampled_from(("call", "base")), owners)
    rows = st.lists(counts, min_size=len(passages), max_size=len(passages)).map(bags)
    ids = draw(st.lists(st.integers(0, 2**63 - 1), min_size=len(passages), max_size=len(passages)))
    return Analysis(
        ParsedFile(
            tuple(found), tuple(passages), tuple(draw(st.lists(reference, max_size=4))), tuple(draw(st.lists(names)))
        ),
        FileTerms(draw(rows), draw(rows), draw(rows), np.array(ids, np.int64)),
    )


def assert_equal(one: Analysis, other: Analysis) -> None:
    assert one.parsed == other.parsed
    for name in ("name", "scope", "body"):
        left: Bags = getattr(one.terms, name)
        right: Bags = getattr(other.terms, name)
        for field in ("ptr", "terms", "counts"):
            np.testing.assert_array_equal(getattr(left, field), getattr(right, field), strict=True)
    np.testing.assert_array_equal(one.terms.text_ids, other.terms.text_ids, strict=True)


@given(analyses())
def test_an_analysis_comes_back_equal(analysis: Analysis) -> None:
    data = encode_analysis(analysis)
    assert_equal(decode_analysis(data), analysis)
    assert encode_analysis(decode_analysis(data)) == data


@pytest.mark.parametrize("analysis", [analysis_of(""), analysis_of(SOURCE), without_symbols("It crashed.")])
def test_what_the_parser_gives_comes_back_equal(analysis: Analysis) -> None:
    assert_equal(decode_analysis(encode_analysis(analysis)), analysis)


def test_a_cut_anywhere_is_not_an_analysis() -> None:
    data = encode_analysis(analysis_of("def f():\n    pass\n"))
    for size in range(len(data)):
        with pytest.raises(ValueError, match="not an analysis"):
            decode_analysis(data[:size])
    with pytest.raises(ValueError, match="not an analysis: its length is wrong"):
        decode_analysis(data + b"\0")


def altered(change: Callable[[dict[str, Any]], None]) -> bytes:
    """The bytes of an analysis whose JSON was changed."""
    data = encode_analysis(analysis_of(SOURCE))
    size = int.from_bytes(data[:4], "big")
    header = json.loads(data[4 : 4 + size])
    change(header)
    head = json.dumps(header).encode()
    return len(head).to_bytes(4, "big") + head + data[4 + size :]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda header: header["passages"][0].__setitem__(0, 99), id="a span that is not there"),
        pytest.param(lambda header: header["passages"][0].__setitem__(0, -1), id="a span before the first"),
        pytest.param(lambda header: header["passages"][0].__setitem__(0, "0"), id="a span that is text"),
        pytest.param(lambda header: header["passages"][0].__setitem__(0, [0]), id="a span that is a list"),
        pytest.param(lambda header: header["passages"][0].__setitem__(1, 99), id="lines that run backwards"),
        pytest.param(lambda header: header["passages"][0].__setitem__(1, "0"), id="lines that are text"),
        pytest.param(lambda header: header["passages"][0].__setitem__(1, 0.5), id="half a line"),
        pytest.param(lambda header: header["passages"].pop(), id="a passage less"),
        pytest.param(lambda header: header["references"][0].__setitem__(3, 99), id="a caller that is not there"),
        pytest.param(lambda header: header["references"][0].__setitem__(1, -1), id="a line before the first"),
        pytest.param(lambda header: header["references"][0].__setitem__(0, 7), id="a name that is a number"),
        pytest.param(lambda header: header["references"][0].__setitem__(2, "import"), id="an unknown reference"),
        pytest.param(lambda header: header["references"][0].append(1), id="a reference that is too long"),
        pytest.param(lambda header: header["spans"][0].__setitem__(0, None), id="a span without a name"),
        pytest.param(lambda header: header["spans"][0].__setitem__(2, "<b>"), id="an unknown kind"),
        pytest.param(lambda header: header["spans"][0].__setitem__(2, ["class"]), id="a kind that is a list"),
        pytest.param(lambda header: header["spans"][0].__setitem__(7, "1"), id="a signature's end that is text"),
        pytest.param(lambda header: header["spans"][0].pop(), id="half a doc"),
        pytest.param(lambda header: header["problems"].append(3), id="a problem that is a number"),
        pytest.param(lambda header: header["arrays"].__setitem__(0, -1), id="an array of no length"),
        pytest.param(lambda header: header["arrays"].__setitem__(0, "1"), id="a length that is text"),
        pytest.param(lambda header: header["arrays"].pop(), id="an array less"),
        pytest.param(lambda header: header.pop("spans"), id="no spans"),
        pytest.param(lambda header: header.__setitem__("spans", 3), id="spans that are a number"),
    ],
)
def test_what_could_not_have_been_encoded_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(ValueError, match="not an analysis"):
        decode_analysis(altered(change))


def test_rows_that_overlap_are_refused() -> None:
    analysis = analysis_of(SOURCE)
    analysis.terms.body.ptr[1] = -1
    with pytest.raises(ValueError, match="not an analysis: its parts do not fit"):
        decode_analysis(encode_analysis(analysis))


@pytest.mark.parametrize("data", [b"", b"\0\0\0\x02[]", b"\0\0\0\x04null", b"\xff" * 9, b"\0\0\0\x01\xff"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not an analysis"):
        decode_analysis(data)
