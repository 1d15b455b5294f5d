"""The fence: what may be read, and the only door to it.

A path is located (links followed, roots and names judged), then what was located is opened so that no link can have
slipped in, then the open file is judged again. Absent on purpose: text, which is the documents' business; `.gitignore`,
which denies nothing; and any second way to a file: index, search, hover and logs ask the same gate.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolrag.adapters.hard_links import HardLinks
from toolrag.adapters.ignore import MAX_IGNORE_BYTES, Rules
from toolrag.adapters.name_rules import IgnoreFiles, NameRules
from toolrag.adapters.names import file_uri, is_file_uri, path_of_uri, quoted, shown
from toolrag.adapters.openers import Opener, default_opener
from toolrag.adapters.reading import FileBytes, read_file
from toolrag.adapters.resolver import Resolved, Resolver, split_relative
from toolrag.adapters.roots import Root, open_root
from toolrag.adapters.secrets import is_secret
from toolrag.config import ReadLimits
from toolrag.errors import ReadError, ReadErrorCode

__all__ = ["Fence", "FileBytes", "Place", "Root", "denial", "open_root"]


@dataclass(frozen=True, slots=True)
class Place:
    """A file that may be read, or at least be looked for: its path holds no link and no denied name."""

    root: Root
    path: str
    """Relative to the root, with `/`, links resolved; empty for the root itself."""
    asked: str

    @property
    def real(self) -> str:
        """The absolute path: what two spellings of one file have in common."""
        return os.path.join(self.root.real, *self.path.split("/"))

    @property
    def uri(self) -> str:
        """The file URI, below the root as the client knows it."""
        if self.root.uri:
            return f"{self.root.uri}/{quoted(self.path)}" if self.path else self.root.uri
        return file_uri(os.path.join(self.root.given, *self.path.split("/")))


class Fence:
    """Reads files of some roots, on any thread. Folders that are opened or closed later make a new fence."""

    def __init__(
        self, roots: Sequence[Root], limits: ReadLimits, deny: Sequence[str] = (), opener: Opener | None = None
    ) -> None:
        """`deny` are the user's globs, in gitignore syntax, for every root.

        A folder that is given twice counts once, and the second root is closed.
        """
        self.roots: Final = _distinct(roots)
        self._limits = limits
        self._opener = default_opener() if opener is None else opener
        self._resolver = Resolver(self.roots)
        self._files = IgnoreFiles(self._read_ignore_file)
        self.names: Final = NameRules(self.roots, deny, self._files)
        self._hard_links = HardLinks(self.roots, self.names, self.open_folder)

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about what could not be done as the user set it."""
        if self._hard_links.is_complete:
            return self.names.problems
        return (*self.names.problems, "The folders hold too many files to know every hard link to a denied one.")

    def locate(self, asked: str) -> Place:
        """The place that a path or `file:` URI names. Raises ReadError when it may not be read, or is not there.

        Relative to a root; `Folder/path`; absolute inside a root; or a URI, decoded once. Nothing else in a path is
        special. Where several roots are open, `Folder/path` means the root of that name, and a plain path must exist
        in one root only; where one is open, a plain path comes first.
        """
        path = _usable(asked)
        label = _label(path)
        try:
            if os.path.isabs(path):
                resolved, spelt = self._resolver.resolve_absolute(path, label), self._resolver.spelt_absolute(path)
            else:
                root, names = self._reading(path, label)
                resolved, spelt = self._resolver.resolve(root, names, label), self._resolver.spelt(root, names)
        except ReadError as error:
            # Whether a secret is there at all is not told either.
            if error.code != "path_denied" and any(is_secret(path) for _, path in self.spelt(asked)):
                raise denial("secret_denied", label) from error
            raise
        return self._judged(resolved, spelt, asked, label)

    def locate_in(self, root: Root, path: str) -> Place:
        """The place of a path relative to one root: `locate` for those who know the root. Raises ReadError."""
        names = split_relative(_usable(path))
        label = _label(path)
        return self._judged(self._resolver.resolve(root, names, label), self._resolver.spelt(root, names), path, label)

    def spelt(self, asked: str) -> list[tuple[Root, str]]:
        """Every root and path that `asked` could mean, by its text alone: no disk, no links. Raises ReadError."""
        path = _usable(asked)
        if os.path.isabs(path):
            places = [self._resolver.spelt_absolute(path)]
        else:
            places = [self._resolver.spelt(root, names) for root, names in self._readings(path)]
        return [place for place in places if place is not None]

    def denied(self, root: Root, path: str, is_folder: bool = False) -> ReadErrorCode | None:
        """Why a path relative to a root may not be read, by name rules alone: `secret_denied`, `ignored` or None."""
        return self.names.denied(root, path, is_folder)

    def read(self, place: Place) -> FileBytes:
        """The bytes of a place. Raises ReadError."""
        label = _label(place.path or place.root.name)
        parts = place.path.split("/") if place.path else ()

        def judge(status: os.stat_result) -> None:
            code = self._hard_links.denied(status)
            if code is not None:
                raise denial(code, label)

        return read_file(self._opener, place.root, parts, self._limits.max_file_bytes, label, judge)

    def open_folder(self, root: Root, path: str) -> int:
        """A descriptor of a folder, to list it; the caller closes it. Raises OSError."""
        return self._opener.open(root, path.split("/") if path else ())

    def ignore_rules(self, root: Root, folder: str, name: str) -> Rules | None:
        """The rules of the ignore file called `name` in a folder, or None where there is none."""
        return self._files.rules(root, folder, name)

    def forget_hard_links(self) -> None:
        """To be called when a walk starts: which files have a denied second name is found out anew."""
        self._hard_links.forget()

    def close(self) -> None:
        """Lets go of the roots; another fence that was given the same ones cannot read afterwards either."""
        for root in self.roots:
            root.close()

    def _readings(self, path: str) -> list[tuple[Root, tuple[str, ...]]]:
        """The ways to read a relative path: below each root, then as `Folder/path`."""
        names = split_relative(path)
        plain = [(root, names) for root in self.roots]
        by_folder = [(root, names[1:]) for root in self.roots if len(names) > 1 and names[0] == root.name]
        return [*plain, *by_folder] if len(self.roots) == 1 else [*by_folder, *plain]

    def _reading(self, path: str, label: str) -> tuple[Root, tuple[str, ...]]:
        """The one way to read a relative path that leads to something. Raises ReadError."""
        found: dict[tuple[str, ...], tuple[Root, tuple[str, ...]]] = {}
        refusals: list[ReadError] = []
        for root, names in self._readings(path):
            try:
                resolved = self._resolver.resolve(root, names, label)
            except ReadError as error:
                refusals.append(error)
                if error.code == "not_found":
                    continue
                raise
            by_folder = len(names) < len(split_relative(path))
            if by_folder or len(self.roots) == 1:
                return root, names
            found.setdefault((*resolved.root.parts, *resolved.parts), (root, names))
        if not found:
            raise refusals[0] if refusals else self._resolver.outside()
        if len(found) > 1:
            spellings = [f"{root.name}/{path}" for root, _ in found.values()]
            sentence = f"{label} is in several folders; ask for {' or '.join(map(shown, spellings))}."
            raise ReadError("not_found", sentence, candidates=spellings)
        return next(iter(found.values()))

    def _judged(self, resolved: Resolved, spelt: tuple[Root, str] | None, asked: str, label: str) -> Place:
        """The place, unless its name, the name it was asked by, or that of a link on the way is denied."""
        path = "/".join(resolved.parts)
        for root, name in dict.fromkeys([(resolved.root, path), *resolved.links, *([spelt] if spelt else [])]):
            code = self.names.denied(root, name, is_folder=False)
            if code is not None:
                raise denial(code, label)
        if not _is_utf8(path):
            raise ReadError("not_found", f"{label} leads to a name that is not UTF-8; rename the file to read it.")
        return Place(resolved.root, path, asked)

    def _read_ignore_file(self, root: Root, path: str) -> bytes:
        """An ignore file's bytes, through the fence but for the name rules it is about to make. Raises ReadError."""
        label = _label(path)
        resolved = self._resolver.resolve(root, path.split("/"), label)
        return read_file(
            self._opener, resolved.root, resolved.parts, MAX_IGNORE_BYTES, label, judge=lambda _: None
        ).data


def _distinct(roots: Sequence[Root]) -> tuple[Root, ...]:
    """The roots, each once, with names of their own: a second `app` is called `app~2`."""
    seen: Counter[str] = Counter()
    named: dict[str, Root] = {}
    for root in roots:
        if root.real in named:
            if root.descriptor != named[root.real].descriptor:
                root.close()
            continue
        seen[root.name] += 1
        number = seen[root.name]
        named[root.real] = root if number == 1 else replace(root, name=f"{root.name}~{number}")
    return tuple(named.values())


def _usable(asked: str) -> str:
    """The path that was asked for, out of its URI if it is one. Raises ReadError when it cannot be a path."""
    path = path_of_uri(asked) if is_file_uri(asked) else asked
    if path is None:
        raise ReadError("path_denied", "This URI names no file of this machine; ask for a path inside an open folder.")
    if "\0" in path:
        raise ReadError("not_found", "A path holds no NUL character; ask for the path without it.")
    # Of an absolute path this is judged where it led: the root's own name may be anything.
    if not os.path.isabs(path) and not _is_utf8(path):
        raise ReadError("not_found", f"{_label(path)} is not UTF-8; rename the file to read it.")
    return path


def _label(path: str) -> str:
    """What messages call a path: as asked, but of an absolute one the last name only."""
    return shown(os.path.basename(path.rstrip("/")) if os.path.isabs(path) else path)


def denial(code: ReadErrorCode, label: str) -> ReadError:
    """The refusal of a name, `secret_denied` or `ignored`; `label` is what its message calls the file."""
    if code == "secret_denied":
        return ReadError(
            code, f"{label} is, or leads to, a file that may hold secrets; it is never read. Do without it."
        )
    return ReadError(code, f"{label} is excluded by .toolragignore or by the user's settings. Do without it.")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
