"""Say in words what a statement does. Pure.

A clause holds the statement's own code in backticks and few words beside it, so that the naming rule can hold it
against the line. A statement no rule fits has no clause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from toolrag.answer.statements import Statement

CODE_CHARACTERS: Final = 72
"""Longer code is shortened at a token, with an ellipsis."""

ClauseKind = Literal["assign", "return", "raise", "yield", "call", "require"]

_SILENT: Final = re.compile(
    r"(?:async\s+)?(?:def|class|function|func|fn|import|from|pass|global|nonlocal|del|package|use)\b|@"
)
_ASSIGNED: Final = re.compile(
    r"(?P<target>[\w.\[\]'\", *()]+?)(?::\s*[^=]+?)?\s*(?P<mark>[-+*/|&%]|//|\*\*)?=(?!=)\s*(?P<value>.+)"
)
_CALLED: Final = re.compile(r"(?:await\s+)?(?P<name>[^\W\d][\w.]*)\(.*\)$")
_CONDITION: Final = re.compile(r"(?:(?:el)?if|elsif|else if)\b\s*\(?(?P<code>.+?)\)?$")
_LOOP: Final = re.compile(r"(?:async\s+)?for\s+(?P<each>.+?)\s+in\s+(?P<all>.+)$")
_TOKEN: Final = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True, slots=True)
class Clause:
    """What one statement does, as a verb phrase: ``sets `x` to `1` ``."""

    kind: ClauseKind
    text: str
    target: str = ""
    """What an assignment assigns."""


def code(text: str, limit: int = CODE_CHARACTERS) -> str:
    """Code in backticks, shortened at a token when it is long."""
    text = text.strip()
    if len(text) > limit:
        kept = ""
        for token in _TOKEN.findall(text):
            if len(kept) + len(token) > limit - 1:
                break
            kept += token
        # Between two arguments is a better place to stop than within one.
        comma = kept.rfind(", ")
        text = f"{kept[: comma + 1] if comma > limit // 3 else kept.rstrip()} …"
    mark = "``" if "`" in text else "`"
    return f"{mark}{text}{mark}"


def clause(statement: Statement) -> Clause | None:
    """What a statement does; None for one that only opens a block, declares, or is not understood."""
    text = statement.text
    if statement.is_comment or not text or _SILENT.match(text):
        return None
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    simple: dict[str, tuple[ClauseKind, str]] = {
        "return": ("return", "returns"),
        "raise": ("raise", "raises"),
        "throw": ("raise", "throws"),
        "yield": ("yield", "yields"),
        "assert": ("require", "requires"),
    }
    if word in simple:
        kind, verb = simple[word]
        if kind == "yield" and rest.startswith("from "):
            verb, rest = "yields each of", rest.removeprefix("from ")
        if word == "assert":
            rest = re.sub(r",\s*[rfbRFB]?[\"'].*$", "", rest)
        if kind == "raise":
            rest = rest.split(" from ")[0]
        return Clause(kind, f"{verb} {code(rest)}") if rest else None
    if re.match(r"(?:if|elif|else|for|while|with|try|except|finally|async|match|case|switch|catch)\b", text):
        return None
    assigned = _ASSIGNED.fullmatch(text)
    if assigned:
        target, value = assigned["target"].strip(), assigned["value"]
        if assigned["mark"]:
            return Clause("assign", f"updates {code(target)} by {code(value)}", target)
        return Clause("assign", f"sets {code(target)} to {code(value)}", target)
    if _CALLED.fullmatch(text):
        return Clause("call", f"calls {code(text.removeprefix('await '))}")
    return None


def circumstance(opener: Statement) -> str:
    """When the body of a block runs: ``when `x` ``; empty for an opener that says nothing of it."""
    text = opener.text
    if match := _CONDITION.fullmatch(text):
        return f"when {code(_balanced(match['code']))}"
    if match := _LOOP.fullmatch(text):
        return f"for each {code(match['each'])} in {code(match['all'])}"
    if match := re.fullmatch(r"while\s+(.+)", text):
        return f"as long as {code(match[1])}"
    if match := re.fullmatch(r"(?:except|catch)\s+(.+?)(?:\s+as\s+\w+)?", text):
        return f"on {code(match[1])}"
    return ""


def opener_of(body: Sequence[Statement], at: int) -> int | None:
    """The statement whose block holds the one at `at`; None at the top."""
    for other in range(at - 1, -1, -1):
        if not body[other].is_comment and body[other].indent < body[at].indent:
            return other
    return None


def children_of(body: Sequence[Statement], at: int) -> list[int]:
    """The statements directly inside the block that the one at `at` opens."""
    inside = []
    depth: int | None = None
    for other in range(at + 1, len(body)):
        if body[other].is_comment:
            continue
        if body[other].indent <= body[at].indent:
            break
        depth = body[other].indent if depth is None else depth
        if body[other].indent == depth:
            inside.append(other)
    return inside


def alternative_of(body: Sequence[Statement], at: int) -> int | None:
    """The `else` of the `if` at `at`, when nothing stands between their blocks."""
    for other in range(at + 1, len(body)):
        if body[other].is_comment or body[other].indent > body[at].indent:
            continue
        is_else = body[other].indent == body[at].indent and re.fullmatch(r"\}?\s*else", body[other].text)
        return other if is_else else None
    return None


def _balanced(text: str) -> str:
    """The condition without a bracket that only its language asks for, and with those it needs."""
    missing = text.count("(") - text.count(")")
    return text + ")" * max(missing, 0)
