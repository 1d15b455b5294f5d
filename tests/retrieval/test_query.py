"""What a question asks retrieval for."""

from __future__ import annotations

import time

import pytest
from toolrag.retrieval.query import distinct_names, parse_query


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("who calls prepare_auth?", ["prepare_auth"]),
        ("what does `send` do", ["send"]),
        ("what does ``Session.send()`` do", ["Session.send"]),
        ("is HTTPAdapter.send() thread safe", ["HTTPAdapter.send"]),
        ("where is maxRetries set", ["maxRetries"]),
        ("why _private and __dunder__", ["_private", "__dunder__"]),
        ("std::vector or std.vector", ["std::vector", "std.vector"]),
        ("JSONDecoder", ["JSONDecoder"]),
        ("the word session alone is prose", []),
        ("NASA and HTTP are not names", []),
        ("`not a name` and `1x`", []),
        ("send and `send`", ["send"]),
        ("`a` `a`", ["a"]),
        ("", []),
    ],
)
def test_names_are_what_prose_would_not_write(question: str, names: list[str]) -> None:
    assert distinct_names(question) == names


def test_a_bare_word_is_a_name_and_a_sentence_is_not() -> None:
    assert parse_query(" session? ").is_name
    assert parse_query("Session.send").names == ("send",)
    assert not parse_query("session send").is_name
    assert parse_query("session send").names == ()


def test_only_the_last_part_of_a_name_counts_and_only_once() -> None:
    assert parse_query("does `Session.send` call `Adapter.send`").names == ("send",)


@pytest.mark.parametrize(
    ("question", "tests", "docs"),
    [
        ("where are fixtures", True, False),
        ("which tests cover retry", True, False),
        ("how are timers mocked", True, False),
        ("is the latest used", False, False),
        ("documentation of retries", False, True),
        ("How do I install it", False, True),
        ("how does it install hooks", False, False),
    ],
)
def test_a_question_may_ask_for_tests_or_docs(question: str, tests: bool, docs: bool) -> None:
    found = parse_query(question)
    assert (found.wants_tests, found.wants_docs) == (tests, docs)


@pytest.mark.parametrize(
    ("question", "data", "markup"),
    [
        ("which python versions does the CI run", True, False),
        ("dependencies in package.json", True, False),
        ("how is the config loaded", True, False),
        ("how is a header decided", False, False),
        ("the template of the login page", False, True),
        ("which css styles a button", False, True),
        ("how are requests formed", False, False),
    ],
)
def test_a_question_may_ask_for_data_or_markup(question: str, data: bool, markup: bool) -> None:
    found = parse_query(question)
    assert (found.wants_data, found.wants_markup) == (data, markup)


@pytest.mark.parametrize(
    ("question", "compounds"),
    [
        ("json object", {"jsonobject"}),
        ("the JSON objects", {"jsonobject"}),
        ("routes reloader", {"routesreloader", "routereloader"}),
        ("field of a json object", {"fieldofajson", "jsonobject"}),
        pytest.param("one_two three", {"onetwothree"}, id="separators go"),
        pytest.param("object", set(), id="one word is none"),
        pytest.param("how is it", set(), id="stopwords begin and end none"),
        ("", set()),
    ],
)
def test_neighbouring_words_may_be_one_name(question: str, compounds: set[str]) -> None:
    found = parse_query(question).compounds
    assert set(found) == compounds
    assert len(found) == len(compounds)


def test_a_pasted_page_has_few_compounds() -> None:
    few = len(parse_query(" ".join(f"word{number}" for number in range(100))).compounds)
    assert few == len(parse_query(" ".join(f"word{number}" for number in range(10_000))).compounds)


def test_no_words_are_no_tokens() -> None:
    assert parse_query("?!.. …").tokens == ()


@pytest.mark.parametrize("text", ["`" * 100_000, "a." * 50_000, "aB" * 50_000, "a_" * 50_000, "::" * 50_000])
def test_a_hostile_question_takes_no_more_than_linear_time(text: str) -> None:
    began = time.process_time()
    parse_query(text)
    assert time.process_time() - began < 2
