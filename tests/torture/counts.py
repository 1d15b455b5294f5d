"""How much is tried, from which seed, with which vector index: `make torture SEED=7 SHARE=0.1 VECTORS=exact`.

Without make the same are TORTURE_SEED, TORTURE_SHARE and TORTURE_VECTORS.
"""

from __future__ import annotations

import os
import random

# Kept in the environment, so that every process of one test run has the same.
SEED = os.environ.get("TORTURE_SEED") or str(random.SystemRandom().randrange(1_000_000))
os.environ["TORTURE_SEED"] = SEED
SHARE = float(os.environ.get("TORTURE_SHARE") or 1)
VECTORS = os.environ.get("TORTURE_VECTORS") or "auto"


def share(number: int) -> int:
    """So many in `make torture`, the share of it that was asked for here, but one at least."""
    return max(1, round(number * SHARE))


def dice_of(name: str) -> random.Random:
    """The same dice for the same seed and name."""
    return random.Random(f"{SEED} {name}")
