"""Why a passage was found."""

from __future__ import annotations

import pytest
from index_doubles import analysis_of
from toolrag.retrieval.query import parse_query
from toolrag.retrieval.reasons import reasons_for

SOURCE = "class Session:\n    def send(self):\n        return timeout\n\n\nx = 1\n"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("send", ("exact name", "“send” in name"), id="a name"),
        pytest.param("`Session.send`", ("exact name", "“Session” in scope", "“send” in name"), id="a dotted name"),
        pytest.param("sending timeouts", ("“sending” in name", "“timeouts” in body"), id="other forms of a word"),
        pytest.param("http sender", ("“http” in path", "“sender” in name"), id="the path"),
        pytest.param("zebra", ("similar words",), id="nothing that can be named"),
        pytest.param("zebra timeout", ("“timeout” in body",), id="only words that are there"),
    ],
)
def test_each_word_is_said_with_the_places_that_hold_it(question: str, expected: tuple[str, ...]) -> None:
    analysis = analysis_of(SOURCE)
    ordinal = next(
        at
        for at, passage in enumerate(analysis.parsed.passages)
        if passage.span is not None and analysis.parsed.spans[passage.span].name == "send"
    )
    assert reasons_for(parse_query(question), "src/http/x.py", analysis, ordinal) == expected


def test_lines_of_the_top_level_have_no_name() -> None:
    analysis = analysis_of("import os\nprint(os)\n")
    assert reasons_for(parse_query("os"), "a.py", analysis, 0) == ("“os” in body",)
