"""Find the files of a root that may be indexed, and say of the others why not.

Links are not followed and not counted: what one points to inside a root is met at its own place. Absent on purpose:
reading any file but ignore files, git (a repository can make it run programs), and judging by content or language.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from toolrag.adapters.fence import Fence
from toolrag.adapters.git_excludes import outer_rules
from toolrag.adapters.hard_links import scan
from toolrag.adapters.ignore import GIT_IGNORE, TOOLRAG_IGNORE, IgnoreStack, stacked
from toolrag.adapters.names import shown
from toolrag.adapters.roots import EXHAUSTED, Root

Reason = Literal[
    "secret",
    "ignored",
    "gitignored",
    "vendored",
    "not_regular",
    "permission",
    "name_too_long",
    "not_utf8_name",
    "unreadable",
]
_REASONS: Final[dict[str, Reason]] = {"secret_denied": "secret", "ignored": "ignored"}

_VENDORED: Final = frozenset(
    """
    node_modules bower_components __pycache__ .tox .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .eggs
    """.split()
)
"""Folders that tools fill: never a project's own source."""
_VENV_MARK: Final = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file that may be indexed, and its state when it was seen."""

    path: str
    """Relative to the root, with `/`."""
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is left out, a folder with all that is in it."""

    path: str
    """As Found's; bytes that are not UTF-8 are written `\\udcXX`."""
    reason: Reason
    is_dir: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    denying: IgnoreStack | None
    git: IgnoreStack | None


class Walk:
    """One pass over a root: iterate to get each file found or skipped, always in the same order.

    A folder's own entries come by name, then its folders, by name. Iterating again walks again.
    """

    def __init__(self, fence: Fence, root: Root) -> None:
        self._fence = fence
        self._root = root
        # A root inside this one is walked as itself.
        self._other_roots: Final = frozenset(
            "/".join(other.parts[len(root.parts) :])
            for other in fence.roots
            if other.parts[: len(root.parts)] == root.parts and other.parts != root.parts
        )
        self.problems: list[str] = []
        """Sentences about ignore files that could not be used as written; whole once the walk is done."""

    def __iter__(self) -> Iterator[Found | Skipped]:
        self.problems.clear()
        self._fence.forget_hard_links()
        pending = [_Folder("", None, self._outside(""))]
        while pending:
            folder = pending.pop()
            inner: list[_Folder] = []
            try:
                with scan(self._fence.open_folder, self._root, folder.path) as listing:
                    # All at once: an entry's state is asked of the open folder, which should not stay open meanwhile.
                    results = list(self._entries(folder, sorted(listing, key=lambda entry: entry.name), inner))
            except OSError as error:
                reason = _reason(error)
                if reason is not None:
                    yield Skipped(folder.path, reason, True)
                continue
            yield from results
            pending += reversed(inner)

    def _entries(
        self, folder: _Folder, entries: list[os.DirEntry[str]], inner: list[_Folder]
    ) -> Iterator[Found | Skipped]:
        names = {entry.name for entry in entries}
        if _VENV_MARK in names and folder.path:
            yield Skipped(folder.path, "vendored", True)
            return
        denying = self._denying(folder) if TOOLRAG_IGNORE in names else folder.denying
        if ".git" in names and folder.path:
            # A repository of its own, such as a submodule: the rules of the one around it end here, as git's do.
            folder = replace(folder, git=self._outside(folder.path))
        git = self._git(folder) if GIT_IGNORE in names else folder.git
        prefix = f"{folder.path}/" if folder.path else ""
        for entry in entries:
            if entry.is_symlink() or entry.name == ".git":
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            path = prefix + entry.name
            reason = self._reason(path, entry.name, is_folder, denying, git)
            if reason is not None:
                yield Skipped(path.encode("utf-8", "backslashreplace").decode(), reason, is_folder)
            elif is_folder:
                if path not in self._other_roots:
                    inner.append(_Folder(path, denying, git))
            elif entry.is_file(follow_symlinks=False):
                yield from self._file(entry, path)
            else:
                yield Skipped(path, "not_regular", False)

    def _reason(
        self, path: str, name: str, is_folder: bool, denying: IgnoreStack | None, git: IgnoreStack | None
    ) -> Reason | None:
        if not name.isascii() and _has_surrogates(name):
            return "not_utf8_name"
        code = self._fence.names.denied_entry(self._root, path, is_folder, denying)
        if code is not None:
            return _REASONS[code]
        if is_folder and name in _VENDORED:
            return "vendored"
        return "gitignored" if git is not None and git.ignores(path, is_folder) else None

    @staticmethod
    def _file(entry: os.DirEntry[str], path: str) -> Iterator[Found | Skipped]:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            reason = _reason(error)
            if reason is not None:
                yield Skipped(path, reason, False)
            return
        yield Found(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def _denying(self, folder: _Folder) -> IgnoreStack | None:
        stack = self._fence.names.below(self._root, folder.path, folder.denying)
        if stack is not None and stack is not folder.denying:
            self.problems += stack.rules.problems
        return stack

    def _outside(self, folder: str) -> IgnoreStack | None:
        stack, problems = outer_rules(Path(self._root.real, folder), folder, os.environ)
        self.problems += problems
        return stack

    def _git(self, folder: _Folder) -> IgnoreStack | None:
        rules = self._fence.ignore_rules(self._root, folder.path, GIT_IGNORE)
        if rules is None:
            return folder.git
        inner = f"{folder.path}/" if folder.path else ""
        stack = stacked(rules, inner, folder.git, shown(inner + GIT_IGNORE), denies=False)
        self.problems += stack.rules.problems
        return stack


def _reason(error: OSError) -> Reason | None:
    """Why something could not be seen; None when it has gone, or become a link, since its folder was listed.

    Raises `error` itself where it says nothing about the thing.
    """
    if error.errno in EXHAUSTED:
        raise error
    if isinstance(error, PermissionError):
        return "permission"
    if error.errno == errno.ENAMETOOLONG:
        return "name_too_long"
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV):
        return None
    return "unreadable"


def _has_surrogates(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)
