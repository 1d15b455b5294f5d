"""A stand-in for servers that speak OpenAI's chat completions: real sockets, and refusals as such servers make them.

    with Standin(following(Say("Hello.")), OPENAI) as service:
        run(["toolrag", "ask", "--model", "openai:example-model", …], env={**env, **service.environment()})
    assert service.refused == []

A brain gets the request and gives a Say, an HttpError or a Silence; the profile says how the server treats it. Nothing
here knows the client that is tested, nor imports it.
"""

from openai_standin.brains import following, reads_then_answers, results_of, said_to, tool_names
from openai_standin.profiles import (
    ALTERNATES,
    AUTO_SILENTLY,
    IGNORES_CHOICE,
    NO_SCHEMA,
    NO_STREAM_OPTIONS,
    NO_TOOLS,
    OPENAI,
    REASONING,
    REFUSES_OBJECTS,
    WITHOUT_STREAMING,
    Profile,
)
from openai_standin.replies import Call, HttpError, Say, Silence, Step
from openai_standin.rules import RefusedError
from openai_standin.server import Brain, Seen, Standin

__all__ = [
    "ALTERNATES",
    "AUTO_SILENTLY",
    "IGNORES_CHOICE",
    "NO_SCHEMA",
    "NO_STREAM_OPTIONS",
    "NO_TOOLS",
    "OPENAI",
    "REASONING",
    "REFUSES_OBJECTS",
    "WITHOUT_STREAMING",
    "Brain",
    "Call",
    "HttpError",
    "Profile",
    "RefusedError",
    "Say",
    "Seen",
    "Silence",
    "Standin",
    "Step",
    "following",
    "reads_then_answers",
    "results_of",
    "said_to",
    "tool_names",
]
