"""Where the lines of citations are whose own file is gone: looked for in all that is searched, file by file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Final

from toolrag.adapters.documents import Documents
from toolrag.answer.locating import Cited, Located, locate_all
from toolrag.answer.types import Citation
from toolrag.text import TextSnapshot

_AT_ONCE: Final = 64
"""Files."""


async def locate_lost(citations: Sequence[Citation], documents: Documents, paths: Sequence[str]) -> list[Located]:
    """How each citation stands, in their order; `paths` are the documents that may have the lines of a lost file.

    A file that by its state has not changed is not read for it, unless it has a line of some citation.
    """
    cited = [
        Cited(one.snapshot.path, one.snapshot.root, one.snapshot.uri, one.lines, one.lines_sha, one.anchor)
        for one in citations
    ]
    return await locate_all(cited, documents, partial(_likely, citations, documents, paths))


async def _likely(citations: Sequence[Citation], documents: Documents, paths: Sequence[str]) -> AsyncIterator[str]:
    """Those documents that have the longest line of one of the citations."""
    wanted = {max(one.snapshot.text.lines(one.lines), key=lambda line: len(line.strip())) for one in citations}
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        snapshots = await documents.glances(some)
        for path, is_likely in zip(some, await asyncio.to_thread(_having, snapshots, wanted), strict=True):
            if is_likely:
                yield path


def _having(snapshots: Sequence[TextSnapshot | None], wanted: set[str]) -> list[bool]:
    """Which texts hold a line. One that cannot be read just now may."""
    return [one is None or any(line in one.text.content for line in wanted) for one in snapshots]
