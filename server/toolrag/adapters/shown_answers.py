"""Answers as files for an editor to show: read-only, in a folder of ours, a few, and not for long.

An editor that opens one tells of it like of any document. It is served then, so that its citations are links, but it
is not to be searched: an answer is no evidence.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from toolrag.adapters.cache_dir import LEFTOVER_SECONDS, TEMPORARY, cache_home, make_private
from toolrag.adapters.names import path_of_uri
from toolrag.adapters.private_files import entries_of, write_whole
from toolrag.errors import ConfigError

MOST: Final = 50
MAX_SECONDS: Final = 7 * 86_400
"""Older ones go when the next is written."""
_FOLDER: Final = "answers"
_SUFFIX: Final = ".md"


def keep(name: str, text: str, roots: Iterable[str], now: float) -> Path:
    """Write an answer, over one of the same name; where it is. `now` is the wall clock.

    `roots` are the real paths of the folders that are indexed: it may lie in none of them. Raises ConfigError, a
    sentence, where it cannot be written.
    """
    folder = cache_home() / _FOLDER
    if not folder.is_absolute():
        raise ConfigError(f"The cache folder {folder} is not absolute. Set XDG_CACHE_HOME to a full path.")
    real = Path(os.path.realpath(folder))
    if any(Path(root) in real.parents for root in roots):
        raise ConfigError(f"{folder} lies inside the workspace. Set XDG_CACHE_HOME to a folder outside it.")
    make_private(folder)
    path = folder / f"{name}{_SUFFIX}"
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
        path.chmod(0o400)
        os.utime(path, (now, now))
        _collect(folder, now)
    except OSError as error:
        raise ConfigError(f"The answer cannot be written to {folder} ({error.strerror}).") from None
    return path


def forget() -> None:
    """Remove every answer: a file is denied now, and which of them quote it cannot be told. Raises OSError."""
    with contextlib.suppress(ConfigError):  # no place for any
        for path, _ in list(entries_of(cache_home() / _FOLDER)):
            path.unlink(missing_ok=True)


def is_kept(uri: str) -> bool:
    """Whether a document is an answer that was written here."""
    path = path_of_uri(uri)
    if path is None:
        return False
    with contextlib.suppress(ConfigError):
        return Path(path).parent in (cache_home() / _FOLDER, Path(os.path.realpath(cache_home() / _FOLDER)))
    return False


def _collect(folder: Path, now: float) -> None:
    """Remove what is too old, and the oldest of too many. Raises OSError."""
    found = sorted(entries_of(folder), key=lambda one: one[1].st_mtime_ns, reverse=True)
    answers = [one for one in found if not one[0].name.startswith(TEMPORARY)]
    for place, (path, status) in enumerate(answers):
        if place >= MOST or status.st_mtime < now - MAX_SECONDS:
            path.unlink(missing_ok=True)
    for path, status in found:
        if path.name.startswith(TEMPORARY) and status.st_mtime < now - LEFTOVER_SECONDS:
            path.unlink(missing_ok=True)
