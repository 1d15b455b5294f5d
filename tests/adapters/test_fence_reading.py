"""What the fence gives of a file it found: never what is no file, what is denied, or what changed under it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from adapters.fence_bench import CANARY, Open, open_fence, read, ws
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from root_rights import without_root_rights
from swapping import swapping
from toolrag.adapters import hard_links
from toolrag.adapters.fence import Fence, Place
from toolrag.adapters.names import file_uri
from toolrag.adapters.openers import NoFollowOpener, Openat2Opener, Opener
from toolrag.adapters.roots import open_root
from toolrag.config import ReadLimits
from toolrag.errors import ReadError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, modes and FIFOs as POSIX has them")

__all__ = ["open_fence", "ws"]


def test_toolragignore_and_the_users_globs(ws: Path, open_fence: Open) -> None:
    """Nested and negated like .gitignore; applied to the asked and the resolved name; .gitignore denies nothing."""
    (ws / ".toolragignore").write_text("*.sql\n/private/\n")
    (ws / ".gitignore").write_text("*.py\n")
    for path in ("a.sql", "private/a.py", "src/b.sql", "src/deep/c.sql", "mine/x.py"):
        (ws / path).parent.mkdir(exist_ok=True)
        (ws / path).write_text("text")
    (ws / "src" / ".toolragignore").write_text("!b.sql\n!x.py\n")
    (ws / "public.py").symlink_to("private/a.py")
    (ws / "private" / "link.py").symlink_to("../src/app.py")
    fence = open_fence(ws, deny=("mine/**", "x.py"))
    assert read(fence, "a.sql") == "ignored"
    assert read(fence, "A.SQL") == "not_found"
    assert read(fence, "src/b.sql") == "text"
    assert read(fence, "src/deep/c.sql") == "ignored"
    assert read(fence, "private/a.py") == "ignored"
    assert read(fence, "public.py") == "ignored"
    assert read(fence, "private/link.py") == "ignored"
    assert read(fence, "src/../private/link.py") == "ignored"
    assert read(fence, "mine/x.py") == "ignored"
    assert read(fence, "src/app.py") == "app\n"
    assert fence.denied(fence.roots[0], "private/new/file.py") == "ignored"
    assert fence.denied(fence.roots[0], "src/x.py") == "ignored", "a repository cannot take back the user's rule"
    assert fence.denied(fence.roots[0], "src/.env") == "secret_denied"
    assert fence.denied(fence.roots[0], "src/app.py") is None
    assert fence.denied(fence.roots[0], "") is None


def test_rules_are_read_again_when_they_change(ws: Path, open_fence: Open) -> None:
    """A rule added, changed or deleted counts from the next read on."""
    fence = open_fence(ws)
    assert read(fence, "src/app.py") == "app\n"
    (ws / "src" / ".toolragignore").write_text("app.py\n")
    assert read(fence, "src/app.py") == "ignored"
    (ws / "src" / ".toolragignore").write_text("other.py\n")
    assert read(fence, "src/app.py") == "app\n"
    (ws / "rules").write_text("app.py\n")
    (ws / "src" / ".toolragignore").unlink()
    (ws / "src" / ".toolragignore").symlink_to("../rules")
    assert read(fence, "src/app.py") == "ignored"
    (ws / "rules").write_text("\n")
    assert read(fence, "src/app.py") == "app\n"


@pytest.mark.parametrize("fault", ["folder", "binary", "large", "link out", "dangling", "fifo"])
def test_a_toolragignore_that_cannot_be_used_closes_its_folder(ws: Path, open_fence: Open, fault: str) -> None:
    """Rules that deny fail closed, whatever is wrong with their file, and nothing outside is read for them."""
    file = ws / "src" / ".toolragignore"
    match fault:
        case "folder":
            file.mkdir()
        case "binary":
            file.write_bytes(b"a\0b")
        case "large":
            file.write_text("a\n" * 40_000)
        case "link out":
            (ws.parent / "outside" / "rules").write_text("nothing\n")
            file.symlink_to("../../outside/rules")
        case "dangling":
            file.symlink_to("nowhere")
        case "fifo":
            os.mkfifo(file)
    fence = open_fence(ws)
    assert read(fence, "src/deep/b.py") == "ignored"
    assert read(fence, "sec/.env.example") == "not_found"


def test_what_is_no_file_is_refused_without_waiting(ws: Path, open_fence: Open) -> None:
    """A FIFO, a socket and a folder named like sources; the FIFO's would-be writer is not woken."""
    os.mkfifo(ws / "special" / "fifo.py")
    (ws / "special" / "dir.py").mkdir()
    (ws / "special" / "dir.py" / "inner.py").write_text("inner")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(ws / "special")
        listener.bind("sock.py")
        os.chdir(here)
        fence = open_fence(ws)
        for name in ("fifo.py", "sock.py", "dir.py"):
            assert read(fence, f"special/{name}") == "not_regular"
    assert read(fence, "special/dir.py/inner.py") == "inner"


@pytest.mark.parametrize(("size", "expected"), [(99, "ok"), (100, "ok"), (101, "too_large"), (0, "ok")])
def test_the_cap_is_exact(ws: Path, open_fence: Open, size: int, expected: str) -> None:
    """A file of exactly the cap is read, one byte more is not."""
    (ws / "big.py").write_bytes(b"x" * size)
    answer = read(open_fence(ws, limits=ReadLimits(max_file_bytes=100)), "big.py")
    assert answer == ("x" * size if expected == "ok" else expected)


def change_while_reading(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object], n_times: int) -> None:
    """Makes the first `n_times` reads of any descriptor find that the file has just changed."""
    real_read = os.read
    left = iter(range(n_times))

    def read_after_change(descriptor: int, n_bytes: int) -> bytes:
        if next(left, None) is not None:
            change()
        return real_read(descriptor, n_bytes)

    monkeypatch.setattr(os, "read", read_after_change)


@pytest.mark.parametrize("how", ["append", "truncate", "rewrite"])
@pytest.mark.parametrize(("n_times", "expected"), [(2, "ok"), (1000, "changed_while_reading")])
def test_a_file_that_changes_is_read_again(
    ws: Path, open_fence: Open, monkeypatch: pytest.MonkeyPatch, how: str, n_times: int, expected: str
) -> None:
    """Bytes and size are of one moment: two changes are outlived, endless ones are reported."""
    file = ws / "src" / "app.py"
    file.write_text("x" * 50)
    stamp = iter(range(1, 1001))

    def change() -> None:
        size = file.stat().st_size
        match how:
            case "append":
                file.write_text("x" * (size + 1))
            case "truncate":
                file.write_text("x" * (size - 1))
            case "rewrite":
                file.write_text("y" * size)
        os.utime(file, ns=(0, next(stamp)))

    fence = open_fence(ws)
    place = fence.locate("src/app.py")
    change_while_reading(monkeypatch, change, n_times)
    if expected == "ok":
        found = fence.read(place)
        assert len(found.data) == found.size == file.stat().st_size
        assert found.data == file.read_bytes()
    else:
        with pytest.raises(ReadError) as caught:
            fence.read(place)
        assert caught.value.code == expected


def test_a_file_that_grows_past_the_cap_while_it_is_read(
    ws: Path, open_fence: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cap holds for what is read, not only for what fstat said before."""
    file = ws / "src" / "app.py"
    fence = open_fence(ws, limits=ReadLimits(max_file_bytes=100))
    place = fence.locate("src/app.py")
    change_while_reading(monkeypatch, lambda: file.write_text("x" * 101), 1)
    with pytest.raises(ReadError) as caught:
        fence.read(place)
    assert caught.value.code == "too_large"


def test_odd_times_are_times(ws: Path, open_fence: Open) -> None:
    """Files of 2100 and of before 1970 are read like any other."""
    fence = open_fence(ws)
    for seconds in (4_102_444_800, 0, -1_000_000):
        os.utime(ws / "src" / "app.py", (seconds, seconds))
        assert fence.read(fence.locate("src/app.py")).mtime_ns == seconds * 10**9


def test_a_hard_link_to_a_secret_is_the_secret(ws: Path, open_fence: Open) -> None:
    """Under a harmless name, made before or after the first look; a link to a file outside is a file of its own."""
    os.link(ws / "sec" / ".env", ws / "src" / "innocent.py")
    os.link(ws / "src" / "app.py", ws / "src" / "twin.py")
    (ws.parent / "outside" / "plain.txt").write_text("package store")
    os.link(ws.parent / "outside" / "plain.txt", ws / "src" / "stored.py")
    fence = open_fence(ws)
    assert read(fence, "src/innocent.py") == "secret_denied"
    assert read(fence, "src/twin.py") == "app\n"
    assert read(fence, "src/stored.py") == "package store"
    (ws / "id_rsa").write_text(CANARY)
    os.link(ws / "id_rsa", ws / "src" / "later.py")
    assert read(fence, "src/later.py") == "secret_denied"
    (ws / ".git").mkdir()
    (ws / "src" / "app.py").rename(ws / ".git" / "config")
    assert read(fence, "src/twin.py") == "secret_denied"


def test_a_tree_too_large_for_hard_links_says_so(ws: Path, open_fence: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing falls back in silence."""
    monkeypatch.setattr(hard_links, "MAX_ENTRIES", 1)
    os.link(ws / "src" / "app.py", ws / "src" / "twin.py")
    fence = open_fence(ws)
    assert not fence.problems
    assert read(fence, "src/twin.py") == "app\n"
    assert "hard link" in fence.problems[0]


@pytest.mark.parametrize("opener", [Openat2Opener(), NoFollowOpener()], ids=["openat2", "nofollow"])
def test_a_folder_swapped_while_reading_never_leaks(ws: Path, opener: Opener) -> None:
    """A folder changes places with a link to outside all the while; 2,000 reads get the inside or a refusal."""
    if isinstance(opener, Openat2Opener) and not opener.is_supported():
        pytest.skip("this kernel has no openat2")
    (ws.parent / "outside" / "app.py").write_text(CANARY)
    (ws / "link").symlink_to(ws.parent / "outside")
    fence = Fence([open_root(ws)], ReadLimits(), opener=opener)
    try:
        with swapping(ws / "src", ws / "link"):
            seen = {read(fence, "src/app.py") for _ in range(2000)}
        # On a busy machine the link may have been there at each of the reads; the folder can be read all the same.
        folder = "link" if (ws / "src").is_symlink() else "src"
        assert read(fence, f"{folder}/app.py") == "app\n"
    finally:
        fence.close()
    assert CANARY not in seen
    assert seen <= {"app\n", "not_found", "path_denied", "changed_while_reading"}


def test_a_place_located_before_the_swap_is_not_followed(ws: Path, open_fence: Open) -> None:
    """What was checked is what is opened, however much later."""
    fence = open_fence(ws)
    place = fence.locate("src/app.py")
    (ws / "src").rename(ws / "old")
    (ws / "src").symlink_to(ws.parent / "outside")
    (ws.parent / "outside" / "app.py").write_text(CANARY)
    with pytest.raises(ReadError):
        fence.read(place)


steps = st.lists(
    st.sampled_from(
        [
            ".", "..", "", "ws", "src", "deep", "links", "sec", "out_folder", "above", "up", "folder", "outside",
            "ws-evil",
            "secret.txt", "out_rel.py", "notes.txt", ".env", "evil.py", "app.py", "passwd", "proc_fd0", "root_by_proc",
        ]
    ),
    max_size=8,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(steps=steps, absolute=st.booleans(), as_uri=st.booleans())
def test_no_spelling_reaches_the_canary(ws: Path, steps: list[str], absolute: bool, as_uri: bool) -> None:
    """Whatever is built of names, dots and links, relative, absolute or as a URI: inside text or a refusal."""
    asked = "/".join(steps)
    if absolute or as_uri:
        asked = f"{ws}/{asked}"
    if as_uri:
        asked = file_uri(asked)
    fence = Fence([open_root(ws)], ReadLimits())
    try:
        assert CANARY not in read(fence, asked)
        assert "root:" not in read(fence, asked)
    finally:
        fence.close()


_CHILD = """
import sys
from toolrag.adapters.fence import Fence, open_root
from toolrag.adapters.walk import Found, Walk
from toolrag.config import ReadLimits
from toolrag.errors import ConfigError, ReadError
root, *asked = sys.argv[1:]
fence = Fence([open_root(root)], ReadLimits())
for path in asked:
    try:
        print(path, "ok", len(fence.read(fence.locate(path)).data))
    except ReadError as error:
        print(path, error.code)
for entry in Walk(fence, fence.roots[0]):
    print(entry.path, "found" if isinstance(entry, Found) else entry.reason)
try:
    open_root(root + "/closed")
except ConfigError as error:
    print(error)
"""


def test_modes_are_respected_and_reported(ws: Path) -> None:
    """A file and a folder of mode 000, and a folder that may only be listed: `permission`, and the walk goes on."""
    modes = {"src/app.py": 0o000, "closed": 0o000, "listed": 0o444}
    for folder in ("closed", "listed"):
        (ws / folder).mkdir()
        (ws / folder / "a.py").write_text("a")
    for path, mode in modes.items():
        (ws / path).chmod(mode)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(ws), "src/app.py", "closed/a.py", "listed/a.py", "src/deep/b.py"],
            preexec_fn=without_root_rights,
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        for path in modes:
            (ws / path).chmod(0o755)
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "src/app.py permission",
        "closed/a.py permission",
        "listed/a.py permission",
        "src/deep/b.py ok 2",
    ]
    assert {"closed permission", "listed/a.py permission", "src/deep/b.py found", "src/app.py found"} <= set(lines)
    assert "may not be listed" in lines[-1]


def test_a_place_knows_its_absolute_path(ws: Path, open_fence: Open) -> None:
    """Two spellings of one file share it."""
    fence = open_fence(ws)
    places: list[Place] = [fence.locate("src/app.py"), fence.locate("links/in_abs.py")]
    assert {place.real for place in places} == {str(ws / "src" / "app.py")}
