"""The cache folder: private, ours, outside the root, and rid of what a killed run left."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
from toolrag.adapters.cache_dir import (
    LEFTOVER_SECONDS,
    TEMPORARY,
    cache_home,
    clear_derived,
    clear_leftovers,
    clear_unused,
    index_dir,
    make_private,
    private_index_dir,
)
from toolrag.config import CacheLimits
from toolrag.errors import ConfigError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "toolrag"


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_two_names_of_a_root_have_one_folder_and_two_roots_two(home: Path) -> None:
    assert cache_home() == home
    assert index_dir("/a") == index_dir("/a") != index_dir("/b")
    assert index_dir("/a").parent == home / "index"
    assert index_dir("/a\udcff").is_absolute()
    assert not home.exists()


@pytest.mark.usefixtures("_open_umask")
def test_every_folder_that_is_made_is_private_whatever_the_umask(home: Path) -> None:
    folder = private_index_dir("/some/root")
    assert [mode(level) for level in (folder, folder.parent, home, home.parent)] == [0o700] * 4
    assert private_index_dir("/some/root") == folder


@pytest.mark.parametrize("level", ["", "index", "index/x"])
def test_a_folder_that_others_may_read_is_made_private(home: Path, level: str) -> None:
    (home / "index" / "x").mkdir(parents=True)
    (home / level).chmod(0o777)
    make_private(home / "index" / "x")
    assert mode(home / level) == 0o700


@pytest.mark.parametrize("level", ["", "index", "index/x"])
def test_a_link_in_its_place_is_refused(home: Path, tmp_path: Path, level: str) -> None:
    (tmp_path / "planted" / "index" / "x").mkdir(parents=True)
    link = home / level if level else home
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "planted")
    with pytest.raises(ConfigError, match="is not a folder"):
        make_private(home / "index" / "x")


def test_a_file_in_its_place_is_refused(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "index").write_text("")
    with pytest.raises(ConfigError, match=r"index is not a folder\. Remove it"):
        make_private(home / "index" / "x")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no owners here")
def test_a_folder_of_another_user_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "index" / "x").mkdir(parents=True)
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    with pytest.raises(ConfigError, match="belongs to another user"):
        make_private(home / "index" / "x")


def test_a_place_that_cannot_be_made_is_named_with_what_to_do(home: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ConfigError, match="XDG_CACHE_HOME"):
        make_private(home / "index" / "x")


def test_a_cache_inside_the_root_is_refused_also_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository must not be able to bring an index."""
    root = tmp_path / "root"
    root.mkdir()
    for place in (root, root / ".cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        with pytest.raises(ConfigError, match="lies inside the root"):
            private_index_dir(str(root))
    (tmp_path / "link").symlink_to(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    with pytest.raises(ConfigError, match="lies inside the root"):
        private_index_dir(str(root))
    assert os.listdir(root) == []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "root-beside"))
    private_index_dir(str(root))


def test_a_relative_cache_folder_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It would lie wherever the command is run: in a repository. Older versions of platformdirs give one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: ".cache/toolrag")
    with pytest.raises(ConfigError, match="is not absolute"):
        private_index_dir("/some/root")
    assert os.listdir(tmp_path) == []


def test_what_a_killed_run_was_writing_goes_when_it_is_old(tmp_path: Path) -> None:
    for name in (f"{TEMPORARY}old", f"{TEMPORARY}new", "corpus.bin"):
        (tmp_path / name).write_text("x")
    (tmp_path / f"{TEMPORARY}folder").mkdir()
    (tmp_path / f"{TEMPORARY}folder" / "graph").write_text("x")
    now = (tmp_path / "corpus.bin").stat().st_mtime
    for name in (f"{TEMPORARY}old", f"{TEMPORARY}folder", "corpus.bin"):
        os.utime(tmp_path / name, (now - LEFTOVER_SECONDS - 1,) * 2)
    clear_leftovers(tmp_path, now)
    assert sorted(os.listdir(tmp_path)) == [f"{TEMPORARY}new", "corpus.bin"]


def test_everything_but_the_database_can_be_dropped(tmp_path: Path) -> None:
    kept = ["index.sqlite", "index.sqlite-shm", "index.sqlite-wal"]
    for name in (*kept, "corpus.bin", "vectors-hnsw-1.bin", "index.sqlite.damaged", f"{TEMPORARY}x"):
        (tmp_path / name).write_text("x")
    clear_derived(tmp_path)
    assert sorted(os.listdir(tmp_path)) == kept


def test_without_any_home_the_cache_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system knows neither HOME nor the user: a sentence says what to set."""

    def no_home(*_: object, **__: object) -> str:
        raise RuntimeError

    monkeypatch.setattr(platformdirs, "user_cache_dir", no_home)
    with pytest.raises(ConfigError, match="Set HOME or XDG_CACHE_HOME"):
        private_index_dir("/some/root")


class TestCollection:
    """Other roots' caches go when nobody has used them for long, or when all together are too many."""

    NOW = 10_000_000.0

    @pytest.fixture
    def own(self, tmp_path: Path) -> Path:
        return self.cache(tmp_path / "own", self.NOW)

    def cache(self, folder: Path, used: float, size: int = 1_000) -> Path:
        folder.mkdir()
        (folder / "index.sqlite").write_bytes(bytes(size))
        clear_unused(folder, CacheLimits(), used)
        (folder.parent / "collected").unlink(missing_ok=True)
        return folder

    def left(self, own: Path) -> set[str]:
        return {folder.name for folder in own.parent.iterdir() if folder.is_dir()}

    def test_one_that_was_not_used_for_the_days_goes(self, own: Path) -> None:
        self.cache(own.parent / "old", self.NOW - 31 * 86_400)
        self.cache(own.parent / "newer", self.NOW - 29 * 86_400)
        clear_unused(own, CacheLimits(max_days=30), self.NOW)
        assert self.left(own) == {"own", "newer"}

    def test_over_the_cap_the_one_not_used_for_longest_goes_first(self, own: Path) -> None:
        for days in (2, 3, 4):
            self.cache(own.parent / f"{days}", self.NOW - days * 86_400)
        clear_unused(own, CacheLimits(max_bytes=3_000), self.NOW)
        assert self.left(own) == {"own", "2", "3"}

    def test_one_that_may_be_in_use_stays_whatever_the_cap(self, own: Path) -> None:
        self.cache(own.parent / "today", self.NOW - 3_600, size=9_000)
        clear_unused(own, CacheLimits(max_bytes=1), self.NOW)
        assert self.left(own) == {"own", "today"}

    def test_it_looks_once_an_hour(self, own: Path) -> None:
        clear_unused(own, CacheLimits(), self.NOW)
        (own.parent / "old").mkdir()
        os.utime(own.parent / "old", (1, 1))
        clear_unused(own, CacheLimits(), self.NOW + 3_599)
        assert self.left(own) == {"own", "old"}
        clear_unused(own, CacheLimits(), self.NOW + 3_600)
        assert self.left(own) == {"own"}
