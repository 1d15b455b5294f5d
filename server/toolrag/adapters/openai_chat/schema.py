"""A call had as JSON: the schema that a server holds a reply to, and the call that this becomes. Pure.

For servers that ignore or refuse to force a call. Where candidates are known, the first read can name nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolrag.chat import Hint, ToolSpec, Turn

READ: Final = "read_range"
"""The tool whose arguments hints can fill."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The call that a reply has to be."""

    tool: ToolSpec
    schema: Mapping[str, object]
    strict: bool
    """Whether the schema is of the kind that OpenAI's `strict` takes: every property required, and no others."""

    @property
    def request(self) -> str:
        """What the model is told beside the schema."""
        return (
            f"Now call the tool {self.tool.name}: answer with one JSON object, its arguments, and nothing else. "
            f"{self.tool.description}"
        )


def wanted(turn: Turn) -> Wanted | None:
    """The call that a turn is to have; None where it need not have one, or there is no tool.

    A turn that may call any tool is given `read_range`, if it is there: only that makes evidence.
    """
    if turn.choice not in ("any", "tool") or not turn.tools:
        return None
    name = turn.tool if turn.choice == "tool" else READ
    tool = next((tool for tool in turn.tools if tool.name == name), turn.tools[0])
    if tool.name == READ and turn.hints:
        return Wanted(tool, _reading(turn.hints, tool), strict=True)
    return Wanted(tool, tool.parameters, strict=False)


def _reading(hints: tuple[Hint, ...], tool: ToolSpec) -> Mapping[str, object]:
    """`read_range` of one of the hints' files, at any of its lines."""
    properties: dict[str, object] = {
        "path": {"type": "string", "enum": list(dict.fromkeys(hint.path for hint in hints))},
        "start": {"type": "integer"},
        "end": {"type": "integer"},
    }
    known = tool.parameters.get("properties")
    if isinstance(known, Mapping) and "expect_sha" in known:
        properties["expect_sha"] = {"type": "string", "enum": list(dict.fromkeys(hint.sha for hint in hints))}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def arguments_of(text: str, hints: tuple[Hint, ...]) -> Mapping[str, object] | None:
    """The arguments that a reply is; None where it is no JSON object, so that the server holds it to no schema.

    A schema cannot tie a sha to its path in the way all servers take: one of another file is left out.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    of_path = [hint.sha for hint in hints if hint.path == found.get("path")]
    if of_path and found.get("expect_sha") not in of_path:
        found.pop("expect_sha", None)
    return found
