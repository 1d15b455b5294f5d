"""toolrag's requests as `workspace/executeCommand` forms, for editors without custom requests. Pure.

The first argument is an object with the request's params. What is simple may be given one by one:
`toolrag.ask` with `["where are retries configured?"]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolrag.lsp.editor_params import Command
from toolrag.lsp.members import ParamsError

COMMANDS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "toolrag.ask": ("toolrag/ask", ("question",)),
    "toolrag.explain": ("toolrag/explain", ("textDocument", "position", "model")),
    "toolrag.search": ("toolrag/search", ("query", "limit")),
    "toolrag.readRange": ("toolrag/readRange", ("path", "start", "end", "expectSha")),
    "toolrag.locate": ("toolrag/locate", ()),
    "toolrag.verify": ("toolrag/verify", ("text",)),
    "toolrag.replay": ("toolrag/replay", ("run", "verify")),
    "toolrag.status": ("toolrag/status", ()),
    "toolrag.reindex": ("toolrag/reindex", ()),
    "toolrag.clearJournals": ("toolrag/clearJournals", ()),
    "toolrag.cited": ("toolrag/cited", ("answerId", "id")),
}
"""Each command with the request it stands for, and that request's params that may be given one by one."""


def request_of(command: Command) -> tuple[str, object]:
    """The request a command stands for, and its params, not yet checked. Raises ParamsError."""
    if command.name not in COMMANDS:
        raise ParamsError(f"command must be one of {', '.join(COMMANDS)}.")
    method, names = COMMANDS[command.name]
    given = command.arguments
    if len(given) == 1 and isinstance(given[0], Mapping):
        params = dict(given[0])
    elif len(given) <= len(names):
        params = dict(zip(names, given, strict=False))
    else:
        listed = f", or {', '.join(names)}" if names else ""
        raise ParamsError(f"arguments must be one object with the params of {method}{listed}.")
    if command.work_done_token is not None:
        params.setdefault("workDoneToken", command.work_done_token)
    return method, params
