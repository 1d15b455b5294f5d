"""The fence: every way to name a file, and that none of them leads out, to a secret or to what is no file."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from adapters.fence_bench import CANARY, Open, open_fence, read, ws
from toolrag.adapters.roots import open_root
from toolrag.errors import ConfigError, ReadError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, modes and FIFOs as POSIX has them")

__all__ = ["open_fence", "ws"]


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
