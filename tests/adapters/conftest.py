"""Stand-ins that a test starts, and that end with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from unittest import mock

import pytest
from openai_bench import Serve
from openai_standin import (
    Profile,
    Standin,
    Step,
    following,
)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a stand-in that follows a script; nothing of OpenAI is in the environment."""
    with ExitStack() as stack:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
        stack.enter_context(mock.patch.dict(os.environ, kept, clear=True))

        def start(profile: Profile, *script: Step, key: str = "") -> Standin:
            service = Standin(following(*script), profile, key=key)
            stack.enter_context(service)
            return service

        yield start
