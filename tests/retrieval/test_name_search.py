"""Symbols by a part of their name: the better the fit the higher, whatever is typed ends soon."""

from __future__ import annotations

import pytest
from index_doubles import corpus_of
from toolrag.retrieval.name_search import NameSearch

FILES = {
    "src/users.py": (
        "LIMIT_OF_USERS = 3\n\n\nclass UserStore:\n    def get_user_name(self):\n        pass\n\n"
        "    def getUserNames(self):\n        pass\n\n    def _forget(self):\n        pass\n"
    ),
    "src/other.py": "class Session:\n    def get(self):\n        pass\n\n    class Inner:\n        def get(self):\n            pass\n",
    "tests/test_users.py": "def get_user_name():\n    pass\n",
    "README.md": "# Get users\n\nWords.\n",
}
SEARCH = NameSearch(corpus_of(FILES))


def found(query: str, limit: int = 20) -> list[str]:
    return [f"{one.container + '.' if one.container else ''}{one.name}" for one in SEARCH.find(query, limit)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        pytest.param(
            "get", ["Session.get", "Session.Inner.get", "UserStore.getUserNames"], id="whole before beginning"
        ),
        pytest.param("Get", ["Session.get", "Session.Inner.get"], id="in another case"),
        pytest.param("user", ["UserStore", "UserStore.getUserNames"], id="beginning before a word within"),
        pytest.param("gUN", ["UserStore.getUserNames", "UserStore.get_user_name"], id="humps"),
        pytest.param("GUN", ["UserStore.getUserNames", "UserStore.get_user_name"], id="capitals are first letters"),
        pytest.param("gun", ["UserStore.getUserNames", "UserStore.get_user_name"], id="first letters"),
        pytest.param("getus", ["UserStore.getUserNames"], id="a beginning in another case"),
        pytest.param("forget", ["UserStore._forget"], id="underscores before it"),
        pytest.param("gsrnm", ["UserStore.getUserNames", "UserStore.get_user_name"], id="letters in order"),
        pytest.param(
            "UserStore.get", ["UserStore.getUserNames", "UserStore.get_user_name"], id="the container before a dot"
        ),
        pytest.param("Inner.get", ["Session.Inner.get"], id="the inner of two"),
        pytest.param(" LIMIT ", ["LIMIT_OF_USERS"], id="blanks around it"),
    ],
)
def test_the_best_come_first(query: str, first: list[str]) -> None:
    assert found(query)[: len(first)] == first


def test_product_code_comes_before_tests_among_equals() -> None:
    paths = [one.file for one in SEARCH.find("get_user_name", 9)]
    assert paths[:2] == [0, 2]


@pytest.mark.parametrize("query", ["", " ", ".", "zzz", "get.zzz.get"])
def test_what_is_nothing_finds_nothing(query: str) -> None:
    assert found(query) == []


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_no_more_than_asked(limit: int) -> None:
    assert len(found("get", limit)) == limit


def test_rows_say_where_a_symbol_is() -> None:
    (row,) = SEARCH.rows_of("Inner")
    assert (row.file, row.line, row.kind, row.name, row.container) == (1, 4, "class", "Inner", "Session")
    assert SEARCH.rows_of("inner") == []


@pytest.mark.parametrize("query", ["a" * 5_000, "A" * 5_000, "aB" * 2_000, "_" * 5_000, "a." * 2_000, "\0", "(", "é🙂"])
def test_no_query_takes_long_or_fails(query: str) -> None:
    headings = "".join(f"# {'a ' * 200}b{number}\n\n" for number in range(50))
    NameSearch(corpus_of({"a.md": headings})).find(query, 100)
