"""Gather what is known of a name: where it is defined, what it calls, what names it. Pure; awaits ports.

By name alone, nothing is resolved: what has the same name may be meant, and that is said. Every line that is told is
read again at the end, and what no longer stands is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolrag.answer.hover.kept import Key, key_of
from toolrag.answer.hover.names import Front, Names, Naming, NamingLine, Symbol
from toolrag.answer.hover.pointed import Pointed, is_doc
from toolrag.answer.prose import first_sentences
from toolrag.answer.units import body_of
from toolrag.retrieval import cuts
from toolrag.retrieval.corpus import last_name
from toolrag.retrieval.paths import is_test
from toolrag.symbols import Kind, ParsedFile, Span
from toolrag.text import LineRange, TextSnapshot

MOST_DEFINITIONS: Final = 3
MOST_CALLS: Final = 5
MOST_PLACES: Final = 3
"""Of each kind: lines that name it, tests that do."""
MOST_DOC: Final = 600
"""Characters of a doc's first paragraph."""
_SELF: Final = frozenset({"self", "cls", "this", "super", "Self", "@"})


@dataclass(frozen=True, slots=True)
class Place:
    """Lines that were read, and what they belong to."""

    snapshot: TextSnapshot
    lines: LineRange
    line: int
    """The one to open: it holds the name."""
    symbol: str = ""
    """The name of the symbol around; empty at a file's top level."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol that has the name."""

    place: Place
    language: str
    kind: Kind
    qualified: str
    signature: str
    doc: str
    """The first paragraph, as words; empty where it has no doc."""


@dataclass(frozen=True, slots=True)
class Call:
    """A name that a symbol calls, on the first line that does."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one name."""

    name: str
    key: Key
    """By what an explanation of the first definition is kept."""
    definitions: tuple[Definition, ...]
    """The best of them; the first is the one that is pointed to where `is_certain`."""
    is_certain: bool
    """There is one alone, or the pointer is on its name in its own header."""
    n_definitions: int
    all_definitions: bool
    """There are no more than `n_definitions`."""
    calls: tuple[Call, ...]
    """What the definition calls where it is certain."""
    n_naming: int
    """Lines other than those of `definitions` that hold the name."""
    n_files: int
    all_naming: bool
    """There are no more than `n_naming`."""
    naming: tuple[Place, ...]
    """The best of those outside tests."""
    tests: tuple[Place, ...]


async def gather(pointed: Pointed, front: Front, names: Names) -> Facts | None:
    """What is known of the word under the pointer; None for one that is no symbol's name, or that stands in words."""
    if not pointed.is_code:
        return None
    (parsed,) = await names.parsed([(front.snapshot, front.language)])
    spans = () if parsed is None else parsed.spans
    if any(is_doc(span.doc, pointed.line) and pointed.line not in _lines(span.header) for span in spans):
        return None
    here = _defined_here(spans, pointed)
    found = await names.symbols(pointed.name, front, _within(spans, pointed), MOST_DEFINITIONS + 1)
    symbols = list(found.symbols)
    if here is not None and parsed is not None:
        at_pointer = Symbol(front.snapshot, front.language, parsed, here)
        symbols = [at_pointer, *(one for one in symbols if one != at_pointer)]
    if not symbols:
        return None
    definitions = [one for symbol in symbols[:MOST_DEFINITIONS] if (one := _definition(symbol, pointed.name))]
    is_certain = here is not None or (found.count == 1 and found.complete)
    naming = await names.lines(pointed.name, front)
    own = {(one.place.snapshot.uri, one.place.line) for one in definitions}
    others = [line for line in naming.lines if (line.snapshot.uri, line.line) not in own]
    shown = [line for line in others if (line.snapshot.uri, line.line) != (front.snapshot.uri, pointed.line)]
    best = _spread(line for line in shown if not is_test(line.snapshot.path))
    tests = _spread(line for line in shown if is_test(line.snapshot.path))
    around = await names.parsed([(line.snapshot, line.language) for line in (*best, *tests)])
    places = [_place(line, within) for line, within in zip((*best, *tests), around, strict=True)]
    facts = Facts(
        name=pointed.name,
        key=key_of(symbols[0]),
        definitions=tuple(definitions),
        is_certain=is_certain,
        n_definitions=max(found.count, len(definitions)),
        all_definitions=found.complete,
        calls=tuple(_calls(symbols[0], names)) if is_certain else (),
        n_naming=len(others),
        n_files=len({line.snapshot.uri for line in others}),
        all_naming=naming.complete,
        naming=tuple(places[: len(best)]),
        tests=tuple(places[len(best) :]),
    )
    return await _standing(facts, naming, names)


def _defined_here(spans: Sequence[Span], pointed: Pointed) -> Span | None:
    """The symbol in whose own header its name is pointed to."""
    of_name = [one for one in spans if last_name(one.name) == pointed.name and pointed.line in _lines(one.header)]
    return min(of_name, key=lambda span: len(span.lines), default=None)


def _within(spans: Sequence[Span], pointed: Pointed) -> str:
    """The container in which the name is likeliest defined: the one before its dot, or the class around for `self`."""
    if pointed.qualifier not in _SELF:
        return pointed.qualifier
    around = [span for span in spans if span.kind in ("class", "type") and pointed.line in _lines(span.lines)]
    return max(around, key=lambda span: span.lines.start).name if around else ""


def _definition(symbol: Symbol, name: str) -> Definition | None:
    """What a symbol says of itself; None where none of its header's lines holds its name."""
    text, span = symbol.snapshot.text, symbol.span
    line = next((line for line in _lines(span.header) if name in text.line(line)), None)
    if line is None:
        return None
    paragraphs = cuts.doc_paragraphs(text, span, symbol.language) if span.kind != "section" else []
    sentences = cuts.doc_sentences(text, span, symbol.language) if paragraphs else []
    said = [one.text for one in sentences if one.lines in paragraphs[0].lines]
    doc = first_sentences(said, MOST_DOC) if said else paragraphs[0].text if paragraphs else ""
    return Definition(
        Place(symbol.snapshot, span.lines, line, span.qualified_name),
        symbol.language,
        span.kind,
        span.qualified_name,
        cuts.signature(text, span, symbol.language),
        doc if len(doc) <= MOST_DOC else f"{doc[:MOST_DOC].rpartition(' ')[0]} …",
    )


def _calls(symbol: Symbol, names: Names) -> Iterable[Call]:
    """The first names of the workspace that a symbol's own body calls, in order."""
    own = next((at for at, span in enumerate(symbol.parsed.spans) if span == symbol.span), None)
    seen = {last_name(symbol.span.name)}
    body = _lines(body_of(symbol.span))
    for reference in symbol.parsed.references:
        is_called = reference.kind == "call" and reference.span == own and reference.line in body
        if not is_called or reference.name in seen or len(seen) > MOST_CALLS:
            continue
        if names.defines(reference.name) and reference.name in symbol.snapshot.text.line(reference.line):
            seen.add(reference.name)
            line = LineRange(reference.line, reference.line + 1)
            yield Call(reference.name, Place(symbol.snapshot, line, reference.line, symbol.span.qualified_name))


def _spread(lines: Iterable[NamingLine]) -> list[NamingLine]:
    """The best few: calls before others, and of each kind one of each file first."""
    calls: dict[str, NamingLine] = {}
    others: dict[str, NamingLine] = {}
    rest: list[NamingLine] = []
    for line in lines:
        seen = calls if line.is_call else others
        if line.snapshot.uri in seen:
            rest.append(line)
        else:
            seen[line.snapshot.uri] = line
    rest.sort(key=lambda line: not line.is_call)
    n_calls = sum(line.is_call for line in rest)
    return [*calls.values(), *rest[:n_calls], *others.values(), *rest[n_calls:]][:MOST_PLACES]


def _place(line: NamingLine, parsed: ParsedFile | None) -> Place:
    around = [] if parsed is None else [span for span in parsed.spans if line.line in _lines(span.lines)]
    inner = min(around, key=lambda span: len(span.lines), default=None)
    here = LineRange(line.line, line.line + 1)
    return Place(line.snapshot, here, line.line, "" if inner is None else inner.name)


async def _standing(facts: Facts, naming: Naming, names: Names) -> Facts | None:
    """The facts whose lines stand in texts that are read now; None where no definition does."""
    places = [
        *(one.place for one in facts.definitions),
        *(one.place for one in facts.calls),
        *facts.naming,
        *facts.tests,
    ]
    uris = list(dict.fromkeys(place.snapshot.uri for place in places))
    now = dict(zip(uris, await names.now(uris), strict=True))

    def stands(place: Place) -> bool:
        text = now[place.snapshot.uri]
        if text is None or text.sha == place.snapshot.sha:
            return text is not None
        same = place.lines.end <= text.text.n_lines
        return same and text.text.sha_of(place.lines) == place.snapshot.text.sha_of(place.lines)

    definitions = tuple(one for one in facts.definitions if stands(one.place))
    if not definitions:
        return None
    whole = len(definitions) == len(facts.definitions) and all(map(stands, places))
    return replace(
        facts,
        definitions=definitions,
        is_certain=facts.is_certain and definitions[0] == facts.definitions[0],
        all_definitions=facts.all_definitions and whole,
        calls=tuple(one for one in facts.calls if stands(one.place)),
        all_naming=facts.all_naming and naming.complete and whole,
        naming=tuple(filter(stands, facts.naming)),
        tests=tuple(filter(stands, facts.tests)),
    )


def _lines(lines: LineRange) -> range:
    return range(lines.start, lines.end)
