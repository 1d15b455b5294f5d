"""Docs and signatures cut from the doc comments of every style, with the marks of each language taken off."""

from __future__ import annotations

import time

import pytest
from toolrag.retrieval.cuts import doc_lines, doc_paragraphs, doc_sentences, signature
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import Span
from toolrag.text import Text


def first(content: str, language: str) -> tuple[Text, Span]:
    """The first span with a doc, else the first."""
    spans = parse_source(content, language).spans
    return Text(content), next((span for span in spans if span.doc), spans[0])


DOC_LINES = [
    pytest.param("javascript", "/** One. */\nfunction f() {}", ["One."], id="a block on one line"),
    pytest.param("java", "/**\n * One.\n *   In.\n *\n * Two.\n */\nclass A {}", ["", "One.", "  In.", "", "Two.", ""]),
    pytest.param("c", "/*\n** One.\n*/\nint f(void) { }", ["", "One.", ""], id="two stars"),
    pytest.param("c", "/* One,\n   two. */\nint f(void) { }", ["One,", "two."], id="no stars"),
    pytest.param("cpp", "/// One.\n//! Two.\nint f() { }", ["One.", "Two."], id="Doxygen"),
    pytest.param("rust", "/// One.\n///\n///   In.\nfn f() {}", ["One.", "", "  In."]),
    pytest.param("go", "// F does.\nfunc F() {}", ["F does."]),
    pytest.param("lua", "--- One.\n-- Two.\nfunction f() end", ["One.", "Two."]),
    pytest.param("lua", "--[[\nOne.\n]]\nfunction f() end", ["", "One.", ""], id="a long bracket"),
    pytest.param("ruby", "=begin\nOne.\n=end\ndef f; end", ["", "One.", ""], id="Ruby's block"),
    pytest.param("ruby", "# One.\n#   In.\ndef f; end", ["One.", "  In."]),
    pytest.param("elixir", '@doc """\nOne.\n\n  In.\n"""\ndef f, do: 1', ["", "One.", "", "  In.", ""], id="a heredoc"),
    pytest.param("elixir", '@doc "One."\ndef f, do: 1', ["One."], id="a string"),
    pytest.param("elixir", 'defmodule A do\n  @moduledoc """\n  One.\n  """\nend', ["", "One.", ""], id="a moduledoc"),
    pytest.param("bash", "# One.\nf() { :; }", ["One."]),
    pytest.param("scala", "/** One.\n  * Two.\n  */\ndef f = 1", ["One.", "Two.", ""]),
]


@pytest.mark.parametrize(("language", "content", "expected"), DOC_LINES)
def test_doc_lines_have_no_marks(language: str, content: str, expected: list[str]) -> None:
    """Each line of the comment is a line of the doc; stars, slashes and common indent are gone."""
    text, span = first(content, language)
    assert span.doc is not None
    lines = doc_lines(text, span, language)
    margin = min((len(line.text) - len(line.text.lstrip()) for line in lines if line.text), default=0)
    assert [line.text[margin:] for line in lines] == expected
    assert [line.line for line in lines] == list(range(span.doc.start, span.doc.end))


JSDOC = """/**
 * Joins the parts. Leaves no gap, see {@link Part#join the parts} and {@code x}.
 *
 * @param {string} first - what begins
 *     it all
 * @param {number=} [second=3] how many
 * @returns {Promise<string>} the whole
 * @throws {TypeError} when empty
 * @example
 *   join(1);
 * @deprecated
 */
function join(first, second) {}"""
JAVADOC = """/**
 * Finds one. <p>Twice.
 * <pre>
 *   code();
 * </pre>
 *
 * @param key what to look for,
 * not null
 * @param <T> the type
 * @return the item
 * @throws java.io.IOException if it fails
 * @since 1.0
 */
class A {}"""
CSHARP = """/// <summary>
/// Finds <c>one</c> of <see cref="T:Item"/>. Or <see langword="null"/>.
/// </summary>
/// <param name="key">What to look for.</param>
/// <param name="limit">
/// How many.
/// </param>
/// <returns>The item.</returns>
/// <exception cref="T:System.Exception">When it fails.</exception>
class A {}"""
PHPDOC = """<?php
/**
 * Finds one.
 *
 * @param int|string $id its number
 * @param ?User &$user who
 * @return self
 */
function f() {}"""
DOXYGEN = r"""/*!
 * \brief Adds them.
 *
 * @param[in] a the \p first
 * \param b the second
 * \return the sum
 */
int add(int a, int b);"""
YARD = """# Finds one.
#
# @param id [Integer] its number
# @param [String] name who
# @return [Order] the order
# @raise [Missing] when gone
def f; end"""
RUST = """/// Builds one, as [`Vec::new`] does.
///
/// # Errors
///
/// Fails when `x` is bad.
///
/// ```
/// code();
/// ```
/// * `x` - the first
fn f() {}"""
LDOC = """--- Adds.
-- @param a the first
-- @tparam number b the second
-- @return the sum
function f(a, b) end"""
SWIFT = """/// Finds one.
///
/// - Parameter key: What to look for.
/// - Returns: The item.
func f() {}"""


@pytest.mark.parametrize(
    ("language", "content", "expected"),
    [
        pytest.param(
            "javascript",
            JSDOC,
            [
                "2-2 Joins the parts.",
                "2-2 Leaves no gap, see the parts and `x`.",
                "4-5 first (string): what begins it all",
                "6-6 second (number=): how many",
                "7-7 returns: (Promise<string>) the whole",
                "8-8 raises TypeError: when empty",
                "11-11 deprecated:",
            ],
            id="JSDoc",
        ),
        pytest.param(
            "java",
            JAVADOC,
            [
                "2-2 Finds one.",
                "2-2 Twice.",
                "7-8 key: what to look for, not null",
                "9-9 T: the type",
                "10-10 return: the item",
                "11-11 raises java.io.IOException: if it fails",
                "12-12 since: 1.0",
            ],
            id="Javadoc",
        ),
        pytest.param(
            "csharp",
            CSHARP,
            [
                "2-2 Finds `one` of `Item`.",
                "2-2 Or `null`.",
                "4-4 key: What to look for.",
                "5-6 limit: How many.",
                "8-8 returns: The item.",
                "9-9 raises System.Exception: When it fails.",
            ],
            id="XML",
        ),
        pytest.param(
            "php",
            PHPDOC,
            ["3-3 Finds one.", "5-5 $id (int|string): its number", "6-6 &$user (?User): who", "7-7 return: self"],
            id="PHPDoc",
        ),
        pytest.param(
            "c",
            DOXYGEN,
            ["2-2 Adds them.", "4-4 a: the first", "5-5 b: the second", "6-6 return: the sum"],
            id="Doxygen",
        ),
        pytest.param(
            "ruby",
            YARD,
            [
                "1-1 Finds one.",
                "3-3 id (Integer): its number",
                "4-4 name (String): who",
                "5-5 return: (Order) the order",
                "6-6 raises Missing: when gone",
            ],
            id="YARD",
        ),
        pytest.param(
            "rust",
            RUST,
            ["1-1 Builds one, as `Vec::new` does.", "5-5 Fails when `x` is bad.", "10-10 `x` - the first"],
            id="rustdoc",
        ),
        pytest.param(
            "lua",
            LDOC,
            ["1-1 Adds.", "2-2 a: the first", "3-3 b (number): the second", "4-4 return: the sum"],
            id="LDoc",
        ),
        pytest.param(
            "swift",
            SWIFT,
            ["1-1 Finds one.", "3-3 Parameter key: What to look for.", "4-4 Returns: The item."],
            id="Swift",
        ),
    ],
)
def test_an_entry_is_a_sentence_that_keeps_the_parameters_name(
    language: str, content: str, expected: list[str]
) -> None:
    """With the lines it stands on; markup, code and headings are gone."""
    text, span = first(content, language)
    found = [f"{one.lines.start + 1}-{one.lines.end} {one.text}" for one in doc_sentences(text, span, language)]
    assert found == expected
    assert doc_paragraphs(text, span, language)[0].lines.start + 1 == int(expected[0].partition("-")[0])


@pytest.mark.parametrize(
    ("language", "content", "expected"),
    [
        pytest.param("c", "int f(int a, /* b */ char *c) // d\n{ }", "int f(int a, char *c)", id="both comments"),
        pytest.param("cpp", "void f(char c = '\"', int d = 1) /* e */ { }", "void f(char c = '\"', int d = 1)"),
        pytest.param("javascript", 'function f(a = "// no", // yes\n b) {}', 'function f(a = "// no", b)'),
        pytest.param("javascript", "class A { #x() {} }", "class A", id="a private name is no comment"),
        pytest.param("rust", "fn f<'a>(x: &'a str) -> &'a str { }", "fn f<'a>(x: &'a str) -> &'a str", id="lifetimes"),
        pytest.param("lua", "function f(a, -- b\n c) end", "function f(a, c)"),
        pytest.param("bash", "f() { # a\n :\n}", "f()"),
        pytest.param("ruby", "def f(a, # b\n  c = '#')\n  a\nend", "def f(a, c = '#')"),
        pytest.param("go", "const A = 1 // one", "const A = 1"),
    ],
)
def test_a_signature_has_no_comments(language: str, content: str, expected: str) -> None:
    """The language's own comments, outside its strings."""
    text = Text(content)
    assert signature(text, parse_source(content, language).spans[0], language) == expected


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("/* " * 20_000, id="openings"),
        pytest.param("@param " + "x" * 50_000, id="a long name"),
        pytest.param("@param {" * 10_000, id="half a type"),
        pytest.param("<param name='" * 10_000, id="half a tag"),
        pytest.param("<c>" * 20_000, id="code that is not closed"),
        pytest.param("{@link " * 10_000, id="half a link"),
        pytest.param("[`" * 20_000, id="half a name"),
        pytest.param("'" * 50_000, id="quotes"),
        pytest.param("@return [" + " " * 50_000, id="blanks"),
    ],
)
def test_no_doc_takes_long(words: str) -> None:
    """A line is read in time that grows with it, not with its square."""
    text, span = first(f"/** {words}\n * {words} */\nfunction f(a /* {words[:100]} */) {{}}\n", "javascript")
    began = time.perf_counter()
    doc_sentences(text, span, "javascript")
    assert signature(text, span, "javascript")
    assert time.perf_counter() - began < 1
