"""How well a text fits a question: by the rarity of the question's words that it holds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.question import parse_question
from toolrag.answer.relevance import KINDRED, Relevance

IDF = {"retry": 4.0, "pool": 1.0}


def relevance(question: str, missing: Sequence[str] = ()) -> Relevance:
    return Relevance(parse_question(question), lambda token: IDF.get(token, 2.0), missing)


def test_rare_words_count_more() -> None:
    asked = relevance("retries of a pool")
    assert asked.share(["retry"]) == pytest.approx(0.8)
    assert asked.share(["a pool"]) == pytest.approx(0.2)
    assert asked.share(["class Pool:", "def retry(): ..."]) == pytest.approx(1.0)
    assert asked.share(["nothing of it"]) == 0.0


def test_words_fit_by_stem_and_by_beginning() -> None:
    """A beginning counts only for a word that is in no file whole: `auth` is no `author` where there is an `auth`."""
    nowhere = relevance("how does authentication work", missing=["authentication"])
    assert nowhere.matched(["auth_header"]) == {"authentication"}
    assert nowhere.matched(["aut"]) == frozenset()
    assert relevance("how does authentication work").matched(["auth_header"]) == frozenset()
    assert relevance("auth").matched(["author"]) == frozenset()
    assert relevance("retrying").matched(["max_retries"]) == {"retrying"}


def test_a_kindred_word_counts_a_share_of_the_word_itself() -> None:
    asked = relevance("delimiter")
    assert asked.share(["the separator"]) == pytest.approx(KINDRED)
    assert asked.share(["the delimiter, a separator"]) == pytest.approx(1.0)
    assert asked.matched(["the separator"]) == frozenset()
    assert 0 < asked.name_fit("separator") < asked.name_fit("delimiter")


def test_what_is_done_is_said_by_the_verb_or_one_like_it() -> None:
    asked = relevance("how is the delay calculated?")
    assert asked.does(["Compute how long to wait"])
    assert asked.does(["calculates the delay"])
    assert not asked.does(["the delay"])


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


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        pytest.param("where is max_retries set", "DEFAULT_MAX_REDIRECTS = 20", False, id="parts are not the name"),
        pytest.param("where is max_retries set", "self.max_retries = 3", True, id="the name itself"),
        pytest.param("how does OAuth work", "author = 'me'", False, id="a capital within makes a name"),
        pytest.param("how does OAuth work", "import oauth", True, id="in any case"),
        pytest.param("how do retries work", "max_retries", True, id="a word of prose is found in a name"),
    ],
)
def test_a_name_must_be_there_whole(question: str, text: str, fits: bool) -> None:
    """A question's word that is written like a name of code is not there where only its pieces are."""
    asked = relevance(question)
    assert bool(asked.matched([text]) - {"set", "work"}) is fits


def test_what_is_in_no_file_does_not_drown_the_rest() -> None:
    """A missing word weighs no more than the rarest that is there, a missing verb next to nothing."""
    asked = relevance("retries honoured by teapot", missing=["honoured", "teapot"])
    assert asked.lacks() == ("teapot",)
    assert asked.share(["retry"]) == pytest.approx(4 / (4 + 4 * 0.0 + 2 + 2 * 0.1), abs=0.03)
