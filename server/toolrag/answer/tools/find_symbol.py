"""`find_symbol`: where a name is defined, by the index. Pure; awaits ports."""

from __future__ import annotations

from typing import Final

from toolrag.answer.tools.arguments import Arguments
from toolrag.answer.tools.desk import Desk, Done
from toolrag.answer.tools.schemas import spec, text

SPEC: Final = spec(
    "find_symbol",
    "Find where a function, class, method or constant of exactly this name is defined. Gives hints without bodies, as "
    "search_code does: read them with read_range.",
    {"name": text("For example send, or Session.send.")},
    {},
)


async def find_symbol(desk: Desk, arguments: Arguments) -> Done:
    """Raises BadArgumentsError."""
    name = arguments.query("name", desk.limits.max_query).strip()
    limit = desk.limits.max_hints
    found = await desk.retriever.definitions(name, limit + 1, desk.scope)
    desk.reader.expect(found[:limit])
    told: dict[str, object] = {"hints": await desk.hints(found[:limit])}
    if len(found) > limit:
        told["more"] = f"There are more than {limit}; give a longer name, such as Class.{name}."
    if not found:
        told["message"] = "No symbol has this name; search_code finds by words, and grep by text."
    return Done(told)
