"""Folders that are searched together are searched as if they were one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from index_doubles import assert_same, indexed
from toolrag.retrieval.corpus import build_corpus
from toolrag.retrieval.joined import join_corpora

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
    joined = join_corpora([build_corpus(part) for part in parts])
    assert_same(joined, build_corpus([file for part in parts for file in part]))
    assert_same(join_corpora([build_corpus(part) for part in parts], joined), joined)


def test_equal_paths_stay_two_files() -> None:
    joined = join_corpora([build_corpus(indexed({"a.py": text})) for text in TEXTS[:2]])
    assert joined.paths == ("a.py", "a.py")
    assert joined.files_defining("send") == [0, 1]
