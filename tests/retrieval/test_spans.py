"""What is true of spans, passages and references whatever the text."""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from itertools import cycle, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag.retrieval import spans as spans_module
from toolrag.retrieval.passages import MAX_LINES, MAX_TOP_LEVEL_LINES
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import ParsedFile, Reference, Span
from toolrag.text import LineRange, Text, fold

PYTHON_LINES = st.sampled_from(
    [
        "",
        "   ",
        "\f",
        "# a comment",
        "x = 1",
        "a, b = 1, 2",
        "x = (",
        "    1)",
        "class A:",
        "class B(A, metaclass=M):",
        "def f(x):",
        "async def g(",
        "    x): return x",
        "@decorated(1)",
        "if x:",
        "else:",
        "try:",
        '"""doc"""',
        '"""opened',
        "# in a string\N{LINE SEPARATOR}or not",
        "f(g(1))  # \N{GRINNING FACE}",
        "return f(",
        ")]}",
        "x = 1; y = 2; z = '''",
        "\ud800 = '\x00'",
        "type T = int",
        "pass",
    ]
)
MARKDOWN_LINES = st.sampled_from(
    [
        "",
        "# A",
        "## B",
        "### C #",
        "text",
        "===",
        "---",
        "```",
        "~~~",
        "- # item",
        "> # quote",
        "    code",
        "|a|b|",
        "\t# D",
    ]
)
PYTHON = st.lists(st.tuples(st.integers(0, 3), PYTHON_LINES), max_size=40).map(
    lambda rows: "\n".join("    " * depth + line for depth, line in rows)
)
MARKDOWN = st.lists(MARKDOWN_LINES, max_size=40).map("\n".join)
ANY = st.text(st.characters(codec=None), max_size=200)
SOURCES = st.one_of(
    st.tuples(PYTHON, st.just("python")),
    st.tuples(MARKDOWN, st.just("markdown")),
    st.tuples(ANY, st.sampled_from(["python", "markdown"])),
)


@settings(max_examples=300, deadline=None)
@given(SOURCES)
def test_any_text_is_parsed_into_lines_of_its_own(source: tuple[str, str]) -> None:
    """Nothing raises, every line number lies in the text, and the same text gives the same again."""
    content, language = source
    text, parsed = Text(content), parse_source(content, language)
    for span in parsed.spans:
        assert 0 <= span.lines.start <= span.header.start < span.header.end <= span.lines.end <= text.n_lines
        assert span.doc is None or span.doc in span.lines
        assert span.header_end <= len(text.line(span.header.end - 1))
    for reference in parsed.references:
        assert reference.line < text.n_lines
        assert reference.span is None or parsed.spans[reference.span].lines.start <= reference.line
    assert parse_source(content, language) == parsed


@settings(max_examples=150, deadline=None)
@given(SOURCES)
def test_line_ends_make_no_difference(source: tuple[str, str]) -> None:
    """LF, CR LF and CR alone end a line alike, and a mix of them too."""
    content, language = fold(source[0]), source[1]
    expected = parse_source(content, language)
    assert parse_source(content.replace("\n", "\r\n"), language) == expected
    assert parse_source(content.replace("\n", "\r"), language) == expected
    ends = cycle(["\r\n", "\n", "\r"])
    assert parse_source(re.sub("\n", lambda _: next(ends), content), language) == expected


@settings(max_examples=300, deadline=None)
@given(SOURCES)
def test_passages_cover_each_line_that_is_not_blank_once(source: tuple[str, str]) -> None:
    """Constants apart, which are passages of their own besides."""
    content, language = source
    text, parsed = Text(content), parse_source(content, language)
    covered = [0] * text.n_lines
    for passage in parsed.passages:
        assert text.line(passage.lines.start).strip()
        assert text.line(passage.lines.end - 1).strip()
        if passage.span is not None and parsed.spans[passage.span].kind == "constant":
            continue
        assert len(passage.lines) <= (MAX_TOP_LEVEL_LINES if passage.span is None else MAX_LINES)
        for line in range(passage.lines.start, passage.lines.end):
            covered[line] += 1
    for line, times in enumerate(covered):
        assert times == 1 or (times == 0 and not text.line(line).strip()), line


@settings(max_examples=300, deadline=None)
@given(SOURCES)
def test_spans_nest_or_are_apart(source: tuple[str, str]) -> None:
    """Two statements may share a line, where one ends and the other begins; no more."""
    parsed = parse_source(*source)
    for index, one in enumerate(parsed.spans):
        for other in parsed.spans[index + 1 :]:
            nested = one.lines in other.lines or other.lines in one.lines
            assert nested or other.lines.start >= one.lines.end - 1, (one, other)


@pytest.mark.parametrize("lines", [1, 39, 40, 41, 79, 80, 81, 82, 160, 161, 500])
@pytest.mark.parametrize("blank_every", [0, 3, 17, 50])
def test_long_runs_are_cut_into_pieces_within_the_limit(lines: int, blank_every: int) -> None:
    """A long function becomes passages of at most 80 lines, a long top level of at most 40, none of them tiny."""
    body = ["" if blank_every and index % blank_every == 1 else f"f({index})" for index in range(lines)]
    for text, limit in (
        ("\n".join(body), MAX_TOP_LEVEL_LINES),
        ("\n".join(["def g():", *(f"    {line}" if line else "" for line in body)]), MAX_LINES),
    ):
        pieces = [passage.lines for passage in parse_source(text, "python").passages]
        assert all(len(piece) <= limit for piece in pieces)
        assert all(one.end <= other.start for one, other in pairwise(pieces))
        assert len(pieces) == 1 or min(len(piece) for piece in pieces) > 3


def functions_of_the_standard_library() -> list[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """200 functions of this interpreter's own library, the same at every run."""
    library = Path(sysconfig.get_path("stdlib"))
    found: list[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]] = []
    for folder in ("asyncio", "json", "http", "email", "logging", "unittest", "concurrent/futures", "importlib"):
        for path in sorted((library / folder).glob("*.py")):
            nodes = ast.walk(ast.parse(path.read_bytes()))
            found.extend((path, node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return random.Random(20_251).sample(found, 200)


def test_200_functions_of_real_code_have_the_lines_that_ast_gives_them() -> None:
    """The last line is the node's own; the first that of its first decorator, or of the comments right above."""
    parsed: dict[Path, tuple[Text, ParsedFile]] = {}
    for path, node in functions_of_the_standard_library():
        if path not in parsed:
            content = path.read_bytes().decode()
            parsed[path] = Text(content), parse_source(content, "python")
        text, result = parsed[path]
        place = f"{path.name}:{node.lineno} {node.name}"
        (span,) = (one for one in result.spans if one.header.start == node.lineno - 1 and one.name == node.name)
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        assert span.lines.end == node.end_lineno, place
        assert span.lines.start <= first, place
        assert all(text.line(line).lstrip().startswith("#") for line in range(span.lines.start, first)), place
        assert not text.line(span.lines.start - 1).startswith(" " * node.col_offset + "#"), place
        string = node.body[0]
        if ast.get_docstring(node, clean=False) is not None:
            assert span.doc == LineRange(string.lineno - 1, string.end_lineno or 0), place
        assert span.header.end <= string.lineno, place


def names(spans: tuple[Span, ...]) -> list[str]:
    return [f"{span.kind} {span.qualified_name} {span.lines.start + 1}-{span.lines.end}" for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("x = 1\rdef f():\r  pass\r", ["constant x 1-1", "function f 2-3"], id="CR alone"),
        pytest.param("x = 1\r\n\r\ndef f():\r\n  pass", ["constant x 1-1", "function f 3-4"], id="CR LF"),
        pytest.param("\f\nx = '\f'\n\fdef f(): pass", ["constant x 2-2", "function f 3-3"], id="form feeds"),
        pytest.param("x = '\u2028\x85\x1c'\ndef f(): pass", ["constant x 1-1", "function f 2-2"], id="no line ends"),
        pytest.param("'\U0001f600'\ndef \U0001d4bb(): pass", ["function \U0001d4bb 2-2"], id="astral letters"),
        pytest.param("\ufeffdef f():\n  pass", ["function f 1-2"], id="byte order mark"),
        pytest.param("\ufeff# doc\ndef f():\n  pass", ["function f 1-3"], id="byte order mark before a doc"),
        pytest.param("x = '\ud800'\ndef f(): pass", ["constant x 1-1", "function f 2-2"], id="lone surrogate"),
        pytest.param("x = '\0'\ndef f(): pass", ["constant x 1-1", "function f 2-2"], id="NUL"),
        pytest.param("def f(:\n  pass\n\ndef g():\n  pass", ["function g 4-5"], id="an error before"),
        pytest.param("def f():\n  # only this", ["function f 1-1"], id="no body"),
    ],
)
def test_odd_characters_do_not_move_lines(text: str, expected: list[str]) -> None:
    """A line is an LSP line, and a syntax error spoils no more than it must."""
    assert [name for name in names(parse_source(text, "python").spans) if name in expected] == expected


def test_header_end_counts_characters() -> None:
    """Letters outside ASCII and a byte order mark are one character each."""
    (span,) = parse_source("\ufeffdef f(a='\U0001f600é'): pass", "python").spans
    assert span.header_end == len("\ufeffdef f(a='\U0001f600é')")


@pytest.mark.parametrize(
    ("text", "documented"),
    [
        pytest.param("# Doc.\ndef f(): pass", True, id="the first line of a file"),
        pytest.param("#!/usr/bin/python\ndef f(): pass", False, id="a shebang"),
        pytest.param("# -*- coding: utf-8 -*-\ndef f(): pass", False, id="an encoding"),
        pytest.param("#!/bin/python\n# vim: fileencoding=utf-8\n# Doc.\ndef f(): pass", True, id="a doc after both"),
        pytest.param("# Copyright 2020\n# All of us\ndef f(): pass", False, id="a licence"),
        pytest.param("#!/bin/python\n\n# SPDX-License-Identifier: MIT\ndef f(): pass", False, id="a licence below"),
        pytest.param("x = 1\n# The licence is checked.\ndef f(): pass", True, id="a doc about licences"),
        pytest.param("x = 1  # one\ndef f(): pass", False, id="a comment behind code"),
        pytest.param("def g():\n    pass\n    # two\ndef f(): pass", False, id="a comment at the end of a body"),
        pytest.param("# far\n\ndef f(): pass", False, id="a blank line between"),
        pytest.param("x = '''\n# text'''\ndef f(): pass", False, id="text of a string"),
    ],
)
def test_which_comments_are_docs(text: str, documented: bool) -> None:
    """Those right above a definition, at its own depth, that say something of it."""
    span = parse_source(text, "python").spans[-1]
    assert span.name == "f"
    assert (span.doc is not None) == documented


def test_a_reference_stands_where_its_name_stands() -> None:
    """Not where the expression begins; with the innermost span around it."""
    text = "def f():\n    return (\n        a\n        .b(1)\n        .c()\n    )\n\nd(e())\n"
    assert parse_source(text, "python").references == (
        Reference("b", 3, "call", 0),
        Reference("c", 4, "call", 0),
        Reference("d", 7, "call", None),
        Reference("e", 7, "call", None),
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(" * 20_000 + ")" * 20_000, id="nested parentheses"),
        pytest.param("[" * 100_000, id="open brackets"),
        pytest.param("def f():\n  x = " + "[" * 100_000, id="open brackets in a function"),
        pytest.param("f(" * 20_000 + ")" * 20_000, id="nested calls"),
        pytest.param("x = " + "1 + " * 50_000 + "1", id="a long sum"),
        pytest.param("".join(" " * depth + "class A:\n" for depth in range(500)), id="nested classes"),
        pytest.param("def f(:\n" * 20_000, id="broken functions"),
        pytest.param("x=1;" * 100_000, id="statements on one line"),
        pytest.param("#\n" * 100_000 + "def f(): pass", id="comments"),
        pytest.param("@a\n" * 20_000 + "def f(): pass", id="decorators"),
        pytest.param("a," * 20_000 + "= 1", id="a tuple"),
    ],
)
def test_hostile_texts_end(text: str) -> None:
    """None crashes, hangs, or nests too deep for Python."""
    parsed = parse_source(text, "python")
    assert sum(len(passage.lines) for passage in parsed.passages) >= 1


def test_text_that_is_no_python_has_a_problem_and_passages() -> None:
    """Symbols are not guessed; the lines can still be searched."""
    parsed = parse_source("[" * 30_000 + "\nwords", "python")
    assert parsed.spans == ()
    assert parsed.problems == ("It does not read as Python: no symbols were taken from it.",)
    assert [passage.lines for passage in parsed.passages] == [LineRange(0, 2)]


def test_calls_nested_beyond_measure_are_left_out_and_told() -> None:
    """A chain of calls takes time that grows with its square, so there is an end to it."""
    parsed = parse_source("a" + ".b(c)" * 6_000 + "\n", "python")
    assert parsed.problems == ("It nests so deep that some of its symbols and calls were left out.",)


def test_symbols_beyond_the_limit_are_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ones are kept, and everything else agrees with them."""
    monkeypatch.setattr(spans_module, "MAX_SPANS", 3)
    parsed = parse_source("class A:\n  def f(self): g()\n  def h(self): g()\n  def i(self): g()\n", "python")
    assert [span.name for span in parsed.spans] == ["A", "f", "h"]
    assert [reference.span for reference in parsed.references] == [1, 2, 0]
    assert parsed.problems == ("It has 4 symbols; only the first 3 are indexed.",)


def test_a_parse_ends_when_its_time_has_run_out() -> None:
    """It is told, the lines can be searched, and the next parse is whole."""
    parsed = parse_source("def f(): pass\n" * 5_000, "python", lambda: True)
    assert parsed.spans == ()
    assert len(parsed.passages) == 125
    assert parsed.problems == ("Parsing was stopped: its time had run out.",)
    assert len(parse_source("def f(): pass\n" * 5_000, "python").spans) == 5_000


def test_an_unknown_language_is_a_fault_of_the_caller() -> None:
    """It is no property of the text."""
    with pytest.raises(ValueError, match="klingon"):
        parse_source("", "klingon")
