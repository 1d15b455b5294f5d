"""Hold claims about statements against Python's own syntax tree: does any leave out a condition its line runs under?

    python server/benchmarks/conditions.py FOLDER [N]

FOLDER is what `fetch_corpora.py` made. Of each package N functions (40) are drawn with a fixed seed and asked about;
for each claim such as "`f` returns `x`" the statement is looked up in `ast`, and the conditions around it and the exits
before it are counted. A claim that tells fewer than there are, and does not say that there are more, is printed. Exit
code 1 for any. It shares no code with `toolrag.answer.blocks`, which reads lines.
"""

from __future__ import annotations

import ast
import asyncio
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from fetch_corpora import CORPORA
from toolrag import app
from toolrag.answer.citations import place
from toolrag.answer.types import Citation
from toolrag.config import JournalSettings, Settings

SETTINGS = Settings(journal=JournalSettings(enabled=False))
"""Nobody replays a benchmark."""
SEED = 5
Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ABOUT_A_STATEMENT = re.compile(r"(?:`\w+`|A new `\w+`) (?:returns|raises|sets|calls|yields|updates|requires) ")
_TOLD = re.compile(r" (?:when|unless|for each|as long as|on|in the case) `")
_HEDGED = (", if it gets there", ", under further conditions")


def main(folder: Path, n_functions: int) -> None:
    checked, faults = 0, []
    for name, version in CORPORA:
        n_claims, found = asyncio.run(check(folder / f"{name}-{version}", n_functions))
        checked += n_claims
        faults += found
        print(f"{name:<10} {n_claims:>4} claims about statements, {len(found)} with a condition left out")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(faults)} of {checked} claims leave a condition out")
    if faults:
        sys.exit(1)


async def check(root: Path, n_functions: int) -> tuple[int, list[str]]:
    """How many claims were checked, and those that leave something out."""
    trees = {str(path.relative_to(root)): ast.parse(path.read_text("utf-8")) for path in sources(root)}
    names = sorted({node.name for tree in trees.values() for node in functions(tree) if not node.name.startswith("__")})
    n_claims, found = 0, []
    with app.open_place(str(root), SETTINGS) as opened:
        async with app.open_workspace(opened, refresh=True, progress=lambda *_: None) as workspace:
            assert workspace.dense is not None
            await workspace.dense
            for name in random.Random(SEED).sample(names, min(n_functions, len(names))):
                answer = await workspace.answerer("extractive").answer(f"what does {name} do?")
                citations = {citation.id: citation for citation in answer.citations}
                for claim in answer.claims:
                    if not _ABOUT_A_STATEMENT.match(claim.text) or ", by name, " in claim.text:
                        continue
                    first = citations[claim.citations[0]]
                    there = conditions(trees.get(first.snapshot.path), first, last="; otherwise" not in claim.text)
                    if there is None:
                        continue
                    n_claims += 1
                    told = len(_TOLD.findall(claim.text)) > 0
                    if there > told and not any(hedge in claim.text for hedge in _HEDGED):
                        found.append(f"  {root.name}: {claim.text}  {place(first)}: {there} conditions")
    return n_claims, found


def sources(root: Path) -> Iterator[Path]:
    """The package's own Python, without its tests."""
    for path in sorted(root.rglob("*.py")):
        if not any("test" in part for part in path.relative_to(root).parts):
            yield path


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function in a tree, methods and nested ones included."""
    return (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def conditions(tree: ast.Module | None, citation: Citation, last: bool) -> int | None:
    """How many conditions the cited statement runs under, an exit before it counting as one; None if unknown.

    A citation begins with the condition that is told, so the statement is the last one in it, or the first where an
    alternative follows.
    """
    start, end = citation.lines.start + 1, citation.lines.end
    around = [one for one in functions(tree) if one.lineno <= start and end <= (one.end_lineno or 0)] if tree else []
    if not around:
        return None
    found: list[tuple[int, int]] = []
    count(max(around, key=lambda one: one.lineno).body, 0, False, found)
    inside = sorted(row for row in found if start <= row[0] <= end)
    return inside[-1 if last else 0][1] if inside else None


def count(block: Sequence[ast.stmt], around: int, exits_before: bool, found: list[tuple[int, int]]) -> None:
    """Line and conditions of every simple statement of a block and the blocks in it."""
    for node in block:
        inner = list(blocks(node))
        if not inner and not isinstance(node, _SCOPES):
            found.append((node.lineno, around + exits_before))
        for conditional, body in inner:
            count(body, around + conditional, exits_before, found)
        exits_before = exits_before or leaves(node, in_loop=False, top=True)


def blocks(node: ast.stmt) -> Iterator[tuple[bool, Sequence[ast.stmt]]]:
    """The blocks of a compound statement, and whether each runs under a condition."""
    match node:
        case ast.If():
            yield from ((True, node.body), (True, node.orelse))
        case ast.While(test=ast.Constant(value=1)):  # `while True` and `while 1`: 1 == True
            yield from ((False, node.body), (True, node.orelse))
        case ast.For() | ast.AsyncFor() | ast.While():
            yield from ((True, node.body), (True, node.orelse))
        case ast.With() | ast.AsyncWith():
            yield False, node.body
        case ast.Try():
            yield from ((False, node.body), *((True, handler.body) for handler in node.handlers))
            yield from ((True, node.orelse), (False, node.finalbody))
        case ast.Match():
            yield from ((True, case.body) for case in node.cases)


def leaves(node: ast.AST, *, in_loop: bool, top: bool = False) -> bool:
    """Whether a compound statement may leave the block it stands in."""
    if isinstance(node, _SCOPES):
        return False
    if isinstance(node, (ast.Return, ast.Raise)):
        return not top
    if isinstance(node, (ast.Break, ast.Continue)):
        return not top and not in_loop
    inside = in_loop or isinstance(node, _LOOPS)
    return any(leaves(child, in_loop=inside) for child in ast.iter_child_nodes(node))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 40)
