"""Property tests of this folder have no deadline: on a busy machine one slow example is no fault."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
