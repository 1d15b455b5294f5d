"""`grep`: lines that match a pattern, in the files that are searched. Pure; awaits ports.

Texts come through the fence as glances do. Between slices of some milliseconds the event loop is given back, so that
others go on and a cancel ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from toolrag.answer.tools.arguments import Arguments, BadArgumentsError
from toolrag.answer.tools.desk import Desk, Done
from toolrag.answer.tools.line_pattern import MAX_LINE, LineMatch, LinePattern, PatternError
from toolrag.answer.tools.schemas import flag, spec, text
from toolrag.text import TextSnapshot, fold

SPEC: Final = spec(
    "grep",
    "Find lines that match a regular expression (RE2: no lookaround, no back references; \\w is ASCII), by path. Gives "
    "the first ones with path, line number and text, and says whether there are more. They are hints: read them with "
    "read_range before you cite them.",
    {"pattern": text("Matched within one line, for example def send\\(")},
    {
        "include": text("Only files that match these globs, for example src/**/*.py or *.{ts,tsx}"),
        "ignore_case": flag("Capitals and small letters are the same; false unless given."),
    },
)

_FILES_AT_ONCE: Final = 32
_MAX_INCLUDE: Final = 300
"""Characters."""
_MAX_GLOBS: Final = 64
_COMMA: Final = re.compile(r",(?![^{}]*\})")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(slots=True)
class _Run:
    """How far a search is."""

    began: float
    matches: list[dict[str, object]] = field(default_factory=list)
    n_files: int = 0
    why: dict[str, None] = field(default_factory=dict)
    """What was left out, each sentence once."""
    ended: bool = False

    def stop(self, why: str) -> None:
        self.why[why] = None
        self.ended = True


async def grep(desk: Desk, arguments: Arguments) -> Done:
    """Raises BadArgumentsError."""
    written = arguments.text("pattern")
    if not written:
        raise BadArgumentsError("pattern is empty; write a text or a regular expression that a line must hold.")
    if len(written) > desk.limits.max_pattern:
        raise BadArgumentsError(
            f"pattern has {len(written):,} characters; at most {desk.limits.max_pattern} are taken."
        )
    try:
        pattern = LinePattern(written, arguments.flag("ignore_case"))
    except PatternError as error:
        raise BadArgumentsError(str(error)) from error
    files = _files(desk, arguments.text("include"))
    run = _Run(desk.clock.now())
    await _search_all(desk, pattern, files, run)
    told: dict[str, object] = {
        "matches": run.matches,
        "files_searched": run.n_files,
        "complete": not run.why,
    }
    if run.why:
        told["why_incomplete"] = " ".join(run.why)
    if not files:
        told["message"] = "No file that is searched matches include; write globs such as *.py or src/**."
    return Done(told)


def _files(desk: Desk, include: str) -> Sequence[str]:
    """What is searched, by path. Raises BadArgumentsError."""
    files = desk.retriever.files(desk.scope)
    if not include.strip():
        return files
    if len(include) > _MAX_INCLUDE:
        raise BadArgumentsError(f"include has {len(include):,} characters; at most {_MAX_INCLUDE} are taken.")
    wanted = frozenset(desk.retriever.files(replace(desk.scope, include=_globs(include))))
    return [file for file in files if file in wanted]


def _globs(include: str) -> tuple[str, ...]:
    """The globs of a text: commas part them, and braces list what may stand in their place."""
    globs = [glob.strip() for glob in _COMMA.split(include)]
    while any(map(_BRACES.search, globs)):
        if len(globs) > _MAX_GLOBS:
            raise BadArgumentsError("include has too many alternatives in braces; write fewer globs.")
        globs = [way for glob in globs for way in _ways(glob)]
    return tuple(glob for glob in globs if glob)


def _ways(glob: str) -> list[str]:
    match = _BRACES.search(glob)
    if match is None:
        return [glob]
    return [f"{glob[: match.start()]}{way.strip()}{glob[match.end() :]}" for way in match[1].split(",")]


async def _search_all(desk: Desk, pattern: LinePattern, files: Sequence[str], run: _Run) -> None:
    """Searches files, a few of which are read at once, until a cap is reached."""
    limit = desk.limits.max_files
    for first in range(0, min(len(files), limit), _FILES_AT_ONCE):
        for snapshot in await desk.documents.glances(files[first : min(first + _FILES_AT_ONCE, limit)]):
            if snapshot is not None:
                await _search(desk, pattern, snapshot, run)
            if run.ended:
                return
    if len(files) > limit:
        run.stop(f"Only {limit:,} of {len(files):,} files were searched; say which with include.")


async def _search(desk: Desk, pattern: LinePattern, snapshot: TextSnapshot, run: _Run) -> None:
    """Searches one text, a slice at a time."""
    limits = desk.limits
    run.n_files += 1
    n_found = 0
    first_line = 0
    for data, n_lines in _slices(snapshot, pattern.max_slice, run):
        await desk.clock.sleep(0)
        if desk.clock.now() - run.began > limits.max_seconds:
            run.stop(f"It took longer than {limits.max_seconds:g} seconds; say which files with include.")
            return
        for match in pattern.matches(data):
            _keep(snapshot)
            if len(run.matches) == limits.max_matches:
                run.stop(f"More than {limits.max_matches} lines match; make the pattern longer, or use include.")
                return
            if n_found == limits.max_matches_a_file:
                run.why[f"Of a file at most {limits.max_matches_a_file} lines are given."] = None
                return
            n_found += 1
            run.matches.append(
                {
                    "path": await desk.name_of(snapshot.uri, snapshot.root, snapshot.path),
                    "line": first_line + match.line + 1,
                    "text": _around(data, match, limits.max_text),
                }
            )
        first_line += n_lines


def _slices(snapshot: TextSnapshot, size: int, run: _Run) -> Iterator[tuple[bytes, int]]:
    """A text as UTF-8 in slices of whole lines, each with its number of lines; lone surrogates are question marks."""
    content = snapshot.text.content
    data = (fold(content) if "\r" in content else content).encode("utf-8", "replace")
    if len(data) > size:
        _keep(snapshot)
    at = 0
    while at <= len(data):
        end = at + size
        cut = len(data) if end >= len(data) else data.rfind(b"\n", at, end)
        if cut < 0:
            # One line that is longer than a slice.
            cut = data.find(b"\n", end)
            cut = len(data) if cut < 0 else cut
        yield _shortened(data[at:cut], snapshot, run), data.count(b"\n", at, cut) + 1
        at = cut + 1


def _keep(snapshot: TextSnapshot) -> None:
    """A text that a search says something of: it is looked at by its lines, and a journal keeps what was looked at."""
    _ = snapshot.text.n_lines


def _shortened(data: bytes, snapshot: TextSnapshot, run: _Run) -> bytes:
    """The lines of a slice, none longer than what is searched of one."""
    lines = data.split(b"\n")
    if max(map(len, lines)) <= MAX_LINE:
        return data
    _keep(snapshot)
    run.why[f"Of a line only the first {MAX_LINE:,} bytes are searched."] = None
    return b"\n".join(line[:MAX_LINE] for line in lines)


def _around(data: bytes, match: LineMatch, limit: int) -> str:
    """A line's text; of a long one what is around the match."""
    before = data[match.line_start : match.start].decode("utf-8", "replace")
    line = before + data[match.start : match.line_end].decode("utf-8", "replace")
    if len(line) <= limit:
        return line
    matched = len(data[match.start : match.end].decode("utf-8", "replace"))
    start = max(0, min(len(before) - max(0, limit - matched) // 2, len(line) - limit))
    return f"{'…' if start else ''}{line[start : start + limit]}{'…' if start + limit < len(line) else ''}"
