"""A file that the user names on the command line to be checked, and perhaps mended: theirs, wherever it lies.

The fence is not asked: it guards what a citation, an index or a model may reach, and nothing of this file is served.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from typing import BinaryIO, Final

from toolrag.adapters.names import shown
from toolrag.errors import ConfigError
from toolrag.text import NotTextError, decode

MAX_BYTES: Final = 64 * 1024 * 1024
"""More is no document that a person wrote, and no answer."""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A text file as it was read."""

    name: str
    """As the user gave it."""
    data: bytes
    text: str
    """Without a byte order mark."""

    @staticmethod
    def read(name: str) -> OwnFile:
        """Raises ConfigError, one sentence, when it is not there, cannot be read, or is no text."""
        try:
            # A FIFO may be meant (`<(command)`); a folder fails by itself.
            with open(name, "rb") as file:
                data = _all_of(file, shown(name))
        except FileNotFoundError:
            raise ConfigError(f"There is no file {shown(name)}; check the spelling.") from None
        except IsADirectoryError:
            raise ConfigError(f"{shown(name)} is a folder; name the files in it.") from None
        except PermissionError:
            raise ConfigError(f"{shown(name)} may not be read; give yourself read access to it.") from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "its name cannot be one"
            raise ConfigError(f"{shown(name)} cannot be read ({why}).") from None
        return OwnFile.of(name, data)

    @staticmethod
    def from_stream(stream: BinaryIO) -> OwnFile:
        """What is piped in. Raises ConfigError when it is no text."""
        return OwnFile.of("-", _all_of(stream, "What is piped in"))

    @staticmethod
    def of(name: str, data: bytes) -> OwnFile:
        """Some bytes as a text. Raises ConfigError when they are none."""
        try:
            text, _ = decode(data)
        except NotTextError as error:
            label = "What is piped in" if name == "-" else shown(name)
            raise ConfigError(f"{label} is not text: {error}. Name Markdown, or an answer as JSON.") from None
        return OwnFile(name, data, text)

    def replace_text(self, text: str) -> None:
        """Put another text in its place, whole or not at all, in its encoding and with its mark.

        Of a link the file it leads to is written. Raises ConfigError when the file has changed since it was read;
        OSError when it cannot be written.
        """
        _, form = decode(self.data)
        mark = self.data[: len(self.data) - len(self.text.encode(form.encoding))]
        path = os.path.realpath(self.name)
        self._refuse_changed(path)
        descriptor, beside = tempfile.mkstemp(prefix=".toolrag-", dir=os.path.dirname(path))
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(mark + text.encode(form.encoding))
                file.flush()
                os.fsync(file.fileno())
            os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
            self._refuse_changed(path)
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise

    def _refuse_changed(self, path: str) -> None:
        """What someone saved meanwhile is not overwritten."""
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ConfigError(f"{shown(self.name)} is no regular file; it cannot be mended.")
        with open(path, "rb") as now:
            if now.read() != self.data:
                raise ConfigError(f"{shown(self.name)} was changed meanwhile; nothing was written. Run it again.")


def _all_of(stream: BinaryIO, label: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{label} has more than {MAX_BYTES:,} bytes, the most that is checked.")
    return data
