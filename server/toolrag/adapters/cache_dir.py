"""Where the index of a root is kept: the user's cache folder, private, never in the workspace."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import platformdirs

from toolrag.errors import ConfigError


def cache_home() -> Path:
    """The folder of all of toolrag's caches on this system; `XDG_CACHE_HOME` moves it on Linux."""
    return Path(platformdirs.user_cache_dir("toolrag", appauthor=False))


def index_dir(root: str) -> Path:
    """The folder of one root's index, by its real path: two names of one folder share it. Not created."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return cache_home() / "index" / digest


def make_private(folder: Path) -> None:
    """Create a folder of mode 0700, or check one that is there.

    Raises ConfigError where it cannot be made, is a link, or belongs to someone else: an index planted by another
    could point anywhere.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(
            f"The cache folder {folder} cannot be used ({reason}). "
            "Make it writable, or set XDG_CACHE_HOME to one that is."
        ) from None
    if not stat.S_ISDIR(status.st_mode):
        raise ConfigError(f"The cache folder {folder} is not a folder. Remove it and try again.")
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        raise ConfigError(f"The cache folder {folder} belongs to another user. Set XDG_CACHE_HOME to one of your own.")
    if stat.S_IMODE(status.st_mode) & 0o077:
        folder.chmod(0o700)
