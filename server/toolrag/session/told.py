"""Documents that tell, through a watch, what is read of them while a question is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolrag.adapters.documents import Documents
from toolrag.answer.prose import visible
from toolrag.session.types import Watch
from toolrag.text import TextSnapshot


@dataclass(frozen=True, slots=True)
class Told:
    """Documents that tell what is read of them."""

    documents: Documents
    watch: Watch

    async def snapshot(self, path: str) -> TextSnapshot:
        """As the documents'."""
        snapshot = await self.documents.snapshot(path)
        self.watch.reading(f"reading {visible(snapshot.path)}")
        return snapshot

    async def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """As the documents'."""
        return await self.documents.glances(paths)
