"""What every DocumentSource does, the real one over a disk and the double over a mapping."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles import MemoryDocuments
from toolrag.adapters.documents import Documents
from toolrag.adapters.fence import Fence
from toolrag.adapters.roots import open_root
from toolrag.config import ReadLimits
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource
from toolrag.text import blob_sha

FILES = {
    "a.py": "one\ntwo\n",
    "src/b.py": "crlf\r\nend",
    "empty.py": "",
    "src/c d.py": "\ufeffmarked\n",
    "bad.py": "a\0b",
}


@pytest.fixture(params=["disk", "memory"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DocumentSource]:
    """Each source, with the same files in a root called `workspace`."""
    if request.param == "memory":
        yield MemoryDocuments(FILES, "workspace")
        return
    for path, text in FILES.items():
        (tmp_path / "workspace" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "workspace" / path).write_bytes(text.encode())
    fence = Fence([open_root(tmp_path / "workspace")], ReadLimits())
    yield Documents(fence)
    fence.close()


@pytest.mark.parametrize("path", [path for path in FILES if path != "bad.py"])
def test_a_snapshot_says_what_and_where(source: DocumentSource, path: str) -> None:
    """Text without its mark, root, path, and the blob sha of the bytes with it."""
    found = asyncio.run(source.snapshot(path))
    assert found.text.content == FILES[path].removeprefix("\ufeff")
    assert (found.root, found.path) == ("workspace", path)
    assert found.sha == blob_sha(FILES[path].encode())
    assert found.form.encode(found.text.content) == FILES[path].encode()
    assert (found.source, found.version, found.dirty) == ("disk", None, False)


def test_the_three_spellings_are_one_document(source: DocumentSource) -> None:
    """By path, by `Folder/path`, and by the URI that a snapshot carries."""
    found = asyncio.run(source.snapshot("src/c d.py"))
    for spelling in ("workspace/src/c d.py", found.uri):
        again = asyncio.run(source.snapshot(spelling))
        assert (again.uri, again.path, again.sha) == (found.uri, found.path, found.sha)


@pytest.mark.parametrize(
    ("path", "code"),
    [("absent.py", "not_found"), ("../a.py", "path_denied"), ("/etc/passwd", "path_denied"), ("bad.py", "not_text")],
)
def test_a_refusal_is_a_code_and_a_sentence(source: DocumentSource, path: str, code: str) -> None:
    """What cannot be read is told as data."""
    with pytest.raises(ReadError, match=r"\w.*\.$") as caught:
        asyncio.run(source.snapshot(path))
    assert caught.value.code == code
