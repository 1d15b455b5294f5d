"""A file of the user's, read to be checked and written whole or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from toolrag.adapters import own_file
from toolrag.adapters.own_file import OwnFile
from toolrag.errors import ConfigError


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"a\r\nb\rc\n", id="line ends of every kind"),
        pytest.param(b"\xef\xbb\xbfa\r\n\xc3\xa9", id="UTF-8 with a mark"),
        pytest.param(b"\xef\xbb\xbf\xef\xbb\xbfa", id="two marks: the second is text"),
        pytest.param("\ufeffa\r\n😀".encode("utf-16-le"), id="UTF-16, little end first"),
        pytest.param("\ufeffa\n".encode("utf-16-be"), id="UTF-16, big end first"),
        pytest.param(b"", id="empty"),
    ],
)
def test_only_what_was_replaced_differs(tmp_path: Path, data: bytes) -> None:
    """Encoding, mark, line ends and permissions stay."""
    path = tmp_path / "a.md"
    path.write_bytes(data)
    path.chmod(0o640)
    file = OwnFile.read(str(path))
    file.replace_text(file.text)
    assert path.read_bytes() == data
    file.replace_text(file.text + "x")
    now = OwnFile.read(str(path))
    assert now.text == file.text + "x"
    assert now.data.startswith(data)
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a.md"]


def test_of_a_link_the_file_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("a")
    (tmp_path / "link.md").symlink_to("deep/a.md")
    OwnFile.read(str(tmp_path / "link.md")).replace_text("b")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "deep" / "a.md").read_text() == "b"


def test_what_was_saved_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("a")
    file = OwnFile.read(str(path))
    path.write_text("theirs")
    with pytest.raises(ConfigError, match="changed meanwhile; nothing was written"):
        file.replace_text("b")
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_write_that_fails_leaves_the_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("a")
    file = OwnFile.read(str(path))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(own_file.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        file.replace_text("b")
    assert (path.read_text(), os.listdir(tmp_path)) == ("a", ["a.md"])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        pytest.param("missing.md", "There is no file .*missing.md", id="missing"),
        pytest.param("folder", "is a folder; name the files in it", id="a folder"),
        pytest.param("image.png", "is not text: .*Name Markdown", id="no text"),
        pytest.param("a\0b", "cannot be read", id="no name at all"),
        pytest.param("a.md/b", "cannot be read|There is no file", id="below a file"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\x00")
    with pytest.raises(ConfigError, match=sentence):
        OwnFile.read(f"{tmp_path}/{name}")


def test_what_is_piped_in_is_read_like_a_file() -> None:
    assert OwnFile.from_stream(io.BytesIO(b"\xef\xbb\xbfa")).text == "a"
    with pytest.raises(ConfigError, match="What is piped in is not text"):
        OwnFile.from_stream(io.BytesIO(b"\xff"))


def test_a_file_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_file, "MAX_BYTES", 10)
    assert OwnFile.from_stream(io.BytesIO(b"a" * 10)).text == "a" * 10
    with pytest.raises(ConfigError, match="more than 10 bytes"):
        OwnFile.from_stream(io.BytesIO(b"a" * 11))
