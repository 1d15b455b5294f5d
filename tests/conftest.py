"""For every test: no deadlines on property tests, and the engines that can be tested here, said at the top."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from hypothesis import settings

HAS_HNSWLIB = find_spec("hnswlib") is not None
collect_ignore = [] if HAS_HNSWLIB else ["adapters/test_vectors_hnsw.py"]

# On a busy machine one slow example is no fault.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(autouse=True, scope="session")
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Journals of tests are none of the user's."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    del os.environ["XDG_STATE_HOME"]
    if before is not None:
        os.environ["XDG_STATE_HOME"] = before


def pytest_report_header() -> str:
    """Which vector indexes are tested: `test_environment.py` fails where one is missing that need not be."""
    return f"vector indexes: {'exact and hnsw' if HAS_HNSWLIB else 'exact alone; hnswlib is not installed'}"
