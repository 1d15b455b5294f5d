"""`search_code`: where words of a question are, by the index. Pure; awaits ports."""

from __future__ import annotations

from typing import Final

from toolrag.answer.tools.arguments import Arguments
from toolrag.answer.tools.desk import Desk, Done
from toolrag.answer.tools.schemas import spec, text

SPEC: Final = spec(
    "search_code",
    "Find where code that fits a question may be, best first. Gives hints without bodies: path, lines, symbol, "
    "signature, sha. A hint is no evidence: read it with read_range before you say anything of it.",
    {"query": text("A question or words of the code, for example: retry after a timeout")},
    {},
)


async def search_code(desk: Desk, arguments: Arguments) -> Done:
    """Raises BadArgumentsError."""
    query = arguments.query("query", desk.limits.max_query)
    # Passages of one symbol are one hint.
    found = await desk.retriever.search(query, 2 * desk.limits.max_hints, desk.scope)
    desk.reader.expect(found.candidates)
    searched = found.searched
    told: dict[str, object] = {"hints": await desk.hints(found.candidates), "files_searched": searched.files}
    if not searched.complete:
        told["incomplete"] = "Files still wait to be indexed; what is missing here may be in them."
    if searched.missing:
        told["words_in_no_file"] = list(searched.missing)
    if not found.candidates:
        told["message"] = "Nothing was found; try other words, or grep for a text."
    return Done(told)
