"""What was checked is what is opened: each opener refuses every link on the way."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from swapping import swapping
from toolrag.adapters.openers import FinalPathOpener, NoFollowOpener, Openat2Opener, Opener, default_opener
from toolrag.adapters.roots import Root, open_root

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="openat2 and /proc are Linux's")


def path_by_proc(descriptor: int) -> str:
    """What a Windows handle answers, asked of Linux."""
    return os.readlink(f"/proc/self/fd/{descriptor}")


OPENERS = [
    pytest.param(Openat2Opener, id="openat2"),
    pytest.param(NoFollowOpener, id="nofollow"),
    pytest.param(lambda: FinalPathOpener(path_by_proc), id="final-path"),
]


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    """A root with a file, a folder, links of every kind, and a canary beside it."""
    (tmp_path / "ws" / "src").mkdir(parents=True)
    (tmp_path / "ws" / "src" / "app.py").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "app.py").write_text("CANARY")
    (tmp_path / "ws" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "ws" / "in").symlink_to("src")
    (tmp_path / "ws" / "leaf.py").symlink_to("../outside/app.py")
    (tmp_path / "ws" / "abs.py").symlink_to(tmp_path / "ws" / "src" / "app.py")
    opened = open_root(tmp_path / "ws")
    yield opened
    opened.close()


def content(opener: Opener, root: Root, *parts: str) -> str:
    descriptor = opener.open(root, parts)
    try:
        return os.read(descriptor, 100).decode()
    finally:
        os.close(descriptor)


def n_open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("make", OPENERS)
def test_a_file_without_links_is_opened(make: Callable[[], Opener], root: Root) -> None:
    """The plain case, at any depth, and no descriptor is left open."""
    before = n_open_descriptors()
    assert content(make(), root, "src", "app.py") == "inside"
    assert n_open_descriptors() == before


@pytest.mark.parametrize("make", OPENERS)
@pytest.mark.parametrize("path", ["out/app.py", "in/app.py", "leaf.py", "abs.py"])
def test_every_link_is_refused(make: Callable[[], Opener], root: Root, path: str) -> None:
    """Links were resolved before; one that is met now has slipped in, wherever it leads."""
    before = n_open_descriptors()
    with pytest.raises(OSError, match=r".") as caught:
        content(make(), root, *path.split("/"))
    assert caught.value.errno in (errno.ELOOP, errno.EXDEV, errno.ENOTDIR)
    assert n_open_descriptors() == before


@pytest.mark.parametrize("make", OPENERS[:2])
def test_a_fifo_does_not_block(make: Callable[[], Opener], root: Root, tmp_path: Path) -> None:
    """What was opened is judged afterwards; opening itself must not wait for a writer."""
    os.mkfifo(tmp_path / "ws" / "fifo.py")
    os.close(make().open(root, ["fifo.py"]))


@pytest.mark.parametrize("make", OPENERS[:2])
def test_the_root_itself_can_be_listed(make: Callable[[], Opener], root: Root) -> None:
    """No parts mean the root, which the walk starts from."""
    descriptor = make().open(root, [])
    try:
        assert "src" in os.listdir(descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("make", OPENERS[:2])
def test_a_root_without_a_descriptor_is_refused(make: Callable[[], Opener], root: Root) -> None:
    """These two know no other way to stay below a root."""
    with pytest.raises(OSError, match=r".") as caught:
        make().open(Root(root.name, root.real, root.given, None), ["src"])
    assert caught.value.errno == errno.EBADF


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EPERM])
def test_openat2_is_not_used_where_the_system_lacks_or_forbids_it(code: int) -> None:
    """Old kernels say ENOSYS, a container's seccomp filter EPERM."""

    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    assert not Openat2Opener(refuse).is_supported()


def test_openat2_goes_on_after_a_signal(root: Root) -> None:
    """EINTR is no answer."""
    answers: list[int | OSError] = [InterruptedError(errno.EINTR, "interrupted"), 77]

    def interrupted_once(*_: object) -> int:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    assert Openat2Opener(interrupted_once).open(root, ["x"]) == 77


def test_the_default_is_the_strictest_that_works() -> None:
    """openat2 where the kernel has it, else descriptors."""
    expected = Openat2Opener if Openat2Opener().is_supported() else NoFollowOpener
    assert isinstance(default_opener(), expected)


def test_a_handle_that_cannot_say_where_it_is_is_closed(root: Root) -> None:
    """No answer is a refusal."""

    def silent(_: int) -> str:
        raise OSError(errno.EIO, "no answer")

    before = n_open_descriptors()
    with pytest.raises(OSError, match="no answer"):
        FinalPathOpener(silent).open(root, ["src", "app.py"])
    assert n_open_descriptors() == before


@pytest.mark.parametrize("make", OPENERS)
def test_a_folder_swapped_for_a_link_never_leaks(make: Callable[[], Opener], root: Root, tmp_path: Path) -> None:
    """A folder changes places with a link to outside all the while; 2,000 reads get the inside or a refusal."""
    link = tmp_path / "ws" / "link"
    link.symlink_to(tmp_path / "outside")
    seen: set[str] = set()
    with swapping(tmp_path / "ws" / "src", link):
        for _ in range(2000):
            with contextlib.suppress(OSError):
                seen.add(content(make(), root, "src", "app.py"))
    # On a busy machine the link may have been there at each of the reads; the folder can be read all the same.
    folder = "link" if (tmp_path / "ws" / "src").is_symlink() else "src"
    assert content(make(), root, folder, "app.py") == "inside"
    assert seen <= {"inside"}
