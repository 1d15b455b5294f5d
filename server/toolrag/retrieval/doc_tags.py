r"""Bring the tags of doc comments into the one form that `prose` reads: `:param name: text`. Pure.

Reads what Javadoc, JSDoc, KDoc, PHPDoc, YARD, LDoc and Doxygen write (`@param x text`, `\param[in] x text`), the XML
of C#, and their inline tags; and drops what is code or a heading in them. Each line stays a line, so that a sentence
can be cited where it stands. Absent on purpose: a parser of XML or HTML, and any knowledge of which language it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolrag.retrieval.prose import DocLine

_TAG: Final = re.compile(r"[@\\]([A-Za-z]+)(?:\[[a-z, ]+\])?(?=\s|$|\{)\s*(.*)")
_NAMED: Final = frozenset("param tparam arg property prop typeparam template tfield field vparam".split())
_PROSE: Final = frozenset("brief short details remarks summary description desc note details doc par".split())
_RAISES: Final = frozenset("throws throw exception raise raises".split())
_EXAMPLE: Final = frozenset("example code usage verbatim".split())
_ENDS_EXAMPLE: Final = frozenset("endcode endverbatim".split())

_SUBJECT: Final = re.compile(
    r"""
    (?: \{(?P<braced>[^}]*)\}\s* | \[(?P<listed>[^\]]*)\]\s+ | (?P<bare>[\w\\|?<>,]+(?:\[\])*)\s+(?=[$&]) )?
    (?P<name> \[[^\]\s]+\] | <\w+> | [$&]*[\w.$*-]+ )
    (?: \s+\[(?P<after>[^\]]*)\] )?
    \s*(?:[-:–—]\s+)? (?P<text>.*)
    """,
    re.VERBOSE,
)
"""A parameter's entry: its type before or behind its name, or not said, and what is said of it."""

_XML_FIELD: Final = re.compile(
    r"<(param|typeparam|returns|value|exception)\b(?:\s+(?:name|cref)\s*=\s*[\"'](?:[A-Z]:)?([^\"'<>]*)[\"'])?\s*>"
)
_XML_FIELD_END: Final = re.compile(r"</(?:param|typeparam|returns|value|exception)>")
_XML_REFERENCE: Final = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\s+(?:cref|name|langword|href)\s*=\s*[\"'](?:[A-Z]:)?([^\"'<>]*)[\"']\s*/?>"
)
_XML_CODE: Final = re.compile(r"<(c|tt)>([^<]*)</\1>")
_XML_REST: Final = re.compile(
    r"</?(?:summary|remarks|para|example|list|item|description|term|listheader|see|seealso|inheritdoc|include|ul|ol|li"
    r"|dl|dt|dd|p|br|h[1-6])\b[^<>]*>"
)
_BLOCK: Final = re.compile(r"<(code|pre)\b[^<>]*>")
_LINK: Final = re.compile(r"\{@(?:link|linkplain|code|literal|value|see)\s+([^{}\s|]+)(?:[\s|]+([^{}]*))?\}")
_INLINE: Final = re.compile(r"\{@\w+\}|(?<!\w)[@\\][cpea]\s+(?=\w)")
_RUST_LINK: Final = re.compile(r"\[(`[^`\]]+`)\](?![\[(])")
_HEADING: Final = re.compile(r"\s*#{1,6}\s+\S")
_CONTINUED: Final = "    "


def to_fields(lines: Sequence[DocLine]) -> list[DocLine]:
    """The lines of a doc with tags as fields, and with what follows a tag indented below it."""
    found: list[DocLine] = []
    closing = ""
    in_tag = in_example = in_xml = False
    for line in lines:
        text = line.text
        tag = _TAG.match(text.strip())
        if closing:
            text, closing = "", "" if closing in text else closing
        elif (block := _BLOCK.search(text)) and f"</{block[1]}>" not in text:
            text, closing = text[: block.start()], f"</{block[1]}>"
        elif tag and (tag[1] in _EXAMPLE or tag[1] in _ENDS_EXAMPLE):
            text, in_example, in_tag = "", tag[1] in _EXAMPLE, False
        elif tag:
            text, in_example = _field(tag[1], tag[2]), False
            in_tag = tag[1] not in _PROSE
        elif in_example or _HEADING.match(text):
            text = ""
        elif in_tag:
            text = _CONTINUED + text
        begins, ends = _XML_FIELD.search(text), _XML_FIELD_END.search(text)
        text = _without_xml(_CONTINUED + text if in_xml and text.strip() else text)
        in_xml = (in_xml or begins is not None) and ends is None
        found.append(DocLine(line.line, _without_inline(text).rstrip()))
    return found


def _field(tag: str, rest: str) -> str:
    """A tag and what stands on its line, as a field."""
    if tag in _PROSE:
        return rest
    if tag in _NAMED and (subject := _SUBJECT.match(rest)):
        kind = subject["braced"] or subject["listed"] or subject["bare"] or subject["after"] or ""
        if tag == "tparam" and (typed := re.match(r"(\S+)\s+(\w+)\s*(.*)", rest)) and not kind:
            return f":param {typed[1]} {typed[2]}: {typed[3]}"
        words = [re.sub(r"[:`]+", "", kind), subject["name"].strip("[]<>").partition("=")[0]]
        return f":param {' '.join(filter(None, words))}: {subject['text']}"
    if tag in _RAISES:
        what, _, text = rest.strip("[").partition(" ")
        return f":raises {what.strip('{}[]')}: {text}" if what else ":raises: "
    kind, text = "", rest
    if typed := re.match(r"(?:\{([^}]*)\}|\[([^\]]*)\])\s*(.*)", rest):
        kind, text = typed[1] or typed[2], typed[3]
    return f":{tag}: {f'({kind}) ' if kind else ''}{text}"


def _without_xml(text: str) -> str:
    if "<" not in text:
        return text
    text = _XML_REFERENCE.sub(r"`\1`", text)
    text = _XML_CODE.sub(r"`\2`", text)
    text = _XML_FIELD.sub(_xml_field, _XML_FIELD_END.sub("", text))
    return _XML_REST.sub("", text)


def _xml_field(match: re.Match[str]) -> str:
    name = {"typeparam": "param", "exception": "raises"}.get(match[1], match[1])
    return f":{name} {match[2]}: " if match[2] else f":{name}: "


def _without_inline(text: str) -> str:
    text = _LINK.sub(lambda match: match[2].strip() if match[2] else f"`{match[1].lstrip('#')}`", text)
    return _RUST_LINK.sub(r"\1", _INLINE.sub("", text))
