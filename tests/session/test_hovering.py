"""Hovers and explanations of a session: of what is typed now, while it indexes, and only while the lines stand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from index_doubles import write_tree
from test_session_helpers import Seen, folder, opened, uri
from toolrag.answer.types import Answer
from toolrag.config import Settings
from toolrag.errors import ConfigError
from toolrag.session import Session
from toolrag.text import Position
