"""Folders that are searched together are searched as if they were one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_doubles import assert_same, indexed
from toolrag.retrieval import joined
from toolrag.retrieval.corpus import FileKey, build_corpus
from toolrag.retrieval.joined import follow, join_corpora

TEXTS = (
    "def send(self):\n    retry(3)\n",
    "class Session:\n    def send(self):\n        pass\n\n\nLIMIT = 3\n",
    "",
    "# Retries\n\nHow often is a request sent?\n",
)
FILES = st.dictionaries(
    st.sampled_from(["a.py", "src/a.py", "tests/test_a.py", "session.py"]), st.sampled_from(TEXTS), max_size=4
)


@given(st.lists(FILES, min_size=1, max_size=4))
def test_what_is_joined_is_what_would_be_built_of_all(folders: list[dict[str, str]]) -> None:
    parts = [indexed(folder) for folder in folders]
    both = join_corpora([build_corpus(part) for part in parts])
    assert_same(both, build_corpus([file for part in parts for file in part]))
    assert_same(join_corpora([build_corpus(part) for part in parts], both), both)


def test_a_large_corpus_is_built_in_parts_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined, "PART_FILES", 2)
    for count in range(8):
        files = indexed({f"{at}.py": TEXTS[at % len(TEXTS)] + f"x{at} = {at}\n" for at in range(count)})
        analyses = {file.path: file.analysis for file in files}
        keys = [FileKey(file.path, file.sha, file.language) for file in files]
        built = follow(build_corpus([]), keys, lambda key, known=analyses: known[key.path])  # type: ignore[misc]
        assert_same(built, build_corpus(files))


def test_equal_paths_stay_two_files() -> None:
    both = join_corpora([build_corpus(indexed({"a.py": text})) for text in TEXTS[:2]])
    assert both.paths == ("a.py", "a.py")
    assert both.files_defining("send") == [0, 1]
