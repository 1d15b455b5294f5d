"""Cache files that are whole or not used: written beside and renamed into place, with a digest over what they hold.

A file in any doubt (cut, altered, no file at all) is moved aside and reads as None, and the caller builds anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from toolrag.adapters.cache_dir import TEMPORARY, set_aside

log = logging.getLogger(__name__)

_MAGIC: Final = b"toolrag1"
_DIGEST_BYTES: Final = 16
_ALIGNMENT: Final = 8
"""Where the payload begins is a multiple of it, so that arrays can be used where they lie."""


def write_sealed(path: Path, header: Mapping[str, object], payload: bytes) -> None:
    """Write a file of mode 0600, whole or not at all. Raises OSError (disk full, no permission)."""
    head = json.dumps(header, sort_keys=True).encode()
    head += b" " * (-(len(_MAGIC) + _DIGEST_BYTES + 4 + len(head)) % _ALIGNMENT)
    body = len(head).to_bytes(4, "big") + head + payload
    descriptor, beside = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_MAGIC + _digest(body))
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def read_sealed(path: Path) -> tuple[dict[str, object], memoryview] | None:
    """The header and the payload of a file that `write_sealed` wrote; None when it is missing or in any doubt.

    One that is in doubt is moved aside, with a log line.
    """
    found = _read(path)
    if found is None and os.path.lexists(path):
        try:
            log.warning("%s was damaged; it was moved to %s and is built anew.", path.name, set_aside(path).name)
        except OSError as error:
            log.warning("%s is damaged and cannot be moved aside (%s); it is not used.", path.name, error.strerror)
    return found


def _read(path: Path) -> tuple[dict[str, object], memoryview] | None:
    try:
        # A FIFO or a device in its place would keep the reader for ever, and what a link leads to is not ours.
        with open(path, "rb", opener=_open_plainly) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = memoryview(file.read())
    except OSError:
        return None  # a cache that cannot be read is a cache that is not there
    start = len(_MAGIC) + _DIGEST_BYTES
    body = data[start:]
    if bytes(data[: len(_MAGIC)]) != _MAGIC or bytes(data[len(_MAGIC) : start]) != _digest(body):
        return None
    size = int.from_bytes(body[:4], "big")
    if len(body) < 4 + size:
        return None
    try:
        header = json.loads(bytes(body[4 : 4 + size]))
    except ValueError:
        return None
    return (header, body[4 + size :]) if isinstance(header, dict) else None


def _open_plainly(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _digest(body: bytes | memoryview) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest()
