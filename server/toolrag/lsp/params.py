"""What toolrag's own requests take (PROTOCOL section 3), out of a client's JSON. Pure; functions raise ParamsError.

Unknown members are passed over and nothing is renamed. `editor_params` has LSP's own methods.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from toolrag.config import Budget
from toolrag.lsp.members import Members, ParamsError
from toolrag.ports import Scope
from toolrag.text import LineRange, Position

Token = int | str

MAX_QUESTION: Final = 20_000
"""Characters of a question or query. A pasted file is no question, and reading one would hold up everyone else."""

_MAX_CANDIDATES: Final = 100

_RUN: Final = re.compile(r"[0-9a-f]{16}")
_BUDGET_WIRE: Final = {"toolCalls": "tool_calls"}


@dataclass(frozen=True, slots=True)
class Ask:
    """`toolrag/ask`."""

    question: str
    uri: str | None = None
    selection: LineRange | None = None
    """Lines of the document `uri` that the selection touches; for an empty one the cursor's line."""
    scope: Scope = field(default_factory=Scope)
    model: str | None = None
    budget: Mapping[str, int] = field(default_factory=dict)
    """What the request wants to spend at most, by the names of `config.Budget`."""
    follows: str | None = None
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


@dataclass(frozen=True, slots=True)
class Explain:
    """`toolrag/explain`."""

    uri: str
    position: Position
    model: str | None
    work_done_token: Token | None
    partial_result_token: Token | None


@dataclass(frozen=True, slots=True)
class Search:
    """`toolrag/search`."""

    query: str
    limit: int
    scope: Scope


@dataclass(frozen=True, slots=True)
class ReadRange:
    """`toolrag/readRange`; lines as they were given, since what is wrong with their values is data."""

    path: str
    start: int
    end: int
    expect_sha: str | None


@dataclass(frozen=True, slots=True)
class Locate:
    """`toolrag/locate`."""

    citation: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Verify:
    """`toolrag/verify`: a text, or where it is None an answer."""

    text: str | None
    answer: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Replay:
    """`toolrag/replay`."""

    run: str
    """16 hex digits: never a path."""
    verify: bool


@dataclass(frozen=True, slots=True)
class Cited:
    """`toolrag/cited`: a citation of a recent answer."""

    answer_id: str
    id: str


def ask(given: object) -> Ask:
    """Params of `toolrag/ask`."""
    members = Members(given)
    document = members.optional_part("textDocument")
    selected = members.optional_part("selection")
    if selected is not None and document is None:
        raise ParamsError("selection needs textDocument, the document it is in.")
    return Ask(
        question=_asked(members, "question"),
        uri=None if document is None else document.word("uri"),
        selection=None if selected is None else _touched(*span(selected)),
        scope=_scope(members),
        model=members.optional_word("model"),
        budget=_budget(members.optional_part("budget")),
        follows=members.optional_word("follows"),
        work_done_token=members.token("workDoneToken"),
        partial_result_token=members.token("partialResultToken"),
    )


def explain(given: object) -> Explain:
    """Params of `toolrag/explain`."""
    members = Members(given)
    return Explain(
        members.part("textDocument").word("uri"),
        position(members.part("position")),
        members.optional_word("model"),
        members.token("workDoneToken"),
        members.token("partialResultToken"),
    )


def search(given: object) -> Search:
    """Params of `toolrag/search`."""
    members = Members(given)
    limit = members.optional_whole("limit", 1, _MAX_CANDIDATES)
    return Search(_asked(members, "query"), 10 if limit is None else limit, _scope(members))


def read_range(given: object) -> ReadRange:
    """Params of `toolrag/readRange`."""
    members = Members(given)
    sha = members.optional_word("expectSha")
    return ReadRange(members.word("path"), members.whole("start"), members.whole("end"), sha)


def locate(given: object) -> Locate:
    """Params of `toolrag/locate`; whether the object is a citation, a session says."""
    return Locate(Members(given).part("citation").given)


def verify(given: object) -> Verify:
    """Params of `toolrag/verify`."""
    members = Members(given)
    if members.has("text") == members.has("answer"):
        wanted = "Give text or answer, not both." if members.has("text") else "text or answer is missing."
        raise ParamsError(wanted)
    answer = members.optional_part("answer")
    return Verify(members.optional_word("text"), {} if answer is None else answer.given)


def replay(given: object) -> Replay:
    """Params of `toolrag/replay`; whether such a run is kept, a session says."""
    members = Members(given)
    run = members.word("run")
    if not _RUN.fullmatch(run):
        raise ParamsError("run must be an answer's id: 16 hex digits.")
    return Replay(run, members.optional_truth("verify") or False)


def cited(given: object) -> Cited:
    """Params of `toolrag/cited`."""
    members = Members(given)
    return Cited(members.word("answerId"), members.word("id"))


def nothing(given: object) -> None:
    """Params of a request that takes none, `toolrag/status`: absent, null or an object."""
    if given is not None:
        Members(given)


def span(members: Members) -> tuple[Position, Position]:
    """An LSP range, as it was given: a reversed one stays reversed."""
    return position(members.part("start")), position(members.part("end"))


def position(members: Members) -> Position:
    """An LSP position; whether there is such a place is for the text to say."""
    return Position(members.whole("line", 0), members.whole("character", 0))


def _asked(members: Members, key: str) -> str:
    text = members.word(key, MAX_QUESTION)
    if not text.strip():
        raise ParamsError(f"{members.name(key)} is empty; ask in your words, or the code's.")
    return text


def _scope(members: Members) -> Scope:
    scope = members.optional_part("scope")
    return Scope() if scope is None else Scope(scope.words("include"), scope.words("exclude"))


def _budget(members: Members | None) -> dict[str, int]:
    if members is None:
        return {}
    wire = {name: name for name in (part.name for part in fields(Budget))}
    for written, name in _BUDGET_WIRE.items():
        wire = {key: value for key, value in wire.items() if value != name} | {written: name}
    wanted = {name: members.optional_whole(written, 1) for written, name in wire.items()}
    return {name: value for name, value in wanted.items() if value is not None}


def _touched(first: Position, last: Position) -> LineRange:
    """The lines a selection touches, whichever way round it was made. One that ends at a line's start leaves it out."""
    start, end = sorted((first, last), key=lambda one: (one.line, one.character))
    leaves_out_last = end.character == 0 and end.line > start.line
    return LineRange(start.line, end.line + (0 if leaves_out_last else 1))
