"""A root: a folder the user opened, resolved once and held open. Nothing outside the roots is ever read.

Absent on purpose: files. A root knows where it is; what may be read in it is the fence's to say.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from toolrag.adapters.names import shown
from toolrag.errors import ConfigError

EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""The process or the system has run out of something: this tells nothing about a file, so nothing may be said of it."""

HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
"""Whether a folder can be held open and paths be taken from it: everywhere but on Windows."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder whose files may be read."""

    name: str
    """Its base name; what `Folder/path` starts with."""
    real: str
    """Absolute, with every link resolved, at the moment it was opened."""
    given: str
    """Absolute, as the user gave it: what the client's URIs start with."""
    descriptor: int | None
    """The folder, held open; None where the system has no such thing."""
    uri: str = ""
    """Its URI as a client gave it, without a final `/`; empty where none did."""

    @property
    def parts(self) -> tuple[str, ...]:
        """`real`, component by component, the anchor (`/`, `C:\\`) first."""
        return PurePath(self.real).parts

    def lstat(self, parts: Sequence[str]) -> os.stat_result:
        """What lies at a path below this root, a link itself if it is one. Raises OSError."""
        if self.descriptor is None:
            return os.lstat(os.path.join(self.real, *parts))
        return os.stat(os.path.join(".", *parts), dir_fd=self.descriptor, follow_symlinks=False)

    def readlink(self, parts: Sequence[str]) -> str:
        """Where the link at a path below this root points. Raises OSError."""
        if self.descriptor is None:
            return os.readlink(os.path.join(self.real, *parts))
        return os.readlink(os.path.join(".", *parts), dir_fd=self.descriptor)

    def close(self) -> None:
        """Lets go of the folder. Reads below it fail afterwards."""
        if self.descriptor is not None:
            os.close(self.descriptor)


def open_root(path: str | os.PathLike[str]) -> Root:
    """Resolves a folder and holds it open. Raises ConfigError when it cannot be used as a root."""
    text = os.fspath(path)
    if "\0" in text:
        raise ConfigError(f"The folder {shown(text)} has a NUL character in its name; give another folder.")
    descriptor: int | None = None
    try:
        given = os.path.abspath(text)
        real = os.path.realpath(text, strict=True)
        if HAS_DESCRIPTORS:
            descriptor = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        with os.scandir(real) as entries:
            next(entries, None)
    except OSError as error:
        if descriptor is not None:
            os.close(descriptor)
        raise ConfigError(_sentence(text, error)) from error
    except UnicodeEncodeError as error:
        raise ConfigError(f"The folder {shown(text)} cannot be a path here; give another folder.") from error
    return Root(os.path.basename(real) or "root", real, given, descriptor)


def _sentence(text: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"There is no folder {shown(text)}; check the spelling, or give a folder that exists."
    if isinstance(error, NotADirectoryError):
        return f"{shown(text)} is a file; give the folder that holds it."
    if isinstance(error, PermissionError):
        return f"The folder {shown(text)} may not be listed; give yourself read access to it, or choose another folder."
    return f"The folder {shown(text)} cannot be opened ({error.strerror}); choose another folder."
