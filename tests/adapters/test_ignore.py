"""Ignore files agree with git, deny more where in doubt, and cannot be made slow."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from toolrag.adapters.ignore import IgnoreStack, folders_above, parse_rules
from toolrag.adapters.wildmatch import GlobError, glob_regex

NAMES = ["a", "b", "ab", "a.b", "ba", "aab", "-", "[", "a b", "b ", "A", "1", "x1y", "!a", "#a", "a\\", "]"]
GLOBS = [
    "a", "b", "ab", "*", "?", "a*", "*b", "*a*", "a?", "**", "a**", "**b", "[ab]", "[!a]", "[^b]*", "[a-c]?", "[]]",
    "[]-a]",
    "[[:digit:]]", "x[[:alnum:]]y", "*[[:space:]]*", "\\a", "\\*", "a\\ b", "[a\\-]", "[", "[[:nope:]]", "a\\", "[!]a]",
    "A",
    "\\!a", "\\#a", "#a", "[c-a]", "*.*", "a[/]b", "[-a]", "[a-]", "b\\ ", "***",
]  # fmt: skip


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


def git_ignored(tree: Path, paths: list[str], home: Path) -> set[str]:
    """What git ignores of the paths; it runs nothing that a repository names, and knows no user's excludes."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    git = ["git", "-C", str(tree), "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    if not (tree / ".git").exists():
        subprocess.run([*git, "init", "-q"], env=environment, check=True)
    done = subprocess.run(
        [*git, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode() + b"\0",
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {path for path in done.stdout.decode().split("\0") if path}


def generated_line(dice: random.Random) -> str:
    line = "/".join(dice.choice(GLOBS) for _ in range(dice.choice([1, 1, 1, 2, 2, 3, 4])))
    start = dice.choice(["", "", "", "", "/", "!", "!", "!/", "**/"])
    end = dice.choice(["", "", "", "", "/", "/**", "/*", " ", "\t", "\r", "//"])
    return f"{start}{line}{end}"


@pytest.mark.parametrize("seed", range(12))
def test_generated_ignore_files_agree_with_git(tmp_path: Path, seed: int) -> None:
    """Nested files of random lines give git's verdict for every file and folder of a tree."""
    dice = random.Random(seed)
    home = tmp_path / "home"
    home.mkdir()
    tree = tmp_path / "tree"
    folders = [""]
    paths: dict[str, bool] = {}
    for _ in range(12):
        outer = dice.choice(folders)
        folder = f"{outer}/{dice.choice(NAMES)}".lstrip("/")
        if folder.count("/") < 4 and folder not in paths:
            folders.append(folder)
            paths[folder] = True
    for _ in range(60):
        path = f"{dice.choice(folders)}/{dice.choice(NAMES)}".lstrip("/")
        paths.setdefault(path, False)
    for path, is_folder in paths.items():
        (tree / path).mkdir(parents=True, exist_ok=True) if is_folder else None
    for path, is_folder in paths.items():
        if not is_folder:
            (tree / path).write_text("")
    for _ in range(25):
        files = {
            folder: "\n".join(generated_line(dice) for _ in range(dice.randint(1, 4)))
            for folder in ["", *dice.sample(folders, 2)]
        }
        for folder, text in files.items():
            (tree / folder / ".gitignore").write_bytes(text.encode())
        ours = {path for path, is_folder in paths.items() if ignored(files, path, is_folder)}
        assert ours == git_ignored(tree, list(paths), home), files
        for folder in files:
            (tree / folder / ".gitignore").unlink()


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
