"""The model of a user's choice. Names adapters, like `app`.

A provider's library is imported when its model is asked for, and not before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from toolrag.answer.extractive import MODEL
from toolrag.config import MODEL_NAMES, Settings, is_model
from toolrag.errors import ConfigError
from toolrag.ports import ChatModel

Converse = Callable[[Mapping[str, object]], Awaitable[object]]
"""One turn of the editor's own model (PROTOCOL section 3, `toolrag/converse`). Raises ModelError."""


def chat_model(name: str, settings: Settings, converse: Converse | None = None) -> ChatModel:
    """The model of this name. Raises ConfigError for one that cannot be used here."""
    if not is_model(name) or name == MODEL:
        raise ConfigError(f"{name!r} is no model. A model is {MODEL_NAMES}.")
    from toolrag.adapters.deadline import WithDeadline

    provider, _, model = name.partition(":")
    if provider == "editor":
        if converse is None:
            raise ConfigError("The model editor is the editor's own: it can be chosen there, not on a command line.")
        from toolrag.adapters.editor_model import EditorModel

        return WithDeadline(EditorModel(converse))
    from toolrag.adapters.capabilities import Capabilities, capabilities_file

    learned = Capabilities(capabilities_file())
    if provider == "bedrock":
        from toolrag.adapters.bedrock import BedrockModel

        return WithDeadline(BedrockModel(model, settings.bedrock, learned))
    from toolrag.adapters.openai_chat import OpenAIModel

    return WithDeadline(OpenAIModel(model, settings.openai, learned))
