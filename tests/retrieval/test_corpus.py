"""The searchable arrays, against the formula of BM25F computed passage by passage in plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields

import numpy as np
import pytest
from index_doubles import corpus_of, indexed
from toolrag.retrieval.corpus import FIELD_B, FIELD_WEIGHTS, Corpus, build_corpus, last_name
from toolrag.retrieval.paths import path_tokens
from toolrag.retrieval.terms import count_terms, hashes
from toolrag.retrieval.tokens import term_hash

FILES = {
    "src/session.py": (
        "RETRIES = 3\n\n\nclass Session:\n    def send(self, request):\n        return adapter.send(request)\n\n\n"
        "def retry(session):\n    return session.send(retry)\n"
    ),
    "src/empty.py": "",
    "src/adapter.py": "import os\n\n\nclass Adapter(Base):\n    def send(self):\n        pass\n",
    "README.md": "# Sessions\n\nSend a request.\n\n## Retries\n\nThree.\n",
}


def slow_impacts(files: Mapping[str, str]) -> list[dict[int, float]]:
    """Each passage's terms with the sum over its fields of weight × count ÷ normalised length."""
    rows: list[dict[str, Mapping[int, int]]] = []
    for file in indexed(files):
        text = files[file.path].split("\n")
        for passage in file.analysis.parsed.passages:
            span = None if passage.span is None else file.analysis.parsed.spans[passage.span]
            rows.append(
                {
                    "name": count_terms(span.name if span else ""),
                    "scope": count_terms(span.container if span else ""),
                    "path": dict.fromkeys(hashes(path_tokens(file.path)), 1),
                    "body": count_terms("\n".join(text[passage.lines.start : passage.lines.end])),
                }
            )
    average = {name: max(sum(sum(row[name].values()) for row in rows) / len(rows), 1e-6) for name in FIELD_WEIGHTS}
    impacts = []
    for row in rows:
        found: dict[int, float] = {}
        for name, counts in row.items():
            b, length = FIELD_B[name], sum(counts.values())
            for term, count in counts.items():
                weighed = FIELD_WEIGHTS[name] * count / (1 - b + b * length / average[name])
                found[term] = found.get(term, 0.0) + weighed
        impacts.append(found)
    return impacts


def impacts_of(corpus: Corpus) -> list[dict[int, float]]:
    """The same, out of the postings."""
    found: list[dict[int, float]] = [{} for _ in range(corpus.n_passages)]
    for at, term in enumerate(corpus.terms.tolist()):
        rows = slice(corpus.ptr[at], corpus.ptr[at + 1])
        for passage, impact in zip(corpus.postings[rows].tolist(), corpus.impacts[rows].tolist(), strict=True):
            assert term not in found[passage]
            found[passage][term] = impact
    return found


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(FILES, id="several files"),
        pytest.param({"a.py": "def f():\n    pass\n"}, id="one file"),
        pytest.param({"_.py": "(\n)\n"}, id="no words at all"),
        pytest.param({"a.py": "x = x + x\n", "b.py": "\n\n"}, id="a file without passages"),
    ],
)
def test_impacts_and_idf_are_the_formula_s(files: Mapping[str, str]) -> None:
    corpus = corpus_of(files)
    expected = slow_impacts(files)
    found = impacts_of(corpus)
    assert [sorted(row) for row in found] == [sorted(row) for row in expected]
    for row, slow in zip(found, expected, strict=True):
        assert row == pytest.approx(slow, rel=1e-5)
    for at, term in enumerate(corpus.terms.tolist()):
        frequency = sum(term in row for row in expected)
        idf = math.log(1 + (len(expected) - frequency + 0.5) / (frequency + 0.5))
        assert float(corpus.idf[at]) == pytest.approx(idf, rel=1e-5)


def test_passages_are_numbered_through_the_files_in_their_order() -> None:
    corpus = corpus_of(FILES)
    parsed = [file.analysis.parsed for file in indexed(FILES)]
    assert corpus.paths == tuple(FILES)
    assert corpus.file_of.tolist() == [at for at, file in enumerate(parsed) for _ in file.passages]
    assert corpus.ordinal.tolist() == [at for file in parsed for at in range(len(file.passages))]
    assert corpus.n_spans == sum(len(file.spans) for file in parsed)


def test_names_are_found_as_written_and_definitions_are_told_apart() -> None:
    corpus = corpus_of(FILES)
    assert [corpus.paths[file] for file in corpus.files_defining("send")] == ["src/session.py", "src/adapter.py"]
    assert corpus.files_defining("Send") == corpus.files_defining("") == []
    by_name = {name: corpus.name == np.uint64(term_hash(name)) for name in ("send", "RETRIES", "Retries", "Session")}
    assert corpus.defines[by_name["send"]].all()
    assert not corpus.defines[by_name["RETRIES"]].any()
    assert not corpus.defines[by_name["Retries"]].any()
    assert corpus.folded_name[by_name["Session"]].tolist() == [term_hash("session")]


def test_calls_are_listed_by_file_and_line_and_base_classes_are_none() -> None:
    corpus = corpus_of(FILES)
    found = corpus.calls_of("send")
    assert [(corpus.paths[file], line) for file, line, _ in found] == [("src/session.py", 5), ("src/session.py", 9)]
    assert found == sorted(found)
    assert corpus.calls_of("Base") == corpus.calls_of("nothing") == []


def test_a_call_at_the_top_level_has_no_span() -> None:
    assert corpus_of({"a.py": "main()\n"}).calls_of("main") == [(0, 0, -1)]


@pytest.mark.parametrize("files", [FILES, {}, {"a.py": ""}], ids=["several", "none", "empty"])
def test_the_same_files_give_the_same_arrays_of_the_declared_kinds(files: Mapping[str, str]) -> None:
    one, other = corpus_of(files), corpus_of(files)
    kinds = {"terms": "u8", "impacts": "f4", "postings": "i4", "ptr": "i8", "text_ids": "i8", "name": "u8"}
    for field in fields(Corpus):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right)
            assert left.dtype == np.dtype(kinds.get(field.name, left.dtype))
        else:
            assert left == right


def test_no_files_are_an_empty_corpus() -> None:
    corpus = build_corpus([])
    assert (corpus.n_passages, corpus.n_spans, corpus.ptr.tolist()) == (0, 0, [0])
    assert corpus.term(term_hash("a")) is None
    assert corpus.calls_of("a") == []
    assert corpus.files_defining("a") == []


def test_a_term_that_no_passage_has_is_none_even_past_the_last() -> None:
    corpus = corpus_of({"a.py": "word\n"})
    assert corpus.term(term_hash("word")) is not None
    assert corpus.term(2**64 - 1) is None
    assert corpus.term(0) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.b", "b"), ("a::b", "b"), ("A#b", "b"), ("A\\b", "b"), ("a->b", "b"), ("a", "a"), ("a.b::c", "c"), ("", "")],
)
def test_the_last_part_of_a_name(name: str, expected: str) -> None:
    assert last_name(name) == expected
