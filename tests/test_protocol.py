"""server/PROTOCOL.md says what the code does: codes, members, budgets and commands are held against it."""

from __future__ import annotations

import argparse
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

from toolrag import cli
from toolrag.answer import wire
from toolrag.answer.types import Anchor, Answer, Callers, Citation, Claim, Outcome, Reason, ReasonCode, Standing, Usage
from toolrag.answer.verify import EXTRACTIVE_MAX_LINES, MAX_LINES
from toolrag.config import Budget, ReadLimits
from toolrag.errors import ReadErrorCode
from toolrag.ports import Candidate, Searched
from toolrag.text import Form, LineRange, Text, TextSnapshot

PROTOCOL = (Path(__file__).parents[1] / "server" / "PROTOCOL.md").read_text("utf-8")


def section(number: int) -> str:
    """The text of one numbered section."""
    return PROTOCOL.partition(f"\n## {number}. ")[2].partition("\n## ")[0]


def members(name: str) -> tuple[set[str], set[str]]:
    """Members of a shape in section 2, required and optional."""
    listed = re.search(rf"^{name} *\{{([^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*)\}}", section(2), re.MULTILINE)
    assert listed, name
    # Members of members are not told apart here.
    flat = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", listed[1])
    names = [found[0] for part in flat.split(",") if (found := re.match(r"\s*\w+\??", part))]
    names = [name.strip() for name in names]
    return {name for name in names if not name.endswith("?")}, {name[:-1] for name in names if name.endswith("?")}


def sample() -> dict[str, object]:
    """An answer with every optional member that has been built."""
    snapshot = TextSnapshot("file:///r/a.py", "r", "a.py", Text("x = 1\n"), Form(), "0" * 40, "buffer", version=3)
    lines = LineRange(0, 1)
    return wire.answer(
        Answer(
            id="0123456789abcdef",
            question="what is x?",
            outcome="partial",
            reason=Reason("nothing_found", "…"),
            model="extractive",
            claims=(Claim("c1", "`x` is `1`.", ("r1",)),),
            citations=(Citation("r1", snapshot, lines, "f" * 64, Anchor((), ("a" * 12,), 1), "x", "verified"),),
            candidates=(
                Candidate("file:///r/a.py", "r", "a.py", "0" * 40, "python", None, None, lines, "", 1.0, 1.0, ()),
            ),
            searched=Searched(1, 0, True, ("x",)),
            usage=Usage(),
            callers=Callers("x", 0, 0, True),
            journal="0123456789abcdef",
        )
    )


def test_error_codes() -> None:
    """Every code of ReadError is in section 1's list, and the list names no other."""
    listed = section(1).partition("Codes:")[2]
    codes = {code for code in re.findall(r"`([a-z_]+)`(?= \(| ·|\.)", listed) if code != "expect_sha"}
    assert codes == set(get_args(ReadErrorCode))


def test_shapes_have_the_members_listed() -> None:
    """What the wire sends has every required member, and no member that is not listed."""
    answer = sample()
    (claim,), (citation,), (candidate,) = answer["claims"], answer["citations"], answer["candidates"]
    sent = {
        "Answer": answer,
        "Claim": claim,
        "Citation": citation,
        "anchor": citation["anchor"],
        "Candidate": candidate,
        "searched": answer["searched"],
        "usage": answer["usage"],
        "callers": answer["callers"],
        "reason": answer["reason"],
    }
    for name, value in sent.items():
        required, optional = members(name)
        if name == "reason":
            assert set(value) == {"code", "message"}
            continue
        assert required <= set(value) <= required | optional, name


def test_reasons_standings_and_outcomes() -> None:
    """Each value that can be sent is named in section 2 or above it."""
    for value in (*get_args(ReasonCode), *get_args(Standing), *get_args(Outcome)):
        assert value in PROTOCOL


def test_budget_and_limits() -> None:
    """Defaults are the numbers of the document."""
    budget = re.search(r"^budget +\{([^}]*)\}", section(2), re.MULTILINE)
    assert budget
    listed = {name: int(value) for name, value in re.findall(r"(\w+): (\d+)", budget[1])}
    names = {"toolCalls": "tool_calls"}
    assert {names.get(name, name): value for name, value in listed.items()} == {
        field.name: getattr(Budget(), field.name) for field in fields(Budget)
    }
    limits = ReadLimits()
    assert f"over {limits.max_lines} lines or {limits.max_bytes:,} bytes" in section(1)
    assert limits.max_file_bytes == 8 * 1024 * 1024
    assert f"at most {MAX_LINES} lines (extractive: {EXTRACTIVE_MAX_LINES})" in section(2)


def test_commands_that_are_built_are_named_as_built() -> None:
    """The commands the parser knows are those the document calls built, and each is in its table."""
    (subparsers,) = [action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction)]
    built = set(re.findall(r"`([a-z]+)`", PROTOCOL.partition("of section 4\n")[2].partition(". Not built yet")[0]))
    assert set(subparsers.choices) == built
    for command in subparsers.choices:
        assert f"| `toolrag {command}" in section(4)
