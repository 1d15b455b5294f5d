"""Do the spans of functions in real code end where their syntax nodes do?

    python server/benchmarks/spans_of_real_code.py FOLDER

Reads the files of every known language under FOLDER, draws 200 functions a language with a fixed seed, and compares
the last line of each with that of the syntax node, found by a walk over the tree that shares no code with the span
parser. Prints per language: files, lines, functions, agreement, lines per second. `--show N` prints N of the drawn
functions as we name them, and the first lines that disagree.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from toolrag.retrieval.languages import LANGUAGES, language_of
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import Span
from tree_sitter import Language, Node, Parser

SEED = 20_251
DRAWN = 200
MAX_BYTES = 1_000_000

FUNCTIONS = {
    "python": "function_definition",
    "javascript": "function_declaration generator_function_declaration method_definition",
    "typescript": "function_declaration generator_function_declaration method_definition",
    "tsx": "function_declaration generator_function_declaration method_definition",
    "go": "function_declaration method_declaration",
    "rust": "function_item",
    "java": "method_declaration constructor_declaration",
    "c": "function_definition",
    "cpp": "function_definition",
    "csharp": "method_declaration constructor_declaration",
    "ruby": "method singleton_method",
    "php": "function_definition method_declaration",
    "swift": "function_declaration init_declaration",
    "kotlin": "function_declaration",
    "scala": "function_definition",
    "lua": "function_declaration",
    "elixir": "call",
    "bash": "function_definition",
    "haskell": "function",
    "ocaml": "value_definition",
    "julia": "function_definition",
    "zig": "function_declaration",
    "sql": "create_function",
}
"""The nodes that are functions, by language; a language without any is left out."""

CLAUSES = frozenset({"haskell", "elixir"})
"""Languages whose functions are several nodes: ours may end further down, with the last of them."""


def functions(language: str, source: bytes) -> Iterator[tuple[int, int]]:
    """First and last line of every function without a syntax error, 0-based; the last line with a token in it.

    Some grammars count the white space and the comments behind a function to its node: no reader would.
    """
    module, name = LANGUAGES[language].grammar
    tree = Parser(Language(getattr(import_module(module), name)())).parse(source)
    kinds = frozenset(FUNCTIONS[language].split())
    stack: list[Node] = [tree.root_node]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.type in kinds and is_function(language, node) and not node.has_error:
            yield node.start_point.row, last_token(node, source)


def last_token(node: Node, source: bytes) -> int:
    """The line on which a node's last token ends."""
    leaves = [node]
    while leaves:
        leaf = leaves.pop()
        if "comment" in leaf.type:
            continue
        if leaf.child_count:
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
        return any(part.type == "parameter" for binding in node.children for part in binding.children)
    if language == "java":
        return node.child_by_field_name("body") is not None
    return True


def spans_at(spans: tuple[Span, ...], line: int, language: str) -> list[Span]:
    """Those whose lines up to their signature's last hold a line; all of it, where a clause may begin further down."""
    return [
        span
        for span in spans
        if span.kind in ("function", "method")
        and span.lines.start <= line < (span.lines.end if language in CLAUSES else span.header.end)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--language", choices=sorted(LANGUAGES))
    options = parser.parse_args()
    paths: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(options.folder.rglob("*")):
        language = language_of(path.as_posix())
        if language and options.language in (None, language) and path.is_file() and path.stat().st_size < MAX_BYTES:
            paths[language].append(path)
    print(f"{'language':12}{'files':>7}{'lines':>10}{'functions':>11}{'agree':>12}{'lines/s':>10}")
    for language in sorted(paths):
        measure(language, paths[language], options.show)


def measure(language: str, paths: list[Path], n_shown: int) -> None:
    """One row of the table."""
    n_lines, seconds = 0, 0.0
    parsed: dict[Path, tuple[Span, ...]] = {}
    nodes: list[tuple[Path, int, int]] = []
    for path in paths:
        try:
            text = path.read_bytes().decode().replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        began = time.perf_counter()
        parsed[path] = parse_source(text, language).spans
        seconds += time.perf_counter() - began
        n_lines += text.count("\n") + 1
        if language in FUNCTIONS:
            nodes.extend((path, first, last) for first, last in functions(language, text.encode()))
    drawn = random.Random(SEED).sample(nodes, min(DRAWN, len(nodes)))
    wrong = []
    shown = []
    for path, first, last in drawn:
        found = spans_at(parsed[path], first, language)
        agrees = [
            span for span in found if span.lines.end - 1 == last or (language in CLAUSES and span.lines.end - 1 >= last)
        ]
        shown.extend(f"  {path}:{first + 1}-{last + 1} {one.kind} {one.qualified_name}" for one in agrees[:1])
        if not agrees:
            wrong.append(f"  WRONG {path}:{first + 1}-{last + 1} ours {[(s.name, s.lines.end) for s in found]}")
    agreement = f"{len(drawn) - len(wrong)}/{len(drawn)}" if drawn else "-"
    speed = n_lines / seconds if seconds else 0
    print(f"{language:12}{len(parsed):7,}{n_lines:10,}{len(nodes):11,}{agreement:>12}{speed:10,.0f}")
    if n_shown:
        print("\n".join([*shown[:n_shown], *wrong[:n_shown]]))


if __name__ == "__main__":
    main()
