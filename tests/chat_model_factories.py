"""Every ChatModel for the contract that all pass: what each is made of, from one script.

A provider's factory brings its stand-in, which says what the script says in the provider's own way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import bedrock_standin as bedrock
import openai_standin as openai
from editor_double import EditorClient
from model_double import Hold, Partly, ScriptedModel, Step
from toolrag.adapters.bedrock import BedrockModel
from toolrag.adapters.capabilities import Capabilities
from toolrag.adapters.editor_model import EditorModel
from toolrag.adapters.openai_chat import OpenAIModel
from toolrag.chat import Reply, Stop
from toolrag.config import BedrockSettings, OpenAISettings
from toolrag.errors import ModelError, ModelErrorCode
from toolrag.ports import ChatModel

SILENT_SECONDS = 0.4
"""The turn that a script's `timeout` answers has so many seconds."""


@dataclass(frozen=True)
class Rig:
    """A model, and what the other side of it saw."""

    model: ChatModel
    asked: Callable[[], int]
    """How many requests came."""
    left: Callable[[], bool]
    """Waits, for less than any timeout of the turn, for a request to be closed before its end; whether one was."""


Factory = Callable[[tuple[Step, ...], Path], AbstractContextManager[Rig]]


@contextmanager
def scripted(script: tuple[Step, ...], _folder: Path) -> Iterator[Rig]:
    model = ScriptedModel(*script)
    yield Rig(model, lambda: len(model.turns), lambda: model.closed > 0)


def bedrock_model(model_id: str) -> Factory:
    """A model of Bedrock whose id is unknown to us; nothing is known of it but by its refusals."""

    @contextmanager
    def factory(script: tuple[Step, ...], folder: Path) -> Iterator[Rig]:
        brain = bedrock.following(*(_bedrock_step(step) for step in script))
        with bedrock.Standin(brain, folder) as service, aws_environment(service):
            model = BedrockModel(model_id, BedrockSettings(), Capabilities(None))
            yield Rig(model, lambda: len(service.taken), lambda: any(seen.closed.wait(10) for seen in service.taken))
            refusals = [refusal.sentence for _, refusal in service.refused if "doesn't support" not in refusal.sentence]
            assert refusals == [], "the client broke a rule of the service"

    return factory


@contextmanager
def aws_environment(service: bedrock.Standin, **more: str) -> Iterator[None]:
    """The environment with what a client of the stand-in needs, and nothing else of AWS."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with mock.patch.dict(os.environ, {**kept, **service.environment(), **more}, clear=True):
        yield


_STOPS: dict[Stop, str] = {
    "end": "end_turn",
    "tool_use": "tool_use",
    "length": "max_tokens",
    "refused": "guardrail_intervened",
    "other": "malformed_model_output",
}
_FAULTS: dict[ModelErrorCode, bedrock.Step] = {
    "throttled": bedrock.HttpError(429, "ThrottlingException", headers={"Retry-After": "7"}),
    "unavailable": bedrock.HttpError(503, "ServiceUnavailableException"),
    "timeout": bedrock.Silence(),
    "cut": bedrock.Say((bedrock.Text("It"),), breaks="cut"),
    "too_long": bedrock.HttpError(400, "ValidationException", "Input is too long for requested model."),
    "bad_request": bedrock.HttpError(400, "ValidationException", "The request is wrong."),
    "not_allowed": bedrock.HttpError(403, "AccessDeniedException", "You don't have access to the model."),
    "not_configured": bedrock.HttpError(403, "UnrecognizedClientException", "The security token is invalid."),
}


def _bedrock_step(step: Step) -> bedrock.Step:
    if isinstance(step, ModelError):
        return _FAULTS[step.code]
    if isinstance(step, Partly):
        assert step.error.code == "cut"
        return bedrock.Say((bedrock.Text(step.text),), breaks="cut", after=4)
    if isinstance(step, Hold):
        return bedrock.Say((bedrock.Text(step.text),), breaks="stall", after=3) if step.text else bedrock.Silence()
    assert isinstance(step, Reply), "a function of a script has no events of Bedrock"
    uses = (
        bedrock.Use(call.name, call.arguments if isinstance(call.arguments, str) else dict(call.arguments), call.id)
        for call in step.calls
    )
    texts = (bedrock.Text(step.text),) if step.text else ()
    return bedrock.Say((*texts, *uses), _STOPS[step.stop], (step.input_tokens, step.output_tokens))


def openai_model(profile: openai.Profile) -> Factory:
    """A server of this kind, of which nothing is known but by its refusals."""

    @contextmanager
    def factory(script: tuple[Step, ...], _folder: Path) -> Iterator[Rig]:
        brain = openai.following(*(_openai_step(step) for step in script))
        with openai.Standin(brain, profile) as service:
            model = OpenAIModel("example-model", OpenAISettings(base_url=service.base_url), Capabilities(None))
            yield Rig(model, lambda: len(service.taken), lambda: any(seen.closed.wait(1) for seen in service.taken))
            assert service.broken == [], "the client broke a rule of the API"

    return factory


_FINISHES: dict[Stop, str] = {
    "end": "stop",
    "tool_use": "tool_calls",
    "length": "length",
    "refused": "content_filter",
    "other": "unheard_of",
}
_REFUSALS: dict[ModelErrorCode, openai.Step] = {
    "throttled": openai.HttpError(429, "Rate limit reached.", "requests", headers={"Retry-After": "7"}),
    "unavailable": openai.HttpError(503, "Loading model", "unavailable_error"),
    "timeout": openai.Silence(),
    "cut": openai.Say("It is", breaks="cut", after=2),
    "too_long": openai.HttpError(400, "This model's maximum context length is 8192.", code="context_length_exceeded"),
    "bad_request": openai.HttpError(400, "The request is wrong."),
    "not_allowed": openai.HttpError(404, "The model does not exist or you do not have access.", code="model_not_found"),
    "not_configured": openai.HttpError(401, "You didn't provide an API key.", code="invalid_api_key"),
}


def _openai_step(step: Step) -> openai.Step:
    if isinstance(step, ModelError):
        return _REFUSALS[step.code]
    if isinstance(step, Partly):
        assert step.error.code == "cut"
        return openai.Say(step.text, breaks="cut")
    if isinstance(step, Hold):
        return openai.Say(step.text, breaks="stall", after=2) if step.text else openai.Silence()
    assert isinstance(step, Reply), "a function of a script has no chunks"
    calls = tuple(
        openai.Call(call.name, call.arguments if isinstance(call.arguments, str) else dict(call.arguments), call.id)
        for call in step.calls
    )
    return openai.Say(step.text, calls, _FINISHES[step.stop], (step.input_tokens, step.output_tokens))


@contextmanager
def editor_model(script: tuple[Step, ...], _folder: Path) -> Iterator[Rig]:
    client = EditorClient(*script)
    yield Rig(EditorModel(client.converse), lambda: len(client.asked), lambda: client.cancelled > 0)
    assert client.broken == [], "what was asked is not what PROTOCOL has"


FACTORIES: dict[str, Factory] = {
    "scripted": scripted,
    "bedrock, forced": bedrock_model("example.forced-v1"),
    "bedrock, auto only": bedrock_model("example.auto-only-v1"),
    "bedrock, not streaming": bedrock_model("example.no-streaming-v1"),
    "openai, obeys": openai_model(openai.OPENAI),
    "openai, ignores tool_choice": openai_model(openai.IGNORES_CHOICE),
    "openai, refuses tool_choice objects": openai_model(openai.REFUSES_OBJECTS),
    "openai, not streaming": openai_model(openai.WITHOUT_STREAMING),
    "editor": editor_model,
}
WHOLE_AT_ONCE = frozenset({"bedrock, not streaming", "openai, not streaming", "editor"})
"""Those that say nothing before they have all of a reply."""
