"""What is learned of a model outlives the run, privately; a file in doubt is a miss, and never an error."""

from __future__ import annotations

import json
import logging
import os
import stat
from pathlib import Path

import pytest
from toolrag.adapters.capabilities import FILE, KEPT_DAYS, MAX_BYTES, Capabilities, capabilities_file

KEY = "openai http://localhost:11434/v1 qwen3"
DAY = 86_400.0


def test_what_one_run_learned_the_next_one_knows(tmp_path: Path) -> None:
    Capabilities(tmp_path / "toolrag" / FILE).learn(KEY, choice="any")

    assert Capabilities(tmp_path / "toolrag" / FILE).get(KEY) == {"choice": "any"}


def test_a_model_that_nothing_was_learned_of_has_no_facts(tmp_path: Path) -> None:
    assert Capabilities(tmp_path / FILE).get(KEY) == {}
    assert list(tmp_path.iterdir()) == []


def test_facts_add_up_and_the_newest_counts(tmp_path: Path) -> None:
    capabilities = Capabilities(tmp_path / FILE)
    capabilities.learn(KEY, choice="any", stream=False)
    capabilities.learn(KEY, choice="auto")

    assert capabilities.get(KEY) == {"choice": "auto", "stream": False}
    assert Capabilities(tmp_path / FILE).get(KEY) == {"choice": "auto", "stream": False}


def test_two_processes_keep_what_the_other_learned(tmp_path: Path) -> None:
    one, other = Capabilities(tmp_path / FILE), Capabilities(tmp_path / FILE)
    assert (one.get("a"), other.get("b")) == ({}, {})
    one.learn("a", choice="any")
    other.learn("b", choice="auto")

    assert {key: Capabilities(tmp_path / FILE).get(key) for key in "ab"} == {
        "a": {"choice": "any"},
        "b": {"choice": "auto"},
    }


def test_folder_and_file_are_the_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "toolrag" / FILE
    Capabilities(path).learn(KEY, choice="any")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == [FILE]


def test_a_folder_that_others_may_enter_is_closed_to_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    Capabilities(tmp_path / FILE).learn(KEY, choice="any")

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"a": ', id="cut"),
        pytest.param(b"\xff\xfe\x00", id="no text"),
        pytest.param(b"[1]", id="no object"),
        pytest.param(json.dumps({KEY: "any"}).encode(), id="an entry that is no object"),
        pytest.param(json.dumps({KEY: {"day": 1, "facts": ["any"]}}).encode(), id="facts that are no object"),
        pytest.param(json.dumps({KEY: {"day": "1", "facts": {}}}).encode(), id="a day that is no number"),
        pytest.param(b"[" * 100_000, id="deeper than the parser goes"),
        pytest.param(b" " * MAX_BYTES + b"{}", id="too large"),
    ],
)
def test_a_file_in_doubt_is_a_miss_and_is_written_anew(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / FILE
    path.write_bytes(data)
    path.chmod(0o600)

    assert Capabilities(path).get(KEY) == {}
    Capabilities(path).learn(KEY, choice="any")
    assert Capabilities(path).get(KEY) == {"choice": "any"}


def test_a_link_a_pipe_and_a_file_that_others_may_write_are_misses(tmp_path: Path) -> None:
    path = tmp_path / FILE
    Capabilities(path).learn(KEY, choice="any")
    os.symlink(path, tmp_path / "link")
    os.mkfifo(tmp_path / "pipe", 0o600)

    assert Capabilities(tmp_path / "link").get(KEY) == {}
    assert Capabilities(tmp_path / "pipe").get(KEY) == {}
    path.chmod(0o606)
    assert Capabilities(path).get(KEY) == {}


def test_where_nothing_can_be_written_a_run_knows_what_it_learned_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state").write_text("no folder")
    capabilities = Capabilities(tmp_path / "state" / FILE)
    with caplog.at_level(logging.WARNING):
        capabilities.learn(KEY, choice="any")
        capabilities.learn(KEY, stream=False)

    assert capabilities.get(KEY) == {"choice": "any", "stream": False}
    assert len(caplog.records) == 1
    assert "kept for this run" in caplog.text


def test_without_a_file_facts_are_kept_in_memory() -> None:
    capabilities = Capabilities(None)
    capabilities.learn(KEY, choice="any")

    assert capabilities.get(KEY) == {"choice": "any"}


def test_what_was_learned_long_ago_is_tried_again(tmp_path: Path) -> None:
    Capabilities(tmp_path / FILE, lambda: 100 * DAY).learn(KEY, choice="auto")

    assert Capabilities(tmp_path / FILE, lambda: (100 + KEPT_DAYS) * DAY).get(KEY) == {"choice": "auto"}
    later = Capabilities(tmp_path / FILE, lambda: (101 + KEPT_DAYS) * DAY)
    assert later.get(KEY) == {}
    later.learn(KEY, stream=False)
    assert later.get(KEY) == {"stream": False}


def test_the_file_is_kept_where_the_system_keeps_a_users_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    assert capabilities_file() == tmp_path / "toolrag" / FILE


def test_a_state_folder_that_is_not_absolute_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_state_dir", lambda *_, **__: "state")

    assert capabilities_file() is None
