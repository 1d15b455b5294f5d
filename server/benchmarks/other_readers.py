"""Where functions and sections begin and end by readers that share nothing with ours: Python's own, CommonMark's."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise

from markdown_it import MarkdownIt

Place = tuple[int, int]
"""First line and last line of something, 0-based."""


def headings_of_markdown(text: str) -> Iterator[Place]:
    """What a CommonMark parser takes for headings of the document itself; settings at its top are not Markdown."""
    text = re.sub(r"\A---\n.*?\n---(?=\n)", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    tokens = MarkdownIt().parse(text)
    found = [
        (token.map[0], int(token.tag[1]))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map and inline.content.strip()
    ]
    yield from sections(text.split("\n"), found)


class Headings(HTMLParser):
    """The headings of a page that say something, each with the offset it begins at, its line and its level."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.found: list[tuple[int, int, int]] = []
        self._open: tuple[int, int, int] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        """A heading, or anything else."""
        if re.fullmatch("h[1-6]", tag):
            line, column = self.getpos()
            self._open = self._starts[line - 1] + column, line - 1, int(tag[1])

    def handle_data(self, data: str) -> None:
        """Text, which may be a heading's."""
        if self._open and re.sub(r"\{%.*?%\}|\N{PILCROW SIGN}", "", data).strip():
            self.found.append(self._open)
            self._open = None


def headings_of_html(text: str) -> Iterator[Place]:
    """What Python's own reader of HTML takes for headings; a section ends before the next, and comments above it."""
    found = Headings(text).found
    for index, (_, line, level) in enumerate(found):
        end = next((start for start, _, its in found[index + 1 :] if its <= level), len(text))
        body = re.sub(r"(?:\s|<!--(?:(?!-->).)*-->)+\Z", "", text[:end], flags=re.DOTALL)
        yield line, max(line, body.count("\n"))


def stages_of_docker(text: str) -> Iterator[Place]:
    """Lines that begin with FROM, each to the next, without the comments above that."""
    lines = text.split("\n")
    found = [(at, 1) for at, line in enumerate(lines) if line.upper().startswith("FROM ")]
    yield from sections([line if not line.startswith("#") else "" for line in lines], found)


def titles_of_rst(text: str) -> Iterator[Place]:
    """Titles that a regular expression over the whole text finds, for texts whose marks are all underlines."""
    lines = text.split("\n")
    found = list(re.finditer(r"(?:\A|\n[ \t]*\n)(\w[^\n]*)\n(([=~^\"'*+-])\3{2,})[ \t]*(?=\n)", text))
    marks = re.findall(r"^([^\w\s])\1{2,}[ \t]*$", text, re.MULTILINE)
    if len(marks) != len(found):
        return
    order = list(dict.fromkeys(match[3] for match in found))
    yield from sections(lines, [(text.count("\n", 0, match.start(1)), order.index(match[3])) for match in found])


def sections(lines: list[str], found: list[tuple[int, int]]) -> Iterator[Place]:
    """First and last line of each section, of the lines and levels of the headings."""
    for index, (at, level) in enumerate(found):
        end = next((other for other, its in found[index + 1 :] if its <= level), len(lines))
        while end > at + 1 and not lines[end - 1].strip():
            end -= 1
        yield at, end - 1


def functions_of_python(text: str) -> Iterator[Place]:
    """Python's own parser is still further from ours than a walk over the tree."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.lineno - 1, node.end_lineno - 1


SECTIONS: dict[str, Callable[[str], Iterator[Place]]] = {
    "dockerfile": stages_of_docker,
    "markdown": headings_of_markdown,
    "html": headings_of_html,
    "rst": titles_of_rst,
}
"""How the sections of a language are found by other means; for reST, in those texts where that is easy to do right."""
