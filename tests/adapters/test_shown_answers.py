"""Answers that are kept for an editor to show: read-only, private, few, and for a week."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from toolrag.adapters.names import file_uri
from toolrag.adapters.shown_answers import MAX_SECONDS, MOST, forget, is_kept, keep
from toolrag.errors import ConfigError

NOW = 2_000_000_000.0


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "toolrag" / "answers"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_answer_is_read_only_and_private(cache: Path) -> None:
    path = keep("0" * 16, "# a\ud800\n", [], NOW)
    assert path == cache / f"{'0' * 16}.md"
    assert (path.read_text("utf-8"), mode(path), mode(cache)) == ("# a\\ud800\n", 0o400, 0o700)
    assert keep("0" * 16, "# b\n", [], NOW).read_text("utf-8") == "# b\n"
    assert len(list(cache.iterdir())) == 1


def test_a_link_in_its_place_is_replaced_and_not_followed(cache: Path, tmp_path: Path) -> None:
    keep("a", "", [], NOW)
    other = tmp_path / "other"
    other.write_text("mine")
    (cache / "b.md").symlink_to(other)
    assert not keep("b", "x", [], NOW).is_symlink()
    assert (other.read_text(), mode(other) & 0o200) == ("mine", 0o200)


def test_old_ones_go_and_the_oldest_of_too_many(cache: Path) -> None:
    for n in range(MOST + 3):
        keep(f"{n:03}", "x", [], NOW + n)
    assert sorted(path.stem for path in cache.iterdir()) == [f"{n:03}" for n in range(3, MOST + 3)]
    keep("later", "x", [], NOW + MAX_SECONDS + 10.5)
    assert sorted(path.stem for path in cache.iterdir()) == [*(f"{n:03}" for n in range(11, MOST + 3)), "later"]


def test_it_lies_in_no_folder_that_is_indexed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="lies inside the workspace"):
        keep("a", "x", [str(tmp_path)], NOW)
    assert not (tmp_path / "cache").exists()


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_where_it_cannot_be_written_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match="cannot be used"):
        keep("a", "x", [], NOW)


def test_a_kept_answer_is_known_by_its_uri(tmp_path: Path) -> None:
    assert is_kept(file_uri(str(keep("a", "x", [], NOW))))
    assert not is_kept(file_uri(str(tmp_path / "a.md")))
    assert not is_kept("untitled:a")


def test_all_are_forgotten_together(cache: Path) -> None:
    forget()
    keep("a", "x", [], NOW)
    keep("b", "x", [], NOW)
    forget()
    assert list(cache.iterdir()) == []
