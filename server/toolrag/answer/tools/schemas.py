"""The schemas by which a model is told of the tools' arguments. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from toolrag.chat import ToolSpec


def spec(name: str, description: str, required: Mapping[str, object], optional: Mapping[str, object]) -> ToolSpec:
    """A tool that takes these properties and no others."""
    return ToolSpec(
        name,
        description,
        {
            "type": "object",
            "properties": {**required, **optional},
            "required": list(required),
            "additionalProperties": False,
        },
    )


def text(description: str) -> dict[str, object]:
    """The schema of a text."""
    return {"type": "string", "description": description}


def number(description: str) -> dict[str, object]:
    """The schema of a whole number."""
    return {"type": "integer", "description": description}


def flag(description: str) -> dict[str, object]:
    """The schema of true or false."""
    return {"type": "boolean", "description": description}
