"""`toolrag ask --model …`, the installed command against stand-ins of the services, over real connections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bedrock_standin as bedrock
import openai_standin as openai
import openai_standin.server as openai_server
import pytest
from toolrag.config import Budget

from e2e.conftest import Run, Shell

QUESTION = "what does discounted_price raise?"
CLAIM = '`discounted_price` raises `ValueError("a discount is a share of the price")`'
READ = {"path": "shop/pricing.py", "start": 6, "end": 13}
CITED = f"{CLAIM} [e1:6-12]."
CALL = bedrock.Say((bedrock.Use("read_range", READ),))
SAY = bedrock.Say((bedrock.Text(CITED),))


PROFILES = (
    openai.OPENAI,
    openai.IGNORES_CHOICE,
    openai.AUTO_SILENTLY,
    openai.REFUSES_OBJECTS,
    openai.NO_STREAM_OPTIONS,
    openai.REASONING,
    openai.WITHOUT_STREAMING,
)


def ask(shell: Shell, model: str, environment: dict[str, str], *more: str) -> tuple[Run, dict[str, Any]]:
    run = shell("ask", "--model", model, "--json", *more, QUESTION, environment=environment)
    return run, json.loads(run.out) if run.out else {}


def settings(shell: Shell, text: str) -> None:
    shell.settings.parent.mkdir(parents=True, exist_ok=True)
    shell.settings.write_text(text)


def assert_verified(run: Run, answer: dict[str, Any], model: str) -> None:
    assert (run.code, answer["outcome"], answer["model"]) == (0, "answered", model), run.err
    assert [one["text"] for one in answer["claims"]] == [f"{CLAIM}."]
    (citation,) = answer["citations"]
    assert (citation["path"], citation["lines"], citation["standing"], citation["symbol"]) == (
        "shop/pricing.py",
        {"start": 6, "end": 12},
        "verified",
        "discounted_price",
    )
    assert answer["usage"]["reads"] == 1


class TestBedrock:
    @pytest.mark.parametrize(
        "card",
        [
            "example.forced-v1",
            "example.any-only-v1",
            "example.auto-only-v1",
            "example.no-streaming-v1",
            "example.plain-v1",
            "example.thinking-v1",
            "mistral.mistral-large-2407-v1:0",
            "us.anthropic.claude-sonnet-5-5",
        ],
    )
    def test_every_kind_of_model_ends_in_a_verified_answer(self, shell: Shell, tmp_path: Path, card: str) -> None:
        brain = bedrock.reads_then_answers(lambda _: READ, lambda _: CITED)
        with bedrock.Standin(brain, tmp_path) as service:
            run, answer = ask(shell, f"bedrock:{card}", service.environment())
            assert_verified(run, answer, f"bedrock:{card}")
            known = len(service.refused)
            ask(shell, f"bedrock:{card}", service.environment())
            assert len(service.refused) == known, "what was refused once is remembered"
            rules = [refusal.sentence for _, refusal in service.refused]
            assert [one for one in rules if "doesn't support" not in one and "same turn" not in one] == []

    @pytest.mark.parametrize(
        "fault",
        [
            pytest.param(bedrock.HttpError(429, "ThrottlingException", headers={"Retry-After": "0"}), id="a throttle"),
            pytest.param(bedrock.Say(SAY.blocks, breaks="cut"), id="a cut stream"),
            pytest.param(bedrock.Say(SAY.blocks, breaks="stall"), id="a stall"),
            pytest.param(bedrock.Say(SAY.blocks, breaks="no_stop"), id="a clean early end"),
            pytest.param(bedrock.Say(SAY.blocks, breaks="exception"), id="an exception in the stream"),
            pytest.param(bedrock.Say(SAY.blocks, breaks="bad_crc"), id="a wrong checksum"),
        ],
    )
    @pytest.mark.parametrize("times", [1, 99], ids=["once", "always"])
    def test_a_fault_ends_in_a_retry_or_a_clear_error(
        self, shell: Shell, tmp_path: Path, fault: bedrock.Step, times: int
    ) -> None:
        """Never a half answer, and never "not found"."""
        settings(shell, "[bedrock]\nread_seconds = 1\n")
        with bedrock.Standin(bedrock.following(CALL, *[fault] * times, SAY), tmp_path) as service:
            run, answer = ask(shell, "bedrock:example.forced-v1", service.environment())
            assert len(service.taken) <= Budget().turns
        if times == 1:
            assert_verified(run, answer, "bedrock:example.forced-v1")
            return
        assert (run.code, answer["outcome"], answer["claims"]) == (5, "notFound", [])
        assert answer["reason"]["code"] == "model_error"
        assert answer["reason"]["message"].endswith(".")

    def test_a_refusal_is_exit_code_5(self, shell: Shell, tmp_path: Path) -> None:
        refusal = bedrock.Say((bedrock.Text("No."),), stop="guardrail_intervened")
        with bedrock.Standin(bedrock.following(CALL, refusal), tmp_path) as service:
            run, answer = ask(shell, "bedrock:example.forced-v1", service.environment())
        assert (run.code, answer["reason"]["code"]) == (5, "model_refused")

    def test_without_credentials_it_says_what_to_set(self, shell: Shell, tmp_path: Path) -> None:
        with bedrock.Standin(bedrock.following(), tmp_path) as service:
            environment = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "")
            run, answer = ask(shell, "bedrock:example.forced-v1", service.environment() | environment)
        assert (run.code, answer["reason"]["code"]) == (5, "model_error")
        assert "credentials" in answer["reason"]["message"].lower()

    def test_a_denied_file_never_leaves(self, shell: Shell, tmp_path: Path) -> None:
        wanted = [bedrock.Use("read_range", {"path": path, "start": 1, "end": 1}, f"t{n}") for n, path in enumerate(
            (".env", "./.env", "shop/../.env", str(shell.folder / ".env"))
        )]  # fmt: skip
        calls = bedrock.Say((*wanted, bedrock.Use("grep", {"pattern": "hunter2"}, "t9")))
        with bedrock.Standin(bedrock.following(calls, CALL, SAY), tmp_path) as service:
            ask(shell, "bedrock:example.forced-v1", service.environment())
            assert "hunter2\\n" not in json.dumps([one.request for one in service.taken])
            assert "SECRET=" not in json.dumps([one.request for one in service.taken])
        kept = [path for path in shell.home.rglob("*") if path.is_file()]
        assert any(path.suffix == ".jsonl" for path in kept)
        assert [path for path in kept if b"SECRET=" in path.read_bytes()] == []

    def test_a_run_is_replayed_without_the_service(self, shell: Shell, tmp_path: Path) -> None:
        brain = bedrock.reads_then_answers(lambda _: READ, lambda _: CITED)
        with bedrock.Standin(brain, tmp_path) as service:
            _, answer = ask(shell, "bedrock:example.forced-v1", service.environment())
        run = shell("replay", answer["journal"], "--json")
        assert (run.code, json.loads(run.out)["reproduced"]) == (0, True)
        (shell.folder / "shop/pricing.py").write_text("nothing of that\n")
        run = shell("replay", answer["journal"], "--verify", "--json")
        assert [one["standing"] for one in json.loads(run.out)["citations"]] == ["gone"]


class TestOpenAI:
    @pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
    def test_every_kind_of_server_ends_in_a_verified_answer(self, shell: Shell, profile: openai.Profile) -> None:
        brain = openai.reads_then_answers(lambda _: READ, lambda _: CITED)
        with openai.Standin(brain, profile, key=openai_server.KEY) as service:
            run, answer = ask(shell, "openai:example-model", service.environment())
            assert service.broken == []
        assert_verified(run, answer, "openai:example-model")

    def test_the_settings_name_the_server_and_the_key(self, shell: Shell) -> None:
        brain = openai.reads_then_answers(lambda _: READ, lambda _: CITED)
        with openai.Standin(brain, key=openai_server.KEY) as service:
            settings(
                shell,
                'model = "openai:example-model"\n'
                f'[openai]\nbase_url = "{service.base_url}"\napi_key = "{openai_server.KEY}"\n',
            )
            run = shell("ask", "--json", QUESTION)
        assert_verified(run, json.loads(run.out), "openai:example-model")

    def test_a_server_that_is_not_there_is_a_clear_error(self, shell: Shell) -> None:
        settings(shell, "[budget]\nseconds = 2\n")
        run, answer = ask(shell, "openai:x", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
        assert (run.code, answer["reason"]["code"]) == (5, "model_error")
        assert "127.0.0.1:9" in answer["reason"]["message"]


def test_the_editor_s_model_is_for_editors(shell: Shell) -> None:
    run, _ = ask(shell, "editor", {})
    assert run.code == 2
    assert "can be chosen there" in run.err
