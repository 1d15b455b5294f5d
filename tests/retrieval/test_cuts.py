"""Words cut from a text with the spans of that text."""

from __future__ import annotations

from inspect import cleandoc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag.retrieval.cuts import doc_lines, doc_paragraphs, doc_sentences, section_sentences, signature
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import Span
from toolrag.text import LineRange, Text


def first_span(content: str, language: str = "python") -> tuple[Text, Span]:
    return Text(content), parse_source(content, language).spans[0]


def function_with(doc: str) -> str:
    """A function whose docstring is `doc`, its first line on the file's second."""
    return "def f(x):\n" + "\n".join(f"    {line}" if line else "" for line in f'"""{cleandoc(doc)}\n"""'.split("\n"))


def shown(found: list[tuple[LineRange, str]]) -> list[str]:
    return [f"{lines.start + 1}-{lines.end} {text}" for lines, text in found]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("def f(x): return x", "def f(x)", id="one line"),
        pytest.param("async  def f( x )  ->  int :\n  pass", "async def f( x ) -> int", id="white space"),
        pytest.param(
            "def f(\n    a,\n    b: int = 3,\n) -> int:\n  pass", "def f(a, b: int = 3) -> int", id="many lines"
        ),
        pytest.param("def f(\n    a,  # why a): \n    # b\n    b,\n): pass", "def f(a, b)", id="comments"),
        pytest.param("def f(\n    a='#): ', b=\" # \"): pass", "def f(a='#): ', b=\" # \")", id="marks in strings"),
        pytest.param("def f(a: dict[str, int] = {1: 2}): pass", "def f(a: dict[str, int] = {1: 2})", id="other colons"),
        pytest.param("@a\n@b(1)\nclass A(B, metaclass=M): pass", "class A(B, metaclass=M)", id="decorated class"),
        pytest.param("def f(a, \\\n  b): pass", "def f(a, b)", id="a joined line"),
        pytest.param("X: int = 3  # three", "X: int = 3", id="constant"),
        pytest.param("X = {\n 1: 2,\n 3: 4,\n 5: 6,\n}", "X = {", id="a long constant's first line"),
        pytest.param("X = '" + "x" * 500 + "'", "X = '" + "x" * 195, id="a long line"),
        pytest.param("def f(\r    a,\r): pass", "def f(a)", id="CR"),
    ],
)
def test_a_signature_is_one_line_without_its_colon(content: str, expected: str) -> None:
    """As a person would say it: no comments, no line breaks, no body."""
    assert signature(*first_span(content), "python") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("## Install `it` ##\n\ntext", "Install `it`", id="ATX"),
        pytest.param("Install\non **Windows**\n---\n", "Install on Windows", id="setext"),
        pytest.param("# [Title](https://example.org)", "Title", id="a link"),
        pytest.param("# C#", "C#", id="a sharp name"),
    ],
)
def test_a_sections_signature_is_its_heading(content: str, expected: str) -> None:
    """Without the marks that make it one."""
    assert signature(*first_span(content, "markdown"), "markdown") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param('def f():\n    """One."""', [(1, "One.")], id="one line"),
        pytest.param(
            "def f():\n    r'''One.\n      In.\n\n    Out.\n    '''",
            [(1, "One."), (2, "  In."), (3, ""), (4, "Out."), (5, "")],
            id="many lines",
        ),
        pytest.param(
            'def f():\n    """\\\n    One.\n    """', [(1, ""), (2, "One."), (3, "")], id="a joined first line"
        ),
        pytest.param("def f(): 'One.'; pass", [(0, "One.")], id="on the header"),
        pytest.param('def f():\n    """A \\""" b."""  # c', [(1, 'A \\""" b.')], id="quotes inside, comment behind"),
        pytest.param('def f():\n    ""', [(1, "")], id="empty"),
        pytest.param(
            "# One.\n#   In.\n#\n#Out.\ndef f(): pass",
            [(0, " One."), (1, "   In."), (2, ""), (3, "Out.")],
            id="comments",
        ),
        pytest.param("#: One.\n#: Two.\nx = 1", [(0, "One."), (1, "Two.")], id="Sphinx comments"),
        pytest.param('X = 1\n"""One.\n\nTwo."""', [(1, "One."), (2, ""), (3, "Two.")], id="below a constant"),
        pytest.param('def f():\r\n    """One.\r\n    Two."""\r\n', [(1, "One."), (2, "Two.")], id="CR LF"),
        pytest.param('def f():\n    "One." \\\n    "Two."', [(1, "One."), (2, "")], id="two literals"),
        pytest.param("def f(): pass", [], id="none"),
    ],
)
def test_doc_lines_have_no_marks(content: str, expected: list[tuple[int, str]]) -> None:
    """Quotes, comment marks and common indent are gone; each line says where it stands."""
    text, span = first_span(content)
    assert [(line.line, line.text) for line in doc_lines(text, span, "python")] == expected


REST = """
    Do the thing, e.g. This one. Then *stop*! See :class:`~a.b.Foo`,
    :ref:`the guide <guide>` and ``x``. (In brackets.) Version 1.2 is out

    A second paragraph
    ends here::

        code = 1

    :param int x: The x. Long
        text.
    :param y:
        The y.
    :type y: str or None
    :returns: nothing
    :raises ValueError: if bad

    .. versionadded:: 1.2
       More.

    .. note:: Beware. Now.

    .. code-block:: python

        x = 1

    - one item. Two
    - another
      goes on
    1. first

    >>> f(1)
    3

    Last.
"""

GOOGLE = """Do it.

    Args:
        x (int): The x. Is good.
            It goes on.
        y: Other.
        **rest: The rest.

    Returns:
        The number. Really.

    Raises:
        ValueError: If so.

    Example:
        Call it. Then look.

    Tail.
"""

NUMPY = """Do it.

    Parameters
    ----------
    x : int
        The x. Is
        good.
    y : {'a', 'b'}, optional
        The y.

    Returns
    -------
    int
        The result.

    Notes
    -----
    Some note. And more.
"""


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        pytest.param(
            REST,
            [
                "2-2 Do the thing, e.g. This one.",
                "2-2 Then *stop*!",
                "2-3 See `Foo`, `the guide` and `x`.",
                "3-3 (In brackets.)",
                "3-3 Version 1.2 is out",
                "5-6 A second paragraph ends here:",
                "10-11 x (int): The x. Long text.",
                "12-13 y: The y.",
                "14-14 y: str or None",
                "15-15 returns: nothing",
                "16-16 raises ValueError: if bad",
                "18-19 versionadded: 1.2 More.",
                "21-21 Beware.",
                "21-21 Now.",
                "27-27 one item. Two",
                "28-29 another goes on",
                "30-30 first",
                "35-35 Last.",
            ],
            id="reStructuredText",
        ),
        pytest.param(
            GOOGLE,
            [
                "2-2 Do it.",
                "5-6 x (int): The x. Is good. It goes on.",
                "7-7 y: Other.",
                "8-8 **rest: The rest.",
                "10-11 Returns: The number. Really.",
                "14-14 ValueError: If so.",
                "17-17 Call it.",
                "17-17 Then look.",
                "19-19 Tail.",
            ],
            id="Google",
        ),
        pytest.param(
            NUMPY,
            [
                "2-2 Do it.",
                "6-8 x (int): The x. Is good.",
                "9-10 y ({'a', 'b'}, optional): The y.",
                "14-15 int: The result.",
                "19-19 Some note.",
                "19-19 And more.",
            ],
            id="NumPy",
        ),
        pytest.param(
            "Über uns. Ämter gibt es. 日本語。次の文。",
            ["2-2 Über uns.", "2-2 Ämter gibt es.", "2-2 日本語。", "2-2 次の文。"],
            id="other letters",
        ),
        pytest.param(
            "It is v. good, cf. Smith et al. and J. Doe. ok",
            ["2-2 It is v. good, cf. Smith et al. and J. Doe. ok"],
            id="no ends",
        ),
        pytest.param("Title\n~~~~~\n\nText.\n\nwords\n...", ["5-5 Text.", "7-7 words"], id="an underlined heading"),
        pytest.param(
            "@param x the x. Any\n@property is no tag", ["2-2 param x the x. Any", "3-3 @property is no tag"], id="tags"
        ),
        pytest.param("| a | b |\n|---|---|\n\n+---+\n| x |\n+---+", [], id="tables"),
    ],
)
def test_doc_sentences_say_where_they_stand(doc: str, expected: list[str]) -> None:
    """Entries keep their parameter's name and are whole; code, headings and tables are no sentences."""
    text, span = first_span(function_with(doc))
    assert shown([(one.lines, one.text) for one in doc_sentences(text, span, "python")]) == expected


def test_the_first_paragraph_is_the_summary() -> None:
    """On one line, with the lines it stands on, wherever the docstring begins."""
    text, span = first_span('def f():\n    """\n    What it\n    does.\n\n    More: :func:`g`.\n    """\n')
    paragraphs = doc_paragraphs(text, span, "python")
    assert shown([(one.lines, one.text) for one in paragraphs]) == ["3-4 What it does.", "6-6 More: `g`."]


SECTION = """\
---
title: x
---
# Title

One sentence. Two
lines of another, with [a link](https://example.org) and `code`.

![badge](a.png)

```sh
not. A sentence.
```

| a | b |
|---|---|
| 1. | 2. |

- an item. Whole
  with its second line
* another
lazily continued

> Quoted
> text.

    indented. Code.

<div align="center">

Last. <!-- not this? -->

***

## Sub

Not its own.
"""


def test_section_sentences_are_its_own_prose() -> None:
    """Without heading, subsections, code, tables and bare markup, each with its lines."""
    text, span = first_span(SECTION, "markdown")
    assert shown([(one.lines, one.text) for one in section_sentences(text, span)]) == [
        "6-6 One sentence.",
        "6-7 Two lines of another, with a link and `code`.",
        "9-9 badge",
        "19-20 an item. Whole with its second line",
        "21-22 another lazily continued",
        "24-25 Quoted text.",
        "31-31 Last.",
    ]


def test_an_underlined_heading_of_two_lines_is_no_prose() -> None:
    """Neither of its lines."""
    text, span = first_span("# A\n\nText.\n\nOne\ntwo\n---\nOther.\n", "markdown")
    assert shown([(one.lines, one.text) for one in section_sentences(text, span)]) == ["3-3 Text."]


def test_a_setext_section_has_the_prose_below_its_underline() -> None:
    """And ends before the next heading of either kind."""
    text, span = first_span("Title\n===\nText.\n\nSub\n---\nOther.\n", "markdown")
    assert shown([(one.lines, one.text) for one in section_sentences(text, span)]) == ["3-3 Text."]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*REST.split("\n"), *GOOGLE.split("\n"), *NUMPY.split("\n"), *SECTION.split("\n"), "x::"]))
)
def test_sentences_stand_within_their_doc(lines: list[str]) -> None:
    """In any doc, sentences follow one another, and each has words of the lines it stands on."""
    content = "\n".join(["def f():", '    """', *lines, '    """'])
    text, span = first_span(content)
    assert span.doc is not None
    before = span.doc.start
    for sentence in doc_sentences(text, span, "python"):
        assert sentence.lines in span.doc
        assert sentence.lines.start >= before
        before = sentence.lines.start
        source = " ".join(text.lines(sentence.lines))
        assert all(word.strip("`~():,.*") in source for word in sentence.text.split())


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("." * 100_000, id="dots"),
        pytest.param("a" + " " * 100_000 + "b", id="white space"),
        pytest.param(":a" + " " * 100_000, id="half a field"),
        pytest.param("`" * 99_999, id="backticks"),
        pytest.param("[" * 100_000, id="brackets"),
        pytest.param("`a" + " <" * 50_000, id="half a link"),
        pytest.param("= " * 50_000 + "x", id="half a rule"),
        pytest.param("**" * 50_000 + "x", id="weight"),
        pytest.param("<a " * 50_000, id="tags"),
    ],
)
def test_no_line_takes_long(line: str) -> None:
    """A doc of one long line is read in time that grows with it, not with its square."""
    text, span = first_span(f'def f(x="{line}"):\n    """A {line}"""\n')
    assert len(signature(text, span, "python")) > 0
    assert len(doc_sentences(text, span, "python")) >= 1
    text, span = first_span(f"# A {line}\n{line}\n", "markdown")
    assert len(section_sentences(text, span)) >= 0
