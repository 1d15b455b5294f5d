"""The defaults of a function's parameters, with the lines they stand on. Pure; reads signatures as text.

For languages whose blocks are told by indentation: there a signature is `name(parameter: type = default, …)`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolrag.answer.statements import masked
from toolrag.retrieval.comments import without_comments
from toolrag.retrieval.languages import Language
from toolrag.symbols import Span
from toolrag.text import LineRange, Text

_PARAMETER: Final = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*(?::[^=]*)?=(?!=)\s*(?P<value>.*\S)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with a default, as it is written."""

    name: str
    default: str
    lines: LineRange


def parameters(text: Text, span: Span, language: Language) -> list[Parameter]:
    """The parameters of a function that have a default, in order; none where the signature is not understood."""
    lines = without_comments(text.lines(span.header), language)
    signature = "\n".join(lines)
    before, opened, rest = signature.partition("(")
    if not opened or not before.rstrip().endswith(span.name):
        return []
    outer = masked(rest)  # without what brackets and strings hold, so that each comma stands between parameters
    end = _closing(outer)
    if end is None:
        return []
    found: list[Parameter] = []
    at = 0
    for piece in outer[:end].split(","):
        match = _PARAMETER.fullmatch(piece)
        # The commas of a lambda are none between parameters; `...` is what a stub has for a default.
        if match and not match["value"].startswith("lambda") and match["value"] != "...":
            written = rest[at : at + len(piece)]
            start = len(before) + len(opened) + at
            first = span.header.start + signature.count("\n", 0, start + match.start("name"))
            last = span.header.start + signature.count("\n", 0, start + match.end("value"))
            default = " ".join(written[slice(*match.span("value"))].split())
            found.append(Parameter(match["name"], default, LineRange(first, last + 1)))
        at += len(piece) + 1
    return found


def _closing(outer: str) -> int | None:
    """Where the bracket closes that was open before this code."""
    depth = 0
    for at, character in enumerate(outer):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return at
    return None
