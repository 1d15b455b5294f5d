"""Read the lines of a body as statements and comments, by their text alone. Pure.

Enough of a reading to say in words what a line does: brackets, strings, comments and indentation; no grammar. What
it cannot read it leaves out. Absent on purpose: the syntax tree, which stays in the span parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolrag.text import LineRange, Text

_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_TRIPLE: Final = re.compile(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
TAB_WIDTH: Final = 8


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of code, or one comment, with the lines it stands on."""

    lines: LineRange
    indent: int
    text: str
    """On one line: blanks folded, comments off, without a block's opening `:` or `{`."""
    is_comment: bool = False


def statements(text: Text, lines: LineRange, comment_marks: tuple[str, ...]) -> list[Statement]:
    """The statements and comments of a range, in order. Neighbouring comment lines of one indent are one comment."""
    found: list[Statement] = []
    at = lines.start
    while at < lines.end:
        raw = text.line(at)
        bare = raw.strip()
        mark = next((mark for mark in comment_marks if bare.startswith(mark)), None)
        if not bare:
            at += 1
        elif mark is not None:
            statement = _comment(text, LineRange(at, lines.end), mark)
            found.append(statement)
            at = statement.lines.end
        else:
            code, end = _whole(text, LineRange(at, lines.end), comment_marks)
            found.append(Statement(LineRange(at, end), _indent(raw), code))
            at = end
    return found


def _comment(text: Text, lines: LineRange, mark: str) -> Statement:
    indent = _indent(text.line(lines.start))
    words = []
    end = lines.start
    while end < lines.end:
        raw = text.line(end)
        if not raw.strip().startswith(mark) or _indent(raw) != indent:
            break
        words.append(raw.strip().removeprefix(mark).strip(" #!/*"))
        end += 1
    return Statement(LineRange(lines.start, end), indent, " ".join(filter(None, words)), is_comment=True)


def _whole(text: Text, lines: LineRange, comment_marks: tuple[str, ...]) -> tuple[str, int]:
    """The statement that begins on the first line, joined over brackets, triple quotes and backslashes."""
    depth = 0
    closing = ""
    pieces: list[str] = []
    end = lines.start
    while end < lines.end:
        code, depth, closing = _scan(text.line(end), depth, closing, comment_marks)
        end += 1
        joined = code.rstrip().endswith("\\") and not closing
        pieces.append(code.rstrip().removesuffix("\\").strip() if joined else code.strip())
        if depth <= 0 and not closing and not joined:
            break
    whole = re.sub(r"\s+", " ", " ".join(filter(None, pieces)))
    whole = re.sub(r"([(\[{]) ", r"\1", re.sub(r",? ([)\]}])", r"\1", whole))
    return re.sub(r"\s*[:{]$", "", whole).rstrip(";"), end


def _scan(line: str, depth: int, closing: str, comment_marks: tuple[str, ...]) -> tuple[str, int, str]:
    """One line without its comment, the bracket depth after it, and the triple quote that is still open."""
    at = 0
    while at < len(line):
        if closing:
            end = line.find(closing, at)
            if end < 0:
                return line, depth, closing
            at, closing = end + len(closing), ""
            continue
        triple = _TRIPLE.match(line, at)
        character = line[at]
        if triple:
            closing = triple[1]
            at = triple.end()
        elif character in "\"'":
            at = _string_end(line, at)
        elif any(line.startswith(mark, at) for mark in comment_marks):
            return line[:at], depth, closing
        else:
            depth += (character in _OPENING) - (character in _CLOSING)
            at += 1
    return line, depth, closing


def _string_end(line: str, start: int) -> int:
    """The offset after the string that begins at `start`; the line's end where it is not closed."""
    at = start + 1
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line[at] == line[start]:
            return at + 1
        else:
            at += 1
    return len(line)


def _indent(line: str) -> int:
    expanded = line.expandtabs(TAB_WIDTH)
    return len(expanded) - len(expanded.lstrip())
