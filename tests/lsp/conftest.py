"""A shop for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_server import Shop, made


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A small repository and a HOME."""
    return made(tmp_path)
