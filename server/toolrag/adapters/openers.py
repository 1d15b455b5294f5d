"""Opening what was checked: a path that held no link when it was resolved is opened so that none can slip in since.

Checking a path and then opening it by name leaks what lies outside when a folder is swapped for a link in between. So
the kernel is told to refuse links (Linux), or each name is opened from its folder's descriptor (POSIX), or the open
handle is asked where it is (Windows). Absent on purpose: resolving, which is the fence's, and judging what was opened.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, Protocol

from toolrag.adapters.roots import Root

_SYS_OPENAT2: Final = 437
"""On every architecture that numbers new system calls alike, which all but alpha and mips do."""
_RESOLVE_NO_MAGICLINKS: Final = 0x02
_RESOLVE_NO_SYMLINKS: Final = 0x04
_RESOLVE_BENEATH: Final = 0x08

# A FIFO would block a plain open until someone writes; what was opened is judged by fstat afterwards.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_FOLDER_FLAGS: Final = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)


class Opener(Protocol):
    """Opens a file or folder below a root for reading."""

    def open(self, root: Root, parts: Sequence[str]) -> int:
        """A new descriptor; the caller closes it.

        `parts` are names, neither empty nor `.` or `..`; none of them means the root itself. Raises OSError, with
        ELOOP, EXDEV or ENOTDIR where a name on the way is a link.
        """
        ...


class _OpenHow(ctypes.Structure):
    """`struct open_how` of openat2(2)."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _openat2(folder: int, path: bytes, how: _OpenHow) -> int:
    """The system call: a descriptor. Raises OSError."""
    descriptor = int(
        _libc().syscall(
            ctypes.c_long(_SYS_OPENAT2),
            ctypes.c_long(folder),
            ctypes.c_char_p(path),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
    )
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return descriptor


class Openat2Opener:
    """openat2(2), Linux 5.6 and later: one call in which the kernel itself refuses links and leaving the root."""

    def __init__(self, openat2: Callable[[int, bytes, _OpenHow], int] = _openat2) -> None:
        self._openat2 = openat2

    def is_supported(self) -> bool:
        """Whether the system call is there and allowed; containers often forbid it with EPERM."""
        try:
            self._openat2(-1, b"x", self._how())
        except OSError as error:
            # A call that is there finds the bad descriptor.
            return error.errno == errno.EBADF
        return True

    def open(self, root: Root, parts: Sequence[str]) -> int:
        """See Opener."""
        if root.descriptor is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        path = os.fsencode("/".join(parts) or ".")
        while True:
            try:
                return self._openat2(root.descriptor, path, self._how())
            except InterruptedError:
                # A signal whose handler returned; Python's own calls go on likewise (PEP 475).
                continue

    @staticmethod
    def _how() -> _OpenHow:
        return _OpenHow(_FLAGS, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)


class NoFollowOpener:
    """POSIX: each name is opened from its folder's descriptor and may not be a link."""

    def open(self, root: Root, parts: Sequence[str]) -> int:
        """See Opener."""
        if root.descriptor is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if not parts:
            return os.open(".", _FLAGS, dir_fd=root.descriptor)
        folder = root.descriptor
        try:
            for name in parts[:-1]:
                inner = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
                if folder != root.descriptor:
                    os.close(folder)
                folder = inner
            return os.open(parts[-1], _FLAGS, dir_fd=folder)
        finally:
            if folder != root.descriptor:
                os.close(folder)


def _final_path(descriptor: int) -> str:
    """Where an open handle's file is, links resolved (GetFinalPathNameByHandleW). Raises OSError."""
    if sys.platform == "win32":
        import msvcrt

        buffer = ctypes.create_unicode_buffer(32_768)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        length = ctypes.windll.kernel32.GetFinalPathNameByHandleW(handle, buffer, len(buffer), 0)
        if not 0 < length < len(buffer):
            raise ctypes.WinError()
        path = buffer.value
        if path.startswith("\\\\?\\UNC\\"):
            return "\\\\" + path[8:]
        return path.removeprefix("\\\\?\\")
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


class FinalPathOpener:
    """Windows: opens by path, then asks the open handle where it is, which no later swap can change."""

    def __init__(self, final_path: Callable[[int], str] = _final_path) -> None:
        self._final_path = final_path

    def open(self, root: Root, parts: Sequence[str]) -> int:
        """See Opener. Folders cannot be opened on Windows."""
        checked = os.path.join(root.real, *parts)
        descriptor = os.open(checked, _FLAGS)
        try:
            final = self._final_path(descriptor)
        except OSError:
            os.close(descriptor)
            raise
        if os.path.normcase(final) != os.path.normcase(checked):
            os.close(descriptor)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return descriptor


def default_opener() -> Opener:
    """The strictest opener this system has."""
    if sys.platform == "win32":
        return FinalPathOpener()
    if sys.platform == "linux":
        opener = Openat2Opener()
        if opener.is_supported():
            return opener
    return NoFollowOpener()
