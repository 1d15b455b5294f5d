"""Say in words what a statement does. Pure.

A clause holds the statement's own code in backticks and few words beside it, so that the naming rule can hold it
against the line. A statement no rule fits has no clause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from toolrag.answer import prose
from toolrag.answer.statements import Statement, masked

CODE_CHARACTERS: Final = 72
"""Longer code is shortened at a token, with an ellipsis."""

ClauseKind = Literal["assign", "return", "raise", "yield", "call", "require"]

# Each of these reads the outer form of a statement (`statements.masked`), where strings and brackets are blank.
_SILENT: Final = re.compile(
    r"(?:async\s+)?(?:def|class|function|func|fn|import|from|pass|global|nonlocal|del|package|use)\b(?!\s*=|[.(\[:,])|@"
    r"|type\s+\w"
)
_OPENS: Final = re.compile(r"(?:if|elif|else|for|while|with|try|except|finally|async)\b")
_OPENS_SOMEWHERE: Final = re.compile(r"(?:match|case|switch|catch)\b")
"""Openers in some languages, and names in others: `match = pattern.search(text)`."""
_VERB: Final = re.compile(r"(?P<word>return|raise|throw|yield|assert)(?:\s+|(?=\())(?P<rest>.+)")
_ASSIGNMENT: Final = re.compile(
    r"(?P<target>[^=]*?[\w\])\s])(?P<mark>//|\*\*|<<|>>|[-+*/|&%@^])?=(?!=)\s*(?P<value>.+)"
)
_CHAINED: Final = re.compile(r"(?<![=!<>:])=(?!=)")
"""Another assignment in what is assigned."""
_PLACE: Final = r"\*?(?:[^\W\d]\w*|[(\[]\0*[)\]])(?:\.\w+|[(\[]\0*[)\]])*"
_PLACES: Final = re.compile(rf"{_PLACE}(?:\s*,\s*{_PLACE})*,?")
_CALL: Final = re.compile(r"(?:await\s+)?[^\W\d][\w.]*(?:\(\0*\)|\[\0*\]|\.\w+)*\(\0*\)")
_CONDITION: Final = re.compile(r"(?:(?:el)?if|elsif|else if)\b\s*(?P<code>.+)")
_LOOP: Final = re.compile(r"(?:async\s+)?for\s+(?P<each>.+?)\s+in\s+(?P<all>.+)")
_WHILE: Final = re.compile(r"while\b\s*(?P<code>.+)")
_CASE: Final = re.compile(r"case\s+(?P<code>.+)")
_EXCEPT: Final = re.compile(r"(?:except|catch)\b\*?\s*(?P<code>.+?)(?:\s+as\s+\w+)?")
_LITERAL: Final = r"(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
_LITERALS: Final = re.compile(rf"{_LITERAL}(?:\s+[fFrRbBuU]{{0,2}}{_LITERAL})*")
_TOKEN: Final = re.compile(r"\w+|\s+|[-+*/%=<>!&|^]+|.")


@dataclass(frozen=True, slots=True)
class Clause:
    """What one statement does, as a verb phrase: ``sets `x` to `1` ``."""

    kind: ClauseKind
    text: str
    target: str = ""
    """What an assignment assigns."""
    value: str = ""
    """What it assigns to it."""


def code(text: str, limit: int = CODE_CHARACTERS) -> str:
    """Code in backticks, shortened at a token when it is long."""
    text = _LITERALS.sub(_as_one_literal, text.strip())
    if len(text) > limit:
        kept = ""
        for token in _TOKEN.findall(text):
            if len(kept) + len(token) > limit - 1:
                break
            kept += token
        # Between two arguments is a better place to stop than within one.
        comma = kept.rfind(", ")
        text = f"{kept[: comma + 1] if comma > limit // 3 else kept.rstrip()} …"
    return prose.code(text)


def _as_one_literal(found: re.Match[str]) -> str:
    """String literals side by side, which are one string, as one; where their quotes differ they stay apart."""
    pieces: list[str] = re.findall(rf"[fFrRbBuU]{{0,2}}({_LITERAL})", found[0])
    if len(pieces) < 2 or len({piece[0] for piece in pieces}) > 1:
        return str(found[0])
    return pieces[0][0] + "".join(piece[1:-1] for piece in pieces) + pieces[0][0]


def clause(statement: Statement) -> Clause | None:
    """What a statement does; None for one that only opens a block, declares, or is not understood."""
    text = statement.text
    outer = masked(text)
    if statement.is_comment or not text or ";" in outer or _SILENT.match(outer):
        return None
    if match := _VERB.fullmatch(outer):
        return _said(match["word"], text[match.start("rest") :], outer[match.start("rest") :])
    if _OPENS.match(outer):
        return None
    if match := _ASSIGNMENT.fullmatch(outer):
        place = match["target"].partition(":")[0].rstrip()  # what follows is its type
        if _PLACES.fullmatch(place):
            target, value = text[: len(place)], text[match.start("value") :]
            if _CHAINED.search(match["value"]):
                return None
            if match["mark"]:
                change = f"{match['mark']}= {value}"
                return Clause("assign", f"updates {code(target)} with {code(change)}", target)
            return Clause("assign", f"sets {code(target)} to {code(value)}", target, value)
    if _CALL.fullmatch(outer) and not _OPENS_SOMEWHERE.match(outer):
        return Clause("call", f"calls {code(text.removeprefix('await '))}")
    return None


def declares(statement: Statement) -> bool:
    """Whether a statement opens a function or class, or declares something: what is below it runs elsewhere."""
    return _SILENT.match(masked(statement.text)) is not None


def circumstance(opener: Statement) -> str:
    """When the body of a block runs: ``when `x` ``; empty for an opener that says nothing of it."""
    text = opener.text
    outer = masked(text)
    if match := _CONDITION.fullmatch(outer):
        return f"when {code(_unbracketed(text, match))}"
    if match := _LOOP.fullmatch(outer):
        return f"for each {code(text[slice(*match.span('each'))])} in {code(text[slice(*match.span('all'))])}"
    if match := _WHILE.fullmatch(outer):
        always = match["code"] in ("True", "true", "1")
        return "" if always else f"as long as {code(_unbracketed(text, match))}"
    if match := _EXCEPT.fullmatch(outer):
        return f"on {code(_unbracketed(text, match))}"
    if (match := _CASE.fullmatch(outer)) and match["code"] != "_":
        return f"in the case {code(text[slice(*match.span('code'))])}"
    return ""


def _said(word: str, text: str, outer: str) -> Clause | None:
    """What a statement that begins with a verb of its language does with the rest of it."""
    if word == "return":
        return Clause("return", f"returns {code(text)}")
    if word == "yield":
        each = text.removeprefix("from ")
        return Clause("yield", f"yields {'each of ' if each != text else ''}{code(each)}")
    if word == "assert":
        return Clause("require", f"requires {code(text[: len(outer.partition(',')[0])])}")
    cause = len(outer.partition(" from ")[0])
    return Clause("raise", f"{word}s {code(text[:cause])}")


def _unbracketed(text: str, match: re.Match[str]) -> str:
    """The `code` of a match without brackets around all of it, which only some languages ask for."""
    found = text[slice(*match.span("code"))]
    return found[1:-1] if re.fullmatch(r"\(\0*\)", match["code"]) else found
