"""Answers, candidates and reports as a terminal shows them. Nothing a file or a name says can steer the terminal."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO

from toolrag.answer.citations import PIN_DIGITS, place_of, written
from toolrag.answer.prose import plain, visible
from toolrag.answer.reading import ReadResult
from toolrag.answer.types import Answer, Citation
from toolrag.ports import Candidate, Searched, SearchResult
from toolrag.text import LineRange, Text

SHOWN_LINES = 8
"""Lines of code shown under a claim's first citation."""
MIN_WIDTH, MAX_WIDTH = 60, 110


@dataclass(frozen=True, slots=True)
class Look:
    """How wide, and whether with colours."""

    width: int = 100
    colours: bool = False
    cuts: bool = False
    """Lines of code are cut at the width: on a terminal only; elsewhere they can be checked whole."""

    def dim(self, text: str) -> str:
        """Secondary text."""
        return self._paint("2", text)

    def strong(self, text: str) -> str:
        """A heading."""
        return self._paint("1", text)

    def good(self, text: str) -> str:
        """What stands."""
        return self._paint("32", text)

    def link(self, text: str) -> str:
        """A place to open."""
        return self._paint("36", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def look_for(stream: TextIO) -> Look:
    """The look a stream calls for: colours on a terminal, unless NO_COLOR (no-color.org) or TERM=dumb is set."""
    terminal = stream.isatty()
    colours = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((100, 24)).columns if terminal else 100
    return Look(max(MIN_WIDTH, min(MAX_WIDTH, width)), colours, terminal)


def answer(value: Answer, look: Look) -> Iterator[str]:
    """The lines of an answer, as in the README's picture."""
    files = f"{value.searched.files:,} file{'' if value.searched.files == 1 else 's'}"
    spent = f"{value.usage.seconds:.2f} s"
    if value.usage.turns:
        tokens = value.usage.input_tokens + value.usage.output_tokens
        spent = f"{_count(value.usage.turns, 'turn')} · {tokens:,} tokens · {spent}"
    state = f"{visible(value.model)} · {files} · {spent}"
    yield from _header(visible(" ".join(value.question.split())), state, look)
    citations = {citation.id: citation for citation in value.citations}
    if value.reason is not None:
        yield ""
        yield from _wrapped(plain(value.reason.message), look, "")
    for number, claim in enumerate(value.claims, 1):
        yield ""
        yield from _wrapped(plain(claim.text), look, f"{number}".ljust(3))
        for at, name in enumerate(claim.citations):
            yield _citation(citations[name], look)
            if at == 0:
                yield from _quote(citations[name], look)
    if value.callers is not None and value.callers.count:
        callers = value.callers
        count = f"{_count(callers.count, 'place')}{'' if callers.complete else ' or more'}"
        yield ""
        yield look.dim(f"{visible(callers.name)}( is named at {count} in {_count(callers.files, 'file')}.")
    yield from _also(value, look)


def candidates(value: SearchResult, look: Look) -> Iterator[str]:
    """A candidate a line: where it is, what it is, why it was found."""
    for candidate in value.candidates:
        yield from _candidate(candidate, look)
    if not value.candidates:
        yield nothing_found(value.searched)


def nothing_found(searched: Searched) -> str:
    """What a search without candidates says."""
    if not searched.terms:
        return "Nothing to search for: give a name, or words from the code."
    if not searched.complete:
        return (
            f"Nothing found so far in {_count(searched.files, 'file')}, but not all are indexed; see `toolrag index`."
        )
    wanted = ", ".join(searched.missing or searched.terms)
    return f"Nothing found in {_count(searched.files, 'file')}; none mentions {visible(wanted)}."


def lines_read(value: ReadResult, look: Look) -> Iterator[str]:
    """Lines as a terminal shows them: numbered, control characters written out."""
    snapshot, lines = value.evidence.snapshot, value.evidence.lines
    pin = f"{place_of(visible(snapshot.path), lines)}@{value.lines_sha[:PIN_DIGITS]}"
    state = f"{snapshot.source}{', unsaved' if snapshot.dirty else ''} · {snapshot.sha[:12]}"
    yield from _header(pin, state, look)
    yield from _numbered(snapshot.text, lines, look)


def coverage(value: Mapping[str, object], look: Look) -> Iterator[str]:
    """What `toolrag index` did and left out."""
    yield look.strong(f"{value['files']:,} files indexed, {value['spans']:,} symbols, {value['seconds']:.2f} s")
    yield from _table("by language", value["languages"], look)
    yield from _table("not indexed", value["skipped"], look)
    problems = value["problems"]
    assert isinstance(problems, list)
    for problem in problems:
        yield f"  {visible(str(problem))}"


def _table(title: str, rows: object, look: Look) -> Iterator[str]:
    assert isinstance(rows, dict)
    if rows:
        yield look.dim(title)
        for name, count in sorted(rows.items(), key=lambda row: (-row[1], row[0])):
            yield f"  {count:>8,}  {REASONS.get(name, name)}"


REASONS = {
    "secret": "secrets by their names",
    "ignored": "ignored by .toolragignore or your deny list",
    "gitignored": "ignored by .gitignore",
    "vendored": "other people's code, or folders that tools fill (vendor, node_modules, virtual environments, caches)",
    "lock_file": "lock files",
    "minified": "minified",
    "generated": "generated by a program",
    "catalogue": "translation catalogues",
    "data": "data: rows, drawings, logs",
    "language": "never text, by their names: pictures, archives, compiled files",
    "too_large": "too large (read when named)",
    "secret_denied": "secrets by another of their names",
    "unparsed": "could not be parsed this time; the next run tries again",
    "unreadable": "could not be read",
    "changed_while_reading": "changed while they were read; the next run tries again",
    "not_utf8_name": "names that are not UTF-8",
    "name_too_long": "names that are too long",
    "not_found": "went away while they were read",
    "not_text": "not text",
    "not_regular": "not regular files",
    "permission": "may not be read",
}


def _candidate(candidate: Candidate, look: Look) -> Iterator[str]:
    name = visible(candidate.span.qualified_name) if candidate.span else ""
    where = place_of(visible(candidate.path), candidate.lines)
    yield f"{look.link(where)}  {look.strong(name)}".rstrip()
    if candidate.signature and candidate.span and candidate.span.kind != "section":
        yield f"    {_short(visible(candidate.signature), look.width - 4)}"
    if candidate.reasons:
        yield look.dim(f"    {_short(visible('; '.join(candidate.reasons)), look.width - 4)}")


def _header(left: str, right: str, look: Look) -> Iterator[str]:
    room = look.width - len(right) - 2
    if len(left) <= room:
        yield f"{look.strong(left)}{' ' * (look.width - len(left) - len(right))}{look.dim(right)}"
    else:
        yield from (look.strong(line) for line in textwrap.wrap(left, look.width))
        yield look.dim(right)


def _citation(citation: Citation, look: Look) -> str:
    """The pin, whole so that it can be copied, then the symbol as far as there is room, and how the lines stand."""
    pin = visible(written(citation))
    standing = f"{citation.standing}{', unsaved' if citation.snapshot.dirty else ''}"
    room = look.width - 3 - len(pin) - len(standing) - 4
    symbol = _short(visible(citation.symbol), max(0, room))
    gap = max(2, look.width - 3 - len(pin) - len(symbol) - len(standing) - 2)
    return f"   {look.link(pin)}  {symbol}{' ' * gap}{look.good(standing)}"


def _quote(citation: Citation, look: Look) -> Iterator[str]:
    lines = citation.lines
    shown = LineRange(lines.start, min(lines.end, lines.start + SHOWN_LINES))
    yield from _numbered(citation.snapshot.text, shown, look)
    if len(lines) > len(shown):
        yield look.dim(f"         … {_count(len(lines) - len(shown), 'more line')}")


def _numbered(text: Text, lines: LineRange, look: Look) -> Iterator[str]:
    for index in range(lines.start, lines.end):
        code = visible(text.line(index), keep="\t").expandtabs(4)
        if look.cuts:
            code = _short(code, look.width - 11)
        yield f"{look.dim(f'{index + 1:>8} │')} {code}".rstrip()


def _also(value: Answer, look: Look) -> Iterator[str]:
    """Candidates that no claim cites: where to look further."""
    cited = [(citation.snapshot.uri, citation.lines) for citation in value.citations]
    others = [
        candidate
        for candidate in value.candidates
        if not any(
            uri == candidate.uri and (lines.overlaps(candidate.lines) or _inside(lines, candidate))
            for uri, lines in cited
        )
    ]
    if not others:
        return
    shown = [
        place_of(visible(other.path), other.lines) + (f" ({visible(other.span.qualified_name)})" if other.span else "")
        for other in others[:5]
    ]
    yield ""
    label = "Also looked at: " if value.claims else "Where to look: "
    for line in textwrap.wrap(
        label + ", ".join(shown), look.width, break_long_words=False, break_on_hyphens=False, subsequent_indent="  "
    ):
        yield look.dim(line)


def _inside(lines: LineRange, candidate: Candidate) -> bool:
    return candidate.span is not None and lines in candidate.span.lines


def _wrapped(text: str, look: Look, prefix: str) -> list[str]:
    return textwrap.wrap(
        visible(text),
        look.width,
        initial_indent=prefix,
        subsequent_indent=" " * len(prefix),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _short(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    return f"{text[: width - 1]}…" if width > 1 else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
