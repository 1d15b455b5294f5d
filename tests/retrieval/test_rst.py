"""The sections of reStructuredText are those docutils finds; none of its tests need it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag.retrieval.cuts import section_sentences, signature
from toolrag.retrieval.rst import Title, heading, reads_as_rst, titles
from toolrag.retrieval.spans import parse_source
from toolrag.text import LineRange, Text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("A\n=\n", [Title(0, 0, "A", 1)], id="underlined"),
        pytest.param("===\n A\n===\n", [Title(0, 1, "A", 1)], id="over and under, inset"),
        pytest.param("A\n=\n\nB\n-\n\nC\n=\n", [(0, 1), (3, 2), (6, 1)], id="levels by first appearance"),
        pytest.param("=\nA\n=\n\nB\n=\n", [(1, 1), (4, 2)], id="an overline is another style"),
        pytest.param("A\n=\nB\n-\n", [(0, 1), (2, 2)], id="no blank line between"),
        pytest.param("Longer\n====\n", [(0, 1)], id="four marks are enough"),
        pytest.param("Longer\n===\n", [], id="three are not"),
        pytest.param("日本\n===\n", [], id="wide letters take two columns"),
        pytest.param("日本\n====\n", [(0, 1)], id="and four marks"),
        pytest.param("=======\nA\n", [], id="an overline alone"),
        pytest.param("=====\nA\n-----\n", [], id="an overline that differs"),
        pytest.param("words\nA\n=\n", [], id="inside a paragraph"),
        pytest.param(" A\n===\n", [], id="indented"),
        pytest.param(".. x\n\n   A\n   =\n", [], id="in a comment"),
        pytest.param(".. _x:\nA\n=\n", [(1, 1)], id="right below a target"),
        pytest.param("words\n.. _x:\nA\n=\n", [], id="what looks like a target in a paragraph"),
        pytest.param("- item\nA\n=\n", [(1, 1)], id="right below a list"),
        pytest.param("- A\n---\n", [], id="a list"),
        pytest.param("1. A\n====\n", [(0, 1)], id="a number is no list"),
        pytest.param(":a: b\n=====\n", [], id="a field"),
        pytest.param(">>> a\n-----\n", [], id="a doctest"),
        pytest.param("| a\n----\n", [], id="a line block"),
        pytest.param("a\n\n-----\n\nb\n", [], id="a transition"),
        pytest.param("=== ===\na   b\n=== ===\n", [], id="a table"),
        pytest.param("A  \n====  \n", [(0, 1)], id="white space behind"),
        pytest.param("", [], id="nothing"),
        pytest.param("====", [], id="marks alone"),
    ],
)
def test_titles_are_those_of_docutils(text: str, expected: list[Title] | list[tuple[int, int]]) -> None:
    """Each with its line and level."""
    found = list(titles(text.split("\n")))
    assert len(found) == len(expected)
    for one, want in zip(found, expected, strict=True):
        assert want in (one, (one.line, one.level))


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("``LIMIT``", "LIMIT"),
        (":meth:`~shop.Basket.add`", "add"),
        (":doc:`The shop </intro>`", "The shop"),
        ("`A link <https://example.org>`_", "A link"),
        ("**All** of *it*", "All of it"),
        (r"\*args and 2 * 3", "*args and 2 * 3"),
        ("``*``", "*"),
        ("a_b ``c_d``", "a_b c_d"),
    ],
)
def test_a_heading_has_no_markup(title: str, words: str) -> None:
    """What a reader of the page reads."""
    assert heading(title) == words


def test_a_section_is_cut_without_marks() -> None:
    """Its signature is the title, its sentences are its own and not those of its subsections."""
    content = (
        "====\nShop\n====\n\nIt is *open*. See :ref:`prices`::\n\n   code\n\n.. note:: Closed on Sundays.\n\n"
        "Prices\n======\n\nOther words.\n"
    )
    text = Text(content)
    shop, prices = parse_source(content, "rst").spans
    assert (shop.lines, shop.header) == (LineRange(0, 14), LineRange(1, 2))
    assert signature(text, shop, "rst") == "Shop"
    said = [(sentence.lines.start, sentence.text) for sentence in section_sentences(text, shop, "rst")]
    assert said == [(4, "It is *open*."), (4, "See `prices`:"), (8, "Closed on Sundays.")]
    assert [sentence.text for sentence in section_sentences(text, prices, "rst")] == ["Other words."]


LINES = st.sampled_from(
    [
        "",
        "",
        "A",
        "Title",
        "====",
        "----",
        "~~~~",
        "=",
        "  deeper",
        ".. note:: x",
        "- item",
        "日本",
        "| a",
        "x::",
        "\t=",
        "\0",
    ]
)
TEXTS = st.one_of(st.lists(LINES, max_size=60).map("\n".join), st.text(st.characters(codec=None), max_size=200))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_sections_nest_and_passages_cover_each_line_once(content: str) -> None:
    """Whatever the text: in order, within it, and the same again."""
    text, parsed = Text(content), parse_source(content, "rst")
    for index, one in enumerate(parsed.spans):
        assert one.name.strip()
        assert 0 <= one.lines.start <= one.header.start < one.header.end <= one.lines.end <= text.n_lines
        assert one.header_end <= len(text.line(one.header.end - 1))
        for other in parsed.spans[index + 1 :]:
            assert other.lines in one.lines or other.lines.start >= one.lines.end
    covered = [0] * text.n_lines
    for passage in parsed.passages:
        for line in range(passage.lines.start, passage.lines.end):
            covered[line] += 1
    assert all(times == 1 or (times == 0 and not text.line(line).strip()) for line, times in enumerate(covered))
    assert parse_source(content, "rst") == parsed


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("A\n=\n" * 50_000, id="titles"),
        pytest.param("=\n" * 200_000, id="marks"),
        pytest.param("=" * 1_000_000 + "\n" + "A" * 1_000_000 + "\n" + "=" * 1_000_000, id="huge lines"),
        pytest.param(":" + "a:" * 200_000, id="a field that does not end"),
        pytest.param("`a <" * 200_000, id="links that do not end"),
        pytest.param("Title\n=====\n" + "`" * 400_000, id="literals that do not end"),
        pytest.param("*a" * 200_000 + "\n" + "=" * 400_000, id="a title of emphasis"),
        pytest.param("`a" * 100_000 + "\n" + "=" * 200_000, id="a title of literals"),
        pytest.param("\0\n\0\n", id="null bytes"),
        pytest.param("".join(f"A\n{mark}\n" for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" * 500), id="all marks"),
    ],
)
def test_hostile_texts_end(text: str) -> None:
    """In time that grows with the text: each takes far less than the ten seconds allowed here."""
    began = time.process_time()
    reads_as_rst(text)
    parse_source(text, "rst")
    assert time.process_time() - began < 10
