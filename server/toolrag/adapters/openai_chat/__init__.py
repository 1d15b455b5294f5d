"""Servers that speak OpenAI's chat completions, as a ChatModel. No other package knows httpx.

Absent on purpose: calls that a model prints as text are not looked for, since any file it read can hold such a text,
and the older `function_call`.
"""

from __future__ import annotations

from toolrag.adapters.openai_chat.model import OpenAIModel

__all__ = ["OpenAIModel"]
