"""What a path says about a file."""

from __future__ import annotations

import pytest
from toolrag.retrieval.paths import (
    N_TRAITS,
    factor,
    factor_of,
    folder_tokens,
    is_aside,
    is_test,
    path_tokens,
    plain_stem,
    stem,
    stem_tokens,
    traits,
)


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
    assert path_tokens("a/http_client/retries/retry_policy.py") == (
        *("retry", "policy", "retry_policy"),
        *("http", "client", "http_client"),
    )
    assert folder_tokens("a/http/retries/x.py") == ["http", "retry"]
    assert folder_tokens("x.py") == []
    assert folder_tokens("a/b/c/x.py") == ["b", "c"]


def test_a_stem_is_compared_without_case_separators_and_plural() -> None:
    assert plain_stem("a/RoutesReloaders.rb") == plain_stem("routes_reloader/mod.rs") == "routesreloader"
    assert stem_tokens("a/HTTPClient.java") == ("client", "http", "httpclient")


@pytest.mark.parametrize(
    "path",
    """
    tests/a.py test/a.py src/testing/a.py spec/a.rb x/__tests__/a.ts testdata/a.py fixtures/a.py benches/a.rs
    test_a.py a_test.go a_spec.rb a.test.ts a.spec.js FooTest.java FooTests.cs FooSpec.scala conftest.py
    Tests/AppTests/a.swift src/commonTest/kotlin/a.kt Foo.Tests/a.cs src/jvmTest/a.kt e2e/a.ts test-utils/a.ts
    test/test-tcp.c a_unittest.cc a_benchmark.cc a-test.js a.bench.ts a.test-d.ts install.bats __snapshots__/a.ts
    test_suite/a.rs integration_test/a.exs Benchmarks/a.swift
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


@pytest.mark.parametrize(
    "path",
    """
    src/contest.py latest.py attestation.py testament/a.py Test.md inspect/a.py latest/a.py Manifests/a.cs tester.go
    src/suite.py specification/a.md workbench/a.py
    """.split(),
)
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
        ("README.md", 0.6),
        ("CHANGELOG.md", 0.18),
        ("HISTORY", 0.3),
        pytest.param("src/core/history.py", 1.0, id="code that is called history is code"),
        ("src/news.py", 1.0),
        ("src/changes.py", 1.0),
        ("notes.txt", 0.6),
        ("guide.adoc", 0.6),
        ("docs/ref/a.txt", 0.18),
        ("types/a.d.mts", 0.7),
        ("templates/a.html", 0.6),
        ("static/a.css", 0.6),
        ("static/a.min.js", 0.3),
        ("package.json", 0.6),
        ("a/icon.svg", 0.6),
        ("data/rows.csv", 0.6),
        pytest.param("src/json.py", 1.0, id="code about a format of data is code"),
        ("src/html/escape.py", 1.0),
        ("third_party/zlib/a.c", 0.3),
        ("vendor/a/b.go", 0.3),
        ("dist/node/a.cjs", 0.3),
        (".github/a.sh", 0.5),
        ("src/.tool/a.py", 0.5),
        pytest.param(".bashrc", 1.0, id="a hidden file is no hidden folder"),
        ("single_include/json.hpp", 0.3),
    ],
)
def test_what_a_file_s_score_is_multiplied_by(path: str, expected: float) -> None:
    assert factor(path, wants_tests=False, wants_docs=False) == pytest.approx(expected)


def test_what_a_question_asks_for_is_not_held_back() -> None:
    assert factor("tests/a.py", wants_tests=True, wants_docs=False) == 1
    assert factor("docs/CHANGELOG.md", wants_tests=False, wants_docs=True) == 1
    assert factor("tests/a.py", wants_tests=False, wants_docs=True) == pytest.approx(0.3)
    plain = {"wants_tests": False, "wants_docs": False}
    assert factor_of(traits("pyproject.toml"), **plain, wants_data=True) == 1
    assert factor_of(traits(".github/workflows/ci.yml"), **plain, wants_data=True) == 1
    assert factor_of(traits("a.css"), **plain, wants_markup=True) == 1
    assert factor_of(traits("a.css"), **plain, wants_data=True) < 1
    assert factor_of(traits("a.html"), wants_tests=False, wants_docs=True) == 1
    assert factor_of(traits("a.md"), **plain, wants_data=True, wants_markup=True) < 1


def test_every_combination_of_traits_has_its_number() -> None:
    assert 0 <= traits("") < N_TRAITS
    everything = "vendor/.x/legacy/tests/docs/a.min.css"
    assert 0 < traits(everything) < N_TRAITS
    assert factor_of(N_TRAITS - 1, wants_tests=False, wants_docs=False) > 0
