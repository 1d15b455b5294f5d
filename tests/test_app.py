"""A workspace from end to end: what is kept, that a second run is a shortcut to the same, and what leaves no trace."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from index_doubles import write_tree
from toolrag import app
from toolrag.adapters.cache_dir import DATABASE, TEMPORARY, index_dir
from toolrag.adapters.parse_wire import NOT_STARTED, without_symbols
from toolrag.adapters.refresh import BATCH
from toolrag.config import Settings
from toolrag.errors import ConfigError
from toolrag.ports import Scope
from toolrag.symbols import Analysis
from workspace_runs import ENGINES, FILES, QUESTIONS, InPlace, run


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


def test_a_real_run_parses_in_a_process_and_leaves_nothing_open(root: Path, folder: Path) -> None:
    coverage, found = run(root)
    assert coverage is not None
    assert (coverage.files, coverage.parsed) == (4, 4)
    assert found[0][0].path == "src/retry.py"
    gc.collect()  # an unclosed connection or process would warn here, and warnings are errors
    assert not [name for name in _held() if name.startswith(str(folder))]
    assert sorted(os.listdir(folder))[:2] == ["corpus.bin", "index.sqlite"]


def _held() -> list[str]:
    """What this process has open, where the system tells."""
    folder = Path("/proc/self/fd")
    return [str(entry.readlink()) for entry in folder.iterdir() if entry.is_symlink()] if folder.exists() else []


@pytest.mark.usefixtures("_in_place")
class TestWorkspace:
    @pytest.mark.parametrize("engine", ENGINES)
    def test_a_second_run_parses_nothing_and_finds_the_same(self, root: Path, engine: str) -> None:
        first = run(root, engine=engine)
        second = run(root, engine=engine)
        without = run(root, engine=engine, refresh=False)
        assert second[0] is not None
        assert second[0].parsed == 0
        assert first[1] == second[1] == without[1]
        assert without[0] is None

    @pytest.mark.parametrize("engine", ENGINES)
    def test_after_edits_it_finds_what_a_fresh_index_finds(self, root: Path, folder: Path, engine: str) -> None:
        run(root, engine=engine)
        write_tree(root, {"src/retry.py": "def retry_later(request):\n    return request\n", "src/new.py": "retry()\n"})
        (root / "README.md").unlink()
        edited = run(root, engine=engine)[1]
        shutil.rmtree(folder)
        assert run(root, engine=engine)[1] == edited

    def test_equal_trees_in_two_folders_give_equal_results(self, root: Path, tmp_path: Path) -> None:
        write_tree(tmp_path / "elsewhere" / "root", dict(reversed(FILES.items())))
        assert [[(one.path, one.lines, one.score, one.reasons) for one in found] for found in run(root)[1]] == [
            [(one.path, one.lines, one.score, one.reasons) for one in found]
            for found in run(tmp_path / "elsewhere" / "root")[1]
        ]

    def test_a_run_that_is_killed_is_ended_by_the_next(self, root: Path, folder: Path) -> None:
        write_tree(root, {f"many/{number:03}.py": f"def retry_{number}():\n    pass\n" for number in range(BATCH + 9)})

        def kill(_: str, done: int, __: int) -> None:
            if done == BATCH:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(root, progress=kill)
        coverage, found = run(root)
        assert coverage is not None
        assert coverage.parsed == 9 + len(FILES)
        shutil.rmtree(folder)
        assert run(root)[1] == found

    def test_an_empty_root_is_searched_in_vain(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        assert run(tmp_path / "empty")[1] == [()] * len(QUESTIONS)

    def test_everything_kept_is_private_whatever_the_umask(self, root: Path, folder: Path) -> None:
        before = os.umask(0)
        try:
            run(root)
        finally:
            os.umask(before)
        assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
        assert {stat.S_IMODE(level.stat().st_mode) for level in (folder, *folder.parents[:2])} == {0o700}

    def test_a_source_that_is_moved_to_env_leaves_no_trace_in_the_cache(self, root: Path, folder: Path) -> None:
        canary = "canary_9c1f"
        write_tree(root, {"keys.py": f"def {canary}():\n    return 1\n"})
        run(root)

        def traces() -> list[str]:
            return [file.name for file in folder.iterdir() if canary.encode() in file.read_bytes()]

        assert sorted(traces()) == ["corpus.bin", "index.sqlite"]  # the names of symbols are in both
        (folder / f"{DATABASE}.damaged").write_text(canary)
        (folder / "vectors-other-engine.bin").write_text(canary)
        names = set(os.listdir(folder))
        (root / "keys.py").rename(root / ".env")
        run(root)
        assert traces() == []
        assert not any(b"keys.py" in file.read_bytes() for file in folder.iterdir())
        assert set(os.listdir(folder)) == names - {f"{DATABASE}.damaged", "vectors-other-engine.bin"}

    def test_what_a_killed_run_was_writing_is_removed(self, root: Path, folder: Path) -> None:
        run(root)
        (folder / f"{TEMPORARY}x").write_text("half")
        os.utime(folder / f"{TEMPORARY}x", (1, 1))
        run(root)
        assert not (folder / f"{TEMPORARY}x").exists()


def test_two_processes_that_refresh_at_once_are_both_right(root: Path, folder: Path) -> None:
    write_tree(root, {f"many/{number:03}.py": f"def retry_{number}():\n    pass\n" for number in range(150)})
    command = [sys.executable, "-m", "toolrag", "search", "retry", "--root", str(root), "--json"]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    results = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert [err for _, err in results] == [b""] * 3
    assert len({out for out, _ in results}) == 1
    assert not (folder / f"{DATABASE}.damaged").exists()
    assert subprocess.run(command, capture_output=True, check=True).stdout == results[0][0]


def test_the_vector_index_is_the_one_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert app.vector_engine("exact", 4)(10**6).engine == "exact"
    monkeypatch.setattr(app, "find_spec", lambda _: None)
    assert app.vector_engine("auto", 4)(10**6).engine == "exact"
    with pytest.raises(ConfigError, match=r"hnswlib is not installed.*index\.vectors"):
        app.vector_engine("hnsw", 4)


def test_a_root_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="missing"), app.open_place(str(tmp_path / "missing"), Settings()):
        pass


def test_what_could_not_be_parsed_is_not_said_to_be_searched(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parse process does not start: nothing is found, and that is not the whole tree's answer."""

    class NoProcess(InPlace):
        async def parse(self, text: str, language: str) -> Analysis:
            return without_symbols(NOT_STARTED if text and language else "")

    async def complete() -> bool:
        with app.open_place(str(root), Settings()) as place:
            async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
                return (await workspace.retriever.search("retry", 10, Scope())).searched.complete

    monkeypatch.setattr(app, "ParseProcess", InPlace)
    assert asyncio.run(complete())
    shutil.rmtree(index_dir(str(root)))
    monkeypatch.setattr(app, "ParseProcess", NoProcess)
    assert not asyncio.run(complete())
