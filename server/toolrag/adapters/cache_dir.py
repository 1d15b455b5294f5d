"""Where the index of a root is kept: the user's cache folder, private, never in the workspace."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import Final

import platformdirs

from toolrag.config import CacheLimits
from toolrag.errors import ConfigError

DATABASE: Final = "index.sqlite"
_USED: Final = "used"
"""Its time says when a root's cache was last used."""
_COLLECTED: Final = "collected"
COLLECT_SECONDS: Final = 3_600
BUSY_SECONDS: Final = 86_400
DATABASE_FILES: Final = frozenset({DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"})
TEMPORARY: Final = ".writing."
"""What the name of a file or folder begins with while it is being written."""

LEFTOVER_SECONDS: Final = 3_600
"""A temporary file this old was left by a run that was killed: nothing takes so long to write."""


def cache_home() -> Path:
    """The folder of all of toolrag's caches on this system; `XDG_CACHE_HOME` moves it on Linux.

    Raises ConfigError where nothing says where it is: no HOME, and a user the system does not know.
    """
    try:
        return Path(platformdirs.user_cache_dir("toolrag", appauthor=False))
    except RuntimeError:
        raise ConfigError("There is no home folder to keep the cache in. Set HOME or XDG_CACHE_HOME.") from None


def index_dir(root: str) -> Path:
    """The folder of one root's index, by its real path: two names of one folder share it. Not created."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return cache_home() / "index" / digest


def private_index_dir(root: str) -> Path:
    """`index_dir`, created and private. Raises ConfigError where it cannot be, or would lie inside the root.

    What lies inside the root may have come with it: a repository must not be able to bring an index.
    """
    folder = index_dir(root)
    if not folder.is_absolute():
        raise ConfigError(f"The cache folder {folder} is not absolute. Set XDG_CACHE_HOME to a full path.")
    if Path(root) in Path(os.path.realpath(folder)).parents:
        raise ConfigError(f"The cache folder {folder} lies inside the root. Set XDG_CACHE_HOME to one outside it.")
    make_private(folder)
    return folder


def make_private(folder: Path) -> None:
    """Create a folder of mode 0700, or check one that is there, and the folders above it up to `cache_home`.

    Raises ConfigError where one cannot be made, is a link, or belongs to someone else: an index planted by another
    could point anywhere, and whoever owns the folder above can put another in its place.
    """
    home = cache_home()
    above = [*reversed(folder.parents), folder]
    for level in above:
        try:
            _make_private(level, check=level in (folder, home) or home in level.parents)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ConfigError(
                f"The cache folder {level} cannot be used ({reason}). "
                "Make it writable, or set XDG_CACHE_HOME to one that is."
            ) from None


def clear_leftovers(folder: Path, now: float) -> None:
    """Remove what a killed run was still writing; `now` is the wall clock. Raises OSError."""
    for entry in list(os.scandir(folder)):
        if entry.name.startswith(TEMPORARY) and entry.stat(follow_symlinks=False).st_mtime < now - LEFTOVER_SECONDS:
            remove(Path(entry.path))


def clear_unused(folder: Path, limits: CacheLimits, now: float) -> None:
    """Notes that a root's cache folder is used, and collects other roots' at most once an hour. Raises OSError.

    A folder goes when it was not used for `max_days`; and while all together hold more than `max_bytes`, the one that
    was not used for longest. One that was used within BUSY_SECONDS stays: a process may be at it. `now` is the wall
    clock.
    """
    home = folder.parent
    collected = home / _COLLECTED
    _touch(folder / _USED, now)
    if collected.exists() and _used_at(collected) > now - COLLECT_SECONDS:
        return
    _touch(collected, now)
    others = sorted((_used_at(other / _USED), other) for other in home.iterdir() if other.is_dir() and other != folder)
    total = sum(_size(other) for other in (folder, *(other for _, other in others)))
    for used_at, other in others:
        if used_at > now - BUSY_SECONDS:
            break
        size = _size(other)
        if used_at < now - limits.max_days * 86_400 or total > limits.max_bytes:
            shutil.rmtree(other)
            total -= size


def _touch(path: Path, now: float) -> None:
    os.close(
        os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
    )
    os.utime(path, (now, now))


def _used_at(path: Path) -> float:
    """When a mark was last set, in seconds of the wall clock; the time of what holds it where there is none."""
    for known in (path, path.parent):
        with contextlib.suppress(FileNotFoundError):
            return known.stat(follow_symlinks=False).st_mtime
    return 0.0


def _size(folder: Path) -> int:
    """Bytes of a cache folder's files; it has no folders but while something is written."""
    return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))


def clear_derived(folder: Path) -> None:
    """Remove everything but the database: what was made from it, and damaged ones that were kept. Raises OSError."""
    for entry in list(os.scandir(folder)):
        if entry.name not in DATABASE_FILES and entry.name != _USED:
            remove(Path(entry.path))


def set_aside(path: Path) -> Path:
    """Renames a damaged file to `NAME.damaged`, over an older one; gives the new name. Raises OSError.

    Another process may do the same at the same time: what is gone already is fine.
    """
    aside = path.with_name(f"{path.name}.damaged")
    remove(aside)
    with contextlib.suppress(FileNotFoundError):
        path.replace(aside)
    return aside


def remove(path: Path) -> None:
    """Removes whatever is there, a folder with all that is in it. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _make_private(folder: Path, *, check: bool) -> None:
    """Make one folder where there is none, and check it if it is ours to check. Raises OSError and ConfigError."""
    # `parents=True` would give the folders above the umask's mode, which may let anyone write.
    if not os.path.lexists(folder):
        with contextlib.suppress(FileExistsError):  # another process may be at the same
            folder.mkdir(mode=0o700)
    if not check:
        return
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise ConfigError(f"The cache folder {folder} is not a folder. Remove it and try again.")
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        raise ConfigError(f"The cache folder {folder} belongs to another user. Set XDG_CACHE_HOME to one of your own.")
    if stat.S_IMODE(status.st_mode) & 0o077:
        folder.chmod(0o700)
