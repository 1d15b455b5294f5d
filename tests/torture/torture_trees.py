"""Trees that change in ways times and sizes do not tell: each time the index says what a fresh one says."""

from __future__ import annotations

import mmap
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from root_rights import without_root_rights

from torture.counts import share
from torture.harness import Bench, Seen
from torture.making import QUERIES, edit, make, put, sources, text_of

FILES = 40
HOUR = 3_600


class Kept:
    """A workspace whose index is kept from run to run."""

    def __init__(self, bench: Bench, root: Path) -> None:
        self.root = root
        self._bench = bench
        self._cache = bench.cache()
        self.agrees()

    def agrees(self, *, parsed: int | None = None) -> Seen:
        """Brings the index up to date: it equals a fresh one, was brought there in silence, and by so many parses."""
        seen = self._bench.seen(self._cache, self.root, QUERIES[:1])
        seen.same_as(self._bench.fresh(self.root, QUERIES[:1]))
        assert seen.logged == ()
        if parsed is not None:
            assert seen.parsed == parsed
        return seen


@pytest.fixture
def kept(bench: Bench, dice: random.Random, tmp_path: Path) -> Kept:
    return Kept(bench, make(tmp_path / "tree", dice, FILES, own=False))


def git(folder: Path, *arguments: str) -> None:
    """Runs git without hooks, file system monitors, and the settings of who runs the tests."""
    settings = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.file.allow=always", "gc.auto=0"]
    identity = ["user.name=a", "user.email=a@example.invalid", "init.defaultBranch=main", "commit.gpgsign=false"]
    options = [option for setting in (*settings, *identity) for option in ("-c", setting)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *options, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def repository(root: Path) -> Path:
    """Makes a workspace one of git's, with all that is in it committed."""
    (root / ".git").rmdir()
    git(root, "init", "-q")
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "work")


def test_branches_switched_back_and_forth(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """Over thousands of changed files; what was parsed once is not parsed when its branch comes back."""
    n_files = share(2_000)
    root = repository(make(tmp_path / "tree", dice, n_files, own=False))
    (root / ".gitignore").unlink()
    changed = sources(root)
    git(root, "checkout", "-qb", "other")
    for path in changed:
        path.write_text(path.read_text() + text_of(path.suffix, dice))
    commit(root)
    kept = Kept(bench, root)
    other = kept.agrees(parsed=0)
    git(root, "checkout", "-q", "main")
    main = kept.agrees()
    assert main.parsed > 0.9 * len(changed)
    for branch, seen in [("other", other), ("main", main), ("other", other)]:
        git(root, "checkout", "-q", branch)
        kept.agrees(parsed=0).same_as(seen)


def test_a_worktree(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """It has an index of its own, and shares `info/exclude` with its repository."""
    root = repository(make(tmp_path / "tree", dice, FILES, own=False))
    put(root, ".git/info/exclude", "docs/\n*.rb\n")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Kept(bench, tmp_path / "side")
    first = side.agrees(parsed=0)
    edit(root, dice, 10)
    side.agrees(parsed=0).same_as(first)
    edit(side.root, dice, 10)
    put(side.root, "excluded.rb", "def fetch_order\nend\n")
    side.agrees()
    commit(side.root)
    git(root, "stash", "-u", "-q")
    git(root, "merge", "-q", "side")
    Kept(bench, root)


def test_a_submodule_and_repositories_inside(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """They come, change, and go; the rules of the repository around them end at their folders."""
    module = repository(make(tmp_path / "module", dice, 10, own=False))
    root = repository(make(tmp_path / "tree", dice, FILES, own=False))
    kept = Kept(bench, root)
    git(root, "submodule", "add", "-q", str(module), "module")
    put(root, ".gitignore", "*.py\n")
    assert kept.agrees().report["files"] > 0
    edit(root / "module", dice, 5)
    kept.agrees()
    repository(make(root / "inner" / "other", dice, 10, own=False))
    kept.agrees()
    put(root, ".gitignore", "build/\n/inner\n")
    kept.agrees(parsed=1)  # the rules themselves are text
    git(root, "submodule", "deinit", "-f", "--all")
    kept.agrees(parsed=0)


def test_only_names_change(kept: Kept, dice: random.Random) -> None:
    """Files and folders that are moved, also to another case, are parsed by nobody."""
    for path in dice.sample(sources(kept.root), 8):
        path.rename(path.with_name(f"moved_{dice.randrange(1_000)}{path.suffix}"))
    kept.agrees(parsed=0)
    (kept.root / "core").rename(kept.root / "kernel")
    kept.agrees(parsed=0)
    (kept.root / "kernel").rename(kept.root / "Kernel")
    first = dice.choice(sources(kept.root))
    first.rename(first.with_name(first.stem.upper() + first.suffix))
    kept.agrees(parsed=0)
    one, other = dice.sample([path for path in sources(kept.root) if path.suffix == ".py"], 2)
    one.rename(kept.root / "aside")
    other.rename(one)
    (kept.root / "aside").rename(other)
    kept.agrees(parsed=0)


def test_a_text_of_the_same_size_at_the_same_time(kept: Kept, dice: random.Random) -> None:
    """The size is the old one and the clock of the file was set back to the old time: the new text is found."""
    for path in dice.sample(sources(kept.root), 8):
        before = path.stat()
        path.write_text(path.read_text().replace("e", "E"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns - dice.choice([0, 0, HOUR * 10**9])))
    kept.agrees(parsed=8)


@pytest.fixture
def written_in_place(kept: Kept) -> Iterator[mmap.mmap]:
    """A file in memory: once its page is there, writing to it changes no times."""
    path = kept.root / "mapped.py"
    path.write_text(f"def fetch_order():\n    return 1\n{'# ' + 'x' * 60 + chr(10)}")
    with open(path, "r+b") as file, closing(mmap.mmap(file.fileno(), 0)) as mapped:
        mapped[0:1] = mapped[0:1]
        yield mapped


def test_nothing_tells_of_a_change_but_the_clock(kept: Kept, written_in_place: mmap.mmap) -> None:
    """A file of the future, written when the clock was an hour ahead, changes and keeps size, times and inode."""
    path = kept.root / "mapped.py"
    now = path.stat().st_mtime_ns
    os.utime(path, ns=(now, now + HOUR * 10**9))
    kept.agrees()
    before = path.stat()
    written_in_place[0:15] = b"def retry_order"
    after = path.stat()
    assert (before.st_size, before.st_mtime_ns, before.st_ctime_ns, before.st_ino) == (
        after.st_size, after.st_mtime_ns, after.st_ctime_ns, after.st_ino,
    )  # fmt: skip
    kept.agrees(parsed=1)


def test_links_in_the_place_of_files(kept: Kept, dice: random.Random) -> None:
    """What a link points to is met at its own place: a file or folder that becomes one is gone, and comes back."""
    aside = kept.root.with_name("aside")
    aside.mkdir()
    for target in (dice.choice(sources(kept.root)), aside / "nothing", kept.root.with_name("home")):
        path = dice.choice([path for path in sources(kept.root) if path != target])
        path.rename(aside / path.name)
        path.symlink_to(target)
        kept.agrees(parsed=0)
        path.unlink()
        (aside / path.name).rename(path)
        kept.agrees(parsed=0)
    (kept.root / "web").rename(aside / "web")
    (kept.root / "web").symlink_to(kept.root / "core")
    kept.agrees(parsed=0)
    (kept.root / "web").unlink()
    (kept.root / "web").symlink_to(aside / "web")
    kept.agrees(parsed=0)


def test_files_become_folders(kept: Kept) -> None:
    """And folders files, under names that end as a source file's do; a FIFO is neither, and holds nobody."""
    path = next(path for path in sources(kept.root) if path.suffix == ".py")
    text = path.read_text()
    path.unlink()
    put(path, "inner.py", text)
    kept.agrees(parsed=0)
    shutil.rmtree(path)
    os.mkfifo(path)
    kept.agrees(parsed=0)
    path.unlink()
    path.write_text(text)
    kept.agrees(parsed=0)
    shutil.rmtree(kept.root / "tools")
    put(kept.root, "tools", "no folder")
    kept.agrees(parsed=1)


def test_files_go_and_come_again(kept: Kept, dice: random.Random) -> None:
    """With their old text, then with another; an empty one, and one that is no text any more."""
    chosen = dice.sample([path for path in sources(kept.root) if path.suffix == ".py"], 2)
    texts = [path.read_text() for path in chosen]
    for path in chosen:
        path.unlink()
    kept.agrees(parsed=0)
    for path, text in zip(chosen, texts, strict=True):
        path.write_text(text)
    kept.agrees(parsed=0)
    chosen[0].write_text("")
    chosen[1].write_bytes(b"\xff\xfe\x00")
    kept.agrees()
    chosen[1].write_text(texts[1])
    kept.agrees(parsed=0)


def test_permissions_go_and_come_again(dice: random.Random, tmp_path: Path) -> None:
    """What may not be read is not in the index, file or folder; it is there again as soon as it may be."""
    bench = Bench(tmp_path, without_root_rights)
    kept = Kept(bench, make(tmp_path / "tree", dice, FILES, own=False))
    n_files = kept.agrees(parsed=0).report["files"]
    for path in (dice.choice(sources(kept.root)), kept.root / "core"):
        mode = path.stat().st_mode
        path.chmod(0)
        try:
            hidden = kept.agrees(parsed=0).report
        finally:
            path.chmod(mode)
        assert hidden["files"] < n_files
        assert hidden["skipped"]["permission"] == 1
        assert kept.agrees(parsed=0).report["files"] == n_files


def test_rules_change(kept: Kept) -> None:
    """Ignore files that come, change and go: what they leave out is out, and in again afterwards."""
    for name, rules in [
        (".gitignore", "*.py\n"),
        (".toolragignore", "*.go\nweb/\n"),
        ("core/.gitignore", "*\n!*.md\n"),
    ]:
        old = (kept.root / name).read_text() if (kept.root / name).exists() else None
        put(kept.root, name, rules)
        kept.agrees()
        (kept.root / name).unlink() if old is None else put(kept.root, name, old)
        kept.agrees()


@pytest.mark.parametrize("dice", range(share(20)), indirect=True)
def test_days_of_work(kept: Kept, dice: random.Random) -> None:
    """Edits, moves, copies, new files and removals, few or many of them between two runs."""
    for _ in range(4):
        edit(kept.root, dice, dice.randint(1, 25))
        kept.agrees()
