"""What the tests need is here: nothing is left out in silence."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec


def test_hnswlib_is_tested_wherever_it_can_be_built() -> None:
    """It may be missing only where there is no C++ compiler, or where the run says that it does without.

    `.ci/run` says so for further Python versions, to spare building it for each.
    """
    installed = find_spec("hnswlib") is not None
    excused = shutil.which("c++") is None or "TOOLRAG_TEST_WITHOUT_HNSWLIB" in os.environ
    assert installed or excused, "hnswlib is missing though a C++ compiler is here: run `make hnsw`"


def test_git_is_here() -> None:
    """Hashes and ignore verdicts are compared with git's own."""
    assert shutil.which("git"), "git is missing: install it (Debian: apt-get install git)"
