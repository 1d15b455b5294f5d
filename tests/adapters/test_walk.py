"""The walk finds each file once, in one order, enters nothing it should not, and says what it left out."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from toolrag.adapters.fence import Fence
from toolrag.adapters.roots import open_root
from toolrag.adapters.walk import Found, Skipped, Walk
from toolrag.config import ReadLimits

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, FIFOs and names as POSIX has them")

Open = Callable[..., Fence]


@pytest.fixture
def open_fence() -> Iterator[Open]:
    """Opens fences and closes them after the test."""
    opened: list[Fence] = []

    def make(*folders: Path, deny: tuple[str, ...] = ()) -> Fence:
        fence = Fence([open_root(folder) for folder in folders], ReadLimits(), deny)
        opened.append(fence)
        return fence

    yield make
    for fence in opened:
        fence.close()


def plant(root: Path, files: dict[str, str] | list[str]) -> None:
    """Writes files below a folder, text by path, or of one line each."""
    for path, text in (files if isinstance(files, dict) else dict.fromkeys(files, "x\n")).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def found(fence: Fence) -> list[str]:
    return [entry.path for entry in Walk(fence, fence.roots[0]) if isinstance(entry, Found)]


def skipped(fence: Fence) -> dict[str, str]:
    return {
        entry.path + "/" * entry.is_dir: entry.reason
        for entry in Walk(fence, fence.roots[0])
        if isinstance(entry, Skipped)
    }


def test_the_order_is_always_the_same(tmp_path: Path, open_fence: Open) -> None:
    """A folder's own files by name, then its folders by name, whatever order they were made in."""
    plant(tmp_path, ["z.py", "b/2.py", "b/1.py", "a/c/x.py", "a/b.py", "B.py", "a.py"])
    fence = open_fence(tmp_path)
    expected = ["B.py", "a.py", "z.py", "a/b.py", "a/c/x.py", "b/1.py", "b/2.py"]
    assert found(fence) == expected
    assert found(fence) == expected


def test_a_found_file_carries_its_state(tmp_path: Path, open_fence: Open) -> None:
    """Size, times and inode are those of the file, and those that a read reports."""
    plant(tmp_path, {"a.py": "12345"})
    fence = open_fence(tmp_path)
    [entry] = Walk(fence, fence.roots[0])
    data = fence.read(fence.locate("a.py"))
    assert isinstance(entry, Found)
    assert (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode) == (
        data.size,
        data.mtime_ns,
        data.ctime_ns,
        data.inode,
    )


def test_links_are_neither_followed_nor_counted(tmp_path: Path, open_fence: Open) -> None:
    """To files, folders, the parent, outside, nowhere: the walk is the same as without them."""
    plant(tmp_path / "ws", ["src/a.py"])
    plant(tmp_path / "out", ["secret.py"])
    fence = open_fence(tmp_path / "ws")
    before = list(Walk(fence, fence.roots[0]))
    for name, target in {"l1.py": "src/a.py", "l2": "src", "up": "..", "out": "../out", "l3": "none"}.items():
        (tmp_path / "ws" / name).symlink_to(target)
    (tmp_path / "ws" / "src" / "up").symlink_to("..")
    assert list(Walk(fence, fence.roots[0])) == before


def test_what_is_left_out_and_why(tmp_path: Path, open_fence: Open) -> None:
    """Every reason, a folder once for all that is in it; `.git` is no part of the project at all."""
    plant(
        tmp_path,
        {
            ".gitignore": "*.log\nbuild/\n",
            ".toolragignore": "private/\n",
            "src/.gitignore": "!keep.log\n",
            "src/keep.log": "",
            "src/a.log": "",
            "build/b.py": "",
            "private/c.py": "",
            "mine/d.py": "",
            ".env": "",
            ".ssh/config": "",
            "node_modules/e.js": "",
            "env3/pyvenv.cfg": "",
            "env3/lib/f.py": "",
            "__pycache__/g.pyc": "",
            ".git/HEAD": "",
            "sub/.git": "gitdir: /elsewhere",
            "sub/h.py": "",
            "dir.py/i.py": "",
        },
    )
    os.mkfifo(tmp_path / "fifo.py")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(tmp_path)
        listener.bind("sock.py")
        os.chdir(here)
    fence = open_fence(tmp_path, deny=("mine",))
    assert skipped(fence) == {
        "src/a.log": "gitignored",
        "build/": "gitignored",
        "private/": "ignored",
        "mine/": "ignored",
        ".env": "secret",
        ".ssh/": "secret",
        "node_modules/": "vendored",
        "env3/": "vendored",
        "__pycache__/": "vendored",
        "fifo.py": "not_regular",
        "sock.py": "not_regular",
    }
    assert found(fence) == [
        ".gitignore", ".toolragignore", "dir.py/i.py", "src/.gitignore", "src/keep.log", "sub/h.py",
    ]  # fmt: skip


def test_names_that_are_not_utf8_are_left_out(tmp_path: Path, open_fence: Open) -> None:
    """A file and a folder: named with their bytes written out, so that any log can hold them."""
    plant(tmp_path, ["a.py"])
    (tmp_path / os.fsdecode(b"bad\xff.py")).write_text("")
    (tmp_path / os.fsdecode(b"dir\xff")).mkdir()
    fence = open_fence(tmp_path)
    assert skipped(fence) == {"bad\\udcff.py": "not_utf8_name", "dir\\udcff/": "not_utf8_name"}
    assert found(fence) == ["a.py"]


def test_twins_of_two_unicode_forms_are_two_files(tmp_path: Path, open_fence: Open) -> None:
    """Names are not normalised."""
    plant(tmp_path, ["e\u0301.py", "\u00e9.py"])
    assert sorted(found(open_fence(tmp_path))) == ["e\u0301.py", "\u00e9.py"]


@contextmanager
def chain(folder: Path, name: str, depth: int) -> Iterator[None]:
    """Folders below each other, with a file in the innermost; taken down again, which pytest could not do."""
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("a.py", os.O_CREAT, dir_fd=descriptor))
    yield
    os.unlink("a.py", dir_fd=descriptor)
    os.close(descriptor)
    for _ in range(depth - 1):
        (folder / name / name).rename(folder / "inner")
        (folder / name).rmdir()
        (folder / "inner").rename(folder / name)
    (folder / name).rmdir()


def test_a_path_longer_than_the_system_takes_is_one_skip(tmp_path: Path, open_fence: Open) -> None:
    """The walk goes on beside it."""
    plant(tmp_path, ["z/a.py"])
    fence = open_fence(tmp_path)
    with chain(tmp_path, "d" * 200, 25):
        assert list(skipped(fence).values()) == ["name_too_long"]
        assert found(fence) == ["z/a.py"]


def test_a_deep_tree_is_no_recursion(tmp_path: Path, open_fence: Open) -> None:
    """More folders below each other than Python has frames."""
    fence = open_fence(tmp_path)
    with chain(tmp_path, "d", 1500):
        assert found(fence) == ["d/" * 1500 + "a.py"]


def test_a_root_inside_a_root_is_walked_as_itself(tmp_path: Path, open_fence: Open) -> None:
    """No file is found twice, and the outer root's rules hold in the inner one."""
    plant(tmp_path, {"a.py": "", "in/b.py": "", "in/c.sql": "", ".toolragignore": "*.sql\n"})
    fence = open_fence(tmp_path, tmp_path / "in")
    assert found(fence) == [".toolragignore", "a.py"]
    assert [entry.path for entry in Walk(fence, fence.roots[1]) if isinstance(entry, Found)] == ["b.py"]
    assert Skipped("c.sql", "ignored", False) in list(Walk(fence, fence.roots[1]))


def test_rules_that_change_count_in_the_next_walk(tmp_path: Path, open_fence: Open) -> None:
    """A file leaves when it becomes ignored and comes back when the ignore file goes."""
    plant(tmp_path, ["a.py", "b.py"])
    fence = open_fence(tmp_path)
    assert found(fence) == ["a.py", "b.py"]
    plant(tmp_path, {".gitignore": "a.py\n.gitignore\n"})
    assert found(fence) == ["b.py"]
    (tmp_path / ".gitignore").unlink()
    assert found(fence) == ["a.py", "b.py"]


def test_problems_are_sentences_and_cost_only_their_line(tmp_path: Path, open_fence: Open) -> None:
    """A bad line, an ignore file that is a folder, one that leads out, one that is binary."""
    plant(tmp_path / "ws", {".gitignore": "a.py\n[\n", "a.py": "", "p/x.py": "", "q/x.py": "", "r/x.py": ""})
    plant(tmp_path, {"outside": "x.py\n"})
    (tmp_path / "ws" / "p" / ".gitignore").mkdir()
    (tmp_path / "ws" / "q" / ".gitignore").symlink_to("../../outside")
    (tmp_path / "ws" / "r" / ".toolragignore").write_bytes(b"\xff\xfe\xfd")
    fence = open_fence(tmp_path / "ws")
    walk = Walk(fence, fence.roots[0])
    paths = [entry.path for entry in walk if isinstance(entry, Found)]
    assert paths == [".gitignore", "p/x.py", "q/x.py"]
    assert len(walk.problems) == 4
    for problem, name in zip(
        walk.problems, [".gitignore", "p/.gitignore", "q/.gitignore", "r/.toolragignore"], strict=True
    ):
        assert f'"{name}"' in problem
        assert problem.endswith(".")
    assert "nothing in its folder is read" in walk.problems[3]


def test_what_the_walk_finds_can_be_read_and_what_it_denies_cannot(tmp_path: Path, open_fence: Open) -> None:
    """Walk and fence are one gate: the same answer for every file, by rules of names."""
    plant(
        tmp_path,
        {
            ".toolragignore": "*.sql\n!ok.sql\nd/\n", "a.sql": "", "ok.sql": "",
            "c/.toolragignore": "!a.sql\nb.py\n", "c/a.sql": "", "c/b.py": "", "d/ok.sql": "", "id_rsa": "",
            "e/id_rsa.pub": "", "e/.env.example": "", "e/.ENV": "",
        },
    )  # fmt: skip
    fence = open_fence(tmp_path, deny=("/c/x*",))
    walked = set(found(fence))
    for path in (str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()):
        assert (path in walked) == (fence.denied(fence.roots[0], path) is None), path


def test_a_large_tree_is_walked_quickly(tmp_path: Path, open_fence: Open) -> None:
    """4,000 files in 200 folders with an ignore file of 60 lines: well under a second even on a slow machine."""
    plant(tmp_path, {".gitignore": "\n".join(f"*.x{number}\nbuild{number}/" for number in range(30))})
    for folder in range(200):
        (tmp_path / f"p{folder}").mkdir()
        for file in range(20):
            (tmp_path / f"p{folder}" / f"module_{file}.py").touch()
    fence = open_fence(tmp_path)
    began = time.process_time()
    assert len(found(fence)) == 4_001
    assert time.process_time() - began < 1.0


def test_what_the_process_ran_out_of_is_not_a_file_that_is_skipped(
    tmp_path: Path, open_fence: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many open files: the walk ends, rather than finding a tree with less in it."""
    plant(tmp_path, ["a.py", "b/c.py"])
    fence = open_fence(tmp_path)
    place = fence.locate("a.py")

    def refuse(*_: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(fence._opener, "open", refuse)
    with pytest.raises(OSError, match="Too many open files"):
        list(Walk(fence, fence.roots[0]))
    with pytest.raises(OSError, match="Too many open files"):
        fence.read(place)
