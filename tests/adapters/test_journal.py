"""Journals on disk: private, whole or not at all, found by their beginnings, and not kept for ever."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from toolrag.adapters import journal as journal_module
from toolrag.adapters.journal import COLLECT_SECONDS, Cleared, Journals
from toolrag.answer.journal.chain import Blob, Event, Sealed, opened, seal
from toolrag.config import JournalSettings
from toolrag.errors import ConfigError

DAY = 86_400
A, B, C = "a" * 16, "b" * 16, "c" * 16


def sealed(question: str, *texts: str) -> Sealed:
    events = [Event("run.start", {"toolrag.asked": question, "toolrag.model": "extractive"})]
    return seal([*events, *(Event("document", {"toolrag.text": Blob(text)}) for text in texts), Event("run.end", {})])


def made(home: Path, days: int = 14, most: int = 200_000_000) -> Journals:
    return Journals(JournalSettings(max_days=days, max_bytes=most), home / "toolrag")


def texts_kept(journals: Journals) -> set[str]:
    return {path.read_text() for path in (journals.folder / "blobs").iterdir()}


def age(journals: Journals, run: str, seconds: float) -> None:
    """As if a run had been kept so long ago, its texts too."""
    then = time.time() - seconds
    data = (journals.folder / f"{run}.jsonl").read_bytes()
    for path in (journals.folder / "blobs").iterdir():
        if path.name.encode() in data:
            os.utime(path, (then, then))
    os.utime(journals.folder / f"{run}.jsonl", (then, then))


def test_what_is_kept_comes_back_and_everything_is_private_whatever_the_umask(tmp_path: Path) -> None:
    journals = made(tmp_path)
    kept = sealed("why?", "text one", "text two")
    before = os.umask(0)
    try:
        journals.keep(A, kept)
    finally:
        os.umask(before)
    assert journals.load(A) == kept.lines
    assert opened(journals.load(A), journals.blob).is_finished
    files = [path for path in journals.folder.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    folders = [journals.folder.parent, journals.folder, journals.folder / "blobs"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}
    assert not [path for path in files if path.name.startswith(".")]


def test_the_same_run_again_is_replaced_and_texts_are_shared(tmp_path: Path) -> None:
    journals = made(tmp_path)
    journals.keep(A, sealed("why?", "shared", "old"))
    journals.keep(B, sealed("how?", "shared"))
    blob = next(path for path in (journals.folder / "blobs").iterdir() if path.read_text() == "shared")
    inode = blob.stat().st_ino
    journals.keep(A, sealed("why?", "shared", "new"))
    assert [one.question for one in journals.runs()] == ["why?", "how?"]
    assert b'"toolrag.asked":"why?"' in journals.load(A)
    assert blob.stat().st_ino == inode


def test_a_text_that_is_no_longer_whole_is_written_anew(tmp_path: Path) -> None:
    journals = made(tmp_path)
    kept = sealed("why?", "a whole text")
    journals.keep(A, kept)
    (path,) = (journals.folder / "blobs").iterdir()
    for spoil in (lambda: path.write_text("a who"), lambda: (path.unlink(), path.symlink_to("/etc/hostname"))):
        spoil()
        journals.keep(A, kept)
        assert (path.is_symlink(), path.read_text()) == (False, "a whole text")


def test_a_run_is_found_by_its_id_its_beginning_or_as_the_last(tmp_path: Path) -> None:
    journals = made(tmp_path)
    with pytest.raises(ConfigError, match=r"No run is kept\. Ask something first"):
        journals.find("last")
    one, two, three = "ab" * 8, "ac" * 8, "0" * 16
    for at, run in enumerate((one, two, three)):
        journals.keep(run, sealed("q"))
        os.utime(journals.folder / f"{run}.jsonl", (1e9 + at, 1e9 + at))
    assert (journals.find("last"), journals.find("ab"), journals.find(two)) == (three, one, two)
    with pytest.raises(ConfigError, match=f"Several runs begin with a: {two}, {one}. Give more"):
        journals.find("a")
    for unknown in ("f", "", "../../etc/passwd", f"{one}.jsonl", "AB"):
        with pytest.raises(ConfigError, match=f"The latest are: {three}, {two}, {one}"):
            journals.find(unknown)
    for unknown in ("f" * 16, "blobs", "../" + one, f"{one}\n", "tally"):
        with pytest.raises(ConfigError, match="is kept"):
            journals.load(unknown)
    assert journals.blob("../tally") is None


def test_a_damaged_journal_is_listed_without_its_words(tmp_path: Path) -> None:
    journals = made(tmp_path)
    journals.keep(A, sealed("why?"))
    (journals.folder / f"{A}.jsonl").write_bytes(b"\x00" * 50)
    (one,) = journals.runs()
    assert (one.run, one.question, one.model, one.bytes) == (A, "", "", 50)


def test_what_is_too_old_goes_and_with_it_what_nothing_names(tmp_path: Path) -> None:
    journals = made(tmp_path, days=14)
    journals.keep(A, sealed("old", "shared", "old alone"))
    age(journals, A, 15 * DAY)
    journals.keep(B, sealed("young", "shared"))
    journals.collect(time.time())
    assert [one.run for one in journals.runs()] == [B]
    assert texts_kept(journals) == {"shared"}
    age(journals, B, 13 * DAY)
    journals.collect(time.time())
    assert [one.run for one in journals.runs()] == [B]
    assert opened(journals.load(B), journals.blob).is_finished


def test_when_there_is_too_much_the_oldest_go_first(tmp_path: Path) -> None:
    journals = made(tmp_path, most=12_000)
    for at, run in enumerate((A, B)):
        journals.keep(run, sealed("q", run * 250, "shared"))
        age(journals, run, 1_000 - at)
    assert [one.run for one in journals.runs()] == [B, A]
    journals.keep(C, sealed("q", C * 250, "shared"))  # 15 KB in all
    assert [one.run for one in journals.runs()] == [C, B]
    assert texts_kept(journals) == {B * 250, C * 250, "shared"}
    assert sum(path.stat().st_size for path in journals.folder.rglob("*") if path.is_file()) <= 12_000


def test_it_is_collected_once_a_day_or_when_there_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journals = made(tmp_path, most=20_000)
    collected: list[float] = []
    collect = Journals.collect

    def noted(self: Journals, now: float) -> None:
        collected.append(now)
        collect(self, now)

    monkeypatch.setattr(Journals, "collect", noted)
    clock = [1e9]
    monkeypatch.setattr(journal_module.time, "time", lambda: clock[0])
    journals.keep(A, sealed("q", "x"))
    journals.keep(B, sealed("q", "y"))
    assert len(collected) == 1
    clock[0] += COLLECT_SECONDS + 1
    journals.keep(B, sealed("q", "y"))
    assert len(collected) == 2
    journals.keep(C, sealed("q", "z" * 21_000))
    assert len(collected) == 3
    (journals.folder / "tally").write_text("nonsense")
    journals.keep(A, sealed("q", "x"))
    assert len(collected) == 4


def test_a_text_that_another_process_has_just_written_stays(tmp_path: Path) -> None:
    """Its journal may come a moment later."""
    journals = made(tmp_path)
    journals.keep(A, sealed("q", "theirs"))
    (journals.folder / f"{A}.jsonl").unlink()
    journals.collect(time.time())
    assert texts_kept(journals) == {"theirs"}
    journals.collect(time.time() + 3_600)
    assert texts_kept(journals) == set()


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    journals = made(tmp_path)
    journals.keep(A, sealed("q", "x"))
    (journals.folder / ".writing.1").write_text("half")
    journals.collect(time.time() + 10)
    assert (journals.folder / ".writing.1").exists()
    journals.collect(time.time() + DAY)
    assert not (journals.folder / ".writing.1").exists()


def test_two_that_write_the_same_journal_at_once_both_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic_ns", lambda: 7)
    journals = made(tmp_path)
    journals.keep(A, sealed("before"))
    replace, nested = os.replace, [sealed("the other's")]

    def meanwhile(beside: Path, path: Path) -> None:
        if nested:
            journals.keep(A, nested.pop())
        replace(beside, path)

    monkeypatch.setattr(os, "replace", meanwhile)
    journals.keep(A, sealed("mine"))
    assert [one.question for one in journals.runs()] == ["mine"]


def test_a_system_without_close_on_exec_keeps_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_CLOEXEC")
    journals = made(tmp_path)
    journals.keep(A, sealed("q", "text"))
    assert [one.run for one in journals.runs()] == [A]


def test_clearing_removes_all_and_says_how_much(tmp_path: Path) -> None:
    journals = made(tmp_path)
    assert journals.clear() == Cleared(0, 0)
    journals.keep(A, sealed("q", "x" * 3_000))
    journals.keep(B, sealed("q", "x" * 3_000))
    size = sum(path.stat().st_size for path in journals.folder.rglob("*") if path.is_file())
    assert journals.clear() == Cleared(2, size)
    assert not journals.folder.exists()
    assert journals.runs() == []


def test_it_never_lies_in_the_workspace(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    for home in (root / "state", tmp_path / "link"):
        with pytest.raises(ConfigError, match="inside the workspace"):
            made(home).keep(A, sealed("q"), [str(root)])
    assert list(root.iterdir()) == []
    with pytest.raises(ConfigError, match="not absolute"):
        Journals(JournalSettings(), Path("state")).keep(A, sealed("q"))


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda folder, away: folder.symlink_to(away), id="the folder leads away"),
        pytest.param(lambda folder, away: (folder.mkdir(), (folder / "blobs").symlink_to(away)), id="the texts do"),
        pytest.param(lambda folder, _: folder.write_text("x"), id="a file is in its place"),
    ],
)
def test_links_in_the_place_of_folders_are_refused(tmp_path: Path, spoil: Callable[[Path, Path], object]) -> None:
    journals = made(tmp_path)
    journals.folder.parent.mkdir()
    away = tmp_path / "away"
    away.mkdir()
    spoil(journals.folder, away)
    with pytest.raises(ConfigError, match="is not a folder"):
        journals.keep(A, sealed("q", "x"))
    journals.clear() if not journals.folder.is_file() else None
    assert list(away.iterdir()) == []
    assert away.exists()


def test_links_and_fifos_in_the_place_of_files_are_replaced_and_never_read(tmp_path: Path) -> None:
    journals = made(tmp_path)
    journals.keep(A, sealed("q", "x"))
    precious = tmp_path / "precious"
    precious.write_text("precious")
    for name in (f"{A}.jsonl", "tally"):
        (journals.folder / name).unlink()
        (journals.folder / name).symlink_to(precious)
    with pytest.raises(ConfigError, match="is kept"):
        journals.load(A)
    assert journals.runs() == []
    journals.keep(A, sealed("q", "x"))
    assert precious.read_text() == "precious"
    assert [one.run for one in journals.runs()] == [A]
    (journals.folder / f"{B}.jsonl").unlink(missing_ok=True)
    os.mkfifo(journals.folder / f"{B}.jsonl")
    assert [one.run for one in journals.runs()] == [A]
    with pytest.raises(ConfigError, match="is kept"):
        journals.load(B)


def test_a_disk_that_is_full_leaves_the_older_journal_and_no_half_of_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals = made(tmp_path)
    old = sealed("q", "x")
    journals.keep(A, old)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal_module.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        journals.keep(A, sealed("q", "y"))
    monkeypatch.undo()
    assert journals.load(A) == old.lines
    assert not [path for path in journals.folder.rglob("*") if path.name.startswith(".writing")]


KILLED = """
import os, sys
from pathlib import Path
from toolrag.adapters import journal
from toolrag.adapters.journal import Journals
from toolrag.answer.journal.chain import Blob, Event, seal
from toolrag.config import JournalSettings

at = int(sys.argv[2])
replace = os.replace

def counted(*paths):
    global at
    at -= 1
    if at < 0:
        os._exit(9)
    replace(*paths)

journal.os.replace = counted
events = [Event("run.start", {}), *(Event("document", {"t": Blob(str(n))}) for n in range(3)), Event("run.end", {})]
Journals(JournalSettings(), Path(sys.argv[1])).keep("a" * 16, seal(events))
"""


def test_wherever_a_run_is_killed_its_journal_is_whole_or_not_there(tmp_path: Path) -> None:
    ends = []
    for at in range(6):
        home = tmp_path / str(at)
        done = subprocess.run([sys.executable, "-c", KILLED, str(home), str(at)], check=False)
        journals = Journals(JournalSettings(), home)
        ends.append((done.returncode, [one.run for one in journals.runs()]))
        if journals.runs():
            assert opened(journals.load(A), journals.blob).is_finished
    assert ends == [(9, [])] * 4 + [(9, [A])] + [(0, [A])]  # three texts, the journal, the tally


def test_nothing_is_logged_where_all_is_well(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        made(tmp_path).keep(A, sealed("q", "x"))
    assert caplog.records == []
