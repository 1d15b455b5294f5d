"""Cache files that are whole or not used."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.adapters import sealed_file
from toolrag.adapters.sealed_file import read_sealed, write_sealed

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(header=st.dictionaries(st.text(max_size=5), json_values, max_size=4), payload=st.binary(max_size=60))
def test_header_and_payload_come_back(
    tmp_path_factory: pytest.TempPathFactory, header: dict[str, object], payload: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "sealed"
    write_sealed(path, header, payload)
    found = read_sealed(path)
    assert found is not None
    assert (found[0], bytes(found[1])) == (header, payload)


def test_every_cut_and_every_flipped_byte_reads_as_none(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_sealed(path, {"kind": "x"}, b"payload")
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        assert read_sealed(path) is None
    for at in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
            assert read_sealed(path) is None
    path.write_bytes(data + b"\0")
    assert read_sealed(path) is None


def test_what_is_no_file_reads_as_none(tmp_path: Path) -> None:
    assert read_sealed(tmp_path / "missing") is None
    (tmp_path / "folder").mkdir()
    assert read_sealed(tmp_path / "folder") is None
    (tmp_path / "loop").symlink_to("loop")
    assert read_sealed(tmp_path / "loop") is None


def test_what_is_damaged_is_moved_aside_and_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for damaged in (b"", b"not what it was"):
        (tmp_path / "x").write_bytes(damaged)
        caplog.clear()
        assert read_sealed(tmp_path / "x") is None
        assert read_sealed(tmp_path / "x") is None
        assert [record.getMessage() for record in caplog.records] == [
            "x was damaged; it was moved to x.damaged and is built anew."
        ]
        assert (tmp_path / "x.damaged").read_bytes() == damaged
    assert read_sealed(tmp_path / "missing") is None
    assert len(caplog.records) == 1


@pytest.mark.parametrize("body", [b"", b"\0\0\0\x02[]", b"\0\0\0\x01{", b"\0\0\0\x09{}", b"\0\0\0\x01\xff"])
def test_a_right_digest_over_a_wrong_header_reads_as_none(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(sealed_file._MAGIC + sealed_file._digest(body) + body)
    assert read_sealed(path) is None


def test_it_is_private_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_sealed(tmp_path / "x", {}, b"")
        write_sealed(tmp_path / "x", {"second": True}, b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["x"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sealed(tmp_path / "x", {"old": True}, b"")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_sealed(tmp_path / "x", {"new": True}, b"")
    found = read_sealed(tmp_path / "x")
    assert found is not None
    assert found[0] == {"old": True}
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("size", range(9))
def test_a_payload_lies_where_arrays_may(tmp_path: Path, size: int) -> None:
    write_sealed(tmp_path / "x", {"k": "x" * size}, b"payload")
    data = (tmp_path / "x").read_bytes()
    assert data.index(b"payload") % 8 == 0
    assert json.dumps({"k": "x" * size}).encode() in data


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs and links as POSIX has them")
def test_what_is_no_file_of_ours_reads_as_none_at_once(tmp_path: Path) -> None:
    """A FIFO would keep the reader for ever, /dev/zero would fill its memory, and a link leads to another's file."""
    os.mkfifo(tmp_path / "fifo")
    write_sealed(tmp_path / "x", {}, b"")
    (tmp_path / "link").symlink_to("x")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("fifo", "link", "endless"):
        assert read_sealed(tmp_path / name) is None
