"""Hold the words of a hover against the disk, sharing no code with what wrote them: `hover.py`, and a test, use it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

LINK: Final = re.compile(r"\[(`+)(?P<place>[^`]*)\1\]\((?P<target>[^)]*)\)")
COUNT: Final = re.compile(r"is named on (?P<n>\d+|no)(?P<more> or more)? other lines?\b")

FOLDERS: list[Path] = []
"""Those that are searched."""
_TEXTS: dict[Path, str] = {}


@dataclass(frozen=True)
class Spot:
    """A name in a file: 0-based line and character."""

    file: Path
    line: int
    character: int
    name: str


def symbols_in(files: Sequence[Path]) -> Iterator[Spot]:
    """Every function and class that Python's own parser sees, on its name."""
    for file in files:
        text = file.read_text("utf-8", errors="replace")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        lines = lines_of(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                line = lines[node.lineno - 1]
                found = re.search(rf"\b(?:def|class)\s+{re.escape(node.name)}\b", line)
                if found and "\f" not in text:
                    at = found.end() - len(node.name)
                    yield Spot(file, node.lineno - 1, units(line[:at]), node.name)


def wrong_facts(said: str, spot: Spot, files: Sequence[Path]) -> Iterator[str]:
    """What does not hold of the words of a hover on a definition in Python."""
    paragraphs = said.split("\n\n")
    definition = re.compile(rf"(?:async\s+)?(?:def|class)\s+{re.escape(spot.name)}\b")
    if not definition.match(paragraphs[0].removeprefix("```python\n")):
        yield f"the signature is {paragraphs[0]!r}"
    if not any(link_line(link) == (spot.file, spot.line) for link in LINK.finditer(said)):
        yield "its own definition is not linked to"
    for paragraph in paragraphs[1:]:
        # A name that is called stands before its link in the paragraph of calls; elsewhere all lines hold the name.
        before = 0
        for link in LINK.finditer(paragraph):
            name = spot.name
            if paragraph.startswith("Calls, by name: "):
                name = re.findall(r"`([^`]+)` \($", paragraph[before : link.start()])[-1]
            before = link.end()
            file, line = link_line(link)
            lines = lines_of(file.read_text("utf-8")) if file.is_file() else []
            if line >= len(lines):
                yield f"{link['target']} leads nowhere"
            elif not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lines[line]):
                yield f"{link['target']} does not hold {name}: {lines[line]!r}"
    count = COUNT.search(said)
    if count is None:
        yield "no count"
    elif count["n"] != "no":
        word = re.compile(rf"(?<!\w){re.escape(spot.name)}(?!\w)")
        n_lines = sum(
            1 for text in texts_of(files) for line in lines_of(text) if spot.name in line and word.search(line)
        )
        if int(count["n"]) > n_lines:
            yield f"{count[0]!r}, and there are {n_lines}"


def link_line(link: re.Match[str]) -> tuple[Path, int]:
    """The file and the 0-based line that a link opens."""
    uri, _, fragment = link["target"].partition("#L")
    return Path(unquote(urlsplit(uri).path)), int(fragment) - 1


def texts_of(files: Sequence[Path]) -> Iterator[str]:
    """All text of the folders that these files are in: a name may stand in a page of documentation."""
    if not _TEXTS:
        for folder in {corpus_of(file) for file in files}:
            for file in folder.rglob("*"):
                if file.is_file() and not file.is_symlink():
                    _TEXTS[file] = file.read_text("utf-8", errors="replace")
    yield from _TEXTS.values()


def corpus_of(file: Path) -> Path:
    """The folder that was given, and has a file."""
    return next(folder for folder in FOLDERS if file.is_relative_to(folder))


def lines_of(text: str) -> list[str]:
    """Lines as LSP has them."""
    return re.split(r"\r\n|\n|\r", text)


def units(text: str) -> int:
    """Characters as LSP counts them by default."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
