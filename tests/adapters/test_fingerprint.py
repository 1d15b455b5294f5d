"""What is kept is thrown away when the code that made it changes."""

from __future__ import annotations

import ast
from pathlib import Path

import toolrag
from toolrag.adapters.fingerprint import _RETRIEVAL

RETRIEVAL = Path(toolrag.__file__).parent / "retrieval"


def imported(module: str) -> set[str]:
    """The modules of `retrieval` that one of them imports, those it imports itself included."""
    found, waiting = {module}, [module]
    while waiting:
        for node in ast.walk(ast.parse((RETRIEVAL / f"{waiting.pop()}.py").read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolrag.retrieval"):
                stem = (node.module or "").removeprefix("toolrag.retrieval").lstrip(".")
                names = {stem.partition(".")[0]} if stem else {alias.name for alias in node.names}
                waiting += sorted(names - found)
                found |= names
    return found


def test_every_module_that_makes_an_analysis_is_in_the_fingerprint() -> None:
    """A change to one that is left out would leave old analyses in use."""
    assert imported("spans") | imported("terms") <= set(_RETRIEVAL)
