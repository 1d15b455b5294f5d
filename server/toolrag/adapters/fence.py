"""The fence: what may be read, and the only door to it.

A path is located (links followed, roots and names judged), then what was located is opened so that no link can have
slipped in, then the open file is judged again. Absent on purpose: text, which is the documents' business; `.gitignore`,
which denies nothing; and any second way to a file: index, search, hover and logs ask the same gate.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolrag.adapters.hard_links import HardLinks
from toolrag.adapters.ignore import MAX_IGNORE_BYTES, Rules
from toolrag.adapters.name_rules import IgnoreFiles, NameRules
from toolrag.adapters.names import file_uri, is_file_uri, path_of_uri, shown
from toolrag.adapters.openers import Opener, default_opener
from toolrag.adapters.resolver import Resolved, Resolver, os_error, split_relative
from toolrag.adapters.roots import Root, open_root
from toolrag.adapters.secrets import is_secret
from toolrag.config import ReadLimits
from toolrag.errors import ReadError, ReadErrorCode

__all__ = ["Fence", "FileBytes", "Place", "Root", "denial", "open_root"]

_TRIES: Final = 3
_CHUNK_BYTES: Final = 1 << 20


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
        return file_uri(os.path.join(self.root.given, *self.path.split("/")))


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file's bytes and what fstat said of the same descriptor, unchanged from the first byte to the last."""

    data: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


class Fence:
    """Reads files of some roots. Folders that are opened or closed later make a new fence."""

    def __init__(
        self, roots: Sequence[Root], limits: ReadLimits, deny: Sequence[str] = (), opener: Opener | None = None
    ) -> None:
        """`deny` are the user's globs, in gitignore syntax, for every root. A root given twice counts once."""
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
        parts = place.path.split("/") if place.path else []
        for _ in range(_TRIES):
            try:
                # Opening a device or FIFO has effects of its own, so its kind is asked for first, and again when open.
                _refuse_irregular(place.root.lstat(parts).st_mode, label)
                descriptor = self._opener.open(place.root, parts)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EXDEV):
                    _refuse_irregular(stat.S_IFLNK, label)
                raise os_error(error, label) from error
            try:
                found = self._read_open(descriptor, self._limits.max_file_bytes, label)
            except OSError as error:
                raise os_error(error, label) from error
            finally:
                os.close(descriptor)
            if found is not None:
                return found
        raise ReadError("changed_while_reading", f"{label} changed each time it was read; ask for it again.")

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
        """Lets go of the roots."""
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

    def _read_open(self, descriptor: int, max_bytes: int, label: str) -> FileBytes | None:
        """The bytes of an open file; None when it changed meanwhile. Raises ReadError or OSError."""
        before = os.fstat(descriptor)
        _refuse_irregular(before.st_mode, label)
        code = self._hard_links.denied(before)
        if code is not None:
            raise denial(code, label)
        too_large = ReadError(
            "too_large", f"{label} has more than {max_bytes:,} bytes, the largest that is read; ask for another file."
        )
        if before.st_size > max_bytes:
            raise too_large
        data = _read_up_to(descriptor, max_bytes + 1)
        if len(data) > max_bytes:
            raise too_large
        after = os.fstat(descriptor)
        same = (before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
            after.st_size,
            after.st_mtime_ns,
            after.st_ctime_ns,
        )
        if not same or len(data) != after.st_size:
            return None
        return FileBytes(data, after.st_size, after.st_mtime_ns, after.st_ctime_ns, after.st_ino, after.st_dev)

    def _read_ignore_file(self, root: Root, path: str) -> bytes:
        """An ignore file's bytes, through the fence but for the name rules it is about to make. Raises ReadError."""
        label = _label(path)
        resolved = self._resolver.resolve(root, path.split("/"), label)
        try:
            _refuse_irregular(resolved.root.lstat(resolved.parts).st_mode, label)
            descriptor = self._opener.open(resolved.root, resolved.parts)
        except OSError as error:
            raise os_error(error, label) from error
        try:
            _refuse_irregular(os.fstat(descriptor).st_mode, label)
            data = _read_up_to(descriptor, MAX_IGNORE_BYTES + 1)
        except OSError as error:
            raise os_error(error, label) from error
        finally:
            os.close(descriptor)
        if len(data) > MAX_IGNORE_BYTES:
            raise ReadError("too_large", f"It has more than {MAX_IGNORE_BYTES:,} bytes; make it shorter.")
        return data


def _distinct(roots: Sequence[Root]) -> tuple[Root, ...]:
    """The roots, each once, with names of their own: a second `app` is called `app~2`."""
    seen: Counter[str] = Counter()
    named: dict[str, Root] = {}
    for root in roots:
        if root.real in named:
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
    if not _is_utf8(path):
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


def _refuse_irregular(mode: int, label: str) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISLNK(mode):
        raise ReadError("changed_while_reading", f"{label} became a link while it was read; ask for it again.")
    kind = "a folder; ask for a file in it" if stat.S_ISDIR(mode) else "not a file but a FIFO, socket or device"
    raise ReadError("not_regular", f"{label} is {kind}.")


def _read_up_to(descriptor: int, n_bytes: int) -> bytes:
    chunks: list[bytes] = []
    while n_bytes > 0 and (chunk := os.read(descriptor, min(n_bytes, _CHUNK_BYTES))):
        chunks.append(chunk)
        n_bytes -= len(chunk)
    return b"".join(chunks)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
