"""Patterns match line by line as Python's do, in time by their size times the text's, or say what to write instead."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolrag.answer.tools.line_pattern import MAX_LINE, MAX_PROGRAM, LinePattern, PatternError

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        " ",
        ".",
        "^",
        "$",
        r"\b",
        r"\w",
        r"\s",
        r"\S",
        r"\d",
        r"\W",
        "[ab]",
        "[^a]",
        "[^ab]",
        r"[\s]",
        r"\.",
        r"\(",
        r"\A",
        "x|",
        "é",
        "[]a]",
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "*?", "+?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
        inner.map("({})".format),
    ),
    max_leaves=6,
)
LINES = st.lists(st.text(alphabet="abAB .(]1é\t", max_size=8), min_size=1, max_size=6)


def expected(pattern: str, lines: list[str], ignore_case: bool) -> list[tuple[int, int]]:
    """Each line that matches, with the character at which it begins to."""
    compiled = re.compile(pattern, re.ASCII | (re.IGNORECASE if ignore_case else 0))  # RE2's classes are ASCII
    matches = [(at, compiled.search(line)) for at, line in enumerate(lines)]
    return [(at, match.start()) for at, match in matches if match]


@given(PATTERNS, LINES, st.booleans())
@example(r"\s*", ["a", "", " b"], False)
@example(r"[^a]+", ["a", "", "b"], False)
@example(r"$", ["", "", ""], False)
@example(r"\Aa|b$", ["ba", "ab", "a"], False)
@example(r"(?:a*)*", ["", "b"], True)
def test_a_pattern_matches_the_lines_that_it_matches_in_python(
    pattern: str, lines: list[str], ignore_case: bool
) -> None:
    text = "\n".join(lines)
    data = text.encode()
    found = []
    for match in LinePattern(pattern, ignore_case).matches(data):
        line = data[match.line_start : match.line_end].decode()
        found.append((match.line, len(data[match.line_start : match.start].decode())))
        assert line == lines[match.line]
        assert match.start <= match.end <= match.line_end
    assert found == expected(pattern, lines, ignore_case)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        pytest.param("foo(?=bar)", "Lookahead", id="lookahead"),
        pytest.param("foo(?!bar)", "Lookahead", id="negative lookahead"),
        pytest.param("(?<=foo)bar", "lookbehind", id="lookbehind"),
        pytest.param("(?<!foo)bar", "lookbehind", id="negative lookbehind"),
        pytest.param("(?>a+)b", "atomic", id="an atomic group"),
        pytest.param(r"(\w)\1", "Back references", id="a back reference"),
        pytest.param("a\nb", "within one line", id="a line end"),
        pytest.param(r"a\nb", "within one line", id="an escaped line end"),
        pytest.param(r"a\r\n", "within one line", id="another"),
        pytest.param("(?s-m)a", "line by line", id="a flag for whole texts"),
        pytest.param("(", "no pattern", id="an open group"),
        pytest.param("a)", "no pattern", id="a closed one"),
        pytest.param("[a", "no pattern", id="an open class"),
        pytest.param("*a", "no pattern", id="nothing to repeat"),
        pytest.param("\\", "no pattern", id="half an escape"),
        pytest.param(r"\h", "no pattern", id="an escape that there is not"),
        pytest.param("a{1001}", "too large", id="too many repetitions"),
        pytest.param("((a{100}){100}){100}", "too large", id="repetitions of repetitions"),
        pytest.param(r"\pL{500}", "too large", id="too large a program"),
        pytest.param("a\ud800", "half a character", id="a lone surrogate"),
    ],
)
def test_what_cannot_be_matched_is_told_what_to_write_instead(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says) as caught:
        LinePattern(pattern, False)
    assert re.fullmatch(r"[A-Z].{30,250}\.", str(caught.value))


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        pytest.param(r"[^\n]+", "any", id="a line end in a class that has it not"),
        pytest.param(r"\Q(?=a)\n\E", r"a (?=a)\n", id="quoted characters"),
        pytest.param(r"\(\?=", "(?=", id="escaped characters"),
        pytest.param(r"[(?=]", "?", id="the same in a class"),
        pytest.param(r"\\n", r"\n", id="a backslash and a letter"),
        pytest.param("(?i)ANY", "any", id="a flag"),
        pytest.param("(?P<a>x)(?:y)", "xy", id="named and plain groups"),
        pytest.param("[[:alpha:]_\\n]", "a", id="a class by name"),
        pytest.param("x\0", "x\0", id="a NUL"),
    ],
)
def test_what_only_looks_like_it_is_matched(pattern: str, line: str) -> None:
    assert [match.line for match in LinePattern(pattern, False).matches(f"\n{line}\n".encode())][:1] in ([1], [0])
    assert list(LinePattern(pattern, False).matches(line.encode()))


@given(st.text(max_size=40))
def test_no_pattern_is_too_strange(pattern: str) -> None:
    """It is matched or refused; nothing else is raised."""
    with suppress(PatternError):
        list(LinePattern(pattern, False).matches(b"some text\nof lines"))


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)*x", "a" * 480, ".{100}b", r"\w{1,200}="])
def test_what_is_searched_at_once_is_bounded_by_the_pattern_s_size(pattern: str) -> None:
    """RE2 takes time by the product of both; 0.7 ns each make 55 ms at worst. Backtracking would not end on these."""
    compiled = LinePattern(pattern, False)
    size = compiled.max_slice
    assert size >= MAX_LINE
    assert (size - MAX_LINE) * compiled.program_size <= 40_000_000
    assert compiled.program_size <= MAX_PROGRAM
    line = b"a" * size
    assert len(list(compiled.matches(line + b"!"))) in (0, 1)
