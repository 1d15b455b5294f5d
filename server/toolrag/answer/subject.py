"""Whether a claim that says what a definition does cites lines of that definition. Pure.

A call of `take` holds the name too, and says nothing of what `take` returns. Whose doing a claim speaks of is known by
what stands beside a name: a verb behind it, "In take," or "callers of take" before it. Where what was read does not
define that name, there is nothing to hold the lines against.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolrag.answer.citations import place_of
from toolrag.answer.naming import Vocabulary
from toolrag.answer.types import Cut, Evidence
from toolrag.text import LineRange, Text

DEFINES: Final = re.compile(
    r"\s*(?:[\w@]+ )*(?:def|class|func|fn|function|interface|struct|trait|impl|module)\b\s*(?:\([^()]*\)\s*)?(\w*)"
    r"(?=\s*(?:[(<:{\[=;,]|$|extends\b|implements\b|where\b|for\b|->))"
)
"""A line that begins a definition, and its name."""
_NAME: Final = r"`?(?:\w+(?:\.|::))*(?P<name>[^\W\d]\w*)(?:\(\))?`?"
_NO_VERB: Final = frozenset(
    """
    across always as class equals exceeds gets has is its less needs perhaps plus receives this thus times unless was
    """.split()
)
"""Words on an s that are no verb, or one of what is called, compared or is."""
_DOES: Final = re.compile(rf"(?<![\w.`]){_NAME}(?=\s+(?:also |only |never |then )?(?P<verb>[a-z]+s)\b)")
_BEFORE: Final = re.compile(r"([^\W\d]\w*)\s+$")
_WITHIN: Final = (
    re.compile(rf"\b(?:in|inside|within|from)\s+{_NAME},", re.IGNORECASE),
    re.compile(rf"\b(?:callers|docstring|documentation|body|result|signature)\s+of\s+{_NAME}(?![\w.(])", re.IGNORECASE),
    re.compile(rf"\bparameters?\s+\S+\s+of\s+{_NAME}(?![\w.(])", re.IGNORECASE),
    re.compile(rf"(?<!\w){_NAME}\s+is\s+(?:not\s+)?(?:decorated|documented|an?\s+subclass)\b"),
    re.compile(rf"\bapplied\s+to\s+{_NAME}(?![\w.(])"),
    re.compile(rf"\bnot\s+(?:passed|given)\s+to\s+{_NAME}(?![\w.(])"),
)
_DETERMINERS: Final = frozenset("a an any each every it its no some such that the their this what which who".split())
"""Behind one of these a noun is meant, and no definition of that name; nor does one of these mean any."""


def definition_elsewhere(claim: str, cuts: Sequence[Cut], evidence: Sequence[Evidence], everything: Vocabulary) -> str:
    """Where the definition is whose doing a claim speaks of, one sentence; empty when its lines are of that."""
    for name in dict.fromkeys(subjects(claim)):
        if name not in everything.words:
            continue
        place = next(_definitions_of(name, evidence), "")
        if place and not any(_is_of(name, cut.evidence.snapshot.text, cut.lines) for cut in cuts):
            return (
                f"It says what {name} does, which is defined at {place}, and cites other lines; cite those that say it."
            )
    return ""


def defines(name: str, text: Text, lines: LineRange) -> bool:
    """Whether a definition of that name begins in some lines."""
    return any((match := DEFINES.match(line)) and match[1] == name for line in text.lines(lines))


def subjects(claim: str) -> Iterator[str]:
    """The names whose doing a claim speaks of, were they of definitions."""
    for match in _DOES.finditer(claim):
        before = _BEFORE.search(claim, 0, match.start())
        words = {match["name"].lower(), before[1].lower() if before else ""}
        is_noun = not match[0].startswith("`") and not words.isdisjoint(_DETERMINERS)
        if match["verb"] not in _NO_VERB and not is_noun:
            yield match["name"]
    for pattern in _WITHIN:
        for match in pattern.finditer(claim):
            yield match["name"]


def _definitions_of(name: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    for item in evidence:
        for at, line in enumerate(item.snapshot.text.lines(item.lines), item.lines.start):
            if (match := DEFINES.match(line)) and match[1] == name:
                yield place_of(item.snapshot.path, LineRange(at, at + 1))


def _is_of(name: str, text: Text, lines: LineRange) -> bool:
    """Whether lines hold the beginning of a definition, or stand in it by their indent."""
    if defines(name, text, lines):
        return True
    inner = _indent(text.line(lines.start))
    for at in range(lines.start - 1, -1, -1):
        line = text.line(at)
        if line.strip() and not line.lstrip().startswith((")", "]", "}")) and _indent(line) < inner:
            if (match := DEFINES.match(line)) and match[1] == name:
                return True
            inner = _indent(line)
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 1_000
