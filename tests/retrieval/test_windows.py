"""How close together a passage holds a question's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.retrieval.windows import W_FOCUS, W_LINES, W_PAIRS, WINDOW_LINES, focus, reordered
from toolrag.text import LineRange, Text

EQUAL = {"alpha": 1.0, "beta": 1.0}


def measured(source: str, weights: dict[str, float]) -> float:
    text = Text(source)
    return focus(text, LineRange(0, text.n_lines), weights)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("alpha beta", W_LINES + W_PAIRS, id="side by side"),
        pytest.param("alpha x beta", W_LINES + W_PAIRS, id="next but one"),
        pytest.param("alpha x y beta", W_LINES, id="on one line, apart"),
        pytest.param("beta alpha", W_LINES, id="the other way round"),
        pytest.param("alpha\n\n\nbeta", W_LINES, id="within the window"),
        pytest.param("alpha\n\n\n\nbeta", W_LINES / 2, id="one line too far"),
        pytest.param("alpha alpha", W_LINES / 2, id="one of the two"),
        pytest.param("gamma", 0.0, id="none"),
        pytest.param("", 0.0, id="nothing at all"),
    ],
)
def test_words_that_stand_together_count_more(source: str, expected: float) -> None:
    assert measured(source, EQUAL) == pytest.approx(expected)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    weights = {"alpha": 3.0, "beta": 1.0}
    assert measured("alpha", weights) == pytest.approx(W_LINES * 0.75)
    assert measured("beta", weights) == pytest.approx(W_LINES * 0.25)


def test_one_word_has_no_neighbours_and_no_words_no_focus() -> None:
    assert measured("alpha", {"alpha": 2.0}) == 1.0
    assert measured("alpha", {}) == 0.0
    assert measured("alpha", {"alpha": 0.0}) == 0.0


def test_only_the_passage_s_own_lines_count() -> None:
    text = Text("alpha beta\nx\n")
    assert focus(text, LineRange(1, 2), EQUAL) == 0.0


@given(st.lists(st.sampled_from(["alpha ", "beta ", "gamma ", "\n"]), max_size=12))
def test_focus_lies_between_nothing_and_all(words: list[str]) -> None:
    assert 0.0 <= measured("".join(words), {"alpha": 1.0, "beta": 2.0, "gamma": 0.5}) <= 1.0 + 1e-9


def test_focus_lifts_a_score_by_half_at_most() -> None:
    assert reordered(2.0, 0.0) == 2.0
    assert reordered(2.0, 1.0) == 2.0 * (1 + W_FOCUS)
    assert WINDOW_LINES == 4
