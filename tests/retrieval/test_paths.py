"""What a path says about a file."""

from __future__ import annotations

import pytest
from toolrag.retrieval.paths import factor, folder_tokens, is_aside, is_test, path_tokens, stem


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/session.py", "session"),
        ("src/session/__init__.py", "session"),
        ("src/Index.py", "src"),
        ("main.py", "main"),
        ("a/b.d.ts", "b"),
        (".bashrc", ".bashrc"),
        ("x/.config.yml", ".config.yml"),
        ("Makefile", "Makefile"),
    ],
)
def test_a_stem_is_the_file_s_name_or_for_names_that_say_nothing_its_folder_s(path: str, expected: str) -> None:
    assert stem(path) == expected


def test_words_of_a_path_are_its_name_and_last_two_folders_each_once() -> None:
    assert path_tokens("a/http_client/retries/retry_policy.py") == [
        *("retry", "policy", "retry_policy"),
        *("http", "client", "http_client"),
    ]
    assert folder_tokens("a/http/retries/x.py") == ["http", "retry"]
    assert folder_tokens("x.py") == []


@pytest.mark.parametrize(
    "path",
    """
    tests/a.py test/a.py src/testing/a.py spec/a.rb x/__tests__/a.ts testdata/a.py fixtures/a.py benches/a.rs
    test_a.py a_test.go a_spec.rb a.test.ts a.spec.js FooTest.java FooTests.cs FooSpec.scala conftest.py
    """.split(),
)
def test_tests_are_known_by_their_paths(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    ("path", "aside"),
    [
        ("tests/a.py", True),
        ("examples/a.py", True),
        ("docs/conf.py", True),
        ("src/a.py", False),
        ("legacy/a.py", False),
    ],
)
def test_what_uses_the_product_is_aside_of_it(path: str, aside: bool) -> None:
    assert is_aside(path) is aside


@pytest.mark.parametrize("path", "src/contest.py latest.py attestation.py testament/a.py Test.md inspect/a.py".split())
def test_words_that_hold_test_are_not_tests(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", 1.0),
        ("tests/a.py", 0.3),
        ("examples/a.py", 0.3),
        ("tests/examples/a.py", 0.09),
        ("src/compat.py", 0.3),
        ("src/_legacy/a.py", 0.3),
        ("src/a/__init__.py", 0.5),
        ("src/a.pyi", 0.7),
        pytest.param(".github/workflows/ci.yml", 0.3, id="what a project is checked with"),
        pytest.param(".hidden.py", 1.0, id="a hidden file is in no hidden folder"),
        ("README.md", 0.7),
        ("CHANGELOG.md", 0.21),
        ("HISTORY", 0.3),
        pytest.param("src/core/history.py", 1.0, id="code that is called history is code"),
        ("src/news.py", 1.0),
        ("src/changes.py", 1.0),
    ],
)
def test_what_a_file_s_score_is_multiplied_by(path: str, expected: float) -> None:
    assert factor(path, wants_tests=False, wants_docs=False) == pytest.approx(expected)


def test_what_a_question_asks_for_is_not_held_back() -> None:
    assert factor("tests/a.py", wants_tests=True, wants_docs=False) == 1
    assert factor("docs/CHANGELOG.md", wants_tests=False, wants_docs=True) == 1
    assert factor("tests/a.py", wants_tests=False, wants_docs=True) == pytest.approx(0.3)
