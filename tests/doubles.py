"""Doubles of the ports, for tests. Each passes its port's contract test beside the real adapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolrag.errors import ReadError
from toolrag.text import NotTextError, Text, TextSnapshot, blob_sha, decode


class MemoryDocuments:
    """A DocumentSource over a mapping of path to text, which a test may change as it goes."""

    def __init__(self, files: Mapping[str, str], root: str = "workspace") -> None:
        self.files = dict(files)
        self._root = root

    async def snapshot(self, path: str) -> TextSnapshot:
        """The text at a path relative to the root, at `Folder/path`, or at its URI."""
        base = f"file:///{self._root}/"
        name = path.removeprefix(base)
        if name not in self.files:
            name = name.removeprefix(f"{self._root}/")
        if name.startswith(("/", "../")):
            raise ReadError("path_denied", "This path leads outside what may be read; ask for a path inside the root.")
        if name not in self.files:
            raise ReadError("not_found", f"There is no {name!r}; check the spelling, or search for the name.")
        data = self.files[name].encode("utf-8", "surrogatepass")
        try:
            text, form = decode(data)
        except NotTextError as error:
            raise ReadError("not_text", f"{name!r} is not text: {error}. Ask for a text file.") from error
        return TextSnapshot(base + name, self._root, name, Text(text), form, blob_sha(data), "disk")

    async def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """The texts at some paths, None where there is none."""
        return [await self._glance(path) for path in paths]

    async def _glance(self, path: str) -> TextSnapshot | None:
        try:
            return await self.snapshot(path)
        except ReadError:
            return None
