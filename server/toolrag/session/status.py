"""What a session says of itself: `toolrag/status` (PROTOCOL section 3). Reads what is there, and waits for nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolrag.adapters.library import Library
from toolrag.session.folders import Folders, Opened


def status_of(folders: Folders, library: Library, model: str, is_started: bool) -> Mapping[str, object]:
    """How far the index is, what is in it and what is not, and who answers."""
    opened = folders.opened
    n_indexed = sum(library.languages.values())
    skipped: dict[str, int] = {}
    for one in opened:
        for reason, count in (one.index.coverage.skipped if one.index.coverage else {}).items():
            skipped[reason] = skipped.get(reason, 0) + count
    waiting = sum(one.total - one.done for one in opened if one.phase == "indexing")
    dense = library.state
    return {
        "phase": _phase(opened, is_started),
        "files": {"indexed": n_indexed, "total": n_indexed + waiting, "skipped": dict(sorted(skipped.items()))},
        "spans": library.n_spans,
        "dense": {"indexed": dense.indexed, "total": dense.total, "engine": dense.engine},
        "languages": library.languages,
        "epoch": library.epoch,
        "model": model,
        "problems": folders.problems,
    }


def _phase(opened: Sequence[Opened], is_started: bool) -> str:
    phases = {one.phase for one in opened}
    if not is_started or "starting" in phases:
        return "starting"
    if "indexing" in phases:
        return "indexing"
    return "failed" if phases == {"failed"} else "ready"
