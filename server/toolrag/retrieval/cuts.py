"""Cut a symbol's signature, doc and prose from a text, as words for a person. Pure.

The text must be the one the span was made from: the caller has compared their shas. What is given back says on which
lines it stands, so that it can be cited. Absent on purpose: any text kept from an earlier parse.
"""

from __future__ import annotations

import re
from typing import Final

from toolrag.retrieval.comments import begins_block, without_comments, without_marks, without_quotes
from toolrag.retrieval.doc_tags import to_fields
from toolrag.retrieval.headings import html_heading
from toolrag.retrieval.html_prose import html_prose
from toolrag.retrieval.languages import LANGUAGES
from toolrag.retrieval.prose import DocLine as DocLine
from toolrag.retrieval.prose import Item, read_items, whole_items
from toolrag.retrieval.rst import is_underline, titles
from toolrag.retrieval.sentences import DocParagraph as DocParagraph
from toolrag.retrieval.sentences import DocSentence as DocSentence
from toolrag.retrieval.sentences import clean, paragraph, sentences
from toolrag.symbols import Span
from toolrag.text import LineRange, Text

_ATX_MARKS: Final = re.compile(r"#{1,6}\s+|\s+#+$")


def signature(text: Text, span: Span, language: str) -> str:
    """A symbol's signature on one line: comments left out, white space collapsed, without the mark that ends it.

    A section's is its heading, without marks.
    """
    lines = text.lines(span.header)
    lines[-1] = lines[-1][: span.header_end]
    if span.kind == "section":
        if language == "html":
            return html_heading(" ".join(lines))
        return clean(_ATX_MARKS.sub("", " ".join(" ".join(lines).split())))
    joined = ""
    for line in without_comments(lines, LANGUAGES[language]):
        words = " ".join(line.rstrip("\\").split())
        if words[:1] in (")", "]", "}"):
            joined = joined.removesuffix(",") + words
        elif joined[-1:] in ("(", "[", "{", ""):
            joined += words
        elif words:
            joined += f" {words}"
    return joined.rstrip(";,") or joined


def doc_lines(text: Text, span: Span, language: str) -> list[DocLine]:
    """The lines of a symbol's docstring or doc comment without quotes, comment marks and common indent.

    Empty lines are kept as "". A symbol without a doc has none; of several literals in a row the first is read.
    """
    if span.doc is None:
        return []
    raw = text.lines(span.doc)
    is_comment = span.doc.start < span.header.start or begins_block(raw[0], LANGUAGES[language])
    if is_comment:
        raw = without_marks(raw, LANGUAGES[language])
    else:
        if span.doc.start == span.header.end - 1:
            # The doc follows the header on its line: `def f(): "What it does."`
            raw[0] = raw[0][span.header_end :].lstrip(": \t")
        raw = without_quotes(raw)
        raw[0] = raw[0].lstrip()
    indented = raw if is_comment else raw[1:]
    margin = min((_indent(line) for line in indented if line.strip()), default=0)
    raw = [*raw[: len(raw) - len(indented)], *(line[margin:] for line in indented)]
    return [DocLine(span.doc.start + index, line.rstrip()) for index, line in enumerate(raw)]


def doc_paragraphs(text: Text, span: Span, language: str) -> list[DocParagraph]:
    """The paragraphs and list entries of a doc, in order; the first is the summary."""
    found = (paragraph(item) for item in _items(text, span, language))
    return [one for one in found if one.text]


def doc_sentences(text: Text, span: Span, language: str) -> list[DocSentence]:
    """The sentences of a doc, in order; a parameter's entry is one, and begins with the parameter's name."""
    items = whole_items(_items(text, span, language))
    return [sentence for item in items for sentence in sentences(item)]


def section_sentences(text: Text, span: Span, language: str = "markdown") -> list[DocSentence]:
    """The sentences of a section's own prose: without its heading, subsections, code and tables."""
    body = LineRange(span.header.end, span.lines.end)
    lines = [DocLine(body.start + index, line) for index, line in enumerate(text.lines(body))]
    if language == "html":
        lines = html_prose(lines)
    elif lines and is_underline(lines[0].text):
        del lines[0]
    if language == "rst":
        first = next(titles([line.text for line in lines]), None)
        del lines[first.first if first else len(lines) :]
    items = read_items(lines, markdown=language != "rst")
    return [sentence for item in whole_items(items) for sentence in sentences(item)]


def _items(text: Text, span: Span, language: str) -> list[Item]:
    """The paragraphs and entries of a doc; tags are those of comments, a docstring has its own."""
    lines = doc_lines(text, span, language)
    return read_items(lines if LANGUAGES[language].docstrings else to_fields(lines))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
