"""Workspaces from a seed: files of several languages as people write them, this repository's own among them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

OWN_SOURCES = Path(__file__).parents[2] / "server" / "toolrag"

_NOUNS = (
    "account basket cache ledger order parcel price queue report retry session stock token user window worker".split()
)
_VERBS = "add check close count fetch find keep merge move open parse remove send split start update".split()
_FOLDERS = ["", "core", "core/store", "web", "web/forms", "tools", "docs", "tests", "größe", "a b"]

QUERIES = ("how is a citation verified, and when is an order or a session fetched again?", "fetch_order")
"""A question and a name, such that the generated files and this repository's own both answer."""


def _python(dice: random.Random) -> str:
    noun, verb = dice.choice(_NOUNS), dice.choice(_VERBS)
    methods = "".join(
        f"    def {dice.choice(_VERBS)}_{dice.choice(_NOUNS)}(self, {noun}, limit={dice.randint(1, 99)}):\n"
        f'        """{verb.title()} one {noun} and say how it went."""\n'
        f"        return self.{verb}({noun}, limit)\n\n"
        for _ in range(dice.randint(1, 6))
    )
    return f'"""About the {noun}."""\n\nLIMIT = {dice.randint(1, 999)}\n\n\nclass {noun.title()}:\n{methods}'


def _braces(function: str, comment: str = "//") -> Callable[[random.Random], str]:
    """A maker of files in a language with braces; `function` has places for a verb and a noun."""

    def make(dice: random.Random) -> str:
        parts = []
        for _ in range(dice.randint(1, 6)):
            verb, noun = dice.choice(_VERBS), dice.choice(_NOUNS)
            head = function.format(verb=verb, noun=noun, Verb=verb.title(), Noun=noun.title())
            parts.append(f"{comment} {verb.title()} the {noun} {dice.randint(2, 9)} times.\n{head}")
        return "\n".join(parts)

    return make


def _prose(dice: random.Random) -> str:
    sections = (
        f"## {dice.choice(_VERBS).title()} a {dice.choice(_NOUNS)}\n\n"
        f"Each {dice.choice(_NOUNS)} is kept in the {dice.choice(_NOUNS)} for {dice.randint(1, 60)} seconds.\n"
        for _ in range(dice.randint(1, 4))
    )
    return f"# {dice.choice(_NOUNS).title()}\n\n" + "\n".join(sections)


def _keys(dice: random.Random) -> str:
    return "".join(f"{noun}:\n  {dice.choice(_VERBS)}: {dice.randint(1, 99)}\n" for noun in dice.sample(_NOUNS, 4))


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    ".py": _python,
    ".ts": _braces("export function {verb}{Noun}(order: number): number {{\n  return order + 1;\n}}\n"),
    ".go": _braces("func {Verb}{Noun}(limit int) int {{\n\treturn limit + 1\n}}\n"),
    ".rs": _braces("pub fn {verb}_{noun}(limit: u32) -> u32 {{\n    limit + 1\n}}\n", "///"),
    ".java": _braces("class {Verb}{Noun} {{\n  int {verb}(int {noun}) {{\n    return {noun};\n  }}\n}}\n"),
    ".c": _braces("int {verb}_{noun}(int limit)\n{{\n    return limit + 1;\n}}\n"),
    ".rb": _braces("def {verb}_{noun}(limit)\n  limit + 1\nend\n", "#"),
    ".sh": _braces("{verb}_{noun}() {{\n  echo {noun}\n}}\n", "#"),
    ".md": _prose,
    ".yaml": _keys,
}

ODD_FILES: dict[str, bytes] = {
    ".gitignore": b"build/\n*.log\n!keep.log\n",
    "build/made.py": b"def made():\n    return 1\n",
    "a.log": b"fetch_order failed\n",
    "package-lock.json": b'{"lockfileVersion": 3}\n',
    "logo.bin": b"\x89PNG\x00\x01",
    "latin.py": b"# caf\xe9\nx = 1\n",
    "empty.py": b"",
    "bom.py": b"\xef\xbb\xbfdef fetch_order():\n    return 'with a mark'\n",
    "crlf.py": b"def retry_session(limit):\r\n    return limit\r\n",
    ".env": b"TOKEN=hunter2\n",
    "broken.py": b"def broken(:\n    class\n",
}


def text_of(suffix: str, dice: random.Random) -> str:
    """The text of a new file."""
    return _MAKERS[suffix](dice)


def name_of(dice: random.Random, suffix: str) -> str:
    """A path for a new file."""
    return f"{dice.choice(_FOLDERS)}/{dice.choice(_NOUNS)}_{dice.randint(0, 9_999)}{suffix}".lstrip("/")


def put(root: Path, path: str, text: str | bytes) -> None:
    """Write a file, with the folders above it."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text if isinstance(text, bytes) else text.encode())


def make(root: Path, dice: random.Random, n_files: int, *, own: bool = True) -> Path:
    """A new workspace of generated files, some with the same text, odd ones, and this repository's own sources."""
    (root / ".git").mkdir(parents=True)
    text = ""
    for number in range(n_files):
        # Scenarios work on a few Python files: chance alone leaves out all of them once in a hundred times.
        suffix = ".py" if number < 4 else dice.choice(list(_MAKERS))
        text = text if text and dice.random() < 0.03 else text_of(suffix, dice)
        put(root, name_of(dice, suffix), text)
    for path, content in ODD_FILES.items():
        put(root, path, content)
    if own:
        shutil.copytree(OWN_SOURCES, root / "own", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def sources(root: Path) -> list[Path]:
    """The generated files that are there, in order."""
    return sorted(
        path for path in root.rglob("*_*") if path.suffix in _MAKERS and path.is_file() and not path.is_symlink()
    )


def edit(root: Path, dice: random.Random, n_edits: int) -> None:
    """Work on a workspace as a person does: change, add, remove, move, and copy files."""
    for _ in range(n_edits):
        path = dice.choice(sources(root))
        new = root / name_of(dice, path.suffix)
        new.parent.mkdir(parents=True, exist_ok=True)
        match dice.choice(["change", "change", "append", "add", "remove", "move", "copy"]):
            case "change":
                path.write_text(text_of(path.suffix, dice))
            case "append":
                path.write_text(path.read_text() + "\n" + text_of(path.suffix, dice))
            case "add":
                new.write_text(text_of(path.suffix, dice))
            case "remove":
                path.unlink()
            case "move":
                path.rename(new)
            case "copy":
                shutil.copy(path, new)
