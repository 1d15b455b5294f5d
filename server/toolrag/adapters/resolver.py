"""Where a path leads: links followed one by one, without a look at anything outside the roots.

The system's own resolution visits whatever a link points to, and tells by its errors what is there. This one keeps a
real position, and asks the disk only about what lies below a root; above the roots it knows no more than the roots'
own names. Absent on purpose: opening, and every judgement but "outside", "not there" and "not allowed".
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.adapters.names import shown
from toolrag.adapters.roots import EXHAUSTED, Root
from toolrag.errors import ReadError

MAX_LINKS: Final = 40
"""As many as Linux follows in one path (path_resolution(7))."""
_SEPARATORS: Final = re.compile(r"[/\\]" if os.name == "nt" else "/")

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a path led."""

    root: Root
    """The innermost root that holds it."""
    parts: Parts
    """Names below the root; none for the root itself."""
    links: tuple[tuple[Root, str], ...]
    """The links that were followed, by root and `/`-separated path."""


class Resolver:
    """Follows paths among some roots."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots: Final = sorted(
            ((root, _keys(root.parts)) for root in roots), key=lambda pair: len(pair[1]), reverse=True
        )
        self._given: Final = [(root, split_absolute(root.given)) for root in roots if root.given != root.real]

    def resolve(self, root: Root, names: Sequence[str], label: str) -> Resolved:
        """Where `names` lead from a root; `label` is what messages call the path. Raises ReadError."""
        return self._follow(root.parts, names, label)

    def resolve_absolute(self, path: str, label: str) -> Resolved:
        """Where an absolute path leads. Raises ReadError."""
        position, names = self._enter(split_absolute(path))
        return self._follow(position, names, label)

    def spelt(self, root: Root, names: Sequence[str]) -> tuple[Root, str] | None:
        """The root and path that names would lead to if nothing were a link, by the text alone; None outside."""
        return self._spelt(root.parts, names)

    def spelt_absolute(self, path: str) -> tuple[Root, str] | None:
        """As `spelt`, for an absolute path."""
        position, names = self._enter(split_absolute(path))
        return self._spelt(position, names)

    def _spelt(self, start: Parts, names: Sequence[str]) -> tuple[Root, str] | None:
        position = list(start)
        for name in names:
            if name == "..":
                del position[max(len(position) - 1, 1) :]
            elif name not in ("", "."):
                position.append(name)
        root = self._root_of(tuple(position))
        return None if root is None else (root, "/".join(position[len(root.parts) :]))

    def _follow(self, start: Parts, names: Sequence[str], label: str) -> Resolved:
        position, is_folder = start, True
        pending = list(reversed(names))
        links: list[tuple[Root, str]] = []
        while pending:
            name = pending.pop()
            if not is_folder:
                raise ReadError("not_found", f"{label} goes on below a file; leave out what follows the file's name.")
            if name in ("", "."):
                continue
            if name == "..":
                position = position[:-1] or position
                continue
            inner = (*position, name)
            root = self._root_of(inner)
            if root is None and not self._is_above_a_root(inner):
                raise self.outside()
            parts = inner[len(root.parts) :] if root is not None else ()
            if root is None or not parts:
                position = inner
                continue
            mode = _mode(root, parts, label)
            if not stat.S_ISLNK(mode):
                position, is_folder = inner, stat.S_ISDIR(mode)
                continue
            links.append((root, "/".join(parts)))
            if len(links) > MAX_LINKS:
                raise ReadError(
                    "not_found", f"{label} leads through more than {MAX_LINKS} links; ask for their target."
                )
            target = _target(root, parts, label)
            if os.path.isabs(target):
                position, further = self._enter(split_absolute(target))
            else:
                further = split_relative(target)
            pending += reversed(further)
        root = self._root_of(position)
        if root is None:
            raise self.outside()
        return Resolved(root, position[len(root.parts) :], tuple(links))

    def outside(self) -> ReadError:
        """What is answered for any path that leaves the roots; it says nothing about what lies there."""
        names = ", ".join(shown(root.name) for root, _ in self._roots)
        where = f"inside a folder that is open: {names}" if names else "of an open document, since no folder is open"
        return ReadError("path_denied", f"This path leads outside what may be read; ask for a path {where}.")

    def _enter(self, parts: Parts) -> tuple[Parts, Parts]:
        """A real position to start an absolute path from, and the names that are left to follow.

        A path that goes by a root's name as it was given, which may lead through links, starts at the root.
        """
        keys = _keys(part for part in parts if part not in ("", "."))
        for root, given in self._given:
            if keys[: len(given)] == _keys(given):
                n_matched = 0
                for index, part in enumerate(parts):
                    n_matched += part not in ("", ".")
                    if n_matched == len(given):
                        return root.parts, parts[index + 1 :]
        return parts[:1], parts[1:]

    def _root_of(self, position: Parts) -> Root | None:
        keys = _keys(position)
        return next((root for root, parts in self._roots if keys[: len(parts)] == parts), None)

    def _is_above_a_root(self, position: Parts) -> bool:
        keys = _keys(position)
        return any(parts[: len(keys)] == keys for _, parts in self._roots)


def split_relative(path: str) -> Parts:
    """The names of a relative path; an empty last one stands for a trailing separator."""
    return tuple(_SEPARATORS.split(path))


def split_absolute(path: str) -> Parts:
    """The anchor (`/`, `C:\\`) and the names of an absolute path."""
    drive, rest = os.path.splitdrive(path)
    if os.name == "nt":
        return (f"{drive}\\", *_SEPARATORS.split(rest.lstrip("/\\")))
    return ("/", *_SEPARATORS.split(rest.lstrip("/")))


def os_error(error: OSError, label: str) -> ReadError:
    """A system's refusal in our words. Raises `error` itself where it says nothing about the file."""
    if error.errno in EXHAUSTED:
        raise error
    if isinstance(error, PermissionError):
        return ReadError("permission", f"{label} may not be read; ask for another file, or give yourself read access.")
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return ReadError("not_found", f"There is no {label}; check the spelling, or search for the name.")
    return ReadError("not_found", f"{label} cannot be reached ({error.strerror}); ask for another file.")


def _mode(root: Root, parts: Parts, label: str) -> int:
    if os.name == "nt" and ":" in parts[-1]:
        raise ReadError("not_found", f"There is no {label}; a name holds no colon.")
    try:
        return root.lstat(parts).st_mode
    except OSError as error:
        raise os_error(error, label) from error


def _target(root: Root, parts: Parts, label: str) -> str:
    try:
        return root.readlink(parts).removeprefix("\\\\?\\" if os.name == "nt" else "")
    except OSError as error:
        raise os_error(error, label) from error


def _keys(parts: Iterable[str]) -> Parts:
    """Names as this system compares them."""
    return tuple(map(os.path.normcase, parts))
