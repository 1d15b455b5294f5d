"""What holds for every SpanParser: the parse process, and the double that stands for it in other tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np
import pytest
from parser_double import InlineParser
from toolrag.adapters.parse_process import ParseProcess
from toolrag.ports import SpanParser
from toolrag.retrieval.spans import parse_source
from toolrag.retrieval.terms import file_terms
from toolrag.symbols import Analysis, Bags
from toolrag.text import Text

Use = Callable[[SpanParser], Awaitable[None]]

SOURCES = [
    pytest.param("", "python", id="empty"),
    pytest.param("def f(x):\n    '''Doc.'''\n    return g(x)\n\nclass A(B): x = 1\n", "python", id="python"),
    pytest.param("# A\n\ntext\n\n## B\n", "markdown", id="markdown"),
    pytest.param("x = '\ud800\0\u2028\U0001f600'\r\ndef ä(): pass\r", "python", id="odd characters"),
    pytest.param("[" * 6_000, "python", id="a problem"),
    pytest.param("def f(): return g(1)\n" * 10_000, "python", id="large"),
]


def with_process(use: Use) -> None:
    async def run() -> None:
        async with ParseProcess() as parser:
            await use(parser)

    asyncio.run(run())


def with_double(use: Use) -> None:
    async def run() -> None:
        await use(InlineParser())

    asyncio.run(run())


PARSERS = pytest.mark.parametrize(
    "with_parser", [pytest.param(with_process, id="process"), pytest.param(with_double, id="double")]
)


def assert_equal(one: Analysis, other: Analysis) -> None:
    assert one.parsed == other.parsed
    for name in ("name", "scope", "body"):
        left: Bags = getattr(one.terms, name)
        right: Bags = getattr(other.terms, name)
        for field in ("ptr", "terms", "counts"):
            assert getattr(left, field).dtype == getattr(right, field).dtype
            np.testing.assert_array_equal(getattr(left, field), getattr(right, field))
    np.testing.assert_array_equal(one.terms.text_ids, other.terms.text_ids)


@PARSERS
@pytest.mark.parametrize(("text", "language"), SOURCES)
def test_an_analysis_is_what_the_pure_functions_make_of_the_text(
    with_parser: Callable[[Use], None], text: str, language: str
) -> None:
    """Spans, passages, references and terms arrive as they were made."""
    parsed = parse_source(text, language)
    expected = Analysis(parsed, file_terms(Text(text), parsed))

    async def use(parser: SpanParser) -> None:
        assert_equal(await parser.parse(text, language), expected)

    with_parser(use)


@PARSERS
def test_texts_parsed_at_once_get_each_its_own(with_parser: Callable[[Use], None]) -> None:
    """However many are under way."""

    async def use(parser: SpanParser) -> None:
        texts = [f"def f{index}(): pass\n" * (index % 7 + 1) for index in range(40)]
        analyses = await asyncio.gather(*(parser.parse(text, "python") for text in texts))
        for index, analysis in enumerate(analyses):
            assert {span.name for span in analysis.parsed.spans} == {f"f{index}"}
            assert len(analysis.parsed.spans) == index % 7 + 1

    with_parser(use)


@PARSERS
def test_an_unknown_language_is_a_fault_of_the_caller(with_parser: Callable[[Use], None]) -> None:
    """It is told at once, and the parser goes on."""

    async def use(parser: SpanParser) -> None:
        with pytest.raises(ValueError, match="klingon"):
            await parser.parse("", "klingon")
        assert (await parser.parse("x = 1", "python")).parsed.spans[0].name == "x"

    with_parser(use)


@PARSERS
def test_a_cancelled_parse_disturbs_no_other(with_parser: Callable[[Use], None]) -> None:
    """The one that was asked for after it gets its own answer."""

    async def use(parser: SpanParser) -> None:
        first = asyncio.create_task(parser.parse("def first(): pass", "python"))
        second = asyncio.create_task(parser.parse("def second(): pass", "python"))
        await asyncio.wait([first], timeout=0)
        first.cancel()
        assert (await second).parsed.spans[0].name == "second"

    with_parser(use)
