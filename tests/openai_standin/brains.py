"""Models for the stand-in: one that follows a script, and one that reads before it answers, as a good one does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

from openai_standin.replies import Call, Say, Step
from openai_standin.rules import functions_of

Request = Mapping[str, Any]


def following(*script: Step) -> Callable[[Request], Step]:
    """One step a request; asked once more it says so, which no test expects."""
    steps = iter(script)

    def brain(_request: Request) -> Step:
        return next(steps, Say("The script has no more."))

    return brain


def reads_then_answers(
    arguments: Callable[[Request], Mapping[str, Any]],
    answer: Callable[[Request], str | Call],
    tool: str = "read_range",
) -> Callable[[Request], Step]:
    """Calls the tool until one of its results is no error, and then answers, in words or by a call.

    Without that tool it calls the first one that it has. Held to a schema it says the arguments. A server that does not
    obey a choice has a model that never calls: it answers.
    """
    numbers = itertools.count(1)

    def brain(request: Request) -> Step:
        if request.get("response_format"):
            return Say(json.dumps(arguments(request)))
        names = tool_names(request)
        if any("error" not in json.loads(result) for result in results_of(request)) or not names:
            said = answer(request)
            return Say(said) if isinstance(said, str) else Say("", (said,))
        name = tool if tool in names else names[0]
        return Say("I look first.", (Call(name, arguments(request), f"call_{next(numbers)}"),))

    return brain


def tool_names(request: Request) -> list[str]:
    return [function["name"] for function in functions_of(request)]


def said_to(request: Request) -> str:
    """Every text of the user's messages."""
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "user")


def results_of(request: Request) -> list[str]:
    """The texts of all results, oldest first."""
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]
