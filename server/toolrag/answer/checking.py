"""Check what was written earlier: the citations of a text, and the citations and claims of a saved answer. Pure.

Nothing is taken on trust from what is checked: it may have been edited, or made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from toolrag.answer.citations import PIN_DIGITS
from toolrag.answer.locating import MAX_SOUGHT, Cited, Elsewhere, Located, locate_all, parse_citation
from toolrag.answer.naming import check_names, vocabulary
from toolrag.answer.types import Standing
from toolrag.answer.written import Written, find_written
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource
from toolrag.text import LineRange, Text, TextSnapshot, lines_sha

Verdict = Literal[Standing, "unpinned"]
"""`unpinned`: the lines exist, and more cannot be said."""


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A written citation, and how it stands."""

    written: Written
    verdict: Verdict
    snapshot: TextSnapshot | None = None
    """The text it was looked for in; None where there is none that may be read."""
    lines: LineRange | None = None
    """Where its lines are; None for `changed` and `gone`."""
    error: ReadError | None = None
    """Why there is no text."""


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """A citation of a saved answer, and how it stands."""

    id: str
    cited: Cited
    located: Located


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A claim of a saved answer that its citations no longer hold up, and why: one sentence."""

    id: str
    text: str
    citations: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A saved answer, checked."""

    citations: tuple[CheckedCitation, ...]
    unsupported: tuple[Unsupported, ...]


async def check_text(text: str, documents: DocumentSource, folder: str = "") -> list[CheckedText]:
    """How each written citation of a text stands, in order.

    A pinned one is `verified` where its lines stand at its place, `changed` where others stand there, `gone` where no
    line stands there or the file cannot be read. It has no anchor and no count: whether its lines had twins when it
    was written is not known, only whether they have any now. So it is `moved` where its lines stand at exactly one
    place of its file, and only when they hold a word: a closing bracket or a blank line is anybody's. It never moves
    to another file, where equal lines (imports, licences) may have stood all along; an answer saved as JSON knows more.

    An unpinned one is `unpinned` where its lines exist, else `gone`. `folder` is the text's own, relative to its root:
    a link may be meant from there.
    """
    reading, runs = _Reading(documents), Runs()
    found = [(written, await reading.first(spellings(written, folder))) for written in find_written(text)]
    return [judge(written, snapshot, error, runs) for written, (snapshot, error) in found]


async def check_answer(answer: object, documents: DocumentSource, elsewhere: Elsewhere | None) -> CheckedAnswer:
    """How each citation of a saved answer stands, and which of its claims they no longer hold up.

    Raises ValueError, one sentence, when it is no Answer of PROTOCOL section 2.
    """
    citations, claims = parse_answer(answer)
    found = await locate_all([cited for _, cited, _ in citations], documents, elsewhere)
    checked = tuple(
        CheckedCitation(name, cited, located) for (name, cited, _), located in zip(citations, found, strict=True)
    )
    standing = {one.id: _lines_of(one.located) for one in checked}
    misquoted = {name for name, cited, quote in citations if quote is not None and not _is_quote(quote, cited)}
    evidence = vocabulary(lines for lines in standing.values() if lines is not None)
    unsupported = []
    for name, text, cites in claims:
        why = _why_unsupported(text, cites, standing, misquoted)
        if not why:
            verdict = check_names(text, vocabulary(standing[cite] or "" for cite in cites), evidence)
            missing = (*verdict.invented, *verdict.elsewhere)
            if missing:
                why = f"It names {', '.join(missing)}, which is not in the lines it cites."
            elif not verdict.supported:
                why = "It names nothing from the lines it cites."
        if why:
            unsupported.append(Unsupported(name, text, cites, why))
    return CheckedAnswer(checked, tuple(unsupported))


ParsedCitation = tuple[str, Cited, str | None]
ParsedClaim = tuple[str, str, tuple[str, ...]]


def is_answer(value: object) -> bool:
    """Whether a JSON value is meant as an Answer."""
    return isinstance(value, Mapping) and "claims" in value and "citations" in value


def parse_answer(value: object) -> tuple[list[ParsedCitation], list[ParsedClaim]]:
    """The citations (id, citation, quote) and claims (id, text, ids) of an Answer. Raises ValueError, one sentence."""
    if not isinstance(value, Mapping) or not is_answer(value):
        raise ValueError("An answer is an object with claims and citations, as `toolrag ask --json` prints it.")
    citations: list[ParsedCitation] = []
    for at, item in enumerate(_objects(value["citations"], "citations")):
        try:
            cited = parse_citation(item)
        except ValueError as error:
            raise ValueError(f"Citation {at + 1}: {error}") from None
        quote = item.get("quote")
        if not isinstance(item.get("id"), str) or not isinstance(quote, str | None):
            raise ValueError(f"Citation {at + 1} has an id or a quote that is not a string.")  # noqa: TRY004
        citations.append((str(item["id"]), cited, quote))
    if len({name for name, _, _ in citations}) < len(citations):
        raise ValueError("Two of the answer's citations have the same id.")
    claims: list[ParsedClaim] = []
    for at, item in enumerate(_objects(value["claims"], "claims")):
        name, text, cites = item.get("id"), item.get("text"), item.get("citations")
        if not isinstance(name, str) or not isinstance(text, str) or not isinstance(cites, list):
            raise ValueError(f"Claim {at + 1} is not an object with id, text and citations.")  # noqa: TRY004
        if not all(isinstance(cite, str) for cite in cites):
            raise ValueError(f"Claim {at + 1} cites something that is not an id.")
        claims.append((name, text, tuple(dict.fromkeys(cites))))
    return citations, claims


def _objects(value: object, name: str) -> list[Mapping[str, object]]:
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise ValueError(f"The answer's {name} are not a list of objects.")
    return value


def _lines_of(located: Located) -> str | None:
    if located.snapshot is None or located.lines is None:
        return None
    return located.snapshot.text.slice(located.lines)


def _is_quote(quote: str, cited: Cited) -> bool:
    """Whether a quote is the cited lines, its last line end given or not."""
    text = Text(quote)
    size = len(cited.lines)
    has_rest = text.n_lines > size and (text.n_lines > size + 1 or bool(text.line(size)))
    return text.n_lines >= size and not has_rest and text.sha_of(LineRange(0, size)) == cited.lines_sha


def _why_unsupported(text: str, cites: Sequence[str], standing: Mapping[str, str | None], misquoted: set[str]) -> str:
    if not text.strip():
        return "It says nothing."
    if not cites:
        return "It cites nothing."
    for cite in cites:
        if cite not in standing:
            return f"It cites {cite}, which is not in the answer."
        if standing[cite] is None:
            return f"Its citation {cite} no longer stands."
        if cite in misquoted:
            return f"The quote of its citation {cite} is not the cited lines."
    return ""


class Runs:
    """Where runs of lines stand in texts; each text is searched once for runs of the same length."""

    def __init__(self, most: int | None = None) -> None:
        """After `most` hashed lines nothing more is looked for, and what has moved counts as changed; None: no end."""
        self._left = most
        self._runs: dict[tuple[str, int], dict[str, list[int]]] = {}

    def places(self, snapshot: TextSnapshot, pin: str, size: int) -> list[LineRange]:
        """Where runs of `size` lines have a hash that begins with a whole pin."""
        runs = self._runs.get((snapshot.sha, size))
        if runs is None:
            n_runs = max(0, snapshot.text.n_lines - size + 1)
            if self._left is not None:
                if n_runs * size > self._left:
                    return []
                self._left -= n_runs * size
            runs = self._runs[snapshot.sha, size] = {}
            lines = snapshot.text.lines(LineRange(0, snapshot.text.n_lines))
            for start in range(n_runs):
                runs.setdefault(lines_sha(lines[start : start + size])[:PIN_DIGITS], []).append(start)
        places = [LineRange(start, start + size) for start in runs.get(pin[:PIN_DIGITS], [])]
        return [place for place in places if snapshot.text.sha_of(place).startswith(pin)]


def judge(written: Written, found: TextSnapshot | None, error: ReadError | None, runs: Runs) -> CheckedText:
    """How a written citation stands in the text that its path names; None for a path that names none."""
    if found is None:
        return CheckedText(written, "gone", error=error)
    text, lines = found.text, written.lines
    if lines is None:
        return CheckedText(written, "gone", found)
    if not written.pin:
        exist = lines.end <= text.n_lines
        return CheckedText(written, "unpinned" if exist else "gone", found, lines if exist else None)
    if written.is_pin_whole:
        if lines.end <= text.n_lines and text.sha_of(lines).startswith(written.pin):
            return CheckedText(written, "verified", found, lines)
        places = runs.places(found, written.pin, len(lines)) if len(lines) <= MAX_SOUGHT else []
        if len(places) == 1 and any(map(str.isalnum, text.slice(places[0]))):
            return CheckedText(written, "moved", found, places[0])
    return CheckedText(written, "changed" if lines.start < text.n_lines else "gone", found)


def spellings(written: Written, folder: str) -> list[str]:
    """What a citation's path may mean, likeliest first; `folder` as `check_text` has it."""
    from_folder = [f"{folder}/{path}" for path in written.paths if path[:1] not in "/\\~"]
    return [*written.paths, *(from_folder if written.is_link and folder else ())]


class _Reading:
    """The documents of one check, each read once."""

    def __init__(self, documents: DocumentSource) -> None:
        self._documents = documents
        self._read: dict[str, TextSnapshot | ReadError] = {}

    async def first(self, paths: Sequence[str]) -> tuple[TextSnapshot | None, ReadError | None]:
        """The first of some paths that can be read; the first refusal where none can."""
        refused: ReadError | None = None
        for path in paths:
            if path not in self._read:
                try:
                    self._read[path] = await self._documents.snapshot(path)
                except ReadError as error:
                    self._read[path] = error
            found = self._read[path]
            if isinstance(found, TextSnapshot):
                return found, None
            refused = refused or found
        return None, refused
