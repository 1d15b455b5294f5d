"""For every test: no deadlines on property tests, and the engines that can be tested here, said at the top."""

from __future__ import annotations

from importlib.util import find_spec

from hypothesis import settings

HAS_HNSWLIB = find_spec("hnswlib") is not None
collect_ignore = [] if HAS_HNSWLIB else ["adapters/test_vectors_hnsw.py"]

# On a busy machine one slow example is no fault.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_report_header() -> str:
    """Which vector indexes are tested: `test_environment.py` fails where one is missing that need not be."""
    return f"vector indexes: {'exact and hnsw' if HAS_HNSWLIB else 'exact alone; hnswlib is not installed'}"
