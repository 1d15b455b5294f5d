"""What a user's file and an editor say, put together; and what is logged where."""

from __future__ import annotations

import logging

import pytest
from toolrag.config import Settings
from toolrag.lsp import log_lines
from toolrag.lsp.settings import section, settings_of

FILE = {"deny": ["*.key"], "read": {"max_lines": 50, "max_bytes": 9_000}}


@pytest.mark.parametrize(
    ("editor", "max_lines", "max_bytes", "deny"),
    [
        pytest.param({}, 50, 9_000, ("*.key",), id="the file alone"),
        pytest.param({"read": {"maxLines": 60}}, 60, 9_000, ("*.key",), id="the editor's wins, in its spelling"),
        pytest.param({"read": {"max_lines": 60}}, 60, 9_000, ("*.key",), id="or in the file's"),
        pytest.param({"read": {"maxLines": None}, "deny": None}, 50, 9_000, ("*.key",), id="null is unset"),
        pytest.param({"deny": ["*.pem"]}, 50, 9_000, ("*.key", "*.pem"), id="what the file denies stays denied"),
        pytest.param({"deny": []}, 50, 9_000, ("*.key",), id="whatever an editor says"),
    ],
)
def test_settings(editor: dict[str, object], max_lines: int, max_bytes: int, deny: tuple[str, ...]) -> None:
    settings, problems = settings_of(FILE, editor)
    assert problems == []
    assert (settings.read.max_lines, settings.read.max_bytes, settings.deny) == (max_lines, max_bytes, deny)


@pytest.mark.parametrize(
    ("editor", "problem"),
    [
        ({"read": {"maxLines": "x"}}, "read.max_lines must be a whole number above 0, not 'x'."),
        ({"read": 3}, "read must be a section"),
        ({"deny": "*.pem"}, "deny must be a list of globs"),
        ({"deny": [3]}, "deny must be a list of globs"),
        ({"raed": {"maxLines": 3}}, "Unknown setting raed. Did you mean read?"),
        ({"model": "openai:x"}, "model is not taken from an editor."),
        ({"openai": {"baseUrl": "http://x"}}, "openai.base_url is not taken from an editor."),
        ({"budget": {"tokens": 60_001}}, "budget.tokens is only lowered by an editor."),
        ({"budget": {"toolCalls": 25}}, "budget.tool_calls is only lowered by an editor."),
        ({"journal": {"maxBytes": 1}}, "journal.max_bytes is not taken from an editor, which may only turn"),
        ({"journal": {"maxDays": 1}}, "journal.max_days is not taken from an editor, which may only turn"),
    ],
)
def test_a_setting_that_is_wrong_is_named_and_leaves_what_the_file_says(
    editor: dict[str, object], problem: str
) -> None:
    settings, problems = settings_of(FILE, editor)
    assert settings == settings_of(FILE, {})[0]
    (said,) = problems
    assert said.startswith(problem)


@pytest.mark.parametrize("editor", [{"journal": True}, {"journal": {"enabled": True}}])
def test_journals_that_the_user_wants_none_of_stay_off(editor: dict[str, object]) -> None:
    settings, problems = settings_of({"journal": False}, editor)
    assert not settings.journal.enabled
    assert len(problems) == 1


def test_an_editor_may_spend_less_than_the_file_allows_and_turn_journals_off() -> None:
    settings, problems = settings_of({"budget": {"turns": 20}}, {"budget": {"turns": 12}, "journal": False})
    assert (settings.budget.turns, settings.journal.enabled, problems) == (12, False, [])


def test_a_file_that_is_wrong_is_named_too() -> None:
    settings, problems = settings_of({"read": 3}, {"read": {"maxLines": 7}})
    assert settings.read.max_lines == 7
    assert problems == []
    assert settings_of({"read": 3}, {})[0] == Settings()
    assert len(settings_of({"read": 3}, {})[1]) == 1


@pytest.mark.parametrize(
    ("value", "part"),
    [({"toolrag": {"a": 1}}, {"a": 1}), ({"a": 1}, {"a": 1}), ({"toolrag": None}, {}), (None, {}), ([], {}), ("x", {})],
)
def test_the_editor_s_section(value: object, part: object) -> None:
    assert section(value) == part


def test_pygls_which_logs_bodies_is_kept_quiet_whatever_is_logged_otherwise(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    pygls = logging.getLogger("pygls.protocol.json_rpc")
    assert pygls.isEnabledFor(logging.INFO)
    with log_lines.to_stderr():
        assert not pygls.isEnabledFor(logging.INFO)
        assert pygls.isEnabledFor(logging.WARNING)
    assert pygls.isEnabledFor(logging.INFO)
