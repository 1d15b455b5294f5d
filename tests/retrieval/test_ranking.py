"""The order of passages: what lifts one, what holds one back, and that nothing else decides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_doubles import corpus_of, indexed
from toolrag.retrieval.corpus import K1, Corpus, build_corpus
from toolrag.retrieval.query import parse_query
from toolrag.retrieval.ranking import DECAY, PREFIX_VALUE, Hit, Ranker, _top
from toolrag.retrieval.tokens import term_hash

BODY = "def {name}():\n    return {word}\n"


def ranked(files: Mapping[str, str], question: str, limit: int = 10) -> list[str]:
    """Path and name of each hit, best first."""
    corpus = corpus_of(files)
    return [named(corpus, files, hit) for hit in Ranker(corpus).rank(parse_query(question), limit, {})]


def named(corpus: Corpus, files: Mapping[str, str], hit: Hit) -> str:
    file = indexed(files)[int(corpus.file_of[hit.passage])]
    span = file.analysis.parsed.passages[int(corpus.ordinal[hit.passage])].span
    return file.path if span is None else f"{file.path}:{file.analysis.parsed.spans[span].qualified_name}"


def test_bm25f_of_a_passage_is_the_formula_s_over_its_maximum() -> None:
    corpus = corpus_of({"a.py": "alpha(beta)\n", "b.py": "beta(beta)\n", "c.py": "gamma(1)\n"})
    query = parse_query("alpha beta zebra")
    ranker = Ranker(corpus)
    found, coverage = ranker._lexical(query)
    slow = [0.0] * corpus.n_passages
    for token in query.tokens:
        at = corpus.term(term_hash(token))
        if at is not None:
            for passage, impact in zip(corpus.passages_with(at).tolist(), corpus.impacts(at).tolist(), strict=True):
                slow[passage] += ranker.idf(token) * (K1 + 1) * impact / (K1 + impact)
    assert found.tolist() == pytest.approx([score / max(slow) for score in slow], rel=1e-5)
    idfs = {token: ranker.idf(token) for token in query.tokens}
    assert coverage.tolist() == pytest.approx(
        [(idfs["alpha"] + idfs["beta"]) / sum(idfs.values()), idfs["beta"] / sum(idfs.values()), 0.0], rel=1e-5
    )
    assert idfs["zebra"] == math.log(1 + 2 * corpus.n_passages) > max(idfs["alpha"], idfs["beta"])


def test_a_kindred_word_counts_less_than_the_word_itself_and_more_than_none() -> None:
    files = {
        name: BODY.format(name=name[0], word=word)
        for name, word in {"a.py": "separator", "b.py": "delimiter", "c.py": "other"}.items()
    }
    assert ranked(files, "where is the delimiter?") == ["b.py:b", "a.py:a"]


def test_an_exact_definition_comes_before_its_uses_and_before_other_case() -> None:
    files = {
        "a.py": "def use():\n    return send(send, send)\n",
        "b.py": "def Send():\n    pass\n",
        "c.py": "def send():\n    pass\n",
    }
    assert ranked(files, "send") == ["c.py:send", "b.py:Send", "a.py:use"]


def test_a_definition_in_the_file_of_its_name_comes_first() -> None:
    files = {"a.py": "class Session:\n    pass\n", "session.py": "class Session:\n    pass\n"}
    assert ranked(files, "Session")[0] == "session.py:Session"


@pytest.mark.parametrize("path", ["tests/z.py", "examples/z.py", "legacy/z.py"])
def test_tests_and_examples_come_later_unless_asked_for(path: str) -> None:
    files = {path: BODY.format(name="f", word="retry"), "z.py": BODY.format(name="f", word="retry")}
    assert ranked(files, "retry") == ["z.py:f", f"{path}:f"]


def test_a_question_for_tests_lifts_them() -> None:
    files = {"tests/retry.py": BODY.format(name="f", word="retry tests"), "z.py": BODY.format(name="f", word="retry")}
    assert ranked(files, "tests of retry")[0] == "tests/retry.py:f"


def test_each_further_passage_of_a_file_counts_less() -> None:
    source = "".join(BODY.format(name=f"f{number}", word="retry") for number in range(4))
    corpus = corpus_of({"a.py": source, "b.py": BODY.format(name="g", word="retry + other + words + of + it")})
    hits = Ranker(corpus).rank(parse_query("retry"), 10, {})
    in_a = [hit.score for hit in hits if corpus.file_of[hit.passage] == 0]
    assert in_a == pytest.approx([in_a[0] * DECAY**number for number in range(4)], rel=1e-5)
    assert int(corpus.file_of[hits[1].passage]) == 1


def test_a_gentler_decay_lets_a_file_hold_more_of_the_list() -> None:
    many = "".join(BODY.format(name=f"send_{n}", word="send") for n in range(4))
    files = {"a.py": many, "b.py": "def send_it():\n    return other\n"}
    corpus = corpus_of(files)
    places = [
        [named(corpus, files, hit) for hit in Ranker(corpus).rank(parse_query("send"), 10, {}, decay=decay)]
        for decay in (0.1, 1.0)
    ]
    assert places[0].index("b.py:send_it") < places[1].index("b.py:send_it")


def test_ties_are_broken_by_number_and_not_by_the_order_of_sorting() -> None:
    files = {f"d{number:03}/a.py": BODY.format(name="f", word="retry") for number in range(300)}
    corpus = corpus_of(files)
    hits = Ranker(corpus).rank(parse_query("retry"), 20, {})
    assert [hit.passage for hit in hits] == list(range(20))
    assert Ranker(corpus).rank(parse_query("retry"), 20, {}) == hits


def test_the_order_of_files_decides_ties_alone() -> None:
    files = {"a.py": BODY.format(name="f", word="retry"), "b.py": "retry = 1\n", "c.md": "# retry\n\nretry\n"}
    backwards = dict(reversed(files.items()))
    assert ranked(files, "retry f") == ranked(backwards, "retry f")


def test_a_file_s_name_counts_in_full_its_beginning_less_and_its_folder_least() -> None:
    same = "def f():\n    return word\n"
    files = {"x/retry.py": same, "x/retrying_policies.py": same, "retry/x.py": same, "x/y.py": same}
    corpus = corpus_of(files)
    scores = Ranker(corpus)._path_features(parse_query("retry"))
    assert scores[0] > scores[1] > 0
    assert scores[2] > scores[3] == 0
    assert PREFIX_VALUE < 1


@given(st.sets(st.text("abc", min_size=1, max_size=6), max_size=12), st.text("abc", min_size=1, max_size=6))
def test_related_stems_are_those_a_look_at_every_one_finds(stems: set[str], token: str) -> None:
    words = tuple(sorted(stems))
    corpus = build_corpus([])
    ranker = Ranker(replace(corpus, names=replace(corpus.names, stem_words=words)))
    expected = {
        word
        for word in stems
        if word == token or (min(len(word), len(token)) >= 3 and (word.startswith(token) or token.startswith(word)))
    }
    found = [words[at] for at in ranker._related_stems(token)]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_side_by_side_words_of_a_question_lift_the_file_and_the_symbol_they_name() -> None:
    files = {
        "fields.py": "def name_json(object):\n    return json, object, fields\n",
        "json_object.py": "def f():\n    return json, object, fields\n",
        "z.py": "class JsonObjects:\n    json = object = fields = 1\n",
    }
    assert ranked(files, "the json object")[0] == "json_object.py:f"
    corpus = corpus_of(files)
    ranker = Ranker(corpus)
    together, apart = (ranker.rank(parse_query(text), 9, {}) for text in ("the json object", "object and the json"))
    score = {named(corpus, files, hit): hit.score for hit in together}
    other = {named(corpus, files, hit): hit.score for hit in apart}
    for name in ("json_object.py:f", "z.py:JsonObjects"):
        assert score[name] > other[name]
    assert score["fields.py:name_json"] == pytest.approx(other["fields.py:name_json"])


def test_a_constant_comes_after_code_that_holds_the_words_unless_it_is_asked_for_by_name() -> None:
    files = {"a.py": "RETRY_LIMIT = 3\n", "b.py": "def limit():\n    return retry\n"}
    assert ranked(files, "the limit of a retry")[0] == "b.py:limit"
    assert ranked(files, "RETRY_LIMIT")[0] == "a.py:RETRY_LIMIT"


def test_a_body_comes_before_its_prototype() -> None:
    files = {"a.h": "int send_all(int socket);\n", "b.c": "int send_all(int socket)\n{\n  return 0;\n}\n"}
    assert ranked(files, "send_all")[0] == "b.c:send_all"


def test_of_two_equal_files_the_one_in_fewer_folders_comes_first() -> None:
    same = BODY.format(name="f", word="retry")
    assert ranked({"a/b/c.py": same, "d.py": same}, "retry") == ["d.py:f", "a/b/c.py:f"]


def test_pages_prose_and_data_do_not_flood_a_question_about_code() -> None:
    noise = {
        f"{folder}a{number}{suffix}": f"{text}\n"
        for number in range(5)
        for folder, suffix, text in (
            ("static/", ".json", '{"retry": "limit"}'),
            ("", ".yaml", "retry: limit"),
            ("", ".md", "# Retry limit\n\nThe retry limit."),
        )
    }
    files = {**noise, "code.py": "def retry_limit():\n    return 3\n"}
    assert ranked(files, "how is the retry limit decided")[0] == "code.py:retry_limit"
    assert ranked(files, "docs of the limit on a retry")[0].endswith(".md:Retry limit")


def test_names_are_one_in_another_case_and_plural_and_operators_are_not() -> None:
    files = {"a.py": "def max_retries():\n    pass\n", "b.py": "def other():\n    return maxRetries\n"}
    assert ranked(files, "maxRetries")[0] == "a.py:max_retries"
    ruby = {"a.rb": "class A\n  def ==(other)\n    s\n  end\nend\n", "b.rb": "def s\n  1\nend\n"}
    assert ranked(ruby, "s")[0] == "b.rb:s"
    assert ranked({"b.py": "def g():\n    retry\n", "a.py": "def _():\n    retry\n"}, "does `_` retry")[0] == "a.py:_"


def test_a_near_vector_lifts_a_passage_and_brings_in_one_without_the_words() -> None:
    corpus = corpus_of({"a.py": "alpha(1)\n", "b.py": "beta(1)\n", "c.py": "alpha(2)\n"})
    ranker = Ranker(corpus)
    assert [hit.passage for hit in ranker.rank(parse_query("alpha"), 9, {})] == [0, 2]
    assert [hit.passage for hit in ranker.rank(parse_query("alpha"), 9, {2: 1.0, 1: 0.5})] == [2, 0, 1]
    assert [hit.passage for hit in ranker.rank(parse_query("alpha"), 9, {1: -1.0})] == [0, 2]


def test_files_outside_the_scope_have_no_hits() -> None:
    corpus = corpus_of({"a.py": "alpha(1)\n", "b.py": "alpha(1)\n"})
    allowed = np.array([0, 1], np.float32)
    assert [hit.passage for hit in Ranker(corpus).rank(parse_query("alpha"), 9, {0: 1.0}, allowed)] == [1]


def test_fewer_are_given_than_are_found() -> None:
    files = {f"{number}.py": "alpha = 1\n" for number in range(5)}
    assert len(ranked(files, "alpha", limit=2)) == 2


@pytest.mark.parametrize("question", ["", "?", "alpha"])
def test_an_empty_corpus_has_no_hits(question: str) -> None:
    assert Ranker(build_corpus([])).rank(parse_query(question), 5, {}) == []


def test_no_words_have_no_hits_and_unknown_words_neither() -> None:
    assert ranked({"a.py": "alpha = 1\n"}, "...") == []
    assert ranked({"a.py": "alpha = 1\n"}, "zebra quagga") == []


def test_coverage_counts_files_not_passages() -> None:
    files = {"a.py": "def f():\n    return alpha\n\ndef g():\n    return alpha\n", "b.py": "alpha = beta\n"}
    assert Ranker(corpus_of(files)).coverage(parse_query("alpha beta gamma")) == {"alpha": 2, "beta": 1, "gamma": 0}


@given(st.lists(st.sampled_from([0.0, -1.0, 0.25, 0.5, 0.75, 1.0]), max_size=30), st.integers(0, 12))
def test_the_top_is_that_of_a_full_sort(scores: list[float], limit: int) -> None:
    expected = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))[:limit]
    assert _top(np.array(scores, np.float32), limit) == expected
