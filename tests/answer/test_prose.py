"""What a file says stays words: no Markdown parser makes markup of it, no terminal obeys it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from toolrag.answer.prose import code, markdown, plain, visible

# CommonMark, and what GitHub adds to it but for bare addresses, which are looked for below.
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BARE_ADDRESS = re.compile(r"(?i)(?:https?://|ftp://|www\.|mailto:|\w@)[^\W_]")

MARKUP = st.lists(
    st.sampled_from([*"`*_[]()<>!#~|&-+=.:;/\\@'\"1 \n\té\u200b\x1b", "ab", "www.", "http://", "```", "](", "&lt;"]),
    max_size=30,
).map("".join)


def rendered(source: str) -> tuple[str, list[str]]:
    """The words a Markdown parser shows, and those of them that are not code; there must be nothing but both."""
    blocks = PARSER.parse(source)
    assert [block.type for block in blocks] in ([], ["paragraph_open", "inline", "paragraph_close"]), source
    children = [child for block in blocks for child in block.children or ()]
    assert {child.type for child in children} <= {"text", "code_inline"}, source
    return "".join(child.content for child in children), [one.content for one in children if one.type == "text"]


def squashed(text: str) -> str:
    """Words without what code spans are written with, and without blanks."""
    return re.sub(r"[`'\s]", "", text)


@given(MARKUP)
@example("__init__ and _private_ and a__b__")
@example("```<img src=x>` ``<b>`")
@example("`a`http://b")
@example("<http://a><http://b>")
@example("<!-- x --> &lt; <a@b.c>")
@example("\\`a` \\\\<b>")
@example("- a")
@example("1. a")
@example("1) a")
@example("---")
@example("=")
@example("~~~")
@example("[a]: http://b")
@example("[![a](http://b)](http://c)")
def test_no_word_becomes_markup(words: str) -> None:
    shown, outside_code = rendered(markdown(words))
    assert not any(BARE_ADDRESS.search(text) for text in outside_code)
    if "](" not in words:
        assert squashed(shown) == squashed(visible(" ".join(words.split())))


@given(MARKUP, MARKUP)
def test_words_do_nothing_after_other_words(before: str, words: str) -> None:
    rendered(f"`name`: {markdown(words)}")
    rendered(f"“{markdown(before)}”: {markdown(words)}.")


@given(MARKUP)
def test_a_terminal_shows_what_a_renderer_shows(words: str) -> None:
    source = markdown(words)
    assert squashed(plain(source)) == squashed(rendered(source)[0])


@given(MARKUP)
@example("`")
@example("``a`")
@example(" ` ` ")
def test_code_is_one_code_span(text: str) -> None:
    source = code(text)
    if not text.strip():
        assert source == ""
        return
    [inline] = [block for block in PARSER.parse(source) if block.type == "inline"]
    assert [child.type for child in inline.children or ()] == ["code_inline"]
    assert squashed((inline.children or [])[0].content) == squashed(visible(re.sub(r"\s", " ", text.strip())))
    assert plain(source) == source


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("plain words", "plain words", id="words are left alone"),
        pytest.param("  two\n  lines\r\n", "two lines", id="white space is folded"),
        pytest.param("max_retries of a__b", "max_retries of a__b", id="names stay readable"),
        pytest.param("*a* _b_ ~c~", r"\*a\* \_b\_ \~c\~", id="emphasis"),
        pytest.param("use `a*b` or ``c`d``", "use `a*b` or ``c`d``", id="code stays code"),
        pytest.param("an odd ` one", "an odd ' one", id="a lone backtick"),
        pytest.param("see [the docs](http://a.b)", "see the docs", id="of a link its text"),
        pytest.param("![x](https://attacker.invalid/?d=1)", "x", id="of an image its text"),
        pytest.param(
            "handlers[name](request)", r"handlers\[name\](request)", id="a subscript that is called is no link"
        ),
        pytest.param("see http://a.b/c.", "see `http://a.b/c`.", id="an address"),
        pytest.param("`a`http://b", "`a` `http://b`", id="an address after code"),
        pytest.param("see <http://a.b>", r"see \<`http://a.b`\>", id="an address in angle brackets"),
        pytest.param("www.a.b or me@a.b", "`www.a.b` or `me@a.b`", id="bare addresses"),
        pytest.param("<script>", r"\<script\>", id="HTML"),
        pytest.param("&amp;", r"\&amp;", id="an entity"),
        pytest.param("# a", r"\# a", id="a heading"),
        pytest.param("- a", r"\- a", id="a list"),
        pytest.param("12. a", r"12\. a", id="a numbered list"),
        pytest.param("a - b, 12. c", "a - b, 12. c", id="neither within a line"),
        pytest.param("a | b", r"a \| b", id="a table"),
        pytest.param("\x1b[31mred", r"\\x1b\[31mred", id="an escape sequence"),
    ],
)
def test_words_as_markdown(words: str, expected: str) -> None:
    assert markdown(words) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a", "`a`", id="plain"),
        pytest.param("a`b", "``a`b``", id="a backtick inside"),
        pytest.param("`a``", "``` `a`` ```", id="backticks at its ends"),
        pytest.param("x = '\x1b'", "`x = '\\x1b'`", id="an escape character"),
        pytest.param("'a  b'", "`'a  b'`", id="blanks in a string"),
        pytest.param(" \n", "", id="nothing"),
    ],
)
def test_text_as_code(text: str, expected: str) -> None:
    assert code(text) == expected


def test_a_terminals_words_keep_the_backslashes_of_code() -> None:
    assert plain(r"`a` calls `re.compile(r'\[x\]')` \[so\]") == r"`a` calls `re.compile(r'\[x\]')` [so]"


HIDDEN = [
    *range(0x20),
    *range(0x7F, 0xA0),
    0x00AD,
    0x034F,
    0x061C,
    0x115F,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0x3164,
    0xD800,
    0xFE00,
    0xFEFF,
    0xFFA0,
    0xFFF9,
    0xE0001,
    0xE0041,
    0xE0100,
]


@pytest.mark.parametrize("value", [value for value in HIDDEN if value != 0x2065], ids=hex)  # 2065 is not assigned
def test_what_hides_or_steers_is_written_out(value: int) -> None:
    shown = visible(f"a{chr(value)}b")
    assert re.fullmatch(r"a\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})b", shown)
    assert int(shown[3:-1], 16) == value
    assert chr(value) not in markdown(f"a{chr(value)}b").replace(" ", "") or chr(value) == " "


@pytest.mark.parametrize("text", ["é", "漢字", "ab cd", "🙂", "❤\ufe0f", "e\u0301", "\xa0"])
def test_what_shows_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(st.text(max_size=30))
def test_nothing_hidden_is_left(text: str) -> None:
    assert not {unicodedata.category(character) for character in visible(text)} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert visible(visible(text)) == visible(text)


def test_line_ends_and_tabs_are_kept_on_request() -> None:
    assert visible("a\n\tb\x07", keep="\n\t") == "a\n\tb\\x07"


@pytest.mark.parametrize("unit", ["`", "``` ", "[", "](", "a.", "_", "<a", "\\", "www.", "a@", "![](", "http://"])
def test_no_text_takes_long(unit: str) -> None:
    # Twice the text in about twice the time: with a quadratic rule this test would take minutes.
    text = unit * 20_000
    assert plain(markdown(text)) is not None
    assert code(text)
