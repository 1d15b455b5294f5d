"""The one gate by name: secrets, the user's own globs and `.toolragignore`, for reading, index, search and hover alike.

Absent on purpose: `.gitignore`, which denies nothing, and every look at a file's content but that of ignore files.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from typing import Final

from toolrag.adapters.ignore import (
    TOOLRAG_IGNORE,
    IgnoreStack,
    Rules,
    deny_all,
    folded,
    folders_above,
    git_text,
    parse_rules,
    stacked,
)
from toolrag.adapters.names import shown
from toolrag.adapters.roots import Root
from toolrag.adapters.secrets import is_secret
from toolrag.errors import ReadError, ReadErrorCode
from toolrag.text import NotTextError, decode

Signature = tuple[int, ...]


class IgnoreFiles:
    """The ignore files of some roots, compiled once for as long as they stay the same."""

    def __init__(self, read: Callable[[Root, str], bytes]) -> None:
        """`read` gives an ignore file's bytes, or raises ReadError."""
        self._read = read
        self._known: dict[tuple[str, str], tuple[Signature, Rules]] = {}

    def rules(self, root: Root, folder: str, name: str) -> Rules | None:
        """The rules of the ignore file called `name` in a folder, or None where there is none.

        One that is there but cannot be used is a problem of the rules; if it denies, it denies its whole folder.
        """
        path = f"{folder}/{name}" if folder else name
        try:
            status = root.lstat(path.split("/"))
        except OSError:
            # A folder that may not be entered has nothing below it that could be read either.
            return None
        signature = (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known = self._known.get((root.real, path))
        # Of a link this is the link's own state, which says nothing about its target's.
        if known is not None and known[0] == signature and not stat.S_ISLNK(status.st_mode):
            return known[1]
        rules = self._parsed(root, path, name == TOOLRAG_IGNORE)
        self._known[root.real, path] = signature, rules
        return rules

    def _parsed(self, root: Root, path: str, denies: bool) -> Rules:
        try:
            data = self._read(root, path)
            text = decode(data)[0] if denies else git_text(data)
        except ReadError as error:
            reason = error.message
        except NotTextError as error:
            reason = f"It is not text: {error}."
        else:
            return parse_rules(text, shown(path), denies)
        if not denies:
            return Rules((), [f"{shown(path)} is not used. {reason}"])
        return deny_all(f"{shown(path)} cannot be used, so nothing in its folder is read until it is mended. {reason}")


class NameRules:
    """Which names are denied in some roots."""

    def __init__(self, roots: Sequence[Root], globs: Sequence[str], files: IgnoreFiles) -> None:
        self._files = files
        self._globs: Final = parse_rules("\n".join(globs), "the setting deny", denies=True)
        self._outer: Final = {
            root.real: [
                (outer, "/".join(root.parts[len(outer.parts) :]))
                for outer in roots
                if len(outer.parts) < len(root.parts) and root.parts[: len(outer.parts)] == outer.parts
            ]
            for root in roots
        }
        self.problems: Final = self._globs.problems

    def denied(self, root: Root, path: str, is_folder: bool) -> ReadErrorCode | None:
        """Why a `/`-separated path below a root may not be read: `secret_denied`, `ignored`, or None."""
        if is_secret(f"{path}/" if is_folder else path):
            return "secret_denied"
        stack: IgnoreStack | None = None
        for folder in ("", *folders_above(path)):
            if folder and self.denied_entry(root, folder, True, stack):
                return "ignored"
            stack = self.below(root, folder, stack)
        return self.denied_entry(root, path, is_folder, stack)

    def denied_entry(self, root: Root, path: str, is_folder: bool, stack: IgnoreStack | None) -> ReadErrorCode | None:
        """As `denied`, for an entry of a folder that is not denied itself and whose stack is at hand."""
        if not path:
            return None
        name = path.rpartition("/")[2]
        if is_secret(f"{name}/" if is_folder else name):
            return "secret_denied"
        compared = folded(path)
        if self._globs.verdict(compared, is_folder) or (stack is not None and stack.ignores(compared, is_folder)):
            return "ignored"
        for outer, prefix in self._outer[root.real]:
            code = self.denied(outer, f"{prefix}/{path}", is_folder)
            if code is not None:
                return code
        return None

    def below(self, root: Root, folder: str, outer: IgnoreStack | None) -> IgnoreStack | None:
        """The stack of denying rules that holds in a folder, given the one of the folder around it."""
        rules = self._files.rules(root, folder, TOOLRAG_IGNORE)
        if rules is None:
            return outer
        inner = f"{folder}/" if folder else ""
        return stacked(rules, folded(inner), outer, shown(inner + TOOLRAG_IGNORE), denies=True)
