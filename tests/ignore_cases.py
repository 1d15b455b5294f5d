"""Ignore files from dice, in every place where git reads them, and what git says of the files around them."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from toolrag.adapters.fence import Fence
from toolrag.adapters.ignore import folders_above
from toolrag.adapters.roots import open_root
from toolrag.adapters.walk import Found, Skipped, Walk
from toolrag.config import ReadLimits

NAMES = [
    "a", "b", "ab", "a.b", "ba", "aab", "-", "[", "a b", "b ", "A", "1", "x1y", "!a", "#a", "a\\", "]", "*", "?", "a.py", "b.log",
    "é", "aé", "É",
]  # fmt: skip
GLOBS = [
    "a", "b", "ab", "*", "?", "a*", "*b", "*a*", "a?", "**", "a**", "**b", "[ab]", "[!a]", "[^b]*", "[a-c]?", "[]]",
    "[]-a]", "[[:digit:]]", "x[[:alnum:]]y", "*[[:space:]]*", "\\a", "\\*", "a\\ b", "[a\\-]", "[", "[[:nope:]]",
    "a\\", "[!]a]", "A", "\\!a", "\\#a", "#a", "[c-a]", "*.*", "a[/]b", "[-a]", "[a-]", "b\\ ", "***", "*.py", "*.log",
    "é", "*é", "a b", "[[:upper:]]", "*a*b*", "\\[", "\\?",
]  # fmt: skip
FOLDER_NAMES = ["a", "b", "ab", "a b", "A", "x1y", "é", "a.b"]
BY_BYTE = re.compile(rb"[?[]")
"""git takes a byte for these and we a character: with them, names that are not ASCII are not compared."""
NOT_UTF8 = os.fsdecode(b"a\xff")
"""Such a file is never indexed, whatever git says of it."""


@dataclass(frozen=True)
class Case:
    """A repository with ignore files in it, above the walked root, and outside."""

    tree: Path
    root: Path
    """The folder that is walked: the tree, or one in it."""
    files: Mapping[Path, bytes]
    """Every ignore file and settings file."""
    paths: tuple[str, ...]
    """All files and folders below the root."""


def generated_line(dice: random.Random, globs: Sequence[str] = GLOBS) -> str:
    """One line of an ignore file."""
    line = "/".join(dice.choice(globs) for _ in range(dice.choice([1, 1, 1, 2, 2, 3, 4])))
    start = dice.choice(["", "", "", "", "/", "!", "!", "!/", "**/"])
    end = dice.choice(["", "", "", "", "/", "/**", "/*", " ", "  ", "\t", "\r", "//", "\\ "])
    return f"{start}{line}{end}"


def generated_text(dice: random.Random, globs: Sequence[str]) -> bytes:
    """One ignore file, with line ends, a byte order mark, blank lines and comments as they come."""
    lines = [generated_line(dice, globs) for _ in range(dice.randint(1, 4))]
    if dice.random() < 0.2:
        lines.insert(
            dice.randrange(len(lines) + 1), dice.choice(["", "  ", "# a", "#a", "# caf\udce9", "\udcff*", "b\0*"])
        )
    end = dice.choice(["\n", "\n", "\n", "\r\n"])
    mark = "\ufeff" if dice.random() < 0.1 else ""
    return os.fsencode(f"{mark}{end.join(lines)}{dice.choice(['', end])}")


def cases(folder: Path, dice: random.Random, n_cases: int) -> Iterator[Case]:
    """So many cases, some on the same tree; a case's files are there until the next is asked for.

    HOME must be `home` in the folder, for us and for git.
    """
    while n_cases > 0:
        shutil.rmtree(folder / "tree", ignore_errors=True)
        tree = folder / "tree"
        folders = _grown(tree, dice)
        for _ in range(min(n_cases, 25)):
            n_cases -= 1
            files = dict(_ignore_files(folder, tree, [inner for inner in folders if dice.random() < 0.2], dice))
            for path, text in files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            only_ascii = any(BY_BYTE.search(text) for text in files.values())
            root = dice.choice(["", "", *(inner for inner in folders if inner.isascii() or not only_ascii)])
            # A root that is ignored itself was named by the user all the same, and is walked.
            root = "" if root and _ask_git(tree, [root]) else root
            yield Case(tree, tree / root, files, tuple(_paths(tree / root, only_ascii)))
            for path in files:
                path.unlink()


def _paths(root: Path, only_ascii: bool) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in sorted({*folders, *files} - {".gitignore", NOT_UTF8}):
            path = os.path.relpath(os.path.join(folder, name), root)
            if path.isascii() or not only_ascii:
                yield path


def without_settings(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Takes HOME to `home` in a folder, and away what else git has from a user."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_CONFIG")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder / "home"))


def walked(case: Case) -> set[str]:
    """The files and folders that a walk keeps out by git's rules, those above them named alone."""
    fence = Fence([open_root(case.root)], ReadLimits())
    try:
        entries = list(Walk(fence, fence.roots[0]))
    finally:
        fence.close()
    kept = {entry.path for entry in entries if isinstance(entry, Found)}
    out = {entry.path for entry in entries if isinstance(entry, Skipped) and entry.reason == "gitignored"}
    assert {entry.reason for entry in entries if isinstance(entry, Skipped)} <= {"gitignored", "not_utf8_name"}
    ours = {path for path in case.paths if path in out or not out.isdisjoint(folders_above(path))}
    assert kept.isdisjoint(ours)
    assert {path for path in case.paths if (case.root / path).is_file()} <= kept | ours
    return ours


def git_ignored(case: Case) -> set[str]:
    """The same as git has it."""
    prefix = "" if case.root == case.tree else f"{case.root.relative_to(case.tree)}/"
    return {path.removeprefix(prefix) for path in _ask_git(case.tree, [prefix + path for path in case.paths])}


def _ask_git(tree: Path, paths: Sequence[str]) -> list[str]:
    """Which paths git ignores. It runs nothing that a repository names, and reads no settings of the system's."""
    git = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    done = subprocess.run(
        [*git, "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=tree,
        input=b"".join(os.fsencode(path) + b"\0" for path in paths),
        env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return [path for path in os.fsdecode(done.stdout).split("\0") if path]


def _grown(tree: Path, dice: random.Random) -> list[str]:
    """A repository of folders and empty files, one of them with a name that is not UTF-8; its folders."""
    tree.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--template=", str(tree)], check=True, capture_output=True)
    (tree / ".git" / "info").mkdir()
    folders = [""]
    for _ in range(12):
        folder = f"{dice.choice(folders)}/{dice.choice(FOLDER_NAMES)}".lstrip("/")
        if folder.count("/") < 4 and folder not in folders:
            folders.append(folder)
    for folder in folders:
        (tree / folder).mkdir(exist_ok=True)
    for name in [*dice.choices(NAMES, k=60), NOT_UTF8]:
        path = tree / dice.choice(folders) / name
        if not path.exists():
            path.touch()
    return folders[1:]


def _ignore_files(folder: Path, tree: Path, chosen: list[str], dice: random.Random) -> Iterator[tuple[Path, bytes]]:
    """Where git looks, from the weakest: the user's file, wherever it is named; the repository's own; the folders'."""
    home = folder / "home"
    globs = GLOBS if dice.random() < 0.7 else [glob for glob in GLOBS if not BY_BYTE.search(glob.encode())]
    match dice.choice(["none", "default", "named"]):
        case "default":
            yield home / ".config/git/ignore", generated_text(dice, globs)
        case "named":
            yield home / ".gitconfig", b"[core]\n\texcludesFile = ~/mine\n"
            yield home / "mine", generated_text(dice, globs)
    if dice.random() < 0.5:
        yield tree / ".git/info/exclude", generated_text(dice, globs)
    for inner in ["", *chosen]:
        if dice.random() < 0.8:
            yield tree / inner / ".gitignore", generated_text(dice, globs)
