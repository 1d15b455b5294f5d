"""Doc comments and Markdown prose as paragraphs and entries of lists, each with the lines it stands on. Pure.

Reads what people write in docstrings: reStructuredText fields and roles, Google and NumPy sections, lists, and the
parts of Markdown that hold prose. Code, doctests, tables, headings and rules are left out: they are no sentences.
Absent on purpose: a full parser of any of these; a line that fits no rule is prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from toolrag.text import LineRange


@dataclass(frozen=True, slots=True)
class DocLine:
    """One line of a doc, without its marks and common indent; `line` is where it stands in the file, 0-based."""

    line: int
    text: str


_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_RULE: Final = re.compile(r"\s*([=\-~^\"'`#*+._])(?:\s*\1){2,}\s*$")
_UNDERLINE: Final = re.compile(r"\s*([=\-~^#*+])\1{2,}\s*$")
_SETEXT: Final = re.compile(r" {0,3}(?:=+|-+)\s*$")
_ATX: Final = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_TABLE: Final = re.compile(r"\s*(?:\||\+[-=]+\+|(?:=+ +)+=+\s*$|:?-+:? *\|)")
_MARKUP_ONLY: Final = re.compile(r"\s*(?:</?[A-Za-z!][^>]*>\s*)+$|\s*\[[^\]]+\]:\s*\S")
_DIRECTIVE: Final = re.compile(r"\.\.(?:\s+([\w-]+(?::[\w-]+)*)::\s*(.*)|\s|$)")
_TELLING: Final = frozenset({"deprecated", "versionadded", "versionchanged"})
_PROSE_DIRECTIVES: Final = frozenset(
    {"attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "todo", "warning"}
)
_FIELD: Final = re.compile(r":(\w+)(?:\s+([^:`]+?))?:(?:\s+(.*)|$)")
_BULLET: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|@(?=(?:param|returns?|throws|see|since)\b))(?:\s+|(?<=@))(?=\S)")
_HEADING: Final = re.compile(
    r"(args|arguments|attributes|example|examples|except|exceptions|keyword arg(?:ument)?s|methods|note|notes|"
    r"other parameters|parameters|params|raises|references|returns?|see also|todo|usage|warns|warnings|yields?):?$",
    re.IGNORECASE,
)
_OF_PROSE: Final = re.compile(r"example|note|reference|see|todo|usage|warning", re.IGNORECASE)
"""Headings of sections that hold prose, not entries."""

_OF_RESULT: Final = re.compile(r"return|yield", re.IGNORECASE)
"""Headings of sections that hold prose in Google's style, and entries in NumPy's, where they are underlined."""

_ABOUT_A_NAME: Final = frozenset(
    {"arg", "argument", "cvar", "ivar", "key", "keyword", "param", "parameter", "type", "var", "vartype"}
)
"""reStructuredText fields that say something of a name."""


@dataclass(slots=True)
class Item:
    """Lines that belong together: a paragraph, or an entry of a list, whose first line stands at `indent`."""

    indent: int
    is_entry: bool
    is_bullet: bool = False
    """An entry of a plain list, which may be half of a sentence that the line before the list begins."""
    lines: list[DocLine] = field(default_factory=list)

    @property
    def lines_in_file(self) -> LineRange:
        """The lines of the file it stands on."""
        return LineRange(self.lines[0].line, self.lines[-1].line + 1)


class _Reader:
    """Goes through the lines of one doc and gathers its items."""

    def __init__(self, markdown: bool) -> None:
        self.items: list[Item] = []
        self._markdown = markdown
        self._open: Item | None = None
        self._fence = ""
        self._skip_deeper: int | None = None
        """Lines deeper than this are a literal block."""

        self._doctest = False
        self._after_blank = True
        self._entries_under: int | None = None
        """The indent of the heading whose entries are being read."""

        self._numpy = False
        """That heading was underlined: its entries stand at its own indent."""

    def read(self, lines: Sequence[DocLine]) -> list[Item]:
        """The items of a doc; of a Markdown section those before its first subsection."""
        for index, line in enumerate(lines):
            following = lines[index + 1].text if index + 1 < len(lines) and line.text.strip() else ""
            if self._markdown and not self._fence and self._ends_section(line.text, following):
                break
            if not line.text.strip():
                self._open, self._doctest, self._after_blank = None, False, True
            elif not self._skipped(line.text):
                self._take(line, following)
                self._after_blank = False
        return self.items

    def _ends_section(self, text: str, following: str) -> bool:
        """Whether a line of Markdown is a heading, or the last of one that is underlined."""
        if _SETEXT.match(following) and not _BULLET.match(text) and text[:1] not in "|>":
            if self._open and not self._open.is_entry:
                self.items.pop()
            return True
        return _ATX.match(text) is not None

    def _skipped(self, text: str) -> bool:
        """Whether a line that is not blank holds no prose."""
        indent = len(text) - len(text.lstrip())
        fence = _FENCE.match(text)
        if fence and (self._markdown or "`" in fence[1]):
            if not self._fence:
                self._fence, self._open = fence[1], None
            elif fence[1].startswith(self._fence):
                self._fence = ""
            return True
        if self._fence or self._doctest:
            return True
        if self._skip_deeper is not None:
            if indent > self._skip_deeper:
                return True
            self._skip_deeper = None
        self._doctest = text.lstrip().startswith(">>>")
        is_code = self._markdown and self._after_blank and indent >= 4 and not (self.items and self.items[-1].is_entry)
        if self._doctest or is_code or _RULE.match(text) or _TABLE.match(text):
            self._open = None
            return True
        return bool(self._markdown and _MARKUP_ONLY.match(text))

    def _take(self, line: DocLine, following: str) -> None:
        """Sort in a line of prose, a heading, or the first line of an entry."""
        text = " ".join(line.text.split())
        indent = len(line.text) - len(line.text.lstrip())
        underlined = bool(_UNDERLINE.match(following)) and not self._markdown
        if self._entries_under is not None and indent < self._entries_under + (not self._numpy):
            self._entries_under, self._open = None, None
        if not self._markdown and (underlined or (text.endswith(":") and _HEADING.match(text))):
            self._head(line, text, indent, underlined)
        elif not self._markdown and (directive := _DIRECTIVE.match(text)):
            self._direct(line, directive, indent)
        elif (rest := _entry_text(text)) is not None:
            self._begin(DocLine(line.line, rest), indent, is_entry=True, is_bullet=not _FIELD.match(text))
        elif self._begins_entry(indent):
            self._begin(DocLine(line.line, _numpy_entry(text) if self._numpy else text), indent, is_entry=True)
        elif self._open and (self._markdown or not self._open.is_entry or indent > self._open.indent):
            self._open.lines.append(DocLine(line.line, text.lstrip("> ") if self._markdown else text))
        else:
            self._begin(DocLine(line.line, text.lstrip("> ") if self._markdown else text), indent, is_entry=False)
        if not self._markdown and text.endswith("::") and self._open:
            self._open.lines[-1] = DocLine(line.line, self._open.lines[-1].text[:-1])
            self._skip_deeper = indent

    def _begins_entry(self, indent: int) -> bool:
        """Whether a line of a section of entries begins one: it stands no deeper than the entry before."""
        if self._entries_under is None:
            return False
        if self._numpy:
            return indent == self._entries_under
        before = self.items[-1] if self.items else None
        first_in_section = not (before and before.is_entry and before.indent > self._entries_under)
        return first_in_section or bool(before and indent <= before.indent)

    def _head(self, line: DocLine, text: str, indent: int, underlined: bool) -> None:
        """A section's heading: what follows are entries, or prose that "Returns:" begins."""
        self._open = None
        is_result = bool(_OF_RESULT.match(text)) and not underlined
        has_entries = _HEADING.match(text) and not _OF_PROSE.match(text) and not is_result
        self._entries_under = indent if has_entries else None
        self._numpy = underlined
        if is_result:
            self._begin(DocLine(line.line, text), indent, is_entry=True)

    def _direct(self, line: DocLine, directive: re.Match[str], indent: int) -> None:
        """A reStructuredText directive: prose, a note on versions, or a block to skip."""
        name, rest = directive[1] or "", directive[2] or ""
        self._open = None
        if name in _TELLING:
            self._begin(DocLine(line.line, f"{name}: {rest}"), indent, is_entry=True)
        elif name not in _PROSE_DIRECTIVES:
            self._skip_deeper = indent
        elif rest:
            self._begin(DocLine(line.line, rest), indent, is_entry=False)

    def _begin(self, line: DocLine, indent: int, *, is_entry: bool, is_bullet: bool = False) -> None:
        self._open = Item(indent, is_entry, is_bullet, [line])
        self.items.append(self._open)


def read_items(lines: Sequence[DocLine], *, markdown: bool = False) -> list[Item]:
    """The paragraphs and entries of a doc, or of a Markdown section's own prose, in order."""
    return _Reader(markdown).read(lines)


def whole_items(items: Sequence[Item]) -> list[Item]:
    """The items that stand by themselves: without the lists that finish a sentence which ends in a colon."""
    whole: list[Item] = []
    torn = False
    for item in items:
        if not item.is_bullet:
            torn = item.lines[-1].text.rstrip().endswith(":")
        if not (item.is_bullet and torn):
            whole.append(item)
    return whole


def _entry_text(text: str) -> str | None:
    """The words of a field's or list entry's first line; None for a line that begins neither."""
    if named := _FIELD.match(text):
        kind, subject, rest = named[1], named[2], named[3] or ""
        if kind in (
            "param",
            "parameter",
            "arg",
            "argument",
            "key",
            "keyword",
            "type",
            "var",
            "ivar",
            "cvar",
            "vartype",
        ):
            *types, name = (subject or kind).split()
            label = f"{name} ({' '.join(types)})" if types else name
        else:
            label = f"{kind} {subject}" if subject else kind
        return f"{label}: {rest}"
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else None


def _numpy_entry(text: str) -> str:
    """`x : int` as `x (int):`."""
    name, colon, kind = text.partition(" :")
    return f"{name} ({kind.strip()}):" if colon and kind.strip() else f"{name}:"
