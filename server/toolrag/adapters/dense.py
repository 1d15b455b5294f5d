"""Bring the vectors of a corpus up to date: embed what has none yet, and put them into the vector index."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np

from toolrag.adapters.store import Store
from toolrag.adapters.store_file import DamagedStoreError
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource, Embedder, VectorIndex
from toolrag.retrieval.corpus import Corpus
from toolrag.retrieval.terms import embeddable_passages

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is: files, or vectors."""
PROGRESS_FILES: Final = 32
CHUNK: Final = 2_000
"""Vectors that are added at once: about 0.2 s of hnswlib."""


async def embed_missing(
    corpus: Corpus, store: Store, documents: DocumentSource, embedder: Embedder, progress: Progress = lambda *_: None
) -> int:
    """Embeds every passage that has no vector; how many were embedded. One transaction a file.

    A file that changed since it was indexed is passed over: its passages are no longer those of the corpus.
    """
    kept = store.vector_ids(embedder.id)
    missing: dict[int, set[int]] = defaultdict(set)
    for passage in np.flatnonzero(~np.isin(corpus.text_ids, np.fromiter(kept, np.int64, len(kept)))).tolist():
        missing[int(corpus.file_of[passage])].add(int(corpus.text_ids[passage]))
    embedded = 0
    for done, (file, wanted) in enumerate(missing.items()):
        if done % PROGRESS_FILES == 0:
            progress(done, len(missing))
        analysis = store.analysis(corpus.shas[file], corpus.languages[file])
        try:
            snapshot = await documents.snapshot(corpus.paths[file])
        except ReadError:
            continue  # gone or denied since: the next refresh takes it out
        if analysis is None or snapshot.sha != corpus.shas[file]:
            continue
        if any(passage.lines.end > snapshot.text.n_lines for passage in analysis.parsed.passages):
            raise DamagedStoreError("an analysis is not of its text")
        passages = embeddable_passages(snapshot.text, analysis)
        new = {
            text_id: passage
            for text_id, passage in zip(analysis.terms.text_ids.tolist(), passages, strict=True)
            if text_id in wanted
        }
        with store.transaction():
            store.put_vectors(embedder.id, dict(zip(new, embedder.embed(list(new.values())), strict=True)))
        embedded += len(new)
    progress(len(missing), len(missing))
    return embedded


def vectors_path(folder: Path, vectors: VectorIndex, embedder: Embedder) -> Path:
    """Where an index is kept: each engine has its form, and the vectors of two embedders do not mix."""
    return folder / f"vectors-{vectors.engine}-{sha256(embedder.id.encode()).hexdigest()[:8]}.bin"


async def fill_index(
    corpus: Corpus,
    store: Store,
    embedder: Embedder,
    vectors: VectorIndex,
    path: Path | None,
    progress: Progress = lambda *_: None,
) -> None:
    """Makes the index hold exactly the corpus's vectors: takes up the file at `path`, mends it, writes it back.

    Lets the event loop go on between chunks: a person who asks it to stop should not wait for all of them.
    """
    wanted = frozenset(corpus.text_ids.tolist())
    if path is not None:
        vectors.load(str(path))
    surplus = vectors.ids - wanted
    found = store.vectors(embedder.id, sorted(wanted - vectors.ids), embedder.dimensions)
    if not surplus and not found:
        return
    vectors.remove(surplus)
    ids = list(found)
    for first in range(0, len(ids), CHUNK):
        progress(first, len(ids))
        chunk = ids[first : first + CHUNK]
        vectors.add(chunk, np.stack([found[text_id] for text_id in chunk]))
        await asyncio.sleep(0)
    progress(len(ids), len(ids))
    if path is not None:
        try:
            vectors.save(str(path))
        except OSError as error:
            log.warning("The vector index could not be kept (%s); it is built again next time.", error.strerror)
