"""git's ignore rules that lie outside a root: global excludes, `.git/info/exclude`, and the folders above the root.

They are read by this explicit rule, for their patterns alone: nothing of them is indexed, quoted or logged. Absent on
purpose: running git (a repository can make it run programs), `include` in its settings, and `core.excludesFile` of
the repository's own settings, which would let a clone name any file of the disk.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolrag.adapters.ignore import GIT_IGNORE, MAX_IGNORE_BYTES, IgnoreStack, Rules, git_text, parse_rules, stacked
from toolrag.text import NotTextError, decode

_MAX_POINTER_BYTES: Final = 4096
"""A `.git` file or `commondir` holds one path."""
_SECTION: Final = re.compile(r"\s*\[\s*(?P<name>[\w.-]+)\s*(?:\"[^\"]*\"\s*)?\]")
_SETTING: Final = re.compile(r"\s*excludesfile\s*=\s*(?P<value>.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repository:
    """A working tree and where git keeps what all of its worktrees share."""

    top: Path
    common: Path | None
    """None where the `.git` there cannot be made sense of: then it has no `info/exclude`."""


def repository_of(folder: Path) -> Repository | None:
    """The repository a folder lies in: the nearest one up that has a `.git`; None where there is none."""
    for top in (folder, *folder.parents):
        if os.path.lexists(top / ".git"):
            return Repository(top, _common_dir(top / ".git"))
    return None


def outer_rules(folder: Path, path: str, environment: Mapping[str, str]) -> tuple[IgnoreStack | None, list[str]]:
    """The rules that hold in a folder before its own `.gitignore` is read, weakest last, and what was wrong with them.

    `path` is the folder relative to the root that is walked, empty for the root itself. Outside every repository
    there are none.
    """
    repository = repository_of(folder)
    if repository is None:
        return None, []
    problems: list[str] = []
    inner = f"{path}/" if path else ""
    above = folder.relative_to(repository.top).parts
    stack: IgnoreStack | None = None
    for file, name, depth in _files(repository, above, environment):
        rules = _rules(file, name)
        if rules is not None:
            way = "".join(f"{part}/" for part in above[depth:])
            stack = stacked(rules, inner, stack, name, denies=False, above=way)
            problems += stack.rules.problems
    return stack, problems


def _files(
    repository: Repository, above: tuple[str, ...], environment: Mapping[str, str]
) -> Iterator[tuple[Path, str, int]]:
    """Each ignore file, weakest first: where it is, what problems call it, and how deep in the repository it lies."""
    excludes = global_excludes(environment)
    if excludes is not None:
        yield excludes, "git's global excludes file", 0
    if repository.common is not None:
        yield repository.common / "info" / "exclude", ".git/info/exclude", 0
    for depth in range(len(above)):
        yield repository.top.joinpath(*above[:depth], GIT_IGNORE), f"a {GIT_IGNORE} above the root", depth


def global_excludes(environment: Mapping[str, str]) -> Path | None:
    """The user's excludes file as git finds it (gitignore(5), git-config(1) `core.excludesFile`); it need not exist."""
    home = environment.get("HOME")
    configured = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
    files = [Path("/etc/gitconfig")]
    if "GIT_CONFIG_GLOBAL" in environment:
        files.append(Path(environment["GIT_CONFIG_GLOBAL"]))
    else:
        files += [Path(configured, "git", "config")] if configured else []
        files += [Path(home, ".gitconfig")] if home else []
    named = [value for file in files for value in _excludes_settings(file)]
    if named:
        value = named[-1]
        if value.startswith("~/"):
            return Path(home, value[2:]) if home else None
        return Path(value) if value.startswith("/") else None
    return Path(configured, "git", "ignore") if configured else None


def _excludes_settings(file: Path) -> Iterator[str]:
    """Every `core.excludesFile` of a settings file, in order."""
    section = ""
    for line in (_text(file, MAX_IGNORE_BYTES) or "").split("\n"):
        if match := _SECTION.match(line):
            section = match["name"].lower()
            line = line[match.end() :]
        if section == "core" and (match := _SETTING.fullmatch(line.rstrip("\r"))):
            yield _unquoted(match["value"])


def _unquoted(written: str) -> str:
    """A value as git-config(1) writes it: quotes, backslashes, and a comment after it."""
    value, kept, quoted = "", 0, False
    characters = iter(written)
    for character in characters:
        if character == '"':
            quoted = not quoted
            continue
        if character in "#;" and not quoted:
            break
        value += next(characters, "") if character == "\\" else character
        if quoted or not character.isspace():
            kept = len(value)
    return value[:kept]


def _rules(file: Path, name: str) -> Rules | None:
    """The rules of one file; None where there is none, or none that can be used."""
    data = _bytes(file, MAX_IGNORE_BYTES)
    return None if data is None else parse_rules(git_text(data), name, denies=False)


def _common_dir(git: Path) -> Path | None:
    """Where `info/exclude` lies: in `.git`, or where the `.git` file of a worktree or submodule leads."""
    if git.is_dir():
        folder = git
    else:
        pointer = _text(git, _MAX_POINTER_BYTES)
        if pointer is None or not pointer.startswith("gitdir: "):
            return None
        folder = _followed(git.parent, pointer.removeprefix("gitdir: "))
    shared = _text(folder / "commondir", _MAX_POINTER_BYTES)
    return folder if shared is None else _followed(folder, shared)


def _followed(base: Path, written: str) -> Path:
    return base / written.rstrip("\r\n")


def _text(file: Path, max_bytes: int) -> str | None:
    """The text of a small regular file; None where there is none, it cannot be read, or it is not text."""
    data = _bytes(file, max_bytes)
    try:
        return None if data is None else decode(data)[0]
    except NotTextError:
        return None


def _bytes(file: Path, max_bytes: int) -> bytes | None:
    """What a small regular file holds; None where there is none, or it cannot be read."""
    try:
        # Non-blocking, so that a FIFO in its place does not hold the walk.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = os.read(descriptor, max_bytes + 1)
        return None if len(data) > max_bytes else data
    except OSError:
        return None
    finally:
        os.close(descriptor)
