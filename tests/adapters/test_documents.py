"""Open documents are their buffers and nothing else; any other is the disk's, through the fence."""

from __future__ import annotations

import asyncio
import codecs
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolrag.adapters.documents import Documents
from toolrag.adapters.fence import Fence, FileBytes, Place
from toolrag.adapters.roots import open_root
from toolrag.config import ReadLimits
from toolrag.errors import ReadError
from toolrag.text import Form, TextSnapshot, blob_sha

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and names as POSIX has them")

CANARY = "CANARY-71b0"
Open = Callable[..., Documents]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace, and a canary beside it."""
    ws = tmp_path / "ws"
    (ws / "src").mkdir(parents=True)
    (ws / "src" / "a b.py").write_bytes(b"one\ntwo\n")
    (ws / "link.py").symlink_to("src/a b.py")
    (tmp_path / "outside.py").write_text(CANARY)
    (ws / "out.py").symlink_to("../outside.py")
    return ws


@pytest.fixture
def open_documents() -> Iterator[Open]:
    """Opens documents over some folders, and lets go of them after the test."""
    fences: list[Fence] = []

    def make(*folders: Path, deny: tuple[str, ...] = ()) -> Documents:
        fences.append(Fence([open_root(folder) for folder in folders], ReadLimits(), deny))
        return Documents(fences[-1])

    yield make
    for fence in fences:
        fence.close()


def snapshot(documents: Documents, path: str) -> TextSnapshot:
    return asyncio.run(documents.snapshot(path))


def refusal(documents: Documents, path: str) -> str:
    with pytest.raises(ReadError) as caught:
        snapshot(documents, path)
    assert CANARY not in caught.value.message
    return caught.value.code


def git_sha(path: Path) -> str:
    """What git calls the bytes of a file, filters aside."""
    command = ["git", "hash-object", "--no-filters", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def spellings(ws: Path) -> list[str]:
    return [
        "src/a b.py",
        "./src//a b.py",
        "ws/src/a b.py",
        "link.py",
        str(ws / "src" / "a b.py"),
        f"file://{ws}/src/a%20b.py",
        f"file://{ws}/src/%61%20b.py",
        f"file://localhost{ws}/src/a b.py",
        f"FILE://{ws}/link.py",
    ]


def test_a_file_that_is_not_open_comes_from_the_disk(ws: Path, open_documents: Open) -> None:
    """Its sha is git's, its URI is a file URI, and it has no version."""
    found = snapshot(open_documents(ws), "src/a b.py")
    assert found.text.content == "one\ntwo\n"
    assert found.sha == git_sha(ws / "src" / "a b.py")
    assert (found.uri, found.root, found.path) == (f"file://{ws}/src/a%20b.py", "ws", "src/a b.py")
    assert (found.source, found.version, found.dirty) == ("disk", None, False)


@pytest.mark.parametrize("opened_as", range(5, 9))
def test_an_open_document_is_its_buffer_however_it_is_spelt(ws: Path, open_documents: Open, opened_as: int) -> None:
    """One document under every spelling, with its URI as the client gave it; closed, it is the disk's again."""
    documents = open_documents(ws)
    uri = spellings(ws)[opened_as]
    documents.open(uri, "unsaved\n", 7)
    for spelling in spellings(ws):
        found = snapshot(documents, spelling)
        assert (found.text.content, found.uri, found.path) == ("unsaved\n", uri, "src/a b.py")
        assert (found.source, found.version, found.dirty) == ("buffer", 7, True)
    assert list(documents.open_uris) == [uri]
    documents.close(uri)
    assert not documents.open_uris
    assert all(snapshot(documents, spelling).source == "disk" for spelling in spellings(ws))


def test_other_encodings_of_a_uri_drive_the_same_document(ws: Path, open_documents: Open) -> None:
    """A change, a save and a close reach the document though the client encodes its URI in another way."""
    documents = open_documents(ws)
    documents.open(f"file://{ws}/src/a%20b.py", "1", 1)
    documents.change(f"file://{ws}/src/%61%20b.py", "2", 2)
    documents.save(f"file://{ws}/src/a b.py")
    assert snapshot(documents, "src/a b.py").text.content == "2"
    assert snapshot(documents, "src/a b.py").version == 2
    documents.close(f"file://{ws}/src/a%20%62.py")
    assert snapshot(documents, "src/a b.py").source == "disk"


def test_what_is_not_open_cannot_be_changed_saved_or_closed(ws: Path, open_documents: Open) -> None:
    """A client that does so is at fault, and the fault is not passed over."""
    documents = open_documents(ws)
    with pytest.raises(KeyError):
        documents.change("untitled:x", "", 1)
    with pytest.raises(KeyError):
        documents.save("untitled:x")
    with pytest.raises(KeyError):
        documents.close("untitled:x")


@pytest.mark.parametrize(
    ("disk", "buffer", "form"),
    [
        pytest.param(b"a\nb\n", "a\nb\n", Form(), id="the same"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", Form(newline="\r\n"), id="line ends unified"),
        pytest.param(b"a\r\nb\n", "a\r\nb\r\n", Form(), id="mixed line ends unified"),
        pytest.param(codecs.BOM_UTF8 + b"a\n", "a\n", Form(bom=True), id="mark dropped"),
        pytest.param(codecs.BOM_UTF8 + b"a\n", "\ufeffa\n", Form(bom=True), id="mark kept"),
        pytest.param(b"a\n", "\ufeffa\n", Form(), id="mark added"),
        pytest.param("\ufeffä\r\n".encode("utf-16-le"), "ä\n", Form("utf-16-le", True, "\r\n"), id="utf-16"),
    ],
)
def test_a_buffer_with_the_files_text_has_the_files_sha(
    ws: Path, open_documents: Open, disk: bytes, buffer: str, form: Form
) -> None:
    """Editors drop marks and unify line ends; that is no difference, and the text is the buffer's without its mark."""
    (ws / "f.py").write_bytes(disk)
    documents = open_documents(ws)
    documents.open(f"file://{ws}/f.py", buffer, 1)
    found = snapshot(documents, "f.py")
    assert (found.sha, found.dirty) == (git_sha(ws / "f.py"), False)
    assert found.form == form
    assert found.text.content == buffer.removeprefix("\ufeff")


def test_an_edited_buffer_has_the_sha_it_would_be_saved_with(ws: Path, open_documents: Open) -> None:
    """Edit, save, revert: the sha is always that of the bytes on disk, now or after saving in the file's own form."""
    file = ws / "f.py"
    file.write_bytes(codecs.BOM_UTF8 + b"a\r\nb\r\n")
    documents = open_documents(ws)
    uri = f"file://{file}"
    documents.open(uri, "a\nb\n", 1)
    clean = snapshot(documents, "f.py").sha
    documents.change(uri, "a\nb\nc\n", 2)
    edited = snapshot(documents, "f.py")
    assert edited.dirty
    assert edited.sha == blob_sha(codecs.BOM_UTF8 + b"a\r\nb\r\nc\r\n")
    file.write_bytes(codecs.BOM_UTF8 + b"a\r\nb\r\nc\r\n")
    documents.save(uri)
    saved = snapshot(documents, "f.py")
    assert (saved.sha, saved.dirty) == (edited.sha, False)
    documents.change(uri, "a\nb\n", 3)
    assert (snapshot(documents, "f.py").sha, snapshot(documents, "f.py").dirty) == (clean, True)


@pytest.mark.parametrize("disk", [b"\xff\xfe\x00", b"a\0b", None])
def test_a_file_that_says_nothing_of_its_form(ws: Path, open_documents: Open, disk: bytes | None) -> None:
    """Not text, or not there: plain UTF-8 with LF, and dirty."""
    if disk is not None:
        (ws / "f.py").write_bytes(disk)
    documents = open_documents(ws)
    documents.open(f"file://{ws}/f.py", "a\n", 1)
    found = snapshot(documents, "f.py")
    assert (found.form, found.dirty, found.sha) == (Form(), True, blob_sha(b"a\n"))
    assert (found.root, found.path) == ("ws", "f.py")


def test_a_new_document_becomes_a_file_when_saved(ws: Path, open_documents: Open) -> None:
    """Before, it is found by its name alone; after, also by a link to it."""
    documents = open_documents(ws)
    documents.open(f"file://{ws}/new/f.py", "a\n", 1)
    assert snapshot(documents, "new/f.py").dirty
    (ws / "new").mkdir()
    (ws / "new" / "f.py").write_text("a\n")
    (ws / "twin.py").symlink_to("new/f.py")
    documents.save(f"file://{ws}/new/f.py")
    assert snapshot(documents, "twin.py").source == "buffer"
    assert not snapshot(documents, "twin.py").dirty


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "vscode-notebook-cell:/ws/nb.ipynb#W0sZmlsZQ%3D%3D",
        "vscode-vfs://github/o/r/src/x.py",
        "git:/ws/x.py?%7B%22ref%22%3A%22~%22%7D",
    ],
)
def test_documents_that_are_no_files(ws: Path, open_documents: Open, monkeypatch: pytest.MonkeyPatch, uri: str) -> None:
    """Only the buffer, under exactly its URI, with no file opened for it; gone when closed."""
    (ws / "x.py").write_text(CANARY)
    documents = open_documents(ws)
    uri = uri.replace("/ws/", f"{ws}/")
    documents.open(uri, "cell\r\n", 3)
    monkeypatch.setattr(Fence, "read", lambda *_: pytest.fail("the disk was read"))
    found = snapshot(documents, uri)
    assert (found.text.content, found.uri, found.root, found.path) == ("cell\r\n", uri, "", uri)
    assert (found.source, found.version, found.dirty) == ("buffer", 3, True)
    documents.close(uri)
    assert refusal(documents, uri) == "not_found"


@pytest.mark.parametrize("path", ["../outside.py", "out.py"])
def test_a_file_outside_is_served_from_its_buffer_only(ws: Path, open_documents: Open, path: str) -> None:
    """The editor opened it, beside the root or through a link out of it; the file itself is never read."""
    documents = open_documents(ws)
    uri = f"file://{ws.parent}/outside.py" if path.startswith("..") else f"file://{ws}/{path}"
    documents.open(uri, "mine", 1)
    found = snapshot(documents, uri)
    assert (found.text.content, found.uri, found.dirty, found.form) == ("mine", uri, True, Form())
    assert (found.root, found.path) == (("", uri) if path.startswith("..") else ("ws", "out.py"))
    documents.close(uri)
    assert refusal(documents, uri) == "path_denied"


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("file://WS/.env", "secret_denied"),
        ("file://WS/.%65nv", "secret_denied"),
        ("file://WS/sub/ID_RSA", "secret_denied"),
        ("file://WS/private/new.py", "ignored"),
        ("file://WS/mine/new.py", "ignored"),
        ("file://WS/alias.py", "secret_denied"),
        ("file:///elsewhere/.aws/credentials", "secret_denied"),
        ("untitled:.env", "secret_denied"),
        ("vscode-notebook-cell:WS/private/nb.ipynb#x", "ignored"),
        ("vscode-vfs://github/o/r/.env", "secret_denied"),
    ],
)
def test_denied_names_are_denied_when_open(ws: Path, open_documents: Open, uri: str, code: str) -> None:
    """Not the buffer either, whether the file exists or not, by its URI and by its path."""
    (ws / ".toolragignore").write_text("private/\n")
    (ws / "sub").mkdir()
    (ws / "sub" / ".env").write_text(CANARY)
    (ws / "alias.py").symlink_to("sub/.env")
    documents = open_documents(ws, deny=("mine/**",))
    uri = uri.replace("WS", str(ws))
    documents.open(uri, CANARY, 1)
    assert refusal(documents, uri) == code
    if uri.startswith(f"file://{ws}/"):
        assert refusal(documents, uri.removeprefix(f"file://{ws}/").replace("%65", "e")) == code


@pytest.mark.parametrize(
    ("notebook", "code"),
    [("WS/private/nb.ipynb", "ignored"), ("WS/.env", "secret_denied"), ("WS/alias.ipynb", "secret_denied")],
)
def test_a_cell_of_a_denied_notebook_is_denied(ws: Path, open_documents: Open, notebook: str, code: str) -> None:
    """Whatever the editor calls the cell, and also after the folders were opened anew."""
    (ws / ".toolragignore").write_text("private/\n")
    (ws / ".env").write_text(CANARY)
    (ws / "alias.ipynb").symlink_to(".env")
    documents = open_documents(ws)
    documents.open("cell:1", CANARY, 1, f"file://{notebook.replace('WS', str(ws))}")
    documents.open("cell:2", "fine", 1, f"file://{ws}/nb.ipynb")
    assert refusal(documents, "cell:1") == code
    documents.change("cell:1", CANARY, 2)
    assert refusal(documents, "cell:1") == code
    assert snapshot(documents, "cell:2").text.content == "fine"


def test_an_open_hard_link_to_a_secret_is_denied(ws: Path, open_documents: Open) -> None:
    """The editor shows the secret; an answer does not."""
    (ws / ".env").write_text(CANARY)
    os.link(ws / ".env", ws / "harmless.py")
    documents = open_documents(ws)
    documents.open(f"file://{ws}/harmless.py", CANARY, 1)
    assert refusal(documents, "harmless.py") == "secret_denied"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"\xff\xfe\xfd", "UTF-16"), (b"caf\xe9", "byte 3"), (b"a\0b", "NUL"), (b"PK\x03\x04\0", "NUL")],
)
def test_what_is_not_text_says_why(ws: Path, open_documents: Open, data: bytes, reason: str) -> None:
    """Nothing is decoded lossily, and nothing unpacked."""
    (ws / "f.py").write_bytes(data)
    with pytest.raises(ReadError, match=reason) as caught:
        snapshot(open_documents(ws), "f.py")
    assert caught.value.code == "not_text"


def test_a_buffer_is_taken_at_the_moment_of_the_call(ws: Path, open_documents: Open) -> None:
    """An edit that comes while the file is looked at belongs to the next snapshot."""
    documents = open_documents(ws)
    uri = f"file://{ws}/src/a%20b.py"
    documents.open(uri, "before", 1)

    async def edit_meanwhile() -> TextSnapshot:
        asked = asyncio.ensure_future(documents.snapshot(uri))
        await asyncio.sleep(0)
        documents.change(uri, "after", 2)
        return await asked

    found = asyncio.run(edit_meanwhile())
    assert (found.text.content, found.version) == ("before", 1)


def test_a_document_opened_while_its_file_is_read_is_its_buffer(
    ws: Path, open_documents: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From didOpen on, the disk is no longer the truth, though its bytes were already on the way."""
    documents = open_documents(ws)
    real_read = Fence.read

    def read_and_open(fence: Fence, place: Place) -> FileBytes:
        documents.open(f"file://{ws}/src/a%20b.py", "buffer", 1)
        return real_read(fence, place)

    monkeypatch.setattr(Fence, "read", read_and_open)
    assert snapshot(documents, "src/a b.py").text.content == "buffer"


def test_folders_come_and_go(ws: Path, open_documents: Open, tmp_path: Path) -> None:
    """A closed folder is denied at once; what is open stays open, and is then a document outside every root."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "b.py").write_text("b")
    documents = open_documents(ws)
    uri = f"file://{tmp_path}/lib/b.py"
    documents.open(uri, "b", 1)
    assert snapshot(documents, uri).root == ""
    both = Fence([open_root(ws), open_root(tmp_path / "lib")], ReadLimits())
    none = Fence([], ReadLimits())
    try:
        documents.use(both)
        assert (snapshot(documents, "b.py").root, snapshot(documents, "b.py").dirty) == ("lib", False)
        documents.use(none)
        assert snapshot(documents, uri).root == ""
        assert refusal(documents, "src/a b.py") == "path_denied"
    finally:
        both.close()


def test_a_path_that_is_open_in_two_folders_is_ambiguous(ws: Path, open_documents: Open, tmp_path: Path) -> None:
    """On the disk or unsaved: both spellings are named, and each is answered."""
    (tmp_path / "lib").mkdir()
    documents = open_documents(ws, tmp_path / "lib")
    for folder in ("ws", "lib"):
        documents.open(f"file://{tmp_path}/{folder}/new.py", folder, 1)
    with pytest.raises(ReadError, match=r'"ws/new\.py" or "lib/new\.py"') as caught:
        snapshot(documents, "new.py")
    assert caught.value.code == "not_found"
    for folder in ("ws", "lib"):
        assert snapshot(documents, f"{folder}/new.py").text.content == folder
        (tmp_path / folder / "new.py").write_text("disk")
    assert refusal(documents, "new.py") == "not_found"
    assert snapshot(documents, "lib/new.py").text.content == "lib"


def test_odd_uris_do_no_harm(ws: Path, open_documents: Open) -> None:
    """What is no path, no UTF-8 and no URI can be opened, asked for and closed."""
    documents = open_documents(ws)
    for uri in ("", "file:", "file:///%00", f"file://{ws}/%FF.py", "file://host/x", f"file://{ws}/a#b", "x", ":"):
        documents.open(uri, "text", None)
        assert snapshot(documents, uri).text.content == "text"
        documents.close(uri)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(text=st.text(), disk=st.binary())
def test_any_buffer_over_any_file(ws: Path, text: str, disk: bytes) -> None:
    """Whatever both hold, the snapshot is the buffer's text, and clean only if it has the sha of the file's bytes."""
    (ws / "f.py").write_bytes(disk)
    fence = Fence([open_root(ws)], ReadLimits())
    try:
        documents = Documents(fence)
        documents.open(f"file://{ws}/f.py", text, 1)
        found = snapshot(documents, "f.py")
    finally:
        fence.close()
    assert found.text.content == text.removeprefix("\ufeff")
    assert found.dirty or found.sha == blob_sha(disk)
