"""Cut drafts of claims from what was read of one candidate: its summary, doc sentences, statements. Pure.

Every word of a unit comes from the lines it cites, but for the few that join them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from toolrag.answer import blocks, clauses, parameters
from toolrag.answer.prose import ended, first_sentences, markdown, plain, points, says_something
from toolrag.answer.statements import Statement, statements
from toolrag.answer.types import Cut, Draft, Evidence
from toolrag.answer.verify import EXTRACTIVE_MAX_LINES
from toolrag.ports import Candidate
from toolrag.retrieval import cuts
from toolrag.retrieval.languages import LANGUAGES
from toolrag.symbols import Span
from toolrag.text import LineRange

UnitKind = Literal["summary", "doc", "statement", "comment", "value", "default"]
SIGNATURE_CHARACTERS = 100
MOST_LINES_ABOVE = 500
"""A class's own statements are read when what was found of it is not farther down than this."""
_CODE_IN_COMMENT = re.compile(r"[\w.\])]+ [-+*/|&]?= |\breturn [\w.]+$|^(?:if|for|while|with|def|class) .*:|\w\(.*\)$")
"""Code that was commented out is no comment."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A draft with what kind it is and the text it is judged by."""

    kind: UnitKind
    draft: Draft
    words: str
    """What of the cited lines the claim says."""
    first_line: int
    documented: bool = False
    """A summary that has words of a doc, not a signature alone."""
    is_entry: bool = False
    """A doc's entry for a parameter or the like, which tells of that alone."""
    target: str = ""
    """What a value or a default is the value of."""


class Reading:
    """What was read of one candidate: evidence that holds its lines, and its parent's header where it has one."""

    def __init__(self, candidate: Candidate, evidence: Sequence[Evidence]) -> None:
        self.candidate = candidate
        self._evidence = evidence
        self._cut: tuple[Unit, ...] | None = None
        self.text = evidence[0].snapshot.text

    def cut(self, lines: LineRange, symbol: str | None = None) -> Cut | None:
        """The lines as a cut, at most the extractive length; None where they were not read whole."""
        lines = LineRange(lines.start, min(lines.end, lines.start + EXTRACTIVE_MAX_LINES))
        span = self.candidate.span
        name = symbol if symbol is not None else (span.qualified_name if span else "")
        return next((Cut(item, lines, name) for item in self._evidence if lines in item.lines), None)

    def units(self) -> Sequence[Unit]:
        """Everything that can be claimed of this candidate, cut once; see `_units`."""
        if self._cut is None:
            self._cut = tuple(self._units())
        return self._cut

    def _units(self) -> Iterator[Unit]:
        """Everything that can be claimed of this candidate, in the order of its lines, its summary first."""
        span = self.candidate.span
        if span is None:
            yield from self._statement_units(self.candidate.lines, None)
        elif span.kind == "section":
            yield from self._section_units(span)
        elif span.kind in ("constant", "field"):
            yield from self._value_units(span)
        else:
            yield from self._symbol_units(span)

    def _symbol_units(self, span: Span) -> Iterator[Unit]:
        summary = self._summary(span)
        if summary is not None:
            yield summary
        header = self.cut(LineRange(span.header.start, span.header.start + 1))
        paragraphs = cuts.doc_paragraphs(self.text, span, self.candidate.language)
        first = paragraphs[0].lines if paragraphs else None
        for sentence in cuts.doc_sentences(self.text, span, self.candidate.language):
            here = self.cut(sentence.lines)
            told = first is not None and sentence.lines in first
            if here is None or header is None or told or not says_something(sentence.text):
                continue
            text = f"`{span.name}`: {markdown(sentence.text)}"
            draft = Draft(ended(text), (here, header))
            yield Unit("doc", draft, sentence.text, sentence.lines.start, is_entry=sentence.is_entry)
        if span.kind == "class":
            yield from self._attribute_units(span)
        else:
            yield from self._default_units(span)
            yield from self._statement_units(body_of(span), span)

    def _default_units(self, span: Span) -> Iterator[Unit]:
        """What a parameter is when it is not given."""
        language = LANGUAGES[self.candidate.language]
        owner = self._owner(span)
        if not language.indented or owner is None:
            return
        for parameter in parameters.parameters(self.text, span, language):
            here = self.cut(parameter.lines)
            if here is None or here.lines != parameter.lines:
                continue
            text = f"`{parameter.name}` of {_within(owner[0])} is {clauses.code(parameter.default)} by default."
            words = f"{parameter.name} {parameter.default} default"
            draft = Draft(text, _with(here, owner[1]))
            yield Unit("default", draft, words, parameter.lines.start, target=parameter.name)

    def _attribute_units(self, span: Span) -> Iterator[Unit]:
        """What a class sets in its own body, in the passage that was found."""
        language = LANGUAGES[self.candidate.language]
        header = self.cut(LineRange(span.header.start, span.header.start + 1))
        if not language.indented or header is None:
            return
        # Read from the top: a passage may begin within a string or a literal.
        lines = LineRange(body_of(span).start, max(body_of(span).start, self.candidate.lines.end))
        body = statements(self.text, lines, language.comments) if len(lines) <= MOST_LINES_ABOVE else []
        for statement in body:
            # Deeper ones run under a condition, or belong to what stands in the class.
            said = clauses.clause(statement) if statement.indent == body[0].indent else None
            here = self.cut(statement.lines)
            if said is None or said.kind != "assign" or not said.value or here is None:
                continue
            if here.lines == statement.lines:
                text = f"`{span.name}` {said.text}."
                draft = Draft(text, _with(here, header))
                yield Unit("value", draft, statement.text, statement.lines.start, target=said.target)

    def _summary(self, span: Span) -> Unit | None:
        signature = clauses.code(cuts.signature(self.text, span, self.candidate.language), SIGNATURE_CHARACTERS)
        header = LineRange(span.header.start, span.header.end)
        paragraphs = cuts.doc_paragraphs(self.text, span, self.candidate.language)
        if not paragraphs or points(paragraphs[0].text.lstrip(":")):
            here = self.cut(header)
            text = f"{signature} is defined here."
            return None if here is None else Unit("summary", Draft(text, (here,)), span.name, header.start)
        doc = paragraphs[0]
        whole = LineRange(min(header.start, doc.lines.start), max(header.end, doc.lines.end))
        sentences = cuts.doc_sentences(self.text, span, self.candidate.language)
        first = [one.text for one in sentences if one.lines in doc.lines]
        said = first_sentences([one for one in first if says_something(one)] or first or [doc.text])
        text = ended(f"{signature}: {markdown(said)}")
        wanted = [whole] if len(whole) <= EXTRACTIVE_MAX_LINES else [header, doc.lines]
        parts = [self.cut(lines) for lines in wanted]
        found = tuple(part for part in parts if part is not None)
        if len(found) < len(parts):
            return None
        return Unit("summary", Draft(text, found), f"{span.name} {said}", header.start, documented=True)

    def _value_units(self, span: Span) -> Iterator[Unit]:
        if span.name == "__all__":
            return  # says what a module shows, never what it does
        if not LANGUAGES[self.candidate.language].indented:
            yield from self._declaration(span)
            return
        # An indented line of a module stands in one branch of an `if` or `try`.
        branched = not span.container and self.text.line(span.header.start)[:1].isspace()
        rest = ", under a condition" if branched else ""
        body = statements(self.text, span.lines, LANGUAGES[self.candidate.language].comments)
        for statement in body:
            if statement.is_comment:
                continue
            here = self.cut(statement.lines)
            said = clauses.clause(statement)
            claim = f"`{span.name}` is {clauses.code(said.value)}{rest}." if said and said.value else None
            claim = claim or f"`{span.name}` is declared here{rest}."
            if here is not None:
                yield Unit("value", Draft(claim, (here,)), statement.text, statement.lines.start, target=span.name)
        for sentence in cuts.doc_sentences(self.text, span, self.candidate.language):
            here = self.cut(LineRange(sentence.lines.start, max(sentence.lines.end, span.lines.end)))
            if here is not None and span.header in here.lines:
                text = ended(f"`{span.name}`: {markdown(sentence.text)}")
                yield Unit("doc", Draft(text, (here,)), sentence.text, sentence.lines.start)

    def _declaration(self, span: Span) -> Iterator[Unit]:
        """A value as its own language declares it: what stands there is shown, not read."""
        summary = self._summary(span)
        if summary is not None:
            yield replace(summary, kind="value")

    def _section_units(self, span: Span) -> Iterator[Unit]:
        heading = self.cut(LineRange(span.header.start, span.header.start + 1))
        for sentence in cuts.section_sentences(self.text, span, self.candidate.language):
            here = self.cut(sentence.lines)
            if here is not None and heading is not None:
                text = ended(f"“{markdown(plain(span.name))}”: {markdown(plain(sentence.text))}")
                words = f"{span.name} {sentence.text}"
                yield Unit("doc", Draft(text, (here, heading)), words, sentence.lines.start)

    def _statement_units(self, lines: LineRange, span: Span | None) -> Iterator[Unit]:
        # Where blocks are told by braces a body is not read yet: a claim must know under which conditions a line runs.
        if not LANGUAGES[self.candidate.language].indented or self.cut(LineRange(lines.start, lines.start)) is None:
            return
        body = statements(self.text, lines, LANGUAGES[self.candidate.language].comments)
        for at, statement in enumerate(body):
            when = blocks.circumstances(body, at, partial(self._near, body, at))
            if when is None:
                continue  # it belongs to a function inside this one
            commented = statement.is_comment
            unit = self._comment_unit(statement, span) if commented else self._statement_unit(body, at, when, span)
            if unit is not None:
                yield unit

    def _comment_unit(self, comment: Statement, span: Span | None) -> Unit | None:
        here = self.cut(comment.lines)
        owner = self._owner(span)
        if here is None or owner is None or len(comment.text.split()) < 4 or _CODE_IN_COMMENT.search(comment.text):
            return None
        if len(comment.lines) > EXTRACTIVE_MAX_LINES:
            return None
        text = ended(f"In {_within(owner[0])}, a comment says: {markdown(comment.text.lstrip(': '))}")
        return Unit("comment", Draft(text, (here, owner[1])), comment.text, comment.lines.start)

    def _statement_unit(
        self, body: Sequence[Statement], at: int, when: blocks.Circumstances, span: Span | None
    ) -> Unit | None:
        """A statement with what it depends on: its block's condition, and what is done otherwise."""
        said = clauses.clause(body[at])
        if said is None or said.target == "__all__":
            return None
        first, last = when.first, at
        sentence = f"{said.text} {when.words}".rstrip()
        if when.words.startswith("when "):
            otherwise = self._otherwise(body, first, blocks.alternative_of(body, first), said)
            if otherwise is not None:
                last, words = otherwise
                sentence = f"{sentence}; otherwise it {words}"
        sentence += when.rest
        lines = LineRange(body[first].lines.start, body[last].lines.end)
        here = self.cut(lines)
        owner = self._owner(span)
        # What was shortened in the claim still stands in the lines it cites.
        words = " ".join([sentence, *(one.text for one in body[first : last + 1] if not one.is_comment)])
        if here is None or here.lines != lines:
            return None
        if span is None:
            return Unit("statement", Draft(f"The module {sentence}.", (here,)), words, lines.start)
        if owner is None:
            return None
        name, header = owner
        return Unit("statement", Draft(f"{name} {sentence}.", _with(here, header)), words, lines.start)

    def _near(self, body: Sequence[Statement], last: int, first: int) -> bool:
        return body[last].lines.end - body[first].lines.start <= EXTRACTIVE_MAX_LINES

    def _otherwise(
        self, body: Sequence[Statement], first: int, other: int | None, said: clauses.Clause
    ) -> tuple[int, str] | None:
        """What the `else` does, when it is one statement of the same kind and near enough to cite together."""
        if other is None:
            return None
        inside = blocks.children_of(body, other)
        if len(inside) != 1 or not self._near(body, inside[0], first):
            return None
        alternative = clauses.clause(body[inside[0]])
        if alternative is None or (alternative.kind, alternative.target) != (said.kind, said.target):
            return None
        return inside[0], alternative.text

    def _owner(self, span: Span | None) -> tuple[str, Cut] | None:
        """How a claim speaks of the symbol, with the line that names it."""
        if span is None:
            return None
        parent = self.candidate.parent
        if parent is not None and span.name == "__init__":
            header = self.cut(LineRange(parent.header.start, parent.header.start + 1), parent.qualified_name)
            if header is not None:
                return f"A new `{parent.name}`", header
        header = self.cut(LineRange(span.header.start, span.header.start + 1))
        return None if header is None else (f"`{span.name}`", header)


def _within(owner: str) -> str:
    """How a claim speaks of a symbol inside a sentence."""
    return f"a{owner[1:]}" if owner.startswith("A new ") else owner


def _with(here: Cut, header: Cut) -> tuple[Cut, ...]:
    """A claim's lines, and the header it stands under where they do not hold it."""
    return (here,) if header.lines in here.lines else (here, header)


def body_of(span: Span) -> LineRange:
    """A symbol's lines after its signature and docstring."""
    start = max(span.header.end, span.doc.end if span.doc and span.doc.start >= span.header.start else 0)
    return LineRange(min(start, span.lines.end), span.lines.end)
