"""Text in no language that is known: passages, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag.retrieval.passages import MAX_TOP_LEVEL_LINES
from toolrag.retrieval.spans import parse_source
from toolrag.text import LineRange, Text

LINES = st.sampled_from(
    ["", "", "  ", "words", "# A", "def f(): pass", "\t", "=====", "\0", "\N{LINE SEPARATOR}", "\f"]
)
TEXTS = st.one_of(st.lists(LINES, max_size=300).map("\n".join), st.text(st.characters(codec=None), max_size=200))


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_windows_cover_each_line_that_is_not_blank_once(content: str) -> None:
    """At most 40 lines each, without blank lines at their ends; no symbols, references or problems."""
    text, parsed = Text(content), parse_source(content, "text")
    assert (parsed.spans, parsed.references, parsed.problems) == ((), (), ())
    covered = [0] * text.n_lines
    for passage in parsed.passages:
        assert passage.span is None
        assert len(passage.lines) <= MAX_TOP_LEVEL_LINES
        assert text.line(passage.lines.start).strip()
        assert text.line(passage.lines.end - 1).strip()
        for line in range(passage.lines.start, passage.lines.end):
            covered[line] += 1
    assert all(times == 1 or (times == 0 and not text.line(line).strip()) for line, times in enumerate(covered))


def test_a_window_ends_at_a_blank_line_when_one_is_near() -> None:
    """A paragraph is not torn."""
    content = "\n\n".join("\n".join(["words"] * 9) for _ in range(10))
    for lines in (passage.lines for passage in parse_source(content, "text").passages):
        assert lines.start % 10 == 0
        assert lines.end % 10 == 9


@pytest.mark.parametrize("text", ["x" * 3_000_000, "\n" * 500_000, "a\n" * 200_000, "\0" * 100_000 + "a"])
def test_hostile_texts_are_cut(text: str) -> None:
    """One huge line, nothing but line ends, very many lines, null bytes."""
    passages = parse_source(text, "text").passages
    assert sum(len(passage.lines) for passage in passages) == sum(bool(line.strip()) for line in text.split("\n"))
    assert all(passage.lines in LineRange(0, text.count("\n") + 1) for passage in passages)
