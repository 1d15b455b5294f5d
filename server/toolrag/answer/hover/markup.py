"""Write facts for a hover: as Markdown in which nothing of a file is markup, or as plain text. Pure.

The only links are those made here: to lines that were read, and to the command that explains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from toolrag.answer.citations import place_of
from toolrag.answer.hover.facts import Definition, Facts, Place
from toolrag.answer.prose import code, markdown, plain, visible
from toolrag.answer.types import Citation, Claim
from toolrag.text import LineRange

Format = Literal["markdown", "plaintext"]

MOST_SIGNATURE: Final = 400
"""Characters."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9:/?@$+,;=._~%#-]")
"""What may not stand in the target of a link as it is: among others brackets, blanks and what an entity begins with."""


class Writer:
    """One of the two ways to write. All that is given to it comes from files."""

    def __init__(self, form: Format) -> None:
        self._is_markdown: Final = form == "markdown"

    def code(self, text: str) -> str:
        """A name or a piece of code."""
        return code(text) if self._is_markdown else visible(" ".join(text.split()))

    def words(self, text: str) -> str:
        """Prose, with its code spans."""
        return markdown(text) if self._is_markdown else visible(" ".join(text.split()))

    def claim(self, text: str) -> str:
        """The text of a claim, which is Markdown already."""
        return text if self._is_markdown else plain(text)

    def block(self, text: str, language: str) -> str:
        """Code on a line of its own."""
        shown = visible(" ".join(text.split()))
        if len(shown) > MOST_SIGNATURE:
            shown = f"{shown[:MOST_SIGNATURE]} …"
        if not self._is_markdown:
            return shown
        return _fenced(shown, language)

    def lines(self, lines: Sequence[str], language: str, most: int) -> str:
        """Lines as they are, with what hides in them written out, and at most so many characters of each."""
        cut = (line if len(line) <= most else f"{line[:most]} …" for line in lines)
        shown = "\n".join(visible(line, keep="\t") for line in cut)
        return _fenced(shown, language) if self._is_markdown else shown

    def place(self, place: Place, lines: LineRange | None = None) -> str:
        """`path:12`, a link to its line."""
        return self.link(place.snapshot.path, place.snapshot.uri, lines or LineRange(place.line, place.line + 1))

    def link(self, path: str, uri: str, lines: LineRange, line: int | None = None) -> str:
        """`path:12-18`, a link to the first of the lines, or to one of them."""
        shown = self.code(place_of(path, lines))
        if not self._is_markdown:
            return shown
        # A URI with a fragment names a part of its document, such as a notebook's cell: it has none to spare.
        target = uri if "#" in uri else f"{uri}#L{(lines.start if line is None else line) + 1}"
        return f"[{shown}]({_encoded(target)})"

    def command(self, words: str, command: str, argument: Mapping[str, object]) -> str:
        """A link that runs a command of the client's."""
        return f"[{words}](command:{command}?{_encoded(json.dumps([argument]), _STRICT)})"


def written(facts: Facts, form: Format, explained: Sequence[tuple[Claim, Sequence[Citation]]] = ()) -> str:
    """The facts, and what was explained before, where that still stands."""
    out = Writer(form)
    parts: list[str] = []
    first = facts.definitions[0]
    if facts.is_certain:
        parts += [out.block(first.signature, first.language), *([out.words(first.doc)] if first.doc else [])]
        parts.append(_defined(out, first))
        n_others = facts.n_definitions - 1
        if n_others:
            more = "" if facts.all_definitions else " or more"
            others = ", ".join(_listed(out, one) for one in facts.definitions[1:])
            verb = "symbols have" if n_others > 1 or more else "symbol has"
            parts.append(
                f"{n_others}{more} other {verb} this name: {others}."
                if others
                else f"{n_others}{more} other {verb} this name."
            )
    else:
        parts.append(_several(out, facts))
        if len(facts.definitions) == 1 and first.doc:
            parts.append(out.words(first.doc))
    if facts.calls:
        called = ", ".join(f"{out.code(one.name)} ({out.place(one.place)})" for one in facts.calls)
        parts.append(f"Calls, by name: {called}.")
    parts.append(_named(out, facts))
    if facts.tests:
        parts.append(f"In tests: {_places(out, facts.tests)}.")
    for claim, citations in explained:
        links = ", ".join(out.link(one.snapshot.path, one.snapshot.uri, one.lines) for one in citations)
        parts.append(f"{out.claim(claim.text)} ({links})")
    return "\n\n".join(parts)


def explain_link(uri: str, line: int, character: int) -> str:
    """The link that asks the client to run `toolrag.explain` for a position."""
    position = {"line": line, "character": character}
    return Writer("markdown").command(
        "Explain", "toolrag.explain", {"textDocument": {"uri": uri}, "position": position}
    )


def _defined(out: Writer, one: Definition) -> str:
    kind = out.code(one.qualified)
    return f"{one.kind.capitalize()} {kind}, {_where(out, one)}."


def _several(out: Writer, facts: Facts) -> str:
    more = "" if facts.all_definitions else " or more"
    is_one = facts.n_definitions == 1 and not more
    count = f"{facts.n_definitions}{more} symbol{' is' if is_one else 's are'} named {out.code(facts.name)}: "
    return count + "; ".join(_listed(out, one) for one in facts.definitions) + "."


def _listed(out: Writer, one: Definition) -> str:
    shown = one.signature if len(one.signature) <= 100 else f"{one.signature[:100]} …"
    return f"{out.code(shown)} in {_where(out, one)}" if one.signature else _where(out, one)


def _where(out: Writer, one: Definition) -> str:
    place = one.place
    return out.link(place.snapshot.path, place.snapshot.uri, place.lines, place.line)


def _named(out: Writer, facts: Facts) -> str:
    name = out.code(facts.name)
    if not facts.n_naming:
        return (
            f"{name} is named on no other line."
            if facts.all_naming
            else f"{name} is named on no other line that was looked at."
        )
    lines = "line" if facts.n_naming == 1 and facts.all_naming else "lines"
    files = "file" if facts.n_files == 1 and facts.all_naming else "files"
    more = "" if facts.all_naming else " or more"
    said = f"{name} is named on {facts.n_naming}{more} other {lines} of {facts.n_files}{more} {files}"
    return f"{said}: {_places(out, facts.naming)}." if facts.naming else f"{said}."


def _places(out: Writer, places: Sequence[Place]) -> str:
    return ", ".join(
        f"{out.place(place)} in {out.code(place.symbol)}" if place.symbol else out.place(place) for place in places
    )


def _fenced(shown: str, language: str) -> str:
    """A code block that nothing in it can end."""
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", shown)), default=0))
    return f"{fence}{language}\n{shown}\n{fence}"


_STRICT: Final = re.compile(r"[^A-Za-z0-9._~-]")


def _encoded(target: str, unsafe: re.Pattern[str] = _UNSAFE) -> str:
    """Percent-encoded where it must be; what is encoded already stays."""
    return unsafe.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass")), target
    )
