"""The fence: every way to name a file, and that none of them leads out, to a secret or to what is no file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
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
from toolrag.errors import ConfigError, ReadError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, modes and FIFOs as POSIX has them")

CANARY = "CANARY-4f1c"
Open = Callable[..., Fence]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with links of every kind; every file outside it holds the canary."""
    ws = tmp_path / "ws"
    for folder in ("src/deep", "links", "special", "sec"):
        (ws / folder).mkdir(parents=True)
    (ws / "src" / "app.py").write_text("app\n")
    (ws / "src" / "deep" / "b.py").write_text("b\n")
    (ws / "sec" / ".env").write_text(CANARY)
    (ws / "sec" / "notes.txt").symlink_to(".env")
    (ws / "sec" / ".env.link").symlink_to("../src/app.py")
    for outside in ("ws-evil", "outside"):
        (tmp_path / outside).mkdir()
        (tmp_path / outside / "secret.txt").write_text(CANARY)
    links: dict[str, str | Path] = {
        "in_rel.py": "../src/app.py",
        "in_abs.py": ws / "src" / "app.py",
        "folder": "../src",
        "round.py": "../../ws/src/app.py",
        "out_rel.py": "../../outside/secret.txt",
        "out_abs.py": tmp_path / "outside" / "secret.txt",
        "out_folder": "../../outside",
        "evil.py": "../../ws-evil/secret.txt",
        "passwd": "/etc/passwd",
        "up": "..",
        "above": "../..",
        "dangling.py": "nowhere.py",
        "dangling_out.py": "../../outside/later.txt",
        "loop.py": "loop.py",
        "proc_fd0": "/proc/self/fd/0",
        "dev_zero": "/dev/zero",
        "root_by_proc": f"/proc/self/root{ws}/src/app.py",
    }
    for name, target in links.items():
        (ws / "links" / name).symlink_to(target)
    return ws


@pytest.fixture
def open_fence() -> Iterator[Open]:
    """Opens fences and closes them after the test."""
    opened: list[Fence] = []

    def make(*folders: Path | str, deny: tuple[str, ...] = (), limits: ReadLimits | None = None) -> Fence:
        fence = Fence([open_root(folder) for folder in folders], limits or ReadLimits(), deny)
        opened.append(fence)
        return fence

    yield make
    for fence in opened:
        fence.close()


def read(fence: Fence, asked: str) -> str:
    """The text of what was asked for, or the code of the refusal; a message never holds the canary."""
    try:
        return fence.read(fence.locate(asked)).data.decode()
    except ReadError as error:
        refusal = error
    assert CANARY not in refusal.message
    assert refusal.message.endswith(".")
    return refusal.code


@pytest.mark.parametrize(
    "asked",
    [
        "src/app.py", "./src/app.py", "src//app.py", "src/./app.py", "src/../src/app.py", "src/deep/../app.py",
        "ws/src/app.py",
        "links/in_rel.py", "links/in_abs.py", "links/folder/app.py", "links/round.py", "links/folder/deep/../app.py",
        "../ws/src/app.py", "links/up/src/app.py", "links/above/ws/src/app.py", "links/up/../ws/src/app.py",
    ],
)  # fmt: skip
def test_spellings_of_a_file_inside(ws: Path, open_fence: Open, asked: str) -> None:
    """Dots, folder name, links, and a way up and back in lead to one file at one place."""
    fence = open_fence(ws)
    place = fence.locate(asked)
    assert (place.root.name, place.path, place.asked) == ("ws", "src/app.py", asked)
    assert fence.read(place).data == b"app\n"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("../outside/secret.txt", "path_denied"),
        ("src/../../outside/secret.txt", "path_denied"),
        ("../ws-evil/secret.txt", "path_denied"),
        ("links/up/../outside/secret.txt", "path_denied"),
        ("links/above/outside/secret.txt", "path_denied"),
        ("links/out_rel.py", "path_denied"),
        ("links/out_abs.py", "path_denied"),
        ("links/out_folder/secret.txt", "path_denied"),
        ("links/out_folder/absent.txt", "path_denied"),
        ("links/evil.py", "path_denied"),
        ("links/passwd", "path_denied"),
        ("links/proc_fd0", "path_denied"),
        ("links/dev_zero", "path_denied"),
        ("links/root_by_proc", "path_denied"),
        ("links/dangling_out.py", "path_denied"),
        ("links/dangling.py", "not_found"),
        ("links/loop.py", "not_found"),
        ("/proc/self/environ", "path_denied"),
        ("/proc/self/fd/0", "path_denied"),
        ("/dev/zero", "path_denied"),
        ("/", "path_denied"),
        ("..", "path_denied"),
        ("file:///etc/passwd", "path_denied"),
        ("file://elsewhere/etc/passwd", "path_denied"),
        ("file:relative", "path_denied"),
        ("", "not_regular"),
        (".", "not_regular"),
        ("src", "not_regular"),
        ("links/up", "not_regular"),
        ("src/app.py/", "not_found"),
        ("src/app.py/.", "not_found"),
        ("src/app.py/..", "not_found"),
        ("src/app.py/../app.py", "not_found"),
        ("links/in_rel.py/", "not_found"),
        ("src/app.py ", "not_found"),
        ("src/app.py:3", "not_found"),
        ("src/app.py::$DATA", "not_found"),
        ("src/*.py", "not_found"),
        ("src/app.p?", "not_found"),
        ("~/ws/src/app.py", "not_found"),
        ("..%2foutside/secret.txt", "not_found"),
        ("%2e%2e/outside/secret.txt", "not_found"),
        ("src%2Fapp.py", "not_found"),
        ("..\\outside\\secret.txt", "not_found"),
        ("src\\app.py", "not_found"),
        ("SRC/APP.PY", "not_found"),
        ("src/аpp.py", "not_found"),
        ("src/app.py\0.txt", "not_found"),
        ("\0", "not_found"),
        ("file:///%00", "not_found"),
        ("\ud800", "not_found"),
        ("src/\udcff.py", "not_found"),
        ("a" * 256, "not_found"),
        ("a/" * 3000, "not_found"),
        ("untitled:Untitled-1", "not_found"),
        ("https://example.invalid/x", "not_found"),
        ("sec/.env", "secret_denied"),
        ("sec/absent/.env", "secret_denied"),
        ("sec/.ENV", "secret_denied"),
        ("sec/.env/", "secret_denied"),
        ("sec/notes.txt", "secret_denied"),
        ("sec/.env.link", "secret_denied"),
        (".git/config", "secret_denied"),
    ],
)  # fmt: skip
def test_refusals(ws: Path, open_fence: Open, asked: str, code: str) -> None:
    """Every way out, around and past the end is refused with the code that says why."""
    assert read(open_fence(ws), asked) == code


@pytest.mark.parametrize("asked", ["/etc/passwd", "links/out_abs.py", "../outside/secret.txt", "file:///etc/passwd"])
def test_no_message_tells_what_lies_outside(ws: Path, open_fence: Open, asked: str) -> None:
    """A refusal names the open folders, and neither a link's target nor a path outside."""
    with pytest.raises(ReadError) as caught:
        open_fence(ws).locate(asked)
    assert "/" not in caught.value.message
    assert '"ws"' in caught.value.message


def test_nothing_outside_is_even_looked_at(ws: Path, open_fence: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a file exists outside makes no difference, because nobody asks the disk."""
    fence = open_fence(ws)
    looked: list[str] = []
    real_lstat = os.stat

    def stat(path: str, **options: object) -> os.stat_result:
        looked.append(path)
        return real_lstat(path, **options)  # type: ignore[arg-type]  # the options are passed on as they came

    monkeypatch.setattr(os, "stat", stat)
    for asked in ("links/out_folder/secret.txt", "links/above/outside/x", "../outside/x", "/etc/passwd"):
        assert read(fence, asked) == "path_denied"
    assert looked
    assert all(path in ("./links", "./links/out_folder", "./links/above") for path in looked)


def test_a_dangling_link_to_outside_stays_denied_when_its_target_appears(ws: Path, open_fence: Open) -> None:
    """The answer is the same before and after, so it tells nothing."""
    fence = open_fence(ws)
    assert read(fence, "links/dangling_out.py") == "path_denied"
    (ws.parent / "outside" / "later.txt").write_text(CANARY)
    assert read(fence, "links/dangling_out.py") == "path_denied"


def test_a_chain_of_forty_links_is_followed_and_no_longer_one(ws: Path, open_fence: Open) -> None:
    """As Linux counts them."""
    (ws / "l0").symlink_to("src/app.py")
    for number in range(1, 41):
        (ws / f"l{number}").symlink_to(f"l{number - 1}")
    fence = open_fence(ws)
    assert read(fence, "l39") == "app\n"
    assert read(fence, "l40") == "not_found"


@pytest.mark.parametrize("ask", [str, lambda path: path.as_uri(), lambda path: f"file://localhost{path}"])
def test_absolute_paths_and_uris_inside(ws: Path, open_fence: Open, ask: Callable[[Path], str]) -> None:
    """A root may be given through a link: paths below either name are inside, and URIs go out as it was given."""
    given = ws.parent / "given"
    given.symlink_to(ws)
    fence = open_fence(f"{given}/")
    assert fence.roots[0].name == "ws"
    for base in (ws, given):
        place = fence.locate(ask(base / "src" / "app.py"))
        assert place.path == "src/app.py"
        assert place.uri == (given / "src" / "app.py").as_uri()
    assert read(fence, ask(ws.parent / "outside" / "secret.txt")) == "path_denied"
    assert read(fence, ask(ws.parent / "ws-evil" / "secret.txt")) == "path_denied"


def test_a_link_to_the_root_as_it_was_given_stays_inside(ws: Path, open_fence: Open) -> None:
    """An absolute link may name the root by the link the user came through."""
    given = ws.parent / "given"
    given.symlink_to(ws)
    (ws / "by_given.py").symlink_to(given / "src" / "app.py")
    assert read(open_fence(given), "by_given.py") == "app\n"


def test_a_uri_is_decoded_once(ws: Path, open_fence: Open) -> None:
    """`%2541` is `%41`, not `A`; `%2e%2e%2f` is a way up and judged as one."""
    (ws / "%41.py").write_text("percent\n")
    fence = open_fence(ws)
    assert read(fence, f"{ws.as_uri()}/%2541.py") == "percent\n"
    assert read(fence, f"{ws.as_uri()}/%41.py") == "not_found"
    assert read(fence, f"{ws.as_uri()}/%2e%2e%2foutside/secret.txt") == "path_denied"
    assert read(fence, f"{ws.as_uri()}/src%2Fapp.py") == "app\n"
    assert read(fence, "%41.py") == "percent\n"


HOSTILE = [
    "a b.py", "a#b.py", "100%.py", "what?.py", "a;b.py", "a\\b.py", "a\nb.py", "a'b.py", 'a"b.py', "*.py", "[a].py",
    "$(touch x).py",
    "esc\x1b[31m.py", "é" * 100 + ".py", "a:b.py", "~", "-rf", "file",
    unicodedata.normalize("NFD", "é.py"), "é.py", "%2e%2e",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_read_by_path_and_round_trip_through_uris(ws: Path, open_fence: Open, name: str) -> None:
    """A name is bytes to the disk and text to us, whatever a shell, a glob or a URI would make of it."""
    (ws / "src" / name).write_text(f"text of {name!r}")
    fence = open_fence(ws)
    place = fence.locate(f"src/{name}")
    assert fence.read(place).data.decode() == f"text of {name!r}"
    assert fence.locate(place.uri).path == place.path == f"src/{name}"


def test_names_in_messages_cannot_act(ws: Path, open_fence: Open) -> None:
    """Escape sequences, line ends and bidirectional marks are written out."""
    with pytest.raises(ReadError) as caught:
        open_fence(ws).locate("no\x1b[31m\n\u202e\udcff" + "x" * 500)
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 400


def test_several_roots(tmp_path: Path, open_fence: Open) -> None:
    """A plain path must exist in one root only; a folder's name picks one; a second `app` has a name of its own."""
    for root, files in {
        "x/app": ["a.py", "both.py"],
        "lib": ["b.py", "both.py", "app/a.py"],
        "y/app": ["c.py"],
    }.items():
        for file in files:
            (tmp_path / root / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / root / file).write_text(f"{root}/{file}")
    fence = open_fence(tmp_path / "x" / "app", tmp_path / "lib", tmp_path / "y" / "app", tmp_path / "lib")
    assert [root.name for root in fence.roots] == ["app", "lib", "app~2"]
    assert read(fence, "b.py") == "lib/b.py"
    assert read(fence, "lib/b.py") == "lib/b.py"
    assert read(fence, "app/a.py") == "x/app/a.py"
    assert read(fence, "lib/app/a.py") == "lib/app/a.py"
    assert read(fence, "app~2/c.py") == "y/app/c.py"
    assert read(fence, "absent.py") == "not_found"
    assert read(fence, "app/../app~2/c.py") == "path_denied"
    with pytest.raises(ReadError, match=r'"app/both\.py" or "lib/both\.py"') as caught:
        fence.locate("both.py")
    assert caught.value.code == "not_found"
    assert caught.value.details["candidates"] == ["app/both.py", "lib/both.py"]


def test_no_root_at_all(open_fence: Open) -> None:
    """Without a folder nothing on the disk may be read."""
    assert read(open_fence(), "a.py") == "path_denied"
    assert read(open_fence(), "/etc/passwd") == "path_denied"


def test_a_root_inside_a_root_is_under_both_ones_rules(ws: Path, open_fence: Open) -> None:
    """The inner root names the file, and what the outer one denies stays denied."""
    (ws / ".toolragignore").write_text("src/deep/\n")
    fence = open_fence(ws, ws / "src")
    assert fence.locate(str(ws / "src" / "app.py")).root.name == "src"
    assert read(fence, str(ws / "src" / "deep" / "b.py")) == "ignored"
    assert fence.denied(fence.roots[1], "deep/b.py") == "ignored"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("absent", "There is no folder"),
        ("src/app.py", "is a file"),
        ("src/app.py/x", "is a file"),
        ("a\0b", "NUL"),
        ("\ud800", "cannot be a path"),
        ("a" * 300, "cannot be opened"),
    ],
)
def test_what_cannot_be_a_root_says_why(ws: Path, path: str, sentence: str) -> None:
    """The sentence tells what it is and what to do next."""
    with pytest.raises(ConfigError, match=sentence):
        open_root(f"{ws}/{path}")


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
    finally:
        fence.close()
    assert "app\n" in seen
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
