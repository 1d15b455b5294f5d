"""Find the lines of a citation that was given out earlier, with nothing but the citation itself. Pure, awaits ports.

It works after a restart and in another clone: a citation carries its path, the hash of its lines, and its anchor.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from toolrag.answer.citations import ANCHOR_LINES, PIN_DIGITS, locate, place_of
from toolrag.answer.types import Anchor, Standing, Told
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource
from toolrag.text import LineRange, TextSnapshot, lines_sha

Elsewhere = Callable[[], AsyncIterator[str]]
"""Gives the paths of files in which lines may stand whose own file is gone, as DocumentSource takes them."""

MAX_SOUGHT: Final = 400
"""Longer runs of lines are looked for at their place alone: no citation, and no read, is longer."""
_MAX_LINE: Final = 10**9
_SHA: Final = re.compile(r"[0-9a-f]{64}")
_LINE_HASH: Final = re.compile(rf"[0-9a-f]{{{PIN_DIGITS}}}")
_BLANK: Final = lines_sha([""])[:PIN_DIGITS]
_TOLD: Final[dict[str, Told]] = {"lines": "lines", "around": "around", "nothing": "nothing"}


@dataclass(frozen=True, slots=True)
class Cited:
    """What a citation on the wire says of where its lines were, and of how to know them again."""

    path: str
    root: str
    uri: str
    """Empty where the citation has none."""
    lines: LineRange
    lines_sha: str
    anchor: Anchor

    @property
    def written(self) -> str:
        """`path:12-18@3f2a9c0b1d4e`."""
        return f"{place_of(self.path, self.lines)}@{self.lines_sha[:PIN_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Located:
    """How a citation stands now."""

    standing: Standing
    snapshot: TextSnapshot | None = None
    """The text it was looked for in; None where there is none that may be read."""
    lines: LineRange | None = None
    """Where its lines are; None unless `verified` or `moved`."""
    error: ReadError | None = None
    """Why there is no text."""
    is_elsewhere: bool = False
    """Its own file is gone, and another has the lines."""


def parse_citation(value: object) -> Cited:
    """A citation as it was given on the wire (PROTOCOL section 2). Raises ValueError, one sentence, for anything else.

    `anchor.told` may be missing: then only what stood once in its file is known again elsewhere.
    """
    if not isinstance(value, Mapping):
        raise ValueError("A citation is an object with path, root, lines, linesSha and anchor.")  # noqa: TRY004
    path, root = (_text(value, name) for name in ("path", "root"))
    if not path:
        raise ValueError("The citation's path is empty.")
    location = value.get("location")
    uri = location.get("uri", "") if isinstance(location, Mapping) else ""
    if not isinstance(uri, str):
        raise ValueError("The citation's location.uri is not a string.")  # noqa: TRY004
    sha = value.get("linesSha")
    if not isinstance(sha, str) or not _SHA.fullmatch(sha):
        raise ValueError("The citation's linesSha is not the 64 hex digits of a SHA-256.")
    return Cited(path, root, uri, _lines(value.get("lines")), sha, _anchor(value.get("anchor")))


async def locate_cited(cited: Cited, documents: DocumentSource, elsewhere: Elsewhere | None) -> Located:
    """How one citation stands in its document as it is now, or in the one file that took over its lines."""
    (found,) = await locate_all([cited], documents, elsewhere)
    return found


async def locate_all(many: Sequence[Cited], documents: DocumentSource, elsewhere: Elsewhere | None) -> list[Located]:
    """How each citation stands, in their order. Files elsewhere are read once for all of those whose file is gone."""
    found = [await _in_its_document(cited, documents) for cited in many]
    lost = {at: cited for at, cited in enumerate(many) if _may_be_elsewhere(cited, found[at])}
    if lost and elsewhere is not None:
        for at, located in (await _elsewhere(lost, documents, elsewhere)).items():
            found[at] = located
    return found


async def _in_its_document(cited: Cited, documents: DocumentSource) -> Located:
    try:
        snapshot = await _document(cited, documents)
    except ReadError as error:
        return Located("gone", error=error)
    if len(cited.lines) > MAX_SOUGHT and not _stands(cited, snapshot):
        return Located("gone", snapshot)
    standing, lines = locate(snapshot.text, cited.lines, cited.lines_sha, cited.anchor)
    return Located(standing, snapshot, lines)


def _stands(cited: Cited, snapshot: TextSnapshot) -> bool:
    return cited.lines.end <= snapshot.text.n_lines and snapshot.text.sha_of(cited.lines) == cited.lines_sha


async def _document(cited: Cited, documents: DocumentSource) -> TextSnapshot:
    """The document a citation names, and no other that has an equal path. Raises ReadError.

    Its URI says which one it is while its folder is open. In another clone the URI lies outside, and the root may have
    another name: then it is the path alone that counts.
    """
    if cited.uri:
        try:
            snapshot = await documents.snapshot(cited.uri)
        except ReadError as error:
            is_foreign = error.code == "path_denied" or cited.uri[:5].lower() != "file:"
            # Outside every root it was an open document, which its URI alone names.
            if not is_foreign or not cited.root:
                raise
        else:
            if _is_same(snapshot.path, cited.path):
                return snapshot
    refused: ReadError | None = None
    by_folder = f"{cited.root}/{cited.path}"
    for asked in (cited.path, by_folder) if cited.root else (cited.path,):
        try:
            snapshot = await documents.snapshot(asked)
        except ReadError as error:
            refused = refused or error
            continue
        # A path below the root can also be read as a root's name and a path, and the other way round.
        if (f"{snapshot.root}/{snapshot.path}" == asked) == (asked == by_folder):
            return snapshot
    raise refused or ReadError("not_found", f"There is no {cited.path!r}; check the spelling, or search for the name.")


def _is_same(now: str, then: str) -> bool:
    """Whether two paths may name one file by roots one of which lies in the other."""
    return now == then or now.endswith(f"/{then}") or then.endswith(f"/{now}")


def _may_be_elsewhere(cited: Cited, found: Located) -> bool:
    """Whether other files may have a citation's lines: its own is gone, and something else than blanks was around."""
    return (
        found.error is not None
        and found.error.code == "not_found"
        and bool(cited.root)
        and len(cited.lines) <= MAX_SOUGHT
        and any(line != _BLANK for line in (*cited.anchor.before, *cited.anchor.after))
    )


@dataclass(slots=True)
class _Search:
    """One citation that is looked for, and where it was found."""

    cited: Cited
    places: list[tuple[TextSnapshot, LineRange]] = field(default_factory=list)


async def _elsewhere(lost: Mapping[int, Cited], documents: DocumentSource, elsewhere: Elsewhere) -> dict[int, Located]:
    """Those of the lost citations that stand in exactly one file, once, with all that stood around them.

    Equal lines alone may have stood there all the time: many files have the same imports. With the same lines above and
    below it is the same passage; in two files nothing says which.
    """
    searches = {at: _Search(cited) for at, cited in lost.items()}
    async for path in elsewhere():
        try:
            snapshot = await documents.snapshot(path)
        except ReadError:
            continue  # what may not be read, or is no text, cannot be cited
        hashes = _Hashes(snapshot)
        for search in searches.values():
            search.places += ((snapshot, lines) for lines in hashes.places(search.cited))
    return {
        at: Located("moved", *search.places[0], is_elsewhere=True)
        for at, search in searches.items()
        if len(search.places) == 1
    }


class _Hashes:
    """Where the hash of each line of a text occurs in it."""

    def __init__(self, snapshot: TextSnapshot) -> None:
        self._text = snapshot.text
        self._hashes = [lines_sha([line])[:PIN_DIGITS] for line in self._text.lines(LineRange(0, self._text.n_lines))]
        self._at: dict[str, list[int]] = {}
        for at, line in enumerate(self._hashes):
            self._at.setdefault(line, []).append(at)

    def places(self, cited: Cited) -> list[LineRange]:
        """The places where a citation's lines stand with its whole anchor around them."""
        before, after, size = cited.anchor.before, cited.anchor.after, len(cited.lines)
        # The nearest line that is not blank on either side says where to look.
        near = [(-1 - n, line) for n, line in enumerate(reversed(before)) if line != _BLANK][:1]
        near += [(size + n, line) for n, line in enumerate(after) if line != _BLANK][:1]
        distance, line = near[0]
        starts = [at - distance for at in self._at.get(line, [])]
        found = [start for start in starts if start >= len(before) and self._has_around(start, size, before, after)]
        places = [LineRange(start, start + size) for start in found]
        return [place for place in places if self._text.sha_of(place) == cited.lines_sha]

    def _has_around(self, start: int, size: int, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
        end = start + size
        above, below = self._hashes[start - len(before) : start], self._hashes[end : end + len(after)]
        return end <= len(self._hashes) and (tuple(above), tuple(below)) == (before, after)


def _text(value: Mapping[str, object], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str):
        raise ValueError(f"The citation's {name} is not a string.")  # noqa: TRY004
    return text


def _lines(value: object) -> LineRange:
    start, end = (value.get("start"), value.get("end")) if isinstance(value, Mapping) else (None, None)
    for number in (start, end):
        if not isinstance(number, int) or isinstance(number, bool):
            raise ValueError("The citation's lines are not two line numbers, start and end.")  # noqa: TRY004
    assert isinstance(start, int)
    assert isinstance(end, int)
    if not 1 <= start <= end <= _MAX_LINE:
        raise ValueError("The citation's lines are counted from 1, and end does not come before start.")
    return LineRange(start - 1, end)


def _anchor(value: object) -> Anchor:
    if not isinstance(value, Mapping):
        raise ValueError("The citation's anchor is not an object with before, after and occurrences.")  # noqa: TRY004
    sides = []
    for name in ("before", "after"):
        side = value.get(name)
        if (
            not isinstance(side, Sequence)
            or len(side) > ANCHOR_LINES
            or not all(isinstance(line, str) and _LINE_HASH.fullmatch(line) for line in side)
        ):
            raise ValueError(
                f"The citation's anchor.{name} is not a list of up to {ANCHOR_LINES} hashes of {PIN_DIGITS} hex digits."
            )
        sides.append(tuple(side))
    occurrences = value.get("occurrences")
    if not isinstance(occurrences, int) or isinstance(occurrences, bool) or occurrences < 1:
        raise ValueError("The citation's anchor.occurrences is not a number above 0.")
    told = value.get("told", "lines" if occurrences == 1 else "nothing")
    if not isinstance(told, str) or told not in _TOLD:
        raise ValueError('The citation\'s anchor.told is not "lines", "around" or "nothing".')
    return Anchor(sides[0], sides[1], occurrences, _TOLD[told])
