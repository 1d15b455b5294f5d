"""What words a piece of code and a question come down to, and that both sides come down to the same."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.retrieval.tokens import (
    identifier_tokens,
    parts,
    question_tokens,
    question_words,
    stem,
    term_hash,
    tokens,
    unique,
)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("HTTPAdapter", ("http", "adapter")),
        ("max_retries", ("max", "retries")),
        ("parseURL2", ("parse", "url", "2")),
        ("__init__", ("init",)),
        ("XMLHttpRequest", ("xml", "http", "request")),
        ("größe_maximal", ("gr", "öß", "e", "maximal")),
        ("日本", ("日本",)),
        ("_", ()),
    ],
)
def test_an_identifier_falls_into_words(identifier: str, expected: tuple[str, ...]) -> None:
    assert parts(identifier) == expected


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        pytest.param("max_retries", ("max", "retry", "max_retries"), id="parts, then the whole"),
        pytest.param("retries", ("retry",), id="one part"),
        pytest.param("x_y", ("x_y",), id="letters alone are no words"),
        pytest.param("i", ("i",), id="unless there is nothing else"),
        pytest.param("v2", ("2", "v2"), id="a digit is one"),
        pytest.param("__", (), id="underscores"),
        pytest.param("404", ("404",), id="a number"),
        pytest.param(
            "DEFAULT_PBKDF2_ROUNDS",
            ("default", "pbkdf", "2", "round", "pbkdf2", "default_pbkdf2_rounds"),
            id="a word with its number is what a question writes",
        ),
    ],
)
def test_an_identifier_s_tokens(identifier: str, expected: tuple[str, ...]) -> None:
    assert identifier_tokens(identifier) == expected


@pytest.mark.parametrize(
    "family",
    [
        "retry retries retried retrying",
        pytest.param("register registers registered registering", id="an -ed before an -er"),
        "verify verifies verified verifier",
        "stop stops stopped stopping",
        "class classes",
        "call calls called calling",
        "box boxes",
        "connect connects connected connecting connector connection",
        "token tokens",
        "cache caches cached caching",
        "parse parses parser parsing",
        "status",
    ],
)
def test_forms_of_a_word_have_one_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["class", "status", "axis", "base", "node", "type", "this", "ring", "red"])
def test_words_of_code_that_only_look_like_forms_stay(word: str) -> None:
    assert stem(word) == word


@given(st.text(max_size=30))
def test_any_text_has_tokens_without_harm(text: str) -> None:
    found = list(tokens(text))
    assert all(found)
    assert found == list(tokens(text))
    assert unique(found) == sorted(set(found), key=found.index)


@given(st.from_regex(r"[a-z]{1,14}", fullmatch=True))
def test_a_stem_is_never_empty(word: str) -> None:
    assert stem(word)


def test_a_question_s_stopwords_go_unless_nothing_else_is_there() -> None:
    assert question_words("Where is the retry of a Session handled?") == ["retry", "Session"]
    assert question_words("What is it?") == ["What", "is", "it"]
    assert question_words("") == []
    assert question_tokens("retry retries RETRY") == ["retry"]


def test_a_question_meets_the_code_s_words() -> None:
    code = set(tokens("def total_connection_retries(self): return self.maxRetries"))
    assert {"retry", "connect"} <= code & set(question_tokens("how many connections are retried"))


def test_a_hash_is_the_same_in_every_process() -> None:
    code = "from toolrag.retrieval.tokens import term_hash; print(term_hash('retry'))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    assert int(found.stdout) == term_hash("retry")
    assert 0 <= term_hash("\ud800") < 2**64


@pytest.mark.parametrize("text", ["A" * 200_000, "aB" * 100_000, "_" * 200_000, "a1" * 100_000, "é" * 200_000])
def test_long_identifiers_take_no_more_than_linear_time(text: str) -> None:
    began = time.process_time()
    list(tokens(text))
    assert time.process_time() - began < 2
