"""Rules from outside a root hold as git says, and nothing else of those places is used."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from toolrag.adapters.fence import Fence
from toolrag.adapters.git_excludes import global_excludes, outer_rules, repository_of
from toolrag.adapters.ignore import MAX_WEIGHT
from toolrag.adapters.roots import open_root
from toolrag.adapters.walk import Found, Walk
from toolrag.config import ReadLimits


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


def git(folder: Path, *arguments: str) -> str:
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "protocol.file.allow=always",
    ]
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    done = subprocess.run([*command, *identity, *arguments], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout


def repository(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    put(folder, *names)
    return folder


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")


def walked(folder: Path) -> set[str]:
    """What the walk finds, without ignore files."""
    fence = Fence([open_root(folder)], ReadLimits())
    try:
        found = {entry.path for entry in Walk(fence, fence.roots[0]) if isinstance(entry, Found)}
    finally:
        fence.close()
    return {path for path in found if not path.endswith((".gitignore", ".gitmodules"))}


def test_the_users_excludes_file(tmp_path: Path, home: Path) -> None:
    """`~/.config/git/ignore` without settings; what `core.excludesFile` names with them; the last one wins."""
    tree = repository(tmp_path / "tree", "a.log", "b.tmp", "c.py")
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.log\n")
    assert walked(tree) == {"b.tmp", "c.py"}
    (home / "mine").write_text("*.tmp\n")
    (home / ".gitconfig").write_text("[user]\n\texcludesfile = no\n[Core]\n\tExcludesFile = ~/mine ; mine\n")
    assert walked(tree) == {"a.log", "c.py"}


def test_a_repository_cannot_name_an_excludes_file(tmp_path: Path) -> None:
    """`core.excludesFile` of the repository's own settings is not followed."""
    tree = repository(tmp_path / "tree", "a.py")
    (tmp_path / "all").write_text("*\n")
    git(tree, "config", "core.excludesFile", str(tmp_path / "all"))
    assert walked(tree) == {"a.py"}


def test_info_exclude_and_the_folders_above(tmp_path: Path) -> None:
    """Both hold below them; a deeper file and a negation win; a pattern with a slash is anchored where it stands."""
    tree = repository(
        tmp_path / "tree", "pkg/app/a.log", "pkg/app/keep.log", "pkg/app/b.tmp", "pkg/app/build/c", "pkg/app/d"
    )
    (tree / ".git/info/exclude").write_text("*.tmp\n*.log\n")
    (tree / ".gitignore").write_text("/pkg/app/build\n!*.log\n")
    (tree / "pkg/.gitignore").write_text("a.log\n/app/d\n")
    assert walked(tree / "pkg/app") == {"keep.log"}
    assert walked(tree) == {"pkg/app/keep.log"}


def test_rules_end_at_a_repository_inside(tmp_path: Path) -> None:
    """What lies in a nested repository follows its own rules and the user's, as in git."""
    tree = repository(tmp_path / "tree", "a.log")
    (tree / ".gitignore").write_text("*.log\n")
    inner = repository(tree / "inner", "b.log", "c.tmp")
    (inner / ".git/info/exclude").write_text("*.tmp\n")
    assert walked(tree) == {"inner/b.log"}


def test_worktrees_and_submodules(tmp_path: Path) -> None:
    """Their `.git` is a file that leads to what they share, or to their own; `info/exclude` is found there."""
    tree = repository(tmp_path / "tree", "a.log", "b.py")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "first")
    (tree / ".git/info/exclude").write_text("*.log\n")
    git(tree, "worktree", "add", "-q", str(tmp_path / "side"))
    put(tmp_path / "side", "c.log")
    assert walked(tmp_path / "side") == {"b.py"}
    outer = repository(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(tree), "module")
    put(outer / "module", "d.tmp")
    (outer / ".git/modules/module/info/exclude").write_text("*.tmp\n")
    assert walked(outer) == {"module/a.log", "module/b.py"}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"garbage", id="garbage"),
        pytest.param(b"gitdir: ", id="no path"),
        pytest.param(b"gitdir: a\0b", id="NUL"),
        pytest.param(b"gitdir: /nowhere/at/all\n", id="nowhere"),
        pytest.param(b"gitdir: .git\n", id="itself"),
        pytest.param(b"gitdir: " + b"a/" * 100_000, id="200 kB"),
        pytest.param(b"gitdir: \xff\xfe\n", id="not text"),
    ],
)
def test_a_broken_git_file_is_passed_over(tmp_path: Path, content: bytes) -> None:
    """The walk goes on with the rules that there are."""
    put(tmp_path / "tree", "a.py", "b.log")
    (tmp_path / "tree/.git").write_bytes(content)
    (tmp_path / "tree/.gitignore").write_text("*.log\n")
    assert walked(tmp_path / "tree") == {"a.py"}


def test_odd_files_in_the_place_of_rules(tmp_path: Path, home: Path) -> None:
    """A FIFO does not hold the walk, a huge file is not used; bytes that are no text match what they match."""
    tree = repository(tmp_path / "tree", "a.log")
    (tree / ".git/info/exclude").unlink()
    os.mkfifo(tree / ".git/info/exclude")
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_bytes(b"*.log\n" + b"#" * 100_000)
    assert walked(tree) == {"a.log"}
    (home / ".config/git/ignore").write_bytes(b"\xff\xfe\xff*.log")
    assert walked(tree) == {"a.log"}
    (home / ".config/git/ignore").write_bytes(b"# caf\xe9\n*.log")
    assert walked(tree) == set()


def test_rules_above_the_root_that_explode_together(tmp_path: Path) -> None:
    """The file that goes too far is named, and not used; those before it hold."""
    tree = repository(tmp_path / "tree", "pkg/a.log", "pkg/b.tmp")
    many = "*a*a*a*b\n" * (MAX_WEIGHT // 10)
    (tree / ".git/info/exclude").write_text(f"{many}*.log\n")
    (tree / ".gitignore").write_text(f"{many}*.tmp\n")
    assert walked(tree / "pkg") == {"b.tmp"}
    _, problems = outer_rules(tree / "pkg", "", os.environ)
    assert ["a .gitignore above the root" in problem for problem in problems] == [True]


def test_where_the_excludes_file_is_looked_for(tmp_path: Path) -> None:
    """XDG_CONFIG_HOME moves it, GIT_CONFIG_GLOBAL replaces the settings, and without a home there is none."""
    assert global_excludes({"HOME": "/h"}) == Path("/h/.config/git/ignore")
    assert global_excludes({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}) == Path("/x/git/ignore")
    assert global_excludes({}) is None
    settings = tmp_path / "settings"
    settings.write_text('[core]\n  excludesfile = "/e/a \\"b\\"" \n')
    assert global_excludes({"HOME": "/h", "GIT_CONFIG_GLOBAL": str(settings)}) == Path('/e/a "b"')


def test_no_repository_no_rules(tmp_path: Path, home: Path) -> None:
    """Outside every repository git's global rules do not hold; a `.gitignore` in the folder still does."""
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.log\n")
    put(tmp_path / "plain", "a.log", "b.tmp")
    (tmp_path / "plain/.gitignore").write_text("*.tmp\n")
    assert repository_of(tmp_path / "plain") is None
    assert walked(tmp_path / "plain") == {"a.log"}
