"""A cache that is damaged is begun anew, one that cannot be used is done without; answers stay the same."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from index_doubles import write_tree
from toolrag import app
from toolrag.adapters import shown
from toolrag.adapters.cache_dir import DATABASE, index_dir
from toolrag.adapters.store import Store
from workspace_runs import ENGINES, FILES, QUESTIONS, InPlace, one_line, run


@pytest.fixture(autouse=True)
def _private_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def _in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "ParseProcess", InPlace)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path / "root", FILES)
    return tmp_path / "root"


@pytest.fixture
def folder(root: Path) -> Path:
    return index_dir(str(root))


def _flip_some_bytes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(100, len(data), 997):
        data[at] ^= 0x55
    path.write_bytes(data)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def _text(path: Path) -> None:
    path.write_text("not what it was " * 500)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _remove(path: Path) -> None:
    path.unlink()


def _alter_a_row(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE analysis SET data = zeroblob(length(data))")
        db.execute("UPDATE file SET mtime_ns = 0")
    db.close()


@pytest.mark.usefixtures("_in_place")
class TestLostCache:
    @pytest.mark.parametrize("damage", [_flip_some_bytes, _cut, _zero, _text, _folder, _alter_a_row])
    def test_a_damaged_database_is_begun_anew_with_one_line(
        self, root: Path, folder: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], None]
    ) -> None:
        before = run(root)[1]
        damage(folder / DATABASE)
        with one_line(caplog, f"it was moved to {DATABASE}.damaged and is built anew"):
            assert run(root)[1] == before
        caplog.clear()
        assert run(root)[1] == before
        assert caplog.records == []

    @pytest.mark.parametrize("damage", [_flip_some_bytes, _cut, _zero, _text, _remove])
    @pytest.mark.parametrize("kind", ["corpus", "vectors"])
    @pytest.mark.parametrize("engine", ENGINES)
    def test_what_is_made_from_the_database_is_made_again(
        self, root: Path, folder: Path, damage: Callable[[Path], None], kind: str, engine: str
    ) -> None:
        before = run(root, engine=engine)[1]
        path = next(folder.glob(f"{kind}*"))
        good = path.read_bytes()
        damage(path)
        assert run(root, engine=engine)[1] == before
        assert path.read_bytes() == good

    def test_a_corpus_that_other_code_made_is_not_used(
        self, root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """BM25F's weights are in it."""
        before = run(root)[1]
        made = (folder / "corpus.bin").read_bytes()
        monkeypatch.setattr(shown, "corpus_fingerprint", lambda: "of the next version")
        assert run(root)[1] == before
        assert (folder / "corpus.bin").read_bytes() != made

    def test_a_folder_where_a_file_should_be_is_moved_aside_and_said(
        self, root: Path, folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        before = run(root)[1]
        _folder(folder / "corpus.bin")
        with one_line(caplog, "corpus.bin was damaged; it was moved to corpus.bin.damaged"):
            assert run(root)[1] == before
        assert (folder / "corpus.bin").is_file()

    @pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/etc/hostname", path)])
    def test_what_is_no_file_in_the_database_s_place_is_moved_aside_and_said(
        self,
        root: Path,
        folder: Path,
        caplog: pytest.LogCaptureFixture,
        suffix: str,
        make: Callable[[Path], None],
    ) -> None:
        """SQLite would wait for a FIFO, follow a link, and fail in every run on a folder."""
        before = run(root)[1]
        path = folder / f"{DATABASE}{suffix}"
        path.unlink(missing_ok=True)
        make(path)
        with one_line(caplog, f"it was moved to {DATABASE}.damaged and is built anew"):
            assert run(root)[1] == before
        caplog.clear()
        assert run(root)[1] == before
        assert caplog.records == []

    def test_an_index_without_an_analysis_is_not_kept_as_if_it_were_whole(self, root: Path, folder: Path) -> None:
        before = run(root)[1]
        with sqlite3.connect(folder / DATABASE) as db:
            db.execute("DELETE FROM analysis")
        db.close()
        (folder / "corpus.bin").unlink()
        assert run(root, refresh=False)[1] == [()] * len(QUESTIONS)
        assert run(root)[1] == before


def _file_above(folder: Path) -> None:
    folder.parent.write_text("")


def _link(folder: Path) -> None:
    folder.parent.mkdir()
    folder.symlink_to("/")


@pytest.mark.usefixtures("_in_place")
class TestNoCache:
    @pytest.mark.parametrize("spoil", [_file_above, _link])
    def test_a_folder_that_cannot_be_used_is_said_once(
        self, root: Path, folder: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], None]
    ) -> None:
        before = run(root)[1]
        shutil.rmtree(folder.parent)
        spoil(folder)
        with one_line(caplog, "is not a folder"):
            assert run(root)[1] == before

    def test_a_cache_inside_the_root_is_not_used(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        before = run(root)[1]
        monkeypatch.setenv("XDG_CACHE_HOME", str(root / ".cache"))
        with one_line(caplog, "lies inside the root"):
            assert run(root)[1] == before
        assert not (root / ".cache").exists()

    @pytest.mark.parametrize("nth", [1, 2, 3])
    def test_a_disk_that_is_full_is_said_once_and_the_index_held_in_memory(
        self,
        root: Path,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        nth: int,
    ) -> None:
        """Full at one transaction or another of a first run; in memory there is room."""
        before = run(root)[1]
        shutil.rmtree(folder)
        begun: list[Store] = []
        real = Store.transaction

        @contextmanager
        def transaction(store: Store) -> Iterator[None]:
            if store.is_on_disk:
                begun.append(store)
                if len(begun) == nth:
                    raise _full()
            with real(store):
                yield

        monkeypatch.setattr(Store, "transaction", transaction)
        with one_line(caplog, "held in memory"):
            assert run(root)[1] == before

    @pytest.mark.skipif(sys.platform != "linux", reason="mounts a small file system")
    def test_a_real_file_system_that_is_full(
        self, root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        write_tree(root, {f"many/{number}.py": f"def retry_{number}(): pass\n" * 200 for number in range(60)})
        expected = run(root)[1]
        small = tmp_path / "cache"
        shutil.rmtree(small)
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True).returncode:
            pytest.skip("only root can mount a small file system")
        try:
            with one_line(caplog, "held in memory"):
                assert run(root)[1] == expected
        finally:
            subprocess.run(["umount", small], check=True)

    def test_a_database_that_may_not_be_written_is_said_once(
        self, root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        before = run(root)[1]
        real = os.open

        def refuse(path: object, *rest: int, **more: object) -> int:
            if path == folder / DATABASE:
                raise PermissionError(13, "Permission denied")
            return real(path, *rest, **more)  # type: ignore[arg-type] # handed on as it came

        monkeypatch.setattr(os, "open", refuse)
        with one_line(caplog, "Permission denied"):
            assert run(root)[1] == before


def _full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error
