"""Models for the stand-in: one that follows a script, and one that reads before it answers, as a good one does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from bedrock_standin.replies import Say, Step, Text, Use
from bedrock_standin.rules import all_blocks

Request = Mapping[str, Any]


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
    """Calls the tool until one of its results is no error, and then answers, in words or by a call.

    Without that tool it calls the first one that it has. `arguments` and `answer` are given the request, whose texts
    `said_to` has, and whose results `results_of`.
    """
    numbers = itertools.count(1)

    def brain(request: Request) -> Step:
        names = tool_names(request)
        good = [one for one in all_blocks(request, "toolResult") if one.get("status") != "error"]
        if good or not names:
            said = answer(request)
            return Say((Text(said),) if isinstance(said, str) else (said,))
        name = tool if tool in names else names[0]
        return Say((Text("I look first."), Use(name, arguments(request), f"tooluse_{next(numbers)}")))

    return brain


def tool_names(request: Request) -> list[str]:
    return [one["toolSpec"]["name"] for one in request.get("toolConfig", {}).get("tools", ())]


def said_to(request: Request) -> str:
    """Every text of the user's messages, results left out."""
    users = [message for message in request["messages"] if message["role"] == "user"]
    return "\n".join(block["text"] for message in users for block in message["content"] if "text" in block)


def results_of(request: Request) -> list[str]:
    """The texts of all results, oldest first."""
    return [one["text"] for result in all_blocks(request, "toolResult") for one in result["content"] if "text" in one]
