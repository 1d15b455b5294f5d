"""`find_references`: where a name is called, by the index. Pure; awaits ports."""

from __future__ import annotations

from typing import Final

from toolrag.answer.tools.arguments import Arguments
from toolrag.answer.tools.desk import Desk, Done
from toolrag.answer.tools.schemas import spec, text

SPEC: Final = spec(
    "find_references",
    "Find the places where a name is called, examples and tests last: path, line, and the symbol around it. By name "
    "only: another thing of the same name counts too. Read a place with read_range before you say anything of it.",
    {"name": text("For example send, or Session.send, of which the last part counts.")},
    {},
)


async def find_references(desk: Desk, arguments: Arguments) -> Done:
    """Raises BadArgumentsError."""
    name = arguments.query("name", desk.limits.max_query).strip()
    limit = desk.limits.max_places
    found = await desk.retriever.references(name, limit + 1, desk.scope)
    told: dict[str, object] = {
        "places": [
            {
                "path": await desk.name_of(place.uri, place.root, place.path),
                "line": place.line + 1,
                "inside": place.span.qualified_name if place.span else "",
                "sha": place.sha,
            }
            for place in found[:limit]
        ]
    }
    if len(found) > limit:
        told["more"] = f"There are more than these {limit}."
    if not found:
        told["message"] = "Nothing calls this name as far as the index knows; grep finds other mentions."
    return Done(told)
