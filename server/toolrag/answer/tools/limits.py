"""Caps of what one call of a tool may take and give. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """Caps of one call; those of `read_range` are `config.ReadLimits`."""

    max_hints: int = 8
    """Of `search_code` and `find_symbol`."""
    max_places: int = 20
    """Of `find_references`."""
    max_symbols: int = 200
    """Of `list_outline`."""
    max_signature: int = 300
    """Characters of a signature."""
    max_query: int = 1_000
    """Characters of a question, a name or a path."""
    max_parsed: int = 1_000_000
    """Characters of a text that is parsed to name the symbol around a read."""

    max_pattern: int = 500
    """Characters of a pattern of `grep`."""
    max_matches: int = 40
    max_matches_a_file: int = 10
    max_text: int = 200
    """Characters of a line, around its match."""
    max_files: int = 5_000
    max_seconds: float = 3.0
