"""Settings: what a user may set, with defaults that are safe. Pure: the caller brings the parsed file.

A workspace has no settings here: a cloned repository can narrow what is read (`.toolragignore`), never widen it.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args

VectorChoice = Literal["auto", "hnsw", "exact"]


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Caps of `read_range` (PROTOCOL section 1)."""

    max_lines: int = 400
    max_bytes: int = 24_000
    """UTF-8 bytes of the text of one range."""
    max_file_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may spend (PROTOCOL section 2)."""

    turns: int = 8
    tool_calls: int = 24
    reads: int = 16
    bytes: int = 120_000
    tokens: int = 60_000
    seconds: int = 90


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """What the index takes from one file, and which vector index serves."""

    max_file_bytes: int = 1_000_000
    """A larger file is read when named, but not indexed: a syntax tree takes about 20 to 100 times its bytes."""
    max_files: int = 20_000
    """More files to read than this are indexed only on the user's word: a whole disk given by mistake would be slow."""
    max_line_characters: int = 20_000
    """A file with a longer line is read when named, but not indexed: it is data, not what a person reads."""
    parse_seconds: int = 10
    """What takes longer is searched as plain text."""
    vectors: VectorChoice = "auto"
    """`auto`: HNSW where hnswlib is installed, else the exact index."""


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How much is kept of the folders that were indexed, all together, and for how long."""

    max_bytes: int = 5_000_000_000
    """Over it the folders that were not used for longest go first."""
    max_days: int = 30
    """A folder that was not used for so long goes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may set."""

    read: ReadLimits = field(default_factory=ReadLimits)
    budget: Budget = field(default_factory=Budget)
    index: IndexLimits = field(default_factory=IndexLimits)
    cache: CacheLimits = field(default_factory=CacheLimits)
    deny: tuple[str, ...] = ()
    """The user's own globs, in gitignore syntax, of what is never read nor indexed in any root."""


Section = TypeVar("Section", ReadLimits, Budget, IndexLimits, CacheLimits)


def parse_settings(given: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """Settings from a mapping such as a TOML file gives, and a sentence for each thing that is wrong in it.

    A bad or unknown setting keeps its default. The command line refuses to go on with problems; a server reports them.
    """
    problems: list[str] = []
    settings = Settings()
    names = [part.name for part in fields(settings)]
    for key, value in given.items():
        if key == "deny":
            if isinstance(value, list) and all(isinstance(glob, str) for glob in value):
                settings = replace(settings, deny=tuple(value))
            else:
                problems.append('deny must be a list of globs, such as ["private/**"].')
        elif key in names:
            if isinstance(value, Mapping):
                section, found = _parse_section(key, getattr(settings, key), value)
                settings = replace(settings, **{key: section})
                problems += found
            else:
                problems.append(f"{key} must be a section: write [{key}] above its settings.")
        else:
            problems.append(_unknown(key, names, _dotted_names(settings)))
    return settings, problems


def _parse_section(name: str, section: Section, given: Mapping[str, object]) -> tuple[Section, list[str]]:
    """One section with the given values put in, and a sentence for each that is wrong."""
    problems: list[str] = []
    known = {part.name: getattr(section, part.name) for part in fields(section)}
    good: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            problems.append(_unknown(f"{name}.{key}", [f"{name}.{other}" for other in known], []))
        elif isinstance(known[key], int):
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                good[key] = value
            else:
                problems.append(f"{name}.{key} must be a whole number above 0, not {value!r}.")
        elif value in get_args(VectorChoice):
            good[key] = value
        else:
            problems.append(f'{name}.{key} must be "auto", "hnsw" or "exact", not {value!r}.')
    return replace(section, **good), problems


def _dotted_names(settings: Settings) -> list[str]:
    """Every setting of a section as it is named in sentences, such as `read.max_lines`."""
    sections = [(part.name, getattr(settings, part.name)) for part in fields(settings)]
    return [f"{name}.{one.name}" for name, section in sections if is_dataclass(section) for one in fields(section)]


def _unknown(key: str, known: list[str], elsewhere: list[str]) -> str:
    """`elsewhere` may be meant too, but is too long to be listed."""
    close = difflib.get_close_matches(key, known, n=1) or difflib.get_close_matches(key, elsewhere, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
    return f"Unknown setting {key}. {hint}"
