"""Written citations as links: found in words and not in code, leading to their lines, and shown as nothing but code."""

from __future__ import annotations

import pytest
from toolrag.answer.checking import CheckedText, Runs, judge
from toolrag.answer.hover.pointed import words_of
from toolrag.answer.linking import (
    MOST_CHARACTERS,
    MOST_CITATIONS,
    MOST_HASHED,
    MOST_LINES,
    advised,
    checked,
    citation_at,
    citations_in,
    hovered,
    leads_to,
    may_have_citation,
    said,
    ways,
)
from toolrag.answer.written import Written, find_written
from toolrag.retrieval.languages import LANGUAGES
from toolrag.text import Form, LineRange, Text, TextSnapshot, blob_sha, lines_sha

PRICES = '"""Prices."""\n\nDEFAULT = 0.05\n\n\ndef price(x):\n    return x * (1 - DEFAULT)\n'


def pin(*lines: str) -> str:
    return lines_sha(lines)[:12]


def snapshot(content: str, path: str = "src/a.py", uri: str = "file:///r/src/a.py") -> TextSnapshot:
    return TextSnapshot(uri, "r", path, Text(content), Form(), blob_sha(content.encode()), "disk")


def written(text: str) -> Written:
    (one,) = find_written(text)
    return one


def stood(text: str, content: str | None = PRICES, path: str = "src/a.py") -> CheckedText:
    """A written citation, judged in a text."""
    return judge(written(text), None if content is None else snapshot(content, path), None, Runs())


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        pytest.param("python", "x = 1  # see src/a.py:3", ["src/a.py:3"], id="a comment"),
        pytest.param("python", "#src/a.py:3", ["src/a.py:3"], id="a comment without a blank"),
        pytest.param("python", 'x = "src/a.py:3-4"', ["src/a.py:3-4"], id="a string"),
        pytest.param("python", '"""Docs.\n\nSee `src/a.py#L3-L4`.\n"""', ["src/a.py#L3-L4"], id="a doc"),
        pytest.param("python", "d = {src/a.py:3}", [], id="code"),
        pytest.param("python", "lambda self.py:3", [], id="code with a suffix"),
        pytest.param("python", 'f"{src/a.py:3}"', [], id="a hole of a string"),
        pytest.param("python", 'f"{x} src/a.py:3"', ["src/a.py:3"], id="beside a hole"),
        pytest.param(
            "rust", "///src/a.rs:3\nlet a = src/a.rs:4;", ["src/a.rs:3"], id="a doc comment's mark is no path"
        ),
        pytest.param("c", "/*src/a.c:3*/ x /* b.c:4 */", ["src/a.c:3", "b.c:4"], id="blocks"),
        pytest.param("sql", "--src/a.sql:3", ["src/a.sql:3"], id="two dashes"),
        pytest.param(
            "python", "# a `b\n# see src/a.py:3` and `src/x.py:4`", ["src/a.py:3", "src/x.py:4"], id="half marks"
        ),
        pytest.param(
            "markdown", "See src/a.py:3 and [b](docs/b.md#L4).", ["src/a.py:3", "docs/b.md#L4"], id="Markdown"
        ),
        pytest.param("", "src/a.py:3", ["src/a.py:3"], id="a text of no known language"),
        pytest.param("json", '{"at": "src/a.py:3"}', ["src/a.py:3"], id="data"),
        pytest.param("yaml", "at: src/a.py:3", ["src/a.py:3"], id="data without quotes"),
    ],
)
def test_citations_are_found_in_words_and_not_in_code(language: str, text: str, expected: list[str]) -> None:
    found = citations_in(text, language)
    assert [one.text for one in found] == expected
    assert [text[one.start : one.end] for one in found] == expected


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_blanking_code_moves_nothing(language: str) -> None:
    """Every character of the words stands where it stood, in any language, and lines that end in any way."""
    text = 'a = \'b\' # c\r\n// d\r/* e */ f\n-- g "h" `i` {- j -} <!-- k --> """l\n%{m}""" # \U0001f600 n'
    words = words_of(text, language)
    assert len(words) == len(text)
    assert all(now in ("\n", then) for now, then in zip(words, text, strict=True))


def test_a_document_has_so_many_links_and_a_long_one_none() -> None:
    many = "src/a.py:3\n" * (MOST_CITATIONS + 1)
    assert len(citations_in(many, "markdown")) == MOST_CITATIONS
    long = "src/a.py:3\n".ljust(MOST_CHARACTERS, ".")
    assert len(citations_in(long, "markdown")) == 1
    assert citations_in(long + ".", "markdown") == []
    assert citation_at(Text(long), 2, "markdown") is not None
    assert citation_at(Text(long + "."), 2, "markdown") is None


@pytest.mark.parametrize(
    ("marked", "language", "found"),
    [
        pytest.param("see |src/a.py:3 there", "markdown", "src/a.py:3", id="at its start"),
        pytest.param("see src/a.py:3| there", "markdown", "src/a.py:3", id="at its end"),
        pytest.param("a\r\nb `src/a|.py:3`", "markdown", "src/a.py:3", id="on a later line"),
        pytest.param("see| src/a.py:3", "markdown", None, id="before it"),
        pytest.param("# src/a.py:|3", "python", "src/a.py:3", id="in a comment"),
        pytest.param("x = src/a.py:|3", "python", None, id="in code"),
        pytest.param("'''\n\nsrc/a.py:|3", "python", "src/a.py:3", id="in a string that was opened above"),
        pytest.param("|", "markdown", None, id="in an empty text"),
    ],
)
def test_the_citation_at_a_position(marked: str, language: str, found: str | None) -> None:
    text, offset = Text(marked.replace("|", "")), marked.index("|")
    one = citation_at(text, offset, language)
    assert (None if one is None else one.text) == found
    if one is not None:
        assert may_have_citation(text, offset)
        assert one in citations_in(text.content, language)


def test_in_a_very_long_line_the_citation_at_a_position_is_found() -> None:
    line = "word " * 50_000 + "src/a.py:3" + " word" * 50_000
    one = citation_at(Text(line), 250_004, "markdown")
    assert one is not None
    assert [one] == citations_in(line, "markdown")


@pytest.mark.parametrize(
    ("one", "words", "line"),
    [
        pytest.param(stood(f"src/a.py:3@{pin('DEFAULT = 0.05')}"), "verified", 2, id="verified"),
        pytest.param(stood(f"src/a.py:1@{pin('DEFAULT = 0.05')}"), "moved to 3", 2, id="moved"),
        pytest.param(
            stood(f"src/a.py#L1-L2@{pin('def price(x):', '    return x * (1 - DEFAULT)')}"),
            "moved to 6-7",
            5,
            id="lines",
        ),
        pytest.param(stood(f"src/a.py:3@{pin('other')}"), "changed: other lines stand there", 2, id="changed"),
        pytest.param(stood("src/a.py:90"), "gone: no such lines", 7, id="past the end: the last line"),
        pytest.param(stood("src/a.py:0"), "gone: no such lines", 0, id="line 0: the first"),
        pytest.param(stood("src/a.py:3", None), "gone: no such file that may be read", None, id="no file"),
        pytest.param(
            stood("src/a.py:3-4"),
            "unpinned: whether these are the lines that were meant nobody can say",
            2,
            id="unpinned",
        ),
    ],
)
def test_what_is_said_and_where_it_leads(one: CheckedText, words: str, line: int | None) -> None:
    assert said(one) == words
    led = leads_to(one)
    assert (None if led is None else led[1]) == line
    assert led is None or led[1] < led[0].text.n_lines


def test_advice_says_what_to_do() -> None:
    moved = advised(stood(f"src/a.py:1@{pin('DEFAULT = 0.05')}"))
    assert moved == "This citation has moved to 3. `toolrag verify --fix` writes it anew."
    assert "other lines stand there. Read them" in advised(stood(f"src/a.py:3@{pin('other')}"))
    assert "gone: no such lines. Cite what took their place" in advised(stood("src/a.py:90"))
    assert "gone: no such file that may be read. " in advised(stood("src/a.py:3", None))


def test_a_hover_shows_the_lines_as_they_are_now() -> None:
    text = hovered(stood(f"src/a.py:1@{pin('DEFAULT = 0.05')}"), "markdown")
    assert text == "Moved to 3.\n\n[`src/a.py:3`](file:///r/src/a.py#L3)\n\n```python\nDEFAULT = 0.05\n```"
    assert hovered(stood("src/a.py:3"), "plaintext").split("\n\n")[1:] == ["src/a.py:3", "DEFAULT = 0.05"]
    other = hovered(stood(f"src/a.py:3@{pin('other')}"), "plaintext")
    assert other == "Changed: other lines stand there.\n\nsrc/a.py:3\n\nDEFAULT = 0.05"
    assert hovered(stood("src/a.py:90"), "plaintext") == "Gone: no such lines."
    assert hovered(stood("src/a.py:90", None), "markdown") == "Gone: no such file that may be read."


def test_a_hover_shows_at_most_twelve_lines_and_says_so() -> None:
    content = "".join(f"line {number}\n" for number in range(40))
    text = hovered(stood("src/a.txt:1-30", content, "src/a.txt"), "markdown")
    assert text.count("line ") == MOST_LINES == 12
    assert text.endswith(
        "```\nline 0\n" + "\n".join(f"line {n}" for n in range(1, 12)) + "\n```\n\nThe first 12 of 30 lines."
    )
    assert "The first" not in hovered(stood("src/a.txt:1-12", content, "src/a.txt"), "markdown")
    assert hovered(stood("src/a.txt:1", "x" * 10_000, "src/a.txt"), "plaintext").endswith(f"\n\n{'x' * 400} …")


@pytest.mark.parametrize(
    "line", ["```", "````` ~~~", "   ```python", "\u2028```\u2028[a](command:b)", "\f```\f", "a\u202eb", "~~~"]
)
def test_nothing_in_the_lines_ends_their_block(line: str) -> None:
    text = hovered(stood("src/a.txt:1-2", f"{line}\n# no heading\n", "src/a.txt"), "markdown")
    block = text.split("\n\n", 2)[2].split("\n")
    mark = block[0]
    assert set(mark) == {"`"}
    assert block[-1] == mark
    assert all(mark not in inside for inside in block[1:-1])
    assert len(block) == 4
    assert not {"\u2028", "\f", "\u202e"} & set(text)


def test_a_path_means_the_folder_of_its_text_s_root_first_and_for_a_link_its_own() -> None:
    (link,) = find_written("[a](../b.md#L3)")
    assert ways(link, "docs", "") == ["../b.md", "docs/../b.md"]
    assert ways(link, "docs", "/r") == ["/r/../b.md", "/r/docs/../b.md", "../b.md", "docs/../b.md"]
    assert ways(written("src/a.py:3"), "docs", "/r") == ["/r/src/a.py", "src/a.py"]
    assert ways(written("/abs/a.py:3"), "docs", "/r") == ["/abs/a.py"]


def test_the_first_way_that_can_be_read_counts() -> None:
    one = written("src/a.py:3")
    here, other = snapshot(PRICES), snapshot("x\n")
    given = {"/r/src/a.py": None, "src/a.py": here}
    assert [item.snapshot for item in checked([one], given, "", "/r", Runs())] == [here]
    assert [item.snapshot for item in checked([one], {**given, "/r/src/a.py": other}, "", "/r", Runs())] == [other]
    assert [item.verdict for item in checked([one], {"src/a.py": None}, "", "", Runs())] == ["gone"]


def test_looking_for_what_moved_has_an_end() -> None:
    """In a text of very many lines a moved citation is said to have changed, which it has."""
    content = "".join(f"{number}\n" for number in range(MOST_HASHED // 100))
    text = snapshot(content)
    cites = [
        written(f"src/a.py:1-{size}@{lines_sha(text.text.lines(LineRange(50, 50 + size)))[:12]}")
        for size in range(90, 140)
    ]
    found = [one.verdict for one in checked(cites, {"src/a.py": text}, "", "", Runs(MOST_HASHED))]
    assert found == ["moved"] + ["changed"] * 49
