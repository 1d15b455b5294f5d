"""Read the lines of a body as statements and comments, by their text alone. Pure.

Enough of a reading to say in words what a line does: brackets, strings, comments and indentation; no grammar. What
it cannot read it leaves out. Absent on purpose: the syntax tree, which stays in the span parser, and languages whose
blocks stand in braces: a brace opens a literal here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from keyword import iskeyword
from typing import Final

from toolrag.text import LineRange, Text

_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_TRIPLE: Final = re.compile(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
_STRING: Final = r"\"\"\"(?s:.)*?\"\"\"|'''(?s:.)*?'''|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
_STRINGS: Final = re.compile(_STRING)
_STRING_OR_BLANKS: Final = re.compile(rf"({_STRING})|\s+")
_TRAILED: Final = re.compile(r"[\w)\]]+$")
"""What makes a bracket one of arguments or of a subscript."""
TAB_WIDTH: Final = 8


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of code, or one comment, with the lines it stands on."""

    lines: LineRange
    indent: int
    text: str
    """On one line: blanks outside strings folded, comments off, without a block's opening `:` or `{`."""
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


def masked(code: str) -> str:
    """Code of the same length with NUL for all that stands in strings or brackets: what is left is its outer form."""
    outer = list(_without_strings(code))
    depth = 0
    for at, character in enumerate(outer):
        depth -= character in _CLOSING and depth > 0
        if depth:
            outer[at] = "\0"
        depth += character in _OPENING
    return "".join(outer)


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
    """The statement that begins on the first line, joined over brackets, strings and backslashes."""
    depth = 0
    closing = ""
    pieces: list[str] = []
    end = lines.start
    while end < lines.end:
        code, depth, closing = _scan(text.line(end), depth, closing, comment_marks)
        end += 1
        joined = _continues(code) and len(closing) < 3
        pieces.append(code.rstrip().removesuffix("\\").strip() if joined else code.strip())
        if depth <= 0 and not closing and not joined:
            break
    whole = _STRING_OR_BLANKS.sub(_folded, " ".join(filter(None, pieces)))
    return re.sub(r"\s*[:{]$", "", _without_last_comma(whole)).rstrip(";"), end


def _folded(match: re.Match[str]) -> str:
    """A string as it is; of blanks one, and none next to the inside of a bracket."""
    if match[1] is not None:
        return match[1]
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    return "" if before in _OPENING or after in _CLOSING else " "


def _without_last_comma(code: str) -> str:
    """Code without the comma before a closing bracket, but for one that may make a tuple."""
    outer = _without_strings(code)
    opened: list[int] = []
    dropped = set()
    for at, character in enumerate(outer):
        if character in _OPENING:
            opened.append(at)
        elif character in _CLOSING and opened:
            start = opened.pop()
            before = _TRAILED.search(outer, max(0, start - 10), start)
            trails = before is not None and not iskeyword(before[0])
            tuple_like = (character == ")" and not trails) or (character == "]" and trails)
            if outer[at - 1] == "," and not tuple_like:
                dropped.add(at - 1)
    return "".join(character for at, character in enumerate(code) if at not in dropped)


def _without_strings(code: str) -> str:
    return _STRINGS.sub(lambda match: "\0" * len(match[0]), code)


def _continues(code: str) -> bool:
    """Whether a line goes on after its end: it ends with an odd number of backslashes."""
    bare = code.rstrip()
    return (len(bare) - len(bare.rstrip("\\"))) % 2 == 1


def _scan(line: str, depth: int, closing: str, comment_marks: tuple[str, ...]) -> tuple[str, int, str]:
    """One line without its comment, the bracket depth after it, and the quote that is still open."""
    at = 0
    while at < len(line):
        if closing:
            end = _string_end(line, at, closing)
            if end is None:
                # Only a backslash carries a string of plain quotes over the line's end.
                return line, depth, closing if len(closing) == 3 or _continues(line) else ""
            at, closing = end, ""
            continue
        triple = _TRIPLE.match(line, at)
        if triple:
            closing, at = triple[1], triple.end()
        elif line[at] in "\"'":
            closing, at = line[at], at + 1
        elif line.startswith(comment_marks, at):
            return line[:at], depth, closing
        else:
            depth += (line[at] in _OPENING) - (line[at] in _CLOSING)
            at += 1
    return line, depth, closing if len(closing) == 3 else ""


def _string_end(line: str, start: int, quote: str) -> int | None:
    """The offset after the quote that closes a string whose inside begins at `start`; None where it is not closed."""
    at = start
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return None


def _indent(line: str) -> int:
    expanded = line.expandtabs(TAB_WIDTH)
    return len(expanded) - len(expanded.lstrip())
