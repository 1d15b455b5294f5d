"""Written citations of a document as links: which count, where each leads, and what is said of how it stands. Pure.

In source only comments, strings and docs are looked at, by a table of quotes; in any other text everything is.
A link leads to the lines as they are now. For one that has changed, or whose lines are past the end, it leads to the
place that is written, since a reader wants to see what is there instead; where there is no file that may be read, it
leads nowhere. A definition leads to lines that stand, and to nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from toolrag.answer.checking import CheckedText, Runs, judge, spellings
from toolrag.answer.citations import place_of
from toolrag.answer.hover.markup import Format, Writer
from toolrag.answer.hover.pointed import words_of
from toolrag.answer.written import Written, find_written
from toolrag.retrieval.languages import ANY_TEXT, language_for
from toolrag.text import LineRange, Text, TextSnapshot

MOST_CHARACTERS: Final = 1_000_000
"""Of a document; a longer one has no links."""
MOST_CITATIONS: Final = 500
"""Of a document, from its start."""
MOST_LINES: Final = 12
"""Shown of a citation's lines."""
MOST_OF_LINE: Final = 400
"""Characters shown of one."""
MOST_HASHED: Final = 2_000_000
"""Lines that are hashed for one document to find what has moved. After that it is said to have changed."""
AROUND: Final = 4_000
"""Characters on either side of an offset in which its citation is looked for."""
MOST_READ: Final = 50_000_000
"""Characters of all that a document cites; citations after that are no links."""

Given = Mapping[str, TextSnapshot | None]
"""The text that each spelling of a path names; None for one that names none that may be read."""


def citations_in(content: str, language: str) -> list[Written]:
    """The written citations of a document, in order; `language` is empty where none is known."""
    if len(content) > MOST_CHARACTERS:
        return []
    return list(islice(find_written(words_of(content, language)), MOST_CITATIONS))


def may_have_citation(text: Text, offset: int) -> bool:
    """Whether one may be written at an offset, or end there: quick, and it takes code for words."""
    return _on_line(text, text.content, offset) is not None


def citation_at(text: Text, offset: int, language: str) -> Written | None:
    """The written citation at an offset, or ending there."""
    if len(text.content) > MOST_CHARACTERS:
        return None
    return _on_line(text, words_of(text.content, language), offset)


def ways(written: Written, folder: str, home: str) -> list[str]:
    """What its path may mean, likeliest first.

    `folder` is that of the text it is written in, relative to its root; `home` is that root's own path, where there
    are several: a path that names a file in each means the one beside the text.
    """
    found = spellings(written, folder)
    at_home = [f"{home}/{path}" for path in found if path[:1] not in "/\\~"] if home else []
    return [*at_home, *found]


def checked(found: Sequence[Written], given: Given, folder: str, home: str, runs: Runs) -> list[CheckedText]:
    """How each of some written citations stands in the texts that `ways` leads to; `runs` is that of the document."""
    texts = (next((given[way] for way in ways(one, folder, home) if given[way] is not None), None) for one in found)
    return [judge(one, text, None, runs) for one, text in zip(found, texts, strict=True)]


def stands(one: CheckedText) -> bool:
    """Whether nothing is to be put right."""
    return one.verdict in ("verified", "unpinned")


def leads_to(one: CheckedText) -> tuple[TextSnapshot, int] | None:
    """The document a link opens, and the line it shows, 0-based."""
    if one.snapshot is None:
        return None
    line = one.written.first - 1 if one.lines is None else one.lines.start
    return one.snapshot, min(max(line, 0), one.snapshot.text.n_lines - 1)


def said(one: CheckedText) -> str:
    """How it stands, in a few words that begin with the standing."""
    if one.verdict == "moved" and one.lines is not None:
        return f"moved to {_numbers(one.lines)}"
    if one.verdict == "gone":
        return f"gone: {'no such lines' if one.snapshot is not None else 'no such file that may be read'}"
    return {
        "changed": "changed: other lines stand there",
        "unpinned": "unpinned: whether these are the lines that were meant nobody can say",
    }.get(one.verdict, one.verdict)


def advised(one: CheckedText) -> str:
    """How one stands that does not stand any more, and what to do."""
    if one.verdict == "moved":
        return f"This citation has {said(one)}. `toolrag verify --fix` writes it anew."
    if one.verdict == "changed":
        return "This citation has changed: other lines stand there. Read them, and cite what is still true."
    return f"This citation is {said(one)}. Cite what took their place, or take it out."


def hovered(one: CheckedText, form: Format) -> str:
    """How it stands, and the lines that are there now."""
    out = Writer(form)
    parts = [out.words(_sentence(said(one)))]
    if one.snapshot is None:
        return parts[0]
    text = one.snapshot.text
    lines = one.lines if one.lines is not None else one.written.lines
    lines = (
        None if lines is None or lines.start >= text.n_lines else LineRange(lines.start, min(lines.end, text.n_lines))
    )
    if lines is None:
        return parts[0]
    shown = LineRange(lines.start, min(lines.end, lines.start + MOST_LINES))
    language = language_for(one.snapshot.path, text.content)
    parts.append(out.link(one.snapshot.path, one.snapshot.uri, lines))
    parts.append(out.lines(text.lines(shown), "" if language in (None, ANY_TEXT) else language, MOST_OF_LINE))
    if shown.end < lines.end:
        parts.append(out.words(f"The first {MOST_LINES} of {len(lines):,} lines."))
    return "\n\n".join(parts)


def _on_line(text: Text, words: str, offset: int) -> Written | None:
    """No citation is longer than a line, and of a very long line only what is around can reach to an offset."""
    line = text.line_at(offset)
    end = min(text.starts[line] + len(text.line(line)), offset + AROUND)
    start = max(text.starts[line], offset - AROUND)
    for one in find_written(words[start:end]):
        if one.start <= offset - start <= one.end:
            at = (one.lines_at[0] + start, one.lines_at[1] + start)
            return replace(one, start=one.start + start, end=one.end + start, lines_at=at)
    return None


def _numbers(lines: LineRange) -> str:
    return place_of("", lines)[1:]


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
