"""What a question is read to ask: its kind, the name it is about, and whether that name is written as one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.question import QuestionKind, parse_question


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("who calls send", "send"),
        ("Who calls `send`?", "send"),
        ("who calls Session.send?", "Session.send"),
        ("who calls the function send()?", "send"),
        ("who calls the send function?", "send"),
        ("who is calling send?", "send"),
        ("which functions call parse_query", "parse_query"),
        ("what code calls parse_query?", "parse_query"),
        ("where is parse_query called from?", "parse_query"),
        ("where do we call parse_query?", "parse_query"),
        ("where does Session call send?", "send"),
        ("where is parse_query used?", "parse_query"),
        ("where do we use parse_query?", "parse_query"),
        ("who uses parse_query in the tests?", "parse_query"),
        ("what uses parse_query", "parse_query"),
        ("which modules use parse_query?", "parse_query"),
        ("what depends on parse_query?", "parse_query"),
        ("list all callers of Session.send", "Session.send"),
        ("show me the call sites of send", "send"),
        ("find usages of send", "send"),
        ("find all references to send", "send"),
        ("what calls are made to send?", "send"),
        ("is send called anywhere?", "send"),
        ("is parse_query ever used?", "parse_query"),
        ("does anything call send?", "send"),
        ("who invokes `Session.send()`", "Session.send"),
    ],
)
def test_questions_about_callers(text: str, subject: str) -> None:
    question = parse_question(text)
    assert (question.kind, question.subject, question.explicit) == ("callers", subject, True)


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        ("where is Session.send", "where", "Session.send"),
        ("where is Session.send defined?", "where", "Session.send"),
        ("Where's the `retry` decorator?", "where", "retry"),
        ("where can I find parse_query?", "where", "parse_query"),
        ("in which file is parse_query", "where", "parse_query"),
        ("which file defines parse_query?", "where", "parse_query"),
        ("which module implements the cache?", "where", ""),
        ("where are retries configured?", "where", ""),
        ("what does send do?", "what", "send"),
        ("what does the send function do?", "what", "send"),
        ("what does `Session.send` return?", "what", "Session.send"),
        ("what does send return when the pool is closed?", "what", "send"),
        ("what does parse_query() raise", "what", "parse_query"),
        ("what exceptions can send raise?", "what", "send"),
        ("what arguments does send take?", "what", "send"),
        ("what does send call?", "what", "send"),
        ("what is send?", "what", "send"),
        ("what's send for?", "what", "send"),
        ("what is the Session class?", "what", "Session"),
        ("what is the purpose of send?", "what", "send"),
        ("explain send", "what", "send"),
        ("Explain the `send` method.", "what", "send"),
        ("tell me about parse_query", "what", "parse_query"),
        ("show me parse_query", "what", "parse_query"),
        ("the definition of parse_query", "what", "parse_query"),
        ("value of max_retries", "what", "max_retries"),
        ("what is max_retries set to?", "what", "max_retries"),
        ("how does send work?", "how", "send"),
        ("how does the session middleware work?", "how", ""),
        ("how do I configure retries?", "how", ""),
        ("why is parse_query slow?", "how", "parse_query"),
        ("what happens when the file is missing?", "when", ""),
        ("what happens when you call session.close?", "when", "session.close"),
        ("what happens when parse_query is called?", "when", "parse_query"),
        ("what if parse_query gets an empty text?", "when", "parse_query"),
        ("when is the cache invalidated?", "when", ""),
        ("under what conditions does parse_query fail?", "when", "parse_query"),
        ("send", "what", "send"),
        ("send()?", "what", "send"),
        ("`send()`", "what", "send"),
        ("Session.send", "what", "Session.send"),
        ("retry the request", "other", ""),
    ],
)
def test_other_questions(text: str, kind: QuestionKind, subject: str) -> None:
    question = parse_question(text)
    assert (question.kind, question.subject) == (kind, subject)


@pytest.mark.parametrize(
    "text",
    [
        "what is the function called that parses queries?",
        "who calls it?",
        "where is this called?",
        "what is it?",
        "who calls what?",
        "what uses the most memory?",
    ],
)
def test_a_pronoun_or_plain_word_is_no_subject(text: str) -> None:
    assert parse_question(text).subject == ""


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        ("what is send?", False),
        ("what is `send`?", True),
        ("what is send_all?", True),
        ("what is Session.send?", True),
        ("what is sendAll?", True),
        ("send", False),
        ("`send`", True),
    ],
)
def test_a_name_is_explicit_when_it_is_written_as_one(text: str, explicit: bool) -> None:
    assert parse_question(text).explicit == explicit


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        pytest.param("Wer ruft send auf?", "other", "", id="German"),
        pytest.param("как работает кэш", "other", "", id="Russian"),
        pytest.param("哪里调用了 parse_query", "other", "parse_query", id="Chinese, with a name"),
        pytest.param("was macht `größe`?", "other", "größe", id="a name in another script"),
        pytest.param("", "other", "", id="empty"),
        pytest.param(" \n\t", "other", "", id="blank"),
        pytest.param("???", "other", "", id="marks alone"),
        pytest.param("``", "other", "", id="empty backticks"),
    ],
)
def test_what_is_no_english_question(text: str, kind: QuestionKind, subject: str) -> None:
    question = parse_question(text)
    assert (question.kind, question.subject, question.text) == (kind, subject, text)


def test_vague_words_weigh_less() -> None:
    question = parse_question("where are retries configured?")
    assert question.weight("retries") == 1.0
    assert question.weight("Configured") < 1.0
    assert "where" not in question.words


def test_tests_are_wanted_only_when_asked_for() -> None:
    assert parse_question("which tests cover retries?").wants_tests
    assert not parse_question("where are retries configured?").wants_tests


WORDS = st.sampled_from(
    "who what where is are calls called the function send `send` Session.send ? when of to does".split()
)


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=80))
def test_any_text_is_a_question(text: str) -> None:
    question = parse_question(text)
    assert question.text == text
    assert not question.subject or question.subject in text
    assert not question.subject.endswith(".")


@pytest.mark.parametrize("unit", ["what ", "who calls ", "where is a ", "`", "a.", "is ", "what is the "])
def test_no_question_takes_long(unit: str) -> None:
    # With a rule that is quadratic in the question's length this would take minutes.
    assert parse_question(unit * 5_000).text


@pytest.mark.parametrize(
    ("text", "only"),
    [
        pytest.param("how does `Session.send` work?", True, id="the name alone"),
        pytest.param("where is max_retries configured?", True, id="and a vague verb"),
        pytest.param("is NO_PROXY honoured for subdomains?", True, id="and one word"),
        pytest.param("how does ProxyFix choose which header value to trust?", False, id="a topic with a name in it"),
    ],
)
def test_a_question_with_a_name_and_more_to_say_is_not_about_the_name_alone(text: str, only: bool) -> None:
    assert parse_question(text).only is only


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("when does it close the pool?", "when", id="when"),
        pytest.param("when dumping, how is a value read?", "how", id="how, at a time"),
    ],
)
def test_a_clause_that_says_when_does_not_ask_it(text: str, kind: str) -> None:
    assert parse_question(text).kind == kind
