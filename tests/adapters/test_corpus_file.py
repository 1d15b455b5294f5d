"""A corpus on disk: it comes back as it was, for the key it was kept under, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from index_doubles import assert_same, corpus_of
from toolrag.adapters.corpus_file import load_corpus, save_corpus
from toolrag.retrieval.query import parse_query
from toolrag.retrieval.ranking import Ranker

FILES = {
    "src/a.py": "X = 1\n\n\nclass A:\n    def send(self):\n        return send(X)\n",
    "b.md": "# Sends\n\nSend.\n",
    "empty.py": "",
}


@pytest.mark.parametrize("files", [FILES, {}], ids=["some", "none"])
def test_a_corpus_comes_back_as_it_was(tmp_path: Path, files: dict[str, str]) -> None:
    corpus = corpus_of(files)
    save_corpus(tmp_path / "c", corpus, "key")
    found = load_corpus(tmp_path / "c", "key")
    assert found is not None
    assert_same(corpus, found)
    query = parse_query("send a")
    assert Ranker(found).rank(query, 9, {}) == Ranker(corpus).rank(query, 9, {})
    assert found.calls_of("send") == corpus.calls_of("send")


def test_paths_of_any_bytes_come_back(tmp_path: Path) -> None:
    corpus = corpus_of({"a\udcff é\n.py": "x = 1\n"})
    save_corpus(tmp_path / "c", corpus, "key")
    found = load_corpus(tmp_path / "c", "key")
    assert found is not None
    assert found.paths == corpus.paths


def test_another_key_and_any_doubt_are_none(tmp_path: Path) -> None:
    path = tmp_path / "c"
    assert load_corpus(path, "key") is None
    save_corpus(path, corpus_of({"a.py": "f()\n"}), "key")
    assert load_corpus(path, "other") is None
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        assert load_corpus(path, "key") is None
        path.write_bytes(data[:at])
        assert load_corpus(path, "key") is None
