"""Which characters of a text are a written citation: a table of what people write, and what holds for any text."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.written import find_written
from toolrag.text import LineRange

PIN = "3f2a9c0b1d4e"


def found(text: str) -> list[str]:
    """Each citation as `path first-last pin`."""
    return [f"{one.paths[0]} {one.first}-{one.last}{f' {one.pin}' if one.pin else ''}" for one in find_written(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("see src/a.py:12 there", ["src/a.py 12-12"], id="one line"),
        pytest.param("src/a.py:12-18", ["src/a.py 12-18"], id="several"),
        pytest.param(f"src/a.py:12-18@{PIN}", [f"src/a.py 12-18 {PIN}"], id="pinned"),
        pytest.param(f"src/a.py:12@{PIN}.", [f"src/a.py 12-12 {PIN}"], id="pinned, a full stop"),
        pytest.param("src/a.py#L12", ["src/a.py 12-12"], id="a hash"),
        pytest.param("src/a.py#L12-L18", ["src/a.py 12-18"], id="a hash, several"),
        pytest.param(f"src/a.py#L12-L18@{PIN}", [f"src/a.py 12-18 {PIN}"], id="a hash, pinned"),
        pytest.param("src/a.py#L12C3-L18C9", ["src/a.py 12-18"], id="columns as GitHub has them"),
        pytest.param("src/a.py:12:5: error", ["src/a.py 12-12"], id="a column, as compilers have it"),
        pytest.param("src/a.py:12–18", ["src/a.py 12-18"], id="an editor made the dash long"),
        pytest.param("file.py:12, file.py:13; x.go:1", ["file.py 12-12", "file.py 13-13", "x.go 1-1"], id="a list"),
        pytest.param("(file.py:12-18)", ["file.py 12-18"], id="in brackets"),
        pytest.param("file.py:12-18)", ["file.py 12-18"], id="half a bracket"),
        pytest.param("file.py:12.", ["file.py 12-12"], id="a sentence ends"),
        pytest.param("“file.py:12”…", ["file.py 12-12"], id="typographic quotes"),
        pytest.param("**file.py:12**", ["file.py 12-12"], id="strong"),
        pytest.param("_src/a.py:12_ and _see a.py:3._", ["src/a.py 12-12", "a.py 3-3"], id="stressed"),
        pytest.param("https://host/x。src/a.py:3", ["src/a.py 3-3"], id="an address ends where a sentence does"),
        pytest.param("__init__.py:3", ["__init__.py 3-3"], id="underscores are the name's"),
        pytest.param("Makefile:12 and .gitignore:3", ["Makefile 12-12", ".gitignore 3-3"], id="names without suffix"),
        pytest.param("pkg/Dockerfile.dev:2", ["pkg/Dockerfile.dev 2-2"], id="a Dockerfile"),
        pytest.param("./a.py:1 ../b.py:2 /c/d.py:3", ["./a.py 1-1", "../b.py 2-2", "/c/d.py 3-3"], id="dots, absolute"),
        pytest.param(r"C:\src\a.py:12 D:/b/c.go:3", [r"C:\src\a.py 12-12", "D:/b/c.go 3-3"], id="Windows drives"),
        pytest.param("src/grüße/入力.py:7。", ["src/grüße/入力.py 7-7"], id="names in Unicode"),
        pytest.param("(参照：src/a.py:7、次）", ["src/a.py 7-7"], id="CJK punctuation ends a path"),
        pytest.param("app/[id]/(main)/page.tsx:3", ["app/[id]/(main)/page.tsx 3-3"], id="names in brackets"),
        pytest.param("[x](src/a.py#L3)", ["src/a.py 3-3"], id="a link"),
        pytest.param("[src/a.py:3](src/a.py#L3-L4)", ["src/a.py 3-3", "src/a.py 3-4"], id="a link that says where"),
        pytest.param("[x](my%20file.py#L3)", ["my file.py 3-3"], id="a link is percent-encoded"),
        pytest.param("[x](<my file.py#L3>)", ["my file.py 3-3"], id="a link in angle brackets"),
        pytest.param('[x](src/a.py#L3 "title")', ["src/a.py 3-3"], id="a link with a title"),
        pytest.param("[1]: src/a.py#L3", ["src/a.py 3-3"], id="a reference's definition"),
        pytest.param("`my file.py:12`", ["my file.py 12-12"], id="blanks in code"),
        pytest.param("`` my file.py:12 ``", ["my file.py 12-12"], id="blanks in code, two marks"),
        pytest.param("`a.py:1 and b.py:2`", ["a.py 1-1", "b.py 2-2"], id="two in one code span"),
        pytest.param(r"\_\_init\_\_.py:3", ["__init__.py 3-3"], id="escaped as Markdown"),
        pytest.param("a.py:3:b.py:4", ["a.py 3-3", "b.py 4-4"], id="one after another"),
        pytest.param("path=src/a.py:3", ["src/a.py 3-3"], id="after an equals sign"),
        pytest.param('{"x.py":12}', [], id="a key and its value"),
        pytest.param(
            "routes/$id.tsx:3 routes/+page.svelte:4", ["routes/$id.tsx 3-3", "routes/+page.svelte 4-4"], id="$"
        ),
        pytest.param("node_modules/@scope/x.js:3", ["node_modules/@scope/x.js 3-3"], id="a scope"),
        pytest.param("src/a.py:12@alice", ["src/a.py 12-12"], id="no pin, somebody's name"),
        pytest.param("src/a.py:12@3F2A", ["src/a.py 12-12 3f2a"], id="half a pin is none that holds"),
        pytest.param("src/a.py:0 src/a.py:9-3", ["src/a.py 0-0", "src/a.py 9-3"], id="lines that cannot be"),
        pytest.param(f"any thing:12@{PIN}", [f"thing 12-12 {PIN}"], id="a pin says that it is one"),
        pytest.param(f"bin/run:12@{PIN}", [f"bin/run 12-12 {PIN}"], id="pinned, without suffix"),
        pytest.param("http://host:80/x", [], id="an address with a port"),
        pytest.param("https://host/src/a.py:12", [], id="an address with lines"),
        pytest.param("https://host:80/x/a.py#L3-L4", [], id="an address with a port and lines"),
        pytest.param("https://host/?f=src/a.py#L3", [], id="an address with a query"),
        pytest.param("//cdn/x.js:3", [], id="an address without scheme"),
        pytest.param("file:///x/a.py#L3", [], id="a file URI"),
        pytest.param("example.com:80 localhost:8080 10.0.0.1:80 user@host.py:22", [], id="hosts and ports"),
        pytest.param("host.py:80/x", [], id="a host, a port and a path"),
        pytest.param("at 12:30, 12:30:15", [], id="times"),
        pytest.param("a ratio of 3:2, 16/9:1, and/or:3", [], id="ratios"),
        pytest.param("C:12 line:3 Note:12", [], id="a drive alone, a word"),
        pytest.param("org/image:12 node:18 v1.2:3", [], id="tags and versions"),
        pytest.param("self.x:3 items.length:4", [], id="members"),
        pytest.param("src/:12 ..:3 ./..:4", [], id="folders"),
        pytest.param("a.py:12.5 a.py:12x a.py:12-18x a.py:12_x", [], id="other things after the number"),
        pytest.param("a.py:1234567890", [], id="more digits than a file has lines"),
        pytest.param("issue#L12 #L12 :12", [], id="no path"),
        pytest.param("a.py: 12 a.py :12", [], id="blanks around the colon"),
        pytest.param(f"{'a' * 1001}/b.py:3", [], id="longer than a path"),
    ],
)
def test_what_is_a_citation(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("`see src/a.py:12`", ("see src/a.py", "src/a.py"), id="blanks, a path or a sentence"),
        pytest.param("[x](a%20b.py#L1)", ("a b.py", "a%20b.py"), id="percent signs, the link's or the name's"),
        pytest.param("`a%20b.py:1`", ("a%20b.py",), id="code is as it is"),
        pytest.param("__init__.py:1_", ("init__.py", "__init__.py"), id="stressed, or a name that begins so"),
        pytest.param(r"a\_b.py:1", ("a_b.py", r"a\_b.py"), id="an escape, or a folder"),
        pytest.param("[x](%ff.py#L1)", ("%ff.py",), id="percent signs that are no text"),
    ],
)
def test_what_a_path_may_mean(text: str, expected: tuple[str, ...]) -> None:
    """Where a text leaves it open, each reading is there, the likeliest first."""
    (one,) = find_written(text)
    assert one.paths == expected


def test_where_it_stands() -> None:
    """The span is the whole citation, and its line numbers have one of their own."""
    text = f"😀 (see src/a.py#L12-L18@{PIN}), `b.py:3`"
    one, other = find_written(text)
    assert text[one.start : one.end] == one.text == f"src/a.py#L12-L18@{PIN}"
    assert text[slice(*one.lines_at)] == "L12-L18"
    assert text[other.start : other.end] == other.text == "b.py:3"
    assert text[slice(*other.lines_at)] == "3"
    assert (one.with_lines(LineRange(0, 3)), one.with_lines(LineRange(4, 5))) == ("L1-L3", "L5")
    assert (other.with_lines(LineRange(0, 3)), other.with_lines(LineRange(4, 5))) == ("1-3", "5")


def test_lines_that_cannot_be_are_none() -> None:
    assert [one.lines for one in find_written("a.py:0 a.py:9-3 a.py:0-4 a.py:2-3")] == [
        None,
        None,
        None,
        LineRange(1, 3),
    ]


PIECES = st.sampled_from(
    [
        *("a.py", "src/", ":12", ":1-3", "#L2", "-L4", f"@{PIN}", "@", "`", "](", "<", ">", "(", ")", "[", "]", "\\"),
        *("%20", " ", "\n", "://", "http", "C", ":", "12", "é", "😀", "\u202e", "\0", "**", ".", "-"),
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_spans_are_in_order_and_read_the_same_again(text: str) -> None:
    """Spans do not overlap, lie in the text, end with the numbers or the pin, and no path holds a control character."""
    at = 0
    for one in find_written(text):
        assert at <= one.start < one.lines_at[0] < one.lines_at[1] <= one.end <= len(text)
        assert one.text == text[one.start : one.end]
        assert "\n" not in one.text
        assert one.paths
        assert all(path and path == path.strip() and "\0" not in path for path in one.paths)
        at = one.end


@given(st.from_regex(r"[a-z_]{1,8}(/[a-z_é]{1,8}){0,3}\.(py|rs|tsx|md)", fullmatch=True), st.integers(1, 10**6))
def test_what_toolrag_writes_is_found_again(path: str, line: int) -> None:
    for written in (f"{path}:{line}@{PIN}", f"{path}:{line}-{line + 3}@{PIN}"):
        for text in (written, f"({written})", f"`{written}`", f"See {written}.", f"- {written}, and"):
            (one,) = find_written(text)
            assert (one.text, one.paths[-1], one.first) == (written, path, line)


HOSTILE = {
    "marks": lambda n: ":1" * (n // 2),
    "paths and marks": lambda n: "a/b.py:1" * (n // 8),
    "one long word": lambda n: "a" * n,
    "backticks": lambda n: "`" * n,
    "lone backticks": lambda n: "` `` " * (n // 5),
    "links": lambda n: "](<" * (n // 3),
    "brackets": lambda n: "/[" * (n // 4) + "]" * (n // 4) + ":1" * (n // 4),
    "closers and marks": lambda n: "])" * (n // 4) + ".py:1" * (n // 10),
    "schemes": lambda n: "a://" * (n // 4) + ":1" * (n // 4),
    "digits": lambda n: ":" + "1" * n,
    "underscores": lambda n: "a.py:1" + "_" * n,
    "hex": lambda n: "a.py:1@" + "a" * n,
    "drives": lambda n: "C:/" * (n // 3),
    "escapes": lambda n: "\\_" * (n // 4) + "a.py:1 " * (n // 14),
    "code spans with marks": lambda n: "`a:1`" * (n // 5),
    "percent": lambda n: "](%20a.py#L1)" * (n // 13),
}


def steps(text: str) -> int:
    """How often a line of Python is run to search a text: counts the same on every machine."""
    count = 0

    def trace(_frame: object, event: str, _: object) -> Callable[..., object]:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for _ in find_written(text):
            pass
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_text_takes_twice_the_steps(name: str) -> None:
    """Every look back is bounded, so the steps grow with the text and no faster, however it was made."""
    small, large = (steps(HOSTILE[name](n)) for n in (12_000, 24_000))
    assert large <= 2 * small + 2_000


@pytest.mark.parametrize("name", HOSTILE)
def test_anything_is_searched(name: str) -> None:
    """What no step counts are the regular expressions: one that explodes would never end on this."""
    text = HOSTILE[name](250_000)
    assert all(one.text == text[one.start : one.end] for one in find_written(text))


def test_noise_is_searched() -> None:
    noise = random.Random(6)
    text = "".join(noise.choice("ab.py/:12#L-@`()[]<>\\% \n") for _ in range(300_000))
    assert all(one.text == text[one.start : one.end] for one in find_written(text))
