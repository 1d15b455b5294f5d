"""How well a text fits a question: by the rarity of the question's words that it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.question import parse_question
from toolrag.answer.relevance import Relevance

IDF = {"retry": 4.0, "pool": 1.0}


def relevance(question: str) -> Relevance:
    return Relevance(parse_question(question), lambda token: IDF.get(token, 2.0))


def test_rare_words_count_more() -> None:
    asked = relevance("retries of a pool")
    assert asked.share(["retry"]) == pytest.approx(0.8)
    assert asked.share(["a pool"]) == pytest.approx(0.2)
    assert asked.share(["class Pool:", "def retry(): ..."]) == pytest.approx(1.0)
    assert asked.share(["nothing of it"]) == 0.0


def test_words_fit_by_stem_and_by_beginning() -> None:
    asked = relevance("how does authentication work")
    assert asked.matched(["auth_header"]) == {"authentication"}
    assert asked.matched(["aut"]) == frozenset()
    assert relevance("retrying").matched(["max_retries"]) == {"retrying"}


def test_a_topic_is_named_by_a_word_that_is_not_vague() -> None:
    asked = relevance("where is the retry value set?")
    assert asked.names_topic(["retry = 3"])
    assert not asked.names_topic(["value = 3"])
    assert relevance("value").names_topic(["value = 3"])


def test_a_question_without_words_is_fitted_by_nothing() -> None:
    asked = relevance("?")
    assert asked.share(["retry"]) == 0.0
    assert not asked.names_topic(["retry"])
    assert asked.name_fit("retry") == 0.0


def test_a_name_fits_best_when_it_says_all_and_no_more() -> None:
    asked = relevance("where are retries of a session counted")
    fits = [asked.name_fit(name) for name in ("", "other", "retry_of_other_things", "session_retry_count")]
    assert fits == sorted(fits)
    assert fits[0] == fits[1] == 0.0
    assert fits[-1] > fits[-2] > 0


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=4))
def test_every_measure_is_a_share(question: str, texts: list[str]) -> None:
    asked = relevance(question)
    assert 0.0 <= asked.share(texts) <= 1.0 + 1e-9
    assert asked.share([*texts, question]) >= asked.share(texts)
    for text in texts:
        assert 0.0 <= asked.name_fit(text) <= 1.0 + 1e-9
