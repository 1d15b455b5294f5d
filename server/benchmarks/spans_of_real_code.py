"""Do the spans of functions in real code end where their syntax nodes do?

    python server/benchmarks/spans_of_real_code.py FOLDER            # 200 functions a language
    python server/benchmarks/spans_of_real_code.py FOLDER --show 20  # and 20 names to look at
    python server/benchmarks/spans_of_real_code.py FOLDER --language dart --seed 3

FOLDER holds checkouts of anything. Every file that would be indexed is read, in the language it would be taken for;
200 functions a language are drawn with a seed that is printed, and the last line of each is compared with that of its
syntax node, found by a walk over the tree that shares no code with the span parser. Languages of sections and keys have
no functions: of them 200 spans are drawn and compared with lines that other readers find (`other_readers`). Prints
per language: files, lines, what there was to draw from, how many agree, lines a second. Exits with 1 where one differs.
Needs what the tests need: a CommonMark parser among it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from other_readers import SECTIONS, Place, functions_of_python
from toolrag.retrieval.languages import LANGUAGES, language_for, language_of
from toolrag.retrieval.not_source import by_path, by_text
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import Span
from toolrag.text import NotTextError, decode, fold
from tree_sitter import Language, Node, Parser

SEED = 20_251
DRAWN = 200
MAX_BYTES = 1_000_000

FUNCTIONS = {
    "bash": "function_definition",
    "c": "function_definition",
    "cpp": "function_definition",
    "csharp": "method_declaration constructor_declaration",
    "dart": "function_body",
    "elixir": "call",
    "go": "function_declaration method_declaration",
    "haskell": "function",
    "java": "method_declaration constructor_declaration",
    "javascript": "function_declaration generator_function_declaration method_definition",
    "julia": "function_definition",
    "kotlin": "function_declaration",
    "lua": "function_declaration",
    "make": "rule",
    "ocaml": "let_binding",
    "ocaml_interface": "value_specification external",
    "php": "function_definition method_declaration",
    "python": "function_definition",
    "ruby": "method singleton_method",
    "rust": "function_item",
    "scala": "function_definition",
    "sql": "create_function create_table create_view",
    "swift": "function_declaration init_declaration",
    "tsx": "function_declaration generator_function_declaration method_definition",
    "typescript": "function_declaration generator_function_declaration method_definition",
    "zig": "function_declaration",
}
"""The nodes that are functions, by language; for SQL, all that is created, and for Make its rules."""

KEYS = {
    "css": "rule_set",
    "json": "pair",
    "toml": "table table_array_element",
    "yaml": "block_mapping_pair",
}
"""The nodes that are rules, keys and tables; what is deeper than our queries go is not counted as missing."""

CLAUSES = frozenset({"haskell", "elixir"})
"""Languages whose functions are several nodes: ours may end further down, with the last of them."""


def nodes(language: str, source: bytes) -> Iterator[Place]:
    """First and last line of every function, or key, without a syntax error; the last line with a token in it.

    Some grammars count the white space and the comments behind a function to its node: no reader would.
    """
    grammar = LANGUAGES[language].grammar
    assert grammar is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of wheels that hand over a number
        tree = Parser(Language(getattr(import_module(grammar[0]), grammar[1])())).parse(source)
    kinds = frozenset((FUNCTIONS.get(language) or KEYS[language]).split())
    stack: list[Node] = [tree.root_node]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.type in kinds and is_function(language, node) and not node.has_error:
            first = node.start_point.row
            if language == "dart" and node.prev_sibling is not None:
                first = node.prev_sibling.start_point.row
            yield first, last_token(node, source)


def last_token(node: Node, source: bytes) -> int:
    """The line on which a node's last token ends."""
    leaves = [node]
    while leaves:
        leaf = leaves.pop()
        if "comment" in leaf.type:
            continue
        if leaf.child_count and not re.search("string|scalar", leaf.type):
            leaves.extend(leaf.children)
        elif source[leaf.start_byte : leaf.end_byte].strip():
            text = source[leaf.start_byte : leaf.end_byte]
            return leaf.start_point.row + text.rstrip().count(b"\n")
    return node.start_point.row


def is_function(language: str, node: Node) -> bool:
    """Whether a node of a kind that may be a function is one."""
    if language == "elixir":
        target = node.child_by_field_name("target")
        return target is not None and target.text in (b"def", b"defp", b"defmacro")
    if language == "ocaml":
        return any(part.type == "parameter" for part in node.children)
    if language == "haskell":
        return node.child_by_field_name("arrow") is None  # else it is a type
    if language == "julia":
        return not re.match(rb"function\s*\([^()]*\)\s", node.text or b"")  # else it has no name
    if language == "java":
        return node.child_by_field_name("body") is not None
    if language == "dart":
        before = node.prev_sibling
        return before is not None and before.type.endswith("_signature")
    if language == "make":
        return not (node.text or b"").startswith(b".")
    if language in ("json", "yaml"):
        return depth(node, node.type) <= (2 if language == "json" else 3)
    return True


def depth(node: Node, kind: str) -> int:
    """How many nodes of a kind are around a node, itself included; 99 for one in a list or behind an alias."""
    n_around, at = 0, node
    while at.parent is not None:
        n_around += at.type == kind
        at = at.parent
        if at.type in ("array", "block_sequence", "flow_mapping", "flow_sequence"):
            return 99
    return n_around


def places(language: str, text: str) -> list[Place]:
    """What there is to draw from in one text."""
    if language in SECTIONS:
        return list(SECTIONS[language](text))
    if language == "python":
        return list(functions_of_python(text))
    if language in FUNCTIONS or language in KEYS:
        return list(nodes(language, text.encode()))
    return []


def spans_at(spans: tuple[Span, ...], line: int, language: str) -> list[Span]:
    """Those whose lines up to their signature's last hold a line; all of it, where a clause may begin further down."""
    found = []
    for span in spans:
        start = span.header.start if language in SECTIONS else span.lines.start
        end = span.lines.end if language in CLAUSES else span.header.end
        is_one = language not in FUNCTIONS or language == "sql" or span.kind in ("function", "method")
        if is_one and start <= line < end:
            found.append(span)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the drawn, with their first lines")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--language", choices=sorted(LANGUAGES))
    options = parser.parse_args()
    texts: dict[str, list[tuple[Path, str]]] = defaultdict(list)
    for path in sorted(options.folder.rglob("*")):
        found = read(path, path.relative_to(options.folder).as_posix())
        if found and options.language in (None, found[0]):
            texts[found[0]].append((path, found[1]))
    print(f"seed {options.seed}")
    print(f"{'language':16}{'files':>7}{'lines':>10}{'functions':>11}{'agree':>12}{'lines/s':>10}")
    n_wrong = sum(measure(language, texts[language], options.seed, options.show) for language in sorted(texts))
    for language in sorted(LANGUAGES.keys() - texts.keys()) if not options.language else []:
        print(f"{language:16}no files")
    return min(n_wrong, 1)


def read(path: Path, name: str) -> tuple[str, str] | None:
    """Language and text of a file that would be indexed."""
    is_read = language_of(name) is not None and by_path(name) is None and path.is_file()
    if not is_read or path.stat().st_size > MAX_BYTES or "/.git/" in path.as_posix():
        return None
    try:
        text, _ = decode(path.read_bytes())
    except NotTextError:
        return None
    language = language_for(name, text)
    return (language, fold(text)) if language and by_text(text, language) is None else None


def measure(language: str, texts: list[tuple[Path, str]], seed: int, n_shown: int) -> int:
    """One row of the table; how many of the drawn do not agree."""
    seconds = 0.0
    parsed: dict[Path, tuple[Span, ...]] = {}
    found: list[tuple[Path, int, int]] = []
    for path, text in texts:
        began = time.perf_counter()
        parsed[path] = parse_source(text, language).spans
        seconds += time.perf_counter() - began
        found.extend((path, first, last) for first, last in places(language, text))
    chance = random.Random(seed)
    drawn = chance.sample(found, min(DRAWN, len(found)))
    wrong, shown = [], []
    lines = {path: text.split("\n") for path, text in texts}
    for path, first, last in drawn:
        ours = spans_at(parsed[path], first, language)
        ends = [(one, one.lines.end - 1) for one in ours]
        agrees = [one for one, end in ends if end == last or (language in CLAUSES and end > last)]
        if agrees:
            line = lines[path][agrees[-1].header.start].strip()[:110]
            shown.append(f"  {agrees[-1].kind:9}{agrees[-1].qualified_name}\n      {line}")
        else:
            line = lines[path][first].strip()[:110]
            named = [(one.name, end + 1) for one, end in ends]
            wrong.append(f"  WRONG {path}:{first + 1}-{last + 1} {line!r} ours {named}")
    n_lines = sum(text.count("\n") + 1 for _, text in texts)
    agreement = f"{len(drawn) - len(wrong)}/{len(drawn)}" if drawn else "-"
    print(f"{language:16}{len(texts):7,}{n_lines:10,}{len(found):11,}{agreement:>12}{n_lines / (seconds or 1):10,.0f}")
    print("\n".join(shown[:n_shown] + wrong[: n_shown or 5]), end="\n" if shown[:n_shown] or wrong else "")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
