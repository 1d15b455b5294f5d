"""Finding a symbol again in a later text, and telling a symbol of this text from one that is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from index_doubles import analysis_of
from toolrag.retrieval.symbols_in import find_symbol, name_parts, parent_of, stands
from toolrag.symbols import Span
from toolrag.text import LineRange, Text

SOURCE = "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n\n\ndef f():\n    pass\n"


def span_of(source: str, qualified: str, language: str = "python") -> Span:
    return next(span for span in analysis_of(source, language).parsed.spans if span.qualified_name == qualified)


def test_a_symbol_that_moved_is_found_by_name_container_and_kind() -> None:
    moved = analysis_of("import os\n\n\n" + SOURCE).parsed
    found = find_symbol(moved, span_of(SOURCE, "A.f"))
    assert found is not None
    assert (found.qualified_name, found.lines) == ("A.f", LineRange(4, 6))


def test_a_symbol_that_vanished_or_is_there_twice_is_not_found() -> None:
    span = span_of(SOURCE, "f")
    assert find_symbol(analysis_of("def g():\n    pass\n").parsed, span) is None
    assert find_symbol(analysis_of(SOURCE + "\n\ndef f():\n    pass\n").parsed, span) is None
    assert find_symbol(analysis_of("class f:\n    pass\n").parsed, span) is None


def test_the_parent_is_the_innermost_symbol_around() -> None:
    parsed = analysis_of("class A:\n    class B:\n        def f(self):\n            pass\n").parsed
    inner = next(span for span in parsed.spans if span.name == "f")
    parent = parent_of(parsed, inner)
    assert parent is not None
    assert parent.name == "B"
    assert parent_of(parsed, next(span for span in parsed.spans if span.name == "A")) is None


@pytest.mark.parametrize(
    ("source", "language"),
    [
        (SOURCE, "python"),
        ("# A `code` and **bold**s [link](url) #\n\ntext\n\nB *it*\nmore\n======\n\n## C > d\n\ntext\n", "markdown"),
    ],
)
def test_every_symbol_stands_in_its_own_text(source: str, language: str) -> None:
    spans = analysis_of(source, language).parsed.spans
    assert len(spans) > 2
    assert all(stands(Text(source), span) for span in spans)


@pytest.mark.parametrize(
    "altered",
    [
        pytest.param({"lines": LineRange(1, 900)}, id="past the end"),
        pytest.param({"header": LineRange(0, 1)}, id="a header outside"),
        pytest.param({"header": LineRange(1, 1)}, id="no header"),
        pytest.param({"header_end": -1}, id="less than no characters"),
        pytest.param({"doc": LineRange(7, 9)}, id="a doc outside"),
        pytest.param({"name": "g"}, id="another name"),
        pytest.param({"name": "f\x1b[31m"}, id="an escape sequence"),
        pytest.param({"name": "<img src=x>"}, id="markup"),
        pytest.param({"container": "A\x1b]8;;"}, id="an escape sequence in the container"),
    ],
)
def test_an_altered_symbol_does_not_stand(altered: dict[str, object]) -> None:
    assert not stands(Text(SOURCE), replace(span_of(SOURCE, "A.f"), **altered))  # type: ignore[arg-type] # any field


@pytest.mark.parametrize("altered", [{"name": "Intro\x1b[31m"}, {"name": "Other"}, {"container": "Else"}])
def test_an_altered_heading_does_not_stand(altered: dict[str, str]) -> None:
    source = "# Guide\n\n## Intro\n\nElse\n"
    span = replace(span_of(source, "Guide > Intro", "markdown"), **altered)  # type: ignore[arg-type] # name, container
    assert not stands(Text(source), span)


def test_names_have_parts() -> None:
    assert name_parts("A.b::c->d#e\\f") == list("Abcdef")
    assert name_parts("Guide > Intro") == ["Guide", "Intro"]
    assert name_parts("") == []
