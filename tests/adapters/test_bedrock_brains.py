"""The ready-made models of the stand-in, as whole conversations through our client."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from bedrock_standin import CARDS, Say, Standin, Text, Use, following, reads_then_answers, results_of, said_to
from chat_model_factories import aws_environment
from toolrag.adapters.bedrock import BedrockModel
from toolrag.adapters.capabilities import Capabilities
from toolrag.chat import Reply, Said, ToolResult, ToolSpec, Turn
from toolrag.config import BedrockSettings

READ = ToolSpec("read_range", "Reads lines.", {"type": "object", "properties": {"path": {"type": "string"}}})
GREP = ToolSpec("grep", "Finds lines.", {"type": "object", "properties": {}})
TURN = Turn("Be exact.", (Said("Where is it? Try b.py."),), (GREP, READ), "any", seconds=30.0)


async def whole(model: BedrockModel, turn: Turn) -> Reply:
    pieces = [piece async for piece in model.reply(turn)]
    assert isinstance(pieces[-1], Reply)
    return pieces[-1]


@pytest.mark.parametrize("model_id", [name for name in CARDS if name != "example.small-v1"])
def test_every_card_reads_again_after_an_error_and_then_answers(model_id: str, tmp_path: Path) -> None:
    """Whatever a model takes, thinking and caching asked for or not, no request of a whole run is refused for good."""
    brain = reads_then_answers(
        lambda request: {"path": "b.py" if "b.py" in said_to(request) and results_of(request) else "a.py"},
        lambda request: f"It is in {json.loads(results_of(request)[-1])['path']}.",
    )

    async def run(model: BedrockModel) -> list[Reply]:
        replies: list[Reply] = []
        turn = TURN
        while not replies or replies[-1].calls:
            replies.append(await whole(model, turn))
            results = tuple(
                ToolResult(call.id, json.dumps({"error": "not_found"} if wrong else call.arguments), wrong)
                for call in replies[-1].calls
                for wrong in [call.arguments == {"path": "a.py"}]
            )
            turn = replace(turn, messages=(*turn.messages, replies[-1], Said("Go on.", results)))
        return replies

    with Standin(brain, tmp_path) as service, aws_environment(service):
        for settings in (BedrockSettings(), BedrockSettings(prompt_caching=True, thinking_tokens=1_024)):
            replies = asyncio.run(run(BedrockModel(model_id, settings, Capabilities(None))))

            assert replies[-1].text == "It is in b.py."
    assert service.taken


def test_a_brain_without_the_tool_it_wants_calls_the_first_one(tmp_path: Path) -> None:
    brain = reads_then_answers(lambda _: {}, lambda _: Use("answer", {"text": "Here."}))
    with Standin(brain, tmp_path) as service, aws_environment(service):
        model = BedrockModel("example.forced-v1", BedrockSettings(), Capabilities(None))

        assert asyncio.run(whole(model, replace(TURN, tools=(GREP,)))).calls[0].name == "grep"
        assert asyncio.run(whole(model, replace(TURN, tools=(), choice="answer"))).calls[0].name == "answer"


def test_a_delay_is_one_and_no_failure(tmp_path: Path) -> None:
    with Standin(following(Say((Text("Late."),), delay=0.3)), tmp_path) as service, aws_environment(service):
        model = BedrockModel("example.forced-v1", BedrockSettings(), Capabilities(None))

        assert asyncio.run(whole(model, TURN)).text == "Late."
        assert time.monotonic() - service.taken[0].at >= 0.3
