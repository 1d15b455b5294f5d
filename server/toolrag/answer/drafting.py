"""What a model wrote as an answer, made into drafts of claims while it is still writing. Pure.

A claim is a paragraph or a list item that ends with its citations; a line that ends with one ends its claim too. Left
out are headings, what only leads to a list, what a model thinks aloud, and fenced code: quotes are cut from the files
here, a model never types them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolrag.answer.claim_text import Cite as Cite
from toolrag.answer.claim_text import parse_sentence
from toolrag.answer.types import Cut, Draft, Evidence
from toolrag.text import LineRange

MAX_CHARACTERS: Final = 600
"""Of a claim's text; a longer one is several claims."""
MAX_CITES: Final = 6
"""Of a claim; one that cites more is several claims, or cites a whole file piece by piece."""
FORMAT: Final = (
    "Write one claim per paragraph or list item, and end each with the lines that show it, in square brackets: "
    "[e1:12-18], or [e1:12-18] [e2:3] for several. Use the evidence ids and line numbers of your reads. Quote no code "
    "blocks: the cited lines are shown to the reader. If what you read does not answer the question, write NO ANSWER."
)
"""The form of an answer, as a model is told of it."""

_LINE_END: Final = re.compile(r"\r\n|\n|\r(?!\n|\Z)")
"""A carriage return at the end of what has come may be half of a line end."""
_FENCE: Final = re.compile(r"\s*(?:>\s?)*(?:(`{3,})[^`]*|(~{3,}).*)")
_THINKS: Final = re.compile(r"(?i)\s*<(think|thinking|thought|reasoning)>")
_THOUGHT: Final = re.compile(r"(?i)\s*</(?:think|thinking|thought|reasoning)>")
_HEADING: Final = re.compile(r"\s*#{1,6}(?:\s|\Z)")
_RULE: Final = re.compile(r"\s*(?:=+|(?:[-*_]\s*){3,}|-{2,})\s*")
_QUOTED: Final = re.compile(r"\s*(?:>\s?)+")
_ITEM: Final = re.compile(r"\s*(?:[-*+•‣◦–]|\(?\d{1,9}[.)])(?:\s+|\Z)")
_STRESSED: Final = re.compile(r"\s*(\*\*|__)(?!\s)[^*_`]{1,200}\1:?\s*")
_GAVE_UP: Final = re.compile(r"(?i)[\s*_`\"'\[]*NO[\s_-]ANSWER[\s*_`\"'\].!]*")


@dataclass(frozen=True, slots=True)
class Written:
    """A paragraph or list item of a model's answer."""

    text: str
    """Markdown without citations, links, images or HTML."""
    cites: tuple[Cite, ...]
    raw: str
    """As the model wrote it, without fenced code."""


@dataclass(slots=True)
class _Block:
    """A paragraph or list item."""

    is_item: bool
    lines: list[str] = field(default_factory=list)
    ends_cited: bool = False

    @property
    def raw(self) -> str:
        """Its lines as they were written."""
        return "\n".join(self.lines)

    @property
    def words(self) -> str:
        """Its lines without the mark of a list."""
        return _ITEM.sub("", self.raw, count=1) if self.is_item else self.raw


class Drafts:
    """Takes the pieces of one answer as they come. However it is cut into pieces, the same comes out."""

    def __init__(self) -> None:
        self._rest: list[str] = []
        self._block: _Block | None = None
        self._held: _Block | None = None
        """A paragraph without citations: those of it may follow alone."""
        self._fence = ""
        self._thinks = ""
        self._has_cited = False
        self._has_given_up = False

    @property
    def gave_up(self) -> bool:
        """Whether NO ANSWER was written, and no claim with a citation beside it."""
        return self._has_given_up and not self._has_cited

    def feed(self, piece: str) -> list[Written]:
        """The claims that are complete now."""
        held_back = bool(self._rest) and self._rest[-1].endswith("\r")
        if not held_back and "\n" not in piece and "\r" not in piece:
            self._rest.append(piece)
            return []
        *lines, rest = _LINE_END.split("".join([*self._rest, piece]))
        self._rest = [rest] if rest else []
        return [written for line in lines for written in self._line(line)]

    def end(self) -> list[Written]:
        """The claims that are left: nothing more comes."""
        line = "".join(self._rest).removesuffix("\r")
        self._rest = []
        return [*self._line(line), *self._close(), *self._let_go()]

    def _line(self, line: str) -> Iterator[Written]:
        fence = _FENCE.fullmatch(line)
        if self._thinks:
            closing = re.search(rf"(?i)</{self._thinks}>", line)
            if closing:
                self._thinks = ""
                yield from self._line(line[closing.end() :])
        elif self._fence:
            mark = (fence[1] or fence[2]) if fence else ""
            if mark.startswith(self._fence) and line.rstrip().endswith(mark):
                self._fence = ""
        elif fence:
            self._fence = fence[1] or fence[2]
        elif match := _THINKS.match(line):
            self._thinks = match[1].lower()
            yield from self._line(line[match.end() :])
        elif match := _THOUGHT.match(line):
            # Some servers leave the opening tag in the prompt: then all before this one was thought aloud.
            self._block = self._held = None
            yield from self._line(line[match.end() :])
        else:
            yield from self._words(line)

    def _words(self, line: str) -> Iterator[Written]:
        line = _QUOTED.sub("", line, count=1) if _QUOTED.match(line) else line
        block = self._block
        if not line.strip() or _HEADING.match(line):
            yield from self._close()
        elif _RULE.fullmatch(line):
            # A line of dashes or equals signs below a line makes it a heading.
            if block is not None and len(block.lines) == 1 and not parse_sentence(block.lines[0]).cites:
                self._block = None
            yield from self._close()
        else:
            item = _ITEM.match(line)
            sentence = parse_sentence(line[item.end() :] if item else line)
            if item or block is None or (block.ends_cited and not sentence.is_bare):
                yield from self._close()
                block = self._block = _Block(is_item=item is not None)
            block.lines.append(line)
            block.ends_cited = sentence.ends_cited

    def _close(self) -> Iterator[Written]:
        """Ends the block that is open."""
        block, self._block = self._block, None
        if block is None:
            return
        sentence = parse_sentence(block.words)
        if _GAVE_UP.fullmatch(block.words):
            self._has_given_up = True
        elif sentence.is_bare:
            if self._held is not None and not block.is_item:
                self._held.lines += block.lines
                yield self._cited(self._held)
                self._held = None
        elif sentence.cites:
            yield from self._let_go()
            yield self._cited(block)
        elif not _STRESSED.fullmatch(block.words):
            yield from self._let_go()
            self._held = block

    def _let_go(self) -> Iterator[Written]:
        """The paragraph that waited for citations; what leads to a list is no claim."""
        held, self._held = self._held, None
        if held is not None and not held.raw.rstrip(" \t*_").endswith(":"):
            yield Written(parse_sentence(held.words).text, (), held.raw)

    def _cited(self, block: _Block) -> Written:
        self._has_cited = True
        sentence = parse_sentence(block.words)
        return Written(sentence.text, sentence.cites, block.raw)


def resolve(written: Written, evidence: Mapping[str, Evidence]) -> Draft | str:
    """The draft of a claim, with cuts of the evidence it cites; one sentence, to the model, where it cannot be one."""
    if not written.cites:
        return "It cites nothing; end it with the lines that show it, such as [e1:12-18]."
    if not written.text:
        return "It says nothing beside its citations."
    if len(written.text) > MAX_CHARACTERS:
        return (
            f"It has {len(written.text):,} characters; make it claims of at most {MAX_CHARACTERS}, each with its lines."
        )
    if len(written.cites) > MAX_CITES:
        return f"It cites {len(written.cites)} places; make it claims that cite at most {MAX_CITES} each."
    cuts: list[Cut] = []
    for cite in written.cites:
        cut = _cut(cite, evidence)
        if isinstance(cut, str):
            return cut
        cuts.append(cut)
    return Draft(written.text, tuple(cuts))


def _cut(cite: Cite, evidence: Mapping[str, Evidence]) -> Cut | str:
    item = evidence.get(cite.evidence)
    if item is None:
        known = f"the ids are {', '.join(evidence)}" if evidence else "nothing was read yet"
        return f"It cites {cite}, and there is no evidence {cite.evidence}: {known}."
    if cite.start is None or cite.end is None:
        return Cut(item, item.lines)
    if cite.end < cite.start:
        return f"It cites {cite}, which ends before it starts."
    first, last = item.lines.start + 1, item.lines.end
    if cite.start < first or cite.end > last:
        held = f"line {first}" if first == last else f"lines {first}-{last}"
        return f"It cites {cite}, and {item.id} holds {held} of {item.snapshot.path}: read those lines, or cite others."
    return Cut(item, LineRange(cite.start - 1, cite.end))
