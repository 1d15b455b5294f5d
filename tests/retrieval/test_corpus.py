"""The searchable arrays, against the formula of BM25F computed passage by passage in plain Python."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_doubles import assert_same, corpus_of, indexed
from toolrag.retrieval.corpus import (
    BODILESS,
    CONSTANT,
    DEFINES,
    FIELD_B,
    FIELD_WEIGHTS,
    Corpus,
    FileKey,
    IndexedFile,
    build_corpus,
    last_name,
    update_corpus,
)
from toolrag.retrieval.paths import path_tokens
from toolrag.retrieval.postings import MOST, _sorted
from toolrag.retrieval.terms import count_terms, hashes
from toolrag.retrieval.tokens import term_hash
from toolrag.symbols import Analysis

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
    for at, term in enumerate(corpus.postings.terms.tolist()):
        for passage, impact in zip(corpus.passages_with(at).tolist(), corpus.impacts(at).tolist(), strict=True):
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
def test_impacts_are_the_formula_s(files: Mapping[str, str]) -> None:
    corpus = corpus_of(files)
    expected = slow_impacts(files)
    found = impacts_of(corpus)
    assert [sorted(row) for row in found] == [sorted(row) for row in expected]
    for row, slow in zip(found, expected, strict=True):
        assert row == pytest.approx(slow, rel=1e-5)


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
    roles = {name: set(corpus.roles[at].tolist()) for name, at in by_name.items()}
    assert roles == {"send": {DEFINES}, "RETRIES": {CONSTANT}, "Retries": {0}, "Session": {DEFINES}}
    assert (
        corpus.plain[by_name["RETRIES"]].tolist() == corpus.plain[by_name["Retries"]].tolist() == [term_hash("retrie")]
    )


def test_a_signature_without_a_body_of_its_own_is_told_apart() -> None:
    roles = corpus_of({"a.h": "int f(int a);\n", "b.c": "int f(int a)\n{\n  return a;\n}\n"}).roles.tolist()
    assert roles == [DEFINES | BODILESS, DEFINES]


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
    corpus = corpus_of(files)
    assert_same(corpus, corpus_of(files))
    found = (corpus.postings.terms, corpus.postings.passages, corpus.postings.counts, corpus.text_ids, corpus.name)
    assert [array.dtype.str for array in found] == ["<u8", "<i4", "|u1", "<i8", "<u8"]


TEXTS = st.sampled_from(
    [
        "",
        "\n",
        "X = 1\n",
        "def send():\n    return retry(X)\n",
        "class A:\n    def send(self):\n        return send(A)\n\n    def retry(self):\n        pass\n",
        "# only words: alpha beta\n",
        "def alpha():\n    beta()\n\n\ndef beta():\n    alpha()\n" * 3,
    ]
)
TREES = st.dictionaries(st.sampled_from([f"{folder}{name}.py" for folder in ("", "x/") for name in "abcd"]), TEXTS)


@given(TREES, TREES, TREES)
@settings(deadline=None)
def test_an_updated_corpus_is_the_one_built_of_all_files(
    before: dict[str, str], between: dict[str, str], after: dict[str, str]
) -> None:
    corpus = corpus_of(dict(sorted(before.items())))
    for tree in (between, after):
        files = {file.path: file for file in indexed(dict(sorted(tree.items())))}
        analysed: list[str] = []

        def analysis(row: FileKey, files: dict[str, IndexedFile] = files, seen: list[str] = analysed) -> Analysis:
            seen.append(row.path)
            return files[row.path].analysis

        rows = [FileKey(file.path, file.sha, file.language) for file in files.values()]
        known = dict(zip(corpus.paths, corpus.shas, strict=True))
        corpus = update_corpus(corpus, rows, analysis)
        assert_same(corpus, build_corpus(list(files.values())))
        assert analysed == [row.path for row in rows if known.get(row.path) != row.sha]


def test_files_in_another_order_than_before_are_analysed_again_rather_than_mixed_up() -> None:
    files = indexed({"b.py": "def b():\n    pass\n", "a.py": "def a():\n    b()\n", "c.py": "def c():\n    b()\n"})
    by_path = {file.path: file for file in files}
    rows = [FileKey(file.path, file.sha, file.language) for file in sorted(files, key=lambda file: file.path)]
    updated = update_corpus(build_corpus(files), rows, lambda row: by_path[row.path].analysis)
    assert_same(updated, build_corpus(sorted(files, key=lambda file: file.path)))


def test_a_file_that_cannot_be_analysed_is_left_out_and_the_rest_stays() -> None:
    corpus = corpus_of({"a.py": "def a():\n    pass\n", "b.py": "def b():\n    pass\n"})
    rows = [FileKey("a.py", corpus.shas[0], "python"), FileKey("b.py", "another", "python")]
    updated = update_corpus(corpus, rows, {}.get)
    assert updated.paths == ("a.py",)
    assert updated.files_defining("b") == []


def test_more_than_one_sort_can_tell_apart_is_an_error_and_not_a_wrong_order() -> None:
    with pytest.raises(OverflowError, match="64 terms"):
        _sorted(np.arange(64, dtype=np.uint64), np.full(64, 2**62, np.uint64))


def test_a_count_stops_at_what_its_array_can_hold() -> None:
    corpus = corpus_of({"a.py": "word " * 1000 + "\n"})
    at = corpus.term(term_hash("word"))
    assert at is not None
    assert corpus.postings.counts[corpus.postings.ptr[at]].tolist()[-1] == MOST
    assert corpus.lengths[0].tolist()[-1] == 1000


def test_no_files_are_an_empty_corpus() -> None:
    corpus = build_corpus([])
    assert (corpus.n_passages, corpus.n_spans, corpus.postings.ptr.tolist()) == (0, 0, [0])
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
