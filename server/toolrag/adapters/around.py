"""What an index stands on. Pure data, handed from the composition roots to `index`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toolrag.adapters.dense import Engine
from toolrag.adapters.fence import Fence
from toolrag.adapters.roots import Root
from toolrag.config import IndexLimits
from toolrag.ports import Embedder, SpanParser


@dataclass(frozen=True, slots=True)
class Around:
    """What an index stands on: the root, the doors to its text, and the engines."""

    fence: Fence
    root: Root
    parser: SpanParser
    limits: IndexLimits
    embedder: Embedder
    engine: Engine
    before_scrub: Callable[[], None] = lambda: None
    """Removes what else was made of the root's texts, when one of them is denied from now on. On any thread."""
