"""The database: what is put in comes out, damage is noticed and begun anew, and what is scrubbed leaves no trace."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from index_doubles import analysis_of
from toolrag.adapters.codec import encode_analysis
from toolrag.adapters.store import FileRow, Stat, Store
from toolrag.adapters.store_file import DamagedStoreError, is_damage, move_aside

STAT = Stat(3, -1, 2**62, 2**62)
ANALYSIS = analysis_of("def f():\n    g()\n")


def row(path: str, sha: str = "a" * 40, problems: tuple[str, ...] = ()) -> FileRow:
    return FileRow(path, STAT, 5, sha, "python", problems)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path, "1")) as opened:
        yield opened


def test_files_come_back_by_path_also_those_whose_names_are_not_utf8(path: Path, store: Store) -> None:
    rows = [row("b.py"), row("a\udcff\udc80.py"), row("日.py", problems=("It is odd.", "Two."))]
    for one in rows:
        store.put_file(one)
    assert list(store.files()) == ["a\udcff\udc80.py", "b.py", "日.py"]
    with closing(Store(path, "1")) as again:
        assert sorted(again.files().values(), key=lambda one: one.path) == sorted(rows, key=lambda one: one.path)
    store.forget_file("a\udcff\udc80.py")
    assert list(store.files()) == ["b.py", "日.py"]


def test_analyses_vectors_and_notes_come_back(store: Store) -> None:
    store.put_analysis("a", "python", ANALYSIS)
    assert store.analysis("a", "markdown") is None
    found = store.analysis("a", "python")
    assert found is not None
    assert encode_analysis(found) == encode_analysis(ANALYSIS)
    assert store.analysed() == {("a", "python")}
    vector = np.array([0.6, -0.8], np.float32)
    store.put_vectors("e", {7: vector, 2**63 - 1: -vector})
    assert store.vector_ids("e") == {7, 2**63 - 1}
    assert store.vector_ids("other") == set()
    assert list(store.vectors("e", [1, 7], 2)) == [7]
    np.testing.assert_allclose(store.vectors("e", [7], 2)[7], vector, atol=1e-3)
    assert store.meta("k") is None
    store.put_meta("k", "1")
    store.put_meta("k", "2")
    assert store.meta("k") == "2"


def test_another_version_drops_every_row_and_whatever_tables_it_had(path: Path) -> None:
    with closing(Store(path, "1")) as store:
        store.put_file(row("a.py"))
        store.put_analysis("a", "python", ANALYSIS)
        store.put_vectors("e", {1: np.ones(2, np.float32)})
        store.put_meta("coverage", "x")
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE file ADD COLUMN later TEXT")
    with closing(Store(path, "2")) as store:
        assert (store.files(), store.analysed(), store.vector_ids("e"), store.meta("coverage")) == (
            {},
            set(),
            set(),
            None,
        )
        store.put_file(row("a.py"))
    with closing(Store(path, "2")) as store:
        assert list(store.files()) == ["a.py"]


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    def change() -> None:
        with store.transaction():
            store.put_file(row("a.py"))
            raise InterruptedError

    with pytest.raises(InterruptedError):
        change()
    assert store.files() == {}
    with store.transaction():
        store.put_file(row("b.py"))
    assert list(store.files()) == ["b.py"]


def test_a_commit_that_fails_can_be_followed_by_another_transaction(store: Store) -> None:
    """A database that is full: the rows of the transaction are gone, the store still works."""
    limit = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count={limit}")
    with pytest.raises(sqlite3.OperationalError, match="full"), store.transaction():
        store.put_meta("big", "x" * 100_000)
    assert store.meta("big") is None
    with store.transaction():
        store.put_meta("small", "x")
    assert store.meta("small") == "x"


def test_two_connections_write_and_read_at_once(path: Path, store: Store) -> None:
    with closing(Store(path, "1")) as other:
        with store.transaction():
            store.put_file(row("a.py"))
            assert other.files() == {}
        with other.transaction():
            other.put_file(row("b.py"))
        assert list(store.files()) == list(other.files()) == ["a.py", "b.py"]


def test_processes_that_open_a_new_database_at_once_all_get_it(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from toolrag.adapters.store import Store\n"
        "sys.stdin.read()\n"
        "store = Store(Path(sys.argv[1]), '1')\n"
        "with store.transaction(): store.put_meta(sys.argv[2], 'x')\n"
        "store.close()\n"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", code, path, str(number)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for number in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    assert [child.communicate()[1] for child in children] == [b""] * 4
    with closing(Store(path, "1")) as store:
        assert [store.meta(str(number)) for number in range(4)] == ["x"] * 4


def _cut(path: Path) -> None:
    os.truncate(path, 3 * 4096 + 17)


def _zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def _text(path: Path) -> None:
    path.write_text("This is not a database, whatever its name says. " * 50)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("x")


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE meta (other TEXT)")


def _trigger(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TRIGGER t AFTER INSERT ON file BEGIN DELETE FROM file; END")


@pytest.mark.parametrize("damage", [_zero, _text, _folder, _link, _foreign, _trigger])
def test_a_damaged_database_is_moved_aside_and_begun_anew_with_one_line(
    path: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], None]
) -> None:
    for _ in range(2):  # the second time the place aside is taken
        with closing(Store(path, "1")) as store:
            store.put_file(row("a.py"))
        damage(path)
        with caplog.at_level(logging.WARNING), closing(Store(path, "1")) as store:
            assert store.files() == {}
            store.put_file(row("b.py"))
        assert [record.getMessage().count("index.sqlite.damaged") for record in caplog.records] == [1]
        caplog.clear()
        with closing(Store(path, "1")) as store:
            assert list(store.files()) == ["b.py"]
    assert not path.is_symlink()


def test_a_database_that_is_cut_is_noticed_at_the_latest_when_it_is_read(path: Path) -> None:
    with closing(Store(path, "1")) as store, store.transaction():
        for number in range(300):
            store.put_file(row(f"{number}.py", "x" * 40))
    _cut(path)
    try:
        with closing(Store(path, "1")) as store:
            found = len(store.files())
    except sqlite3.DatabaseError as error:
        assert is_damage(error)  # noqa: PT017  # which of the two depends on SQLite's version
    else:
        assert found == 0


def test_every_flipped_byte_of_an_analysis_is_noticed(store: Store) -> None:
    store.put_analysis("a", "python", ANALYSIS)
    data = store._db.execute("SELECT data FROM analysis").fetchone()[0]
    for at in range(len(data)):
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        store._db.execute("UPDATE analysis SET data = ?", (flipped,))
        with pytest.raises(DamagedStoreError):
            store.analysis("a", "python")


@pytest.mark.parametrize("column", ["path", "size", "mtime_ns", "read_ns", "problems"])
def test_a_row_of_the_wrong_kind_is_damage(store: Store, column: str) -> None:
    store.put_file(row("a.py"))
    store._db.execute(f"UPDATE file SET {column} = 0.5")
    with pytest.raises(DamagedStoreError):
        store.files()


def test_a_path_that_is_no_bytes_is_damage(store: Store) -> None:
    """It would be counted for ever: no path that is asked for is equal to it, so nothing could drop it."""
    store.put_file(row("a.py"))
    store._db.execute("UPDATE file SET path = 'gone.py'")
    with pytest.raises(DamagedStoreError):
        store.files()


@pytest.mark.parametrize("data", [b"", b"\0" * 3, b"\0\x7c\0\0", "text"])
def test_a_vector_that_is_none_is_damage(store: Store, data: object) -> None:
    store._db.execute("INSERT INTO vector VALUES ('e', 1, ?)", (data,))
    with pytest.raises(DamagedStoreError):
        store.vectors("e", [1], 2)


def test_trouble_that_is_not_the_database_s_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        Store(tmp_path / "missing" / "index.sqlite", "1")
    assert not is_damage(caught.value)
    assert not is_damage(sqlite3.ProgrammingError("Cannot operate on a closed database."))


@pytest.mark.parametrize(
    ("code", "damaged"),
    [
        (sqlite3.SQLITE_CORRUPT, True),
        (sqlite3.SQLITE_CORRUPT_INDEX, True),
        (sqlite3.SQLITE_NOTADB, True),
        (sqlite3.SQLITE_FULL, False),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, False),
        (sqlite3.SQLITE_IOERR_READ, False),
        (sqlite3.SQLITE_READONLY_DIRECTORY, False),
    ],
)
def test_damage_is_told_by_the_kind_of_error_whatever_more_its_code_says(code: int, damaged: bool) -> None:
    error = sqlite3.OperationalError("an error")
    error.sqlite_errorcode = code
    assert is_damage(error) is damaged


def test_moving_aside_what_another_process_moved_already_is_fine(path: Path) -> None:
    assert move_aside(path).name == "index.sqlite.damaged"


def test_all_files_are_private_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        with closing(Store(path, "1")) as store:
            store.put_file(row("a.py"))
            modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("index.sqlite", "index.sqlite-wal", "index.sqlite-shm"), 0o600)


def test_spare_analyses_go_the_oldest_first_and_those_of_files_stay(store: Store) -> None:
    for number in range(5):
        store.put_analysis(str(number), "python", ANALYSIS)
    store.put_file(row("a.py", "0"))
    store.note_spare(1)
    assert store.drop_spare(2) == 2
    assert store.analysed() == {("0", "python"), ("3", "python"), ("4", "python")}
    assert store.drop_spare(2) == 0
    assert store.drop_spare(0) == 2


def test_an_analysis_is_spare_from_when_its_last_file_went_and_no_more_when_one_comes_back(store: Store) -> None:
    for name in "ab":
        store.put_analysis(name, "python", ANALYSIS)
        store.put_file(row(f"{name}.py", name))
    for now, name in ((100, "a"), (200, "b")):
        store.forget_file(f"{name}.py")
        store.note_spare(now)
    store.put_file(row("again.py", "a"))
    store.note_spare(300)
    assert store.drop_spare(9, before=201) == 1
    assert store.analysed() == {("a", "python")}
    store.forget_file("again.py")
    store.note_spare(400)
    assert store.drop_spare(9, before=400) == 0
    assert store.drop_spare(9, before=401) == 1


def test_vectors_of_no_text_go(store: Store) -> None:
    ids = ANALYSIS.terms.text_ids.tolist()
    store.put_analysis("a", "python", ANALYSIS)
    for embedder in ("e", "f"):
        store.put_vectors(embedder, {text_id: np.ones(2, np.float32) for text_id in (*ids, 7)})
    store.drop_spare_vectors()
    assert store.vector_ids("e") == store.vector_ids("f") == set(ids)


def test_what_is_scrubbed_leaves_no_trace_in_any_file(path: Path, store: Store) -> None:
    canary = "canary_9c1f"
    for number in range(50):
        store.put_analysis(str(number), "python", analysis_of(f"def {canary}_{number}():\n    return {number}\n" * 9))
        store.put_file(row(f"{canary}/{number}.py", str(number)))

    def traces() -> int:
        return sum(file.read_bytes().count(canary.encode()) for file in path.parent.iterdir())

    assert traces()
    with store.transaction():
        for name in store.files():
            store.forget_file(name)
        store.note_spare(0)
        store.drop_spare(0)
    assert store.flush_deleted()
    assert traces() == 0


def test_a_reader_elsewhere_keeps_the_log_and_that_is_said(path: Path, store: Store) -> None:
    store.put_file(row("a.py"))
    store._db.execute("PRAGMA busy_timeout=1")
    with closing(Store(path, "1")) as other, other.transaction():
        list(other.files())
        assert not store.flush_deleted()
    assert store.flush_deleted()


def test_a_store_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Store(None, "1")) as store:
        with store.transaction():
            store.put_file(row("a.py"))
        assert list(store.files()) == ["a.py"]
        assert store.flush_deleted()
    assert os.listdir(tmp_path) == []
