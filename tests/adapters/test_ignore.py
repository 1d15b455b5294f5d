"""Ignore files agree with git, deny more where in doubt, and cannot be made slow."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from ignore_cases import cases, git_ignored, walked, without_settings
from toolrag.adapters.ignore import MAX_WEIGHT, IgnoreStack, folders_above, git_text, parse_rules, stacked
from toolrag.adapters.wildmatch import GlobError, glob_regex, weight


def ignored(files: Mapping[str, str], path: str, is_folder: bool) -> bool:
    """Whether nested ignore files, text by folder, ignore a path, asking for each folder above it first."""
    stack: IgnoreStack | None = None
    for folder in ("", *folders_above(path)):
        if folder and stack is not None and stack.ignores(folder, True):
            return True
        if folder in files:
            rules = parse_rules(files[folder], ".gitignore", denies=False)
            stack = IgnoreStack(rules, f"{folder}/" if folder else "", stack)
    return stack is not None and stack.ignores(path, is_folder)


@pytest.mark.parametrize("seed", range(8))
def test_generated_ignore_files_agree_with_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Random lines, in every place where git looks for them, give git's verdict for each file and folder.

    200 cases here, 2,000 in `make torture`.
    """
    without_settings(monkeypatch, tmp_path)
    for case in cases(tmp_path, random.Random(seed), 25):
        assert walked(case) == git_ignored(case), case.files


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param("*.log\n!keep.log", "keep.log", False, id="a later line takes back"),
        pytest.param("!keep.log\n*.log", "keep.log", True, id="the last line that matches wins"),
        pytest.param("out/\n!out/a.py", "out/a.py", True, id="nothing below an ignored folder comes back"),
        pytest.param("/a.py", "x/a.py", False, id="a leading slash anchors"),
        pytest.param("x/*.py", "y/x/a.py", False, id="an inner slash anchors"),
        pytest.param("**/x/*.py", "y/x/a.py", True, id="two stars stand for folders"),
        pytest.param("\ufeffa.py", "a.py", True, id="a byte order mark is no part of the first line"),
        pytest.param("?.py", "é.py", True, id="a question mark is one character, not one byte"),
        pytest.param("b.py", "a\nb.py", False, id="a line feed in a name ends nothing"),
        pytest.param("b.py", "a\n/b.py", True, id="a line feed in a folder's name hides nothing"),
        pytest.param("a.py", "a.py\n", False, id="a line feed at a name's end counts"),
    ],
)
def test_what_a_file_ignores(text: str, path: str, expected: bool) -> None:
    """One ignore file in the root, and what it says of one file."""
    assert ignored({"": text}, path, False) is expected


def test_the_deeper_file_wins() -> None:
    """A nested ignore file decides for what lies below it, and its silence leaves the outer one's word."""
    files = {"": "*.txt\n*.md", "docs": "!*.md"}
    assert not ignored(files, "docs/a.md", False)
    assert ignored(files, "docs/a.txt", False)
    assert ignored(files, "a.md", False)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param("*a" * 40 + "*b", "a" * 250, id="stars in one name"),
        pytest.param("*?" * 40 + "b", "a" * 250, id="stars and question marks"),
        pytest.param("*[ab]" * 30 + "c", "a" * 250, id="stars and brackets"),
        pytest.param("**/a/" * 30 + "b", "a/" * 1000 + "c", id="stars over folders"),
        pytest.param("**/*a*a/" * 15 + "b", "aaaa/" * 400 + "c", id="stars in stars over folders"),
        pytest.param("***a" * 30, "a" * 200 + "b", id="runs of stars"),
    ],
)
def test_no_pattern_takes_long(line: str, name: str) -> None:
    """Patterns that take git seconds over 32 letters are answered at once over longer ones, and rightly."""
    began = time.process_time()
    assert parse_rules(line, "x", denies=True).verdict(name, False) is None
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param("*a*a*a*b", "a" * 255, id="stars"),
        pytest.param("*" + "[!b]" * 120 + "b*c", "a" * 255, id="brackets"),
        pytest.param("**/a{}", "a/" * 2000 + "c", id="folders"),
        pytest.param("/*a/**/*b{}/**/c*", "a/" * 2000 + "c", id="folders on both sides"),
    ],
)
def test_no_file_takes_long(line: str, name: str) -> None:
    """The longest file of such lines that is used at all answers in time for every name of a large tree."""
    line = f"{line}{{}}" if "{}" not in line else line
    n_lines = MAX_WEIGHT // (weight(line.format(9_999)))
    began = time.process_time()
    rules = parse_rules("\n".join(line.format(number) for number in range(n_lines)), "x", denies=False)
    assert rules.problems == ()
    assert rules.verdict(name, False) is None
    assert time.process_time() - began < 1.0


def test_a_file_that_explodes_is_not_used() -> None:
    """One sentence names it. Where it denies, nothing in its folder is read: a rule must not open what it closed."""
    lines = "*.log\n" + "*a*a*a*b\n" * 100_000
    rules = parse_rules(lines, '".gitignore"', denies=False)
    assert rules.verdict("a.log", False) is None
    (problem,) = rules.problems
    assert problem.startswith('".gitignore" has too many wildcards')
    assert "not used" in problem
    rules = parse_rules(lines, '".toolragignore"', denies=True)
    assert rules.verdict("anything.py", False) is True
    assert len(rules.problems) == 1


def test_nested_files_that_explode_together() -> None:
    """Each name is held against all of them: the one that goes too far is not used, or closes its folder."""
    rules = parse_rules("*a*a*a*b\n" * (MAX_WEIGHT // 20), "x", denies=False)
    outer = stacked(rules, "", None, "x", denies=False)
    inner = stacked(rules, "a/", outer, "y", denies=False)
    assert inner.rules.problems == ()
    for denies in (False, True):
        innermost = stacked(rules, "a/b/", inner, '"a/b/.gitignore"', denies=denies)
        (problem,) = innermost.rules.problems
        assert problem.startswith('With the ignore files above it, "a/b/.gitignore" has too many wildcards')
        assert innermost.ignores("a/b/c", False) is denies
        assert innermost.ignores("a/b/aaab", False) is True


def test_a_long_list_of_names_is_used() -> None:
    """Lines without wildcards weigh next to nothing: tools write thousands of them."""
    rules = parse_rules("\n".join(f"name{number}" for number in range(7_000)), "x", denies=False)
    assert rules.problems == ()
    assert rules.verdict("name6999", False) is True


def test_bytes_that_are_no_text_cost_no_other_line() -> None:
    """git compares bytes: a comment in another encoding is a comment, and a pattern means the names that have them."""
    rules = parse_rules(git_text(b"# caf\xe9\n*.log\n\xff*\na\0b\n"), "x", denies=False)
    assert rules.problems == ()
    assert rules.verdict("a.log", False) is True
    assert rules.verdict("\udcffa", False) is True
    assert rules.verdict("a", False) is True


def test_many_stars_still_match() -> None:
    """The bound on time costs no match."""
    assert parse_rules("*a*b*c*", "x", denies=False).verdict("xxaxbbcaabxcx", False) is True
    assert parse_rules("*a*a*b", "x", denies=False).verdict("aaab", False) is True


def test_a_line_that_means_nothing_is_one_problem() -> None:
    """The other lines stay in force, and the sentence names line and file."""
    rules = parse_rules("a.py\nb[\nc.py", '".gitignore"', denies=False)
    assert rules.verdict("a.py", False) is True
    assert rules.verdict("c.py", False) is True
    assert rules.verdict("b[", False) is None
    assert len(rules.problems) == 1
    assert 'Line 2 of ".gitignore"' in rules.problems[0]


@pytest.mark.parametrize("line", ["private[", "private[[:nope:]]", "private\\", "private*[", "PRIVATE["])
def test_a_denying_line_that_means_nothing_denies_what_starts_so(line: str) -> None:
    """A mistake in a rule that denies must not open what it was meant to close."""
    rules = parse_rules(line, "x", denies=True)
    assert rules.verdict("private-keys.txt", False) is True
    assert rules.verdict("public.txt", False) is None
    assert len(rules.problems) == 1


def test_denying_rules_know_no_case_and_no_unicode_form() -> None:
    """A file system that opens a file under another spelling must not get round a rule; taking back stays exact."""
    rules = parse_rules("Privé/\n*.TXT\n!Read.txt", "x", denies=True)
    assert rules.verdict("PRIVÉ", True) is True
    assert rules.verdict("notes.txt", False) is True
    assert rules.verdict("Read.txt", False) is False
    assert rules.verdict("READ.TXT", False) is True
    decomposed = {"": "prive\u0301"}
    assert parse_rules(decomposed[""], "x", denies=True).verdict("priv\u00e9", False) is True


@pytest.mark.parametrize("glob", ["a[", "[", "[!", "[]", "[a\\", "[[:x:]]", "a\\", "[[:", "[a-\\"])
def test_a_glob_that_can_match_nothing_says_so(glob: str) -> None:
    """git lets these match nothing in silence; here they are an error with a reason."""
    with pytest.raises(GlobError, match=r"\w"):
        glob_regex(glob)
