"""Settings: safe defaults, and for every mistake a sentence that names it and leaves the default in place."""

from __future__ import annotations

import pytest
from toolrag.config import Budget, Settings, is_model, parse_settings


def test_nothing_given_is_the_defaults() -> None:
    assert parse_settings({}) == (Settings(), [])


def test_what_is_given_is_taken() -> None:
    settings, problems = parse_settings(
        {
            "deny": ["private/**"],
            "read": {"max_lines": 10},
            "budget": {"seconds": 5},
            "index": {"vectors": "exact", "max_file_bytes": 5},
            "model": "bedrock:eu.anthropic.claude-x",
            "bedrock": {"region": "eu-west-1", "prompt_caching": True, "thinking_tokens": 0},
            "openai": {"base_url": "http://localhost:11434/v1"},
            "journal": False,
            "hover": False,
            "diagnostics": True,
        }
    )
    assert problems == []
    assert (settings.model, settings.bedrock.region, settings.bedrock.prompt_caching) == (
        "bedrock:eu.anthropic.claude-x",
        "eu-west-1",
        True,
    )
    assert settings.openai.base_url == "http://localhost:11434/v1"
    assert (settings.journal.enabled, settings.journal.max_days) == (False, 14)
    assert (settings.hover, Settings().hover) == (False, True)
    assert (settings.diagnostics, Settings().diagnostics) == (True, False)
    assert settings.deny == ("private/**",)
    assert (settings.read.max_lines, settings.read.max_bytes) == (10, 24_000)
    assert (settings.budget.seconds, settings.budget.turns) == (5, 8)
    assert (settings.index.vectors, settings.index.max_file_bytes, settings.index.parse_seconds) == ("exact", 5, 10)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"deny": "private/**"}, 'deny must be a list of globs, such as ["private/**"].'),
        ({"deny": ["a", 1]}, 'deny must be a list of globs, such as ["private/**"].'),
        ({"read": 3}, "read must be a section: write [read] above its settings."),
        ({"read": {"max_lines": 0}}, "read.max_lines must be a whole number above 0, not 0."),
        ({"read": {"max_lines": -1}}, "read.max_lines must be a whole number above 0, not -1."),
        ({"read": {"max_lines": True}}, "read.max_lines must be a whole number above 0, not True."),
        ({"read": {"max_lines": 1.5}}, "read.max_lines must be a whole number above 0, not 1.5."),
        ({"budget": {"seconds": "90"}}, "budget.seconds must be a whole number above 0, not '90'."),
        ({"journal": {"enabled": 1}}, "journal.enabled must be true or false, not 1."),
        ({"hover": "no"}, "hover must be true or false, not 'no'."),
        ({"diagnostics": 1}, "diagnostics must be true or false, not 1."),
        ({"bedrock": {"thinking_tokens": -1}}, "bedrock.thinking_tokens must be a whole number, not -1."),
        ({"openai": {"api_key": 5}}, "openai.api_key must be a text in quotes."),
        (
            {"model": "gpt"},
            'model must be "extractive", "bedrock:" and a model id, "openai:" and a model, or "editor", not \'gpt\'.',
        ),
        ({"index": {"vectors": "faiss"}}, 'index.vectors must be "auto", "hnsw" or "exact", not \'faiss\'.'),
        ({"index": {"vectors": ["hnsw"]}}, 'index.vectors must be "auto", "hnsw" or "exact", not [\'hnsw\'].'),
        ({"read": {"max_line": 3}}, "Unknown setting read.max_line. Did you mean read.max_lines?"),
        ({"dney": []}, "Unknown setting dney. Did you mean deny?"),
        ({"max_lines": 3}, "Unknown setting max_lines. Did you mean read.max_lines?"),
        ({"read.max_lines": 3}, "Unknown setting read.max_lines. Did you mean read.max_lines?"),
        (
            {"zzz": 3},
            "Unknown setting zzz. There are: model, read, budget, index, cache, bedrock, openai, journal, hover, diagnostics, deny.",
        ),
        (
            {"index": {"zzz": 3}},
            "Unknown setting index.zzz. There are: index.max_file_bytes, index.max_files, "
            "index.max_line_characters, index.parse_seconds, "
            "index.vectors.",
        ),
    ],
)
def test_a_mistake_is_named_and_keeps_the_default(given: dict[str, object], sentence: str) -> None:
    assert parse_settings(given) == (Settings(), [sentence])


def test_a_mistake_takes_nothing_else_with_it() -> None:
    settings, problems = parse_settings({"read": {"max_lines": "x", "max_bytes": 7}, "nope": 1, "deny": ["a"]})
    assert len(problems) == 2
    assert (settings.read.max_lines, settings.read.max_bytes, settings.deny) == (400, 7, ("a",))


@pytest.mark.parametrize(
    ("name", "can_be"),
    [
        ("extractive", True),
        ("editor", True),
        ("bedrock:anthropic.claude-sonnet-5", True),
        ("openai:qwen3:8b", True),
        ("openai:", False),
        ("bedrock: ", False),
        ("bedrock", False),
        ("extractive:x", False),
        ("", False),
    ],
)
def test_what_a_model_can_be_called(name: str, can_be: bool) -> None:
    assert is_model(name) == can_be


def test_a_request_lowers_the_user_s_budget_and_never_raises_it() -> None:
    user = Budget(turns=20, seconds=10)
    assert user.lowered({}) == user
    assert user.lowered({"seconds": 3, "turns": 99}) == Budget(turns=20, seconds=3)
