"""The models of the stand-in, and what each takes. Some have ids that nobody can know: those have to be learned."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelCard:
    """What a model takes beside what every model does."""

    choices: frozenset[str] = frozenset({"tool", "any", "auto"})
    stream: bool = True
    """Whether it streams while it has tools."""
    sampling: bool = True
    """Whether it takes temperature and topP."""
    thinking: frozenset[str] = frozenset()
    """The types of `thinking` that it takes."""
    caching: bool = False
    status: bool = True
    mixed: bool = True
    """Whether texts may stand beside tool results and calls."""
    reasoning: bool = True
    """Whether it takes its reasoning back."""
    max_characters: int = 400_000


_AUTO = frozenset({"auto"})
_PLAIN = ModelCard(choices=_AUTO, stream=False, status=False, mixed=False)

CARDS = {
    # Amazon's "Supported models and model features", and what users report of these models (see `rules`).
    "anthropic.claude-sonnet-4-5-20250929-v1:0": ModelCard(thinking=frozenset({"enabled"}), caching=True),
    "anthropic.claude-opus-5": ModelCard(sampling=False, thinking=frozenset({"adaptive"}), caching=True),
    "us.anthropic.claude-sonnet-5-5": ModelCard(
        choices=_AUTO, sampling=False, thinking=frozenset({"adaptive"}), caching=True
    ),
    "mistral.mistral-large-2407-v1:0": ModelCard(choices=frozenset({"any", "auto"}), status=False),
    "us.meta.llama4-maverick-17b-instruct-v1:0": _PLAIN,
    "amazon.nova-pro-v1:0": ModelCard(),
    # Of no known family.
    "example.forced-v1": ModelCard(),
    "example.any-only-v1": ModelCard(choices=frozenset({"any", "auto"})),
    "example.auto-only-v1": ModelCard(choices=_AUTO),
    "example.no-streaming-v1": ModelCard(stream=False),
    "example.plain-v1": _PLAIN,
    "example.thinking-v1": ModelCard(thinking=frozenset({"enabled"}), caching=True),
    "example.forgets-reasoning-v1": ModelCard(reasoning=False),
    "example.small-v1": ModelCard(max_characters=2_000),
}
