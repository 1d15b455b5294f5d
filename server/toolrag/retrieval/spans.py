"""Parse a text into its spans, references and passages. Pure, and the only module that knows tree-sitter.

What is parsed is the text with every line end as LF, so that a line is an LSP line whatever the grammar takes for
one; `outline` turns byte offsets into lines and characters. Absent on purpose: walks over the tree, which hostile
nesting would make deep; `QueryCursor`'s progress callback, which crashes the process; any notion of time, which the
caller brings. A grammar can crash or hang all the same: callers who mind parse in another process.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Final, cast

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from toolrag.retrieval import rst
from toolrag.retrieval.headings import html_heading, markdown_heading
from toolrag.retrieval.languages import LANGUAGES, Language
from toolrag.retrieval.outline import scope, to_references, to_spans
from toolrag.retrieval.passages import cut_passages
from toolrag.retrieval.syntax import Definition, Found, Source, split_name
from toolrag.symbols import Kind, ParsedFile, ReferenceKind

MAX_SPANS: Final = 20_000
"""Spans kept of one file."""

# A query takes time quadratic in the children of an ERROR root (100,000 open brackets: 10 s; a dump of a schema that
# reads well enough has 9,917), and in the matches
# that are open at once (a chain of 30,000 calls: 12 s). No file of the standard library has 256 open.
_MAX_ERROR_CHILDREN: Final = 20_000
_MAX_OPEN_MATCHES: Final = 4_096

_READ_BYTES: Final = 65_536
_READ_BYTES_OF_A_NODE: Final = 64
"""What is handed over at once while the tree is built, and to the predicates of a query, which ask for each node's
text anew: with whole blocks, copying them was most of the time a page with many headings took."""

_ROLES: Final = frozenset({"definition", "reference", "doc", "comment", "local", "attribute", "wrap"})
"""What a pattern's main capture may be for: the word before its dot."""

_READERS: Final[Mapping[str, Callable[[Source], Found]]] = {"rst": rst.read}
"""How a language without a grammar is read; one that is not here has no symbols."""


def parse_source(text: str, language: str, out_of_time: Callable[[], bool] = lambda: False) -> ParsedFile:
    """The spans, passages and references of one text, in the order of their lines.

    `language` is a name from `languages`; another one raises ValueError. `out_of_time` is asked again and again
    while the tree is built, and ends it. Nothing else raises: a text that cannot be parsed has no spans, passages
    of its lines alone, and a sentence in `problems`.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no parser for {language!r}")
    known = LANGUAGES[language]
    source = Source(text)
    found, problems = _find(source, known, out_of_time)
    scoped = scope(found)
    if len(scoped) > MAX_SPANS:
        problems.append(f"It has {len(scoped):,} symbols; only the first {MAX_SPANS:,} are indexed.")
        del scoped[MAX_SPANS:]
    spans = to_spans(source, scoped, found, known)
    return ParsedFile(
        spans=tuple(spans),
        passages=cut_passages(source.lines, spans, [definition.parent for definition in scoped]),
        references=tuple(to_references(source, scoped, found)),
        problems=tuple(problems),
    )


@cache
def _grammar(language: Language) -> tuple[Grammar, Query]:
    """A language's grammar and its compiled query."""
    assert language.grammar is not None
    module, function = language.grammar
    with warnings.catch_warnings():
        # Some grammars' wheels still hand over their pointer as a plain number.
        warnings.simplefilter("ignore", DeprecationWarning)
        grammar = Grammar(getattr(import_module(module), function)())
    queries = files(__package__).joinpath("queries")
    return grammar, Query(grammar, "".join(queries.joinpath(name).read_text("utf-8") for name in language.queries))


@dataclass(frozen=True, slots=True)
class _Purpose:
    """What a pattern of a query is for: one with `@definition.class` has the role definition and the kind class."""

    role: str
    kind: str
    capture: str
    level: int
    """Of the headings it matches (`#set! level`); 0 for none."""

    is_clause: bool
    """Whether neighbours of one name are one definition (`#set! clauses`)."""

    is_element: bool
    """A heading's name is captured with the tags around it (`#set! element`)."""


def _purpose(query: Query, pattern: int, captures: dict[str, list[Node]]) -> _Purpose:
    """A pattern's purpose, seen from a match of it: the library does not tell which captures a pattern has."""
    capture = next(name for name in captures if name.partition(".")[0] in _ROLES)
    role, _, kind = capture.partition(".")
    settings = query.pattern_settings(pattern)
    return _Purpose(role, kind, capture, int(settings.get("level") or 0), "clauses" in settings, "element" in settings)


def _find(source: Source, language: Language, out_of_time: Callable[[], bool]) -> tuple[Found, list[str]]:
    """Everything the language's query finds, and what kept it from finding all."""
    if language.grammar is None:
        read = _READERS.get(language.name)
        return (read(source) if read else Found()), []
    found = Found()
    grammar, query = _grammar(language)
    n_bytes = _READ_BYTES
    try:
        tree = Parser(grammar).parse(
            lambda offset, _point: source.bytes[offset : offset + n_bytes],
            progress_callback=lambda _offset, _has_error: out_of_time(),
        )
    except ValueError:
        # How tree-sitter says that the progress callback ended the parse. The parser goes with its half of a tree.
        return found, ["Parsing was stopped: its time had run out."]
    n_bytes = _READ_BYTES_OF_A_NODE
    root = tree.root_node
    if root.type == "ERROR" and root.child_count > _MAX_ERROR_CHILDREN:
        return found, [f"It does not read as {language.name.capitalize()}: no symbols were taken from it."]
    cursor = QueryCursor(query, match_limit=_MAX_OPEN_MATCHES)
    purposes: dict[int, _Purpose] = {}
    for pattern, captures in cursor.matches(root):
        purpose = purposes.get(pattern)
        if purpose is None:
            purpose = purposes[pattern] = _purpose(query, pattern, captures)
        if purpose.role == "reference":
            (name,) = captures["name"]
            start = name.start_byte
            found.references[start, cast(ReferenceKind, purpose.kind)] = source.slice(start, name.end_byte)
        elif purpose.role == "definition":
            found.define(_definition(source, language, pattern, purpose, captures))
        elif purpose.role == "wrap":
            inner, outer = _extent(source, captures["inner"][0]), _extent(source, captures["wrap"][0])
            if inner != outer:
                found.wraps[inner] = outer
        else:
            _take_range(source, found, purpose.role, captures[purpose.capture][0])
    found.widen()
    found.drop_defined_references()
    found.drop_local()
    found.join_clauses(source)
    found.close_sections(source)
    if cursor.did_exceed_match_limit:
        return found, ["It nests so deep that some of its symbols and calls were left out."]
    return found, []


def _definition(
    source: Source, language: Language, pattern: int, purpose: _Purpose, captures: dict[str, list[Node]]
) -> Definition:
    """One match of a pattern for definitions."""
    (node,), name_nodes = captures[purpose.capture], captures["name"]
    (start, end), name_start = _extent(source, node), name_nodes[0].start_byte
    text = source.slice(name_start, name_nodes[-1].end_byte)
    if "end" in captures:
        end = _extent(source, captures["end"][-1])[1]
    if "start" in captures:
        start = captures["start"][0].start_byte
    header_stop = body_start = None
    if "header.end" in captures:
        header_stop, body_start = captures["header.end"][0].start_byte, captures["header.end"][0].end_byte
    if "header.last" in captures:
        header_stop = captures["header.last"][-1].end_byte
    scope = ""
    if purpose.kind == "section":
        header_stop = name_start + len(text.rstrip().encode())
        text = html_heading(text) if purpose.is_element else markdown_heading(text)
    else:
        scope, text = split_name(text, language.name_separators)
    if "scope" in captures:
        above = captures["scope"][0]
        scope = ".".join(split_name(source.slice(above.start_byte, above.end_byte), language.name_separators)).strip(
            "."
        )
    return Definition(
        name=text,
        kind=cast(Kind, purpose.kind),
        pattern=pattern,
        start=start,
        end=end,
        name_start=name_start,
        header_start=start,
        header_stop=header_stop,
        body_start=body_start,
        scope=scope,
        level=purpose.level,
        is_clause=purpose.is_clause,
    )


def _extent(source: Source, node: Node) -> tuple[int, int]:
    """Where a node begins and ends."""
    return node.start_byte, source.trimmed(node.start_byte, node.end_byte)


def _take_range(source: Source, found: Found, role: str, node: Node) -> None:
    """Put in where a string that is a statement, a comment, an attribute or a local stretch lies."""
    start, end = node.start_byte, node.end_byte
    if role == "doc":
        found.docs[start] = end
    elif role == "local":
        found.local.append((start, end))
    elif role == "comment":
        found.take_lines(source, found.comments, start, end)
    else:
        found.attributes[start] = end
        found.take_lines(source, found.attribute_lines, start, end)
