"""Models for the stand-in: one that follows a script, and one that reads before it answers, as a good one does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

from bedrock_standin.conversation_rules import Request, all_blocks
from bedrock_standin.replies import Say, Step, Text, Use


def following(*script: Step) -> Callable[[Request], Step]:
    """One step a request; asked once more, the test fails in the client, by a request that is not answered well."""
    steps = iter(script)

    def brain(_request: Request) -> Step:
        return next(steps, Say((Text("The script has no more."),), stop="malformed_model_output"))

    return brain


def reads_then_answers(
    arguments: Callable[[Request], Mapping[str, Any]],
    answer: Callable[[Request], str | Use],
    tool: str = "read_range",
) -> Callable[[Request], Step]:
    """Calls the tool until one of its results has no member `error`, and then answers, in words or by a call.

    Without that tool it calls the first one that it has. `arguments` and `answer` are given the request, whose texts
    `said_to` has, and whose results `results_of`.
    """
    numbers = itertools.count(1)

    def brain(request: Request) -> Step:
        names = tool_names(request)
        if not names or not all(_is_error(told) for told in results_of(request)):
            said = answer(request)
            return Say((Text(said),) if isinstance(said, str) else (said,))
        name = tool if tool in names else names[0]
        return Say((Text("I look first."), Use(name, arguments(request), f"tooluse_{next(numbers)}")))

    return brain


def tool_names(request: Request) -> list[str]:
    return [one["toolSpec"]["name"] for one in request.get("toolConfig", {}).get("tools", ())]


def said_to(request: Request) -> str:
    """Every text of the user's messages, also where it had to be told with the last result."""
    users = [message for message in request["messages"] if message["role"] == "user"]
    blocks = [block for message in users for block in message["content"]]
    return "\n".join(
        one["text"]
        for block in blocks
        for one in (block["toolResult"]["content"][1:] if "toolResult" in block else [block])
        if "text" in one
    )


def results_of(request: Request) -> list[str]:
    """What each result says, oldest first."""
    return [result["content"][0]["text"] for result in all_blocks(request, "toolResult")]


def _is_error(told: str) -> bool:
    found = json.loads(told)
    return isinstance(found, dict) and "error" in found
