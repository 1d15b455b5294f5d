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

    def lowered(self, wanted: Mapping[str, int]) -> Budget:
        """This with what a request wants less of, by these names; it never gets more."""
        return replace(self, **{name: min(getattr(self, name), value) for name, value in wanted.items()})


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
class BedrockSettings:
    """How Amazon Bedrock is reached. What is empty is left to the AWS SDK's own files and environment."""

    region: str = ""
    profile: str = ""
    endpoint: str = ""
    """An `https:` address that stands for the service's own, such as a private endpoint's."""
    guardrail: str = ""
    """A guardrail's id or ARN, which the service applies to what goes in and out."""
    guardrail_version: str = "DRAFT"
    prompt_caching: bool = False
    """Marks what stays the same between turns, for models that can keep it."""
    thinking_tokens: int = 0
    """How much a model may think before it speaks, for models that can; 0 leaves it out."""
    read_seconds: int = 120
    """How long nothing may come before an attempt counts as failed."""


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """How a server that speaks OpenAI's chat completions is reached."""

    base_url: str = ""
    """Such as `http://localhost:11434/v1`; empty for OPENAI_BASE_URL of the environment, else OpenAI's own."""
    api_key: str = ""
    """Empty for OPENAI_API_KEY of the environment; a server of one's own may need none."""
    max_reply_tokens: int = 4_000
    """A longer reply is cut: a small model on a slow machine may go on without end."""
    read_seconds: int = 120
    """How long nothing may come before an attempt counts as failed."""


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """What is kept of runs, so that they can be replayed."""

    enabled: bool = True
    max_days: int = 14
    max_bytes: int = 200_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may set."""

    model: str = "extractive"
    """Who answers where nothing else is asked for: `extractive`, `bedrock:…`, `openai:…`, `editor`."""

    read: ReadLimits = field(default_factory=ReadLimits)
    budget: Budget = field(default_factory=Budget)
    index: IndexLimits = field(default_factory=IndexLimits)
    cache: CacheLimits = field(default_factory=CacheLimits)
    bedrock: BedrockSettings = field(default_factory=BedrockSettings)
    openai: OpenAISettings = field(default_factory=OpenAISettings)
    journal: JournalSettings = field(default_factory=JournalSettings)
    hover: bool = True
    """The language server says something of the name under the pointer."""
    diagnostics: bool = False
    """It marks written citations in open Markdown documents that no longer stand."""
    deny: tuple[str, ...] = ()
    """The user's own globs, in gitignore syntax, of what is never read nor indexed in any root."""


Section = TypeVar(
    "Section", ReadLimits, Budget, IndexLimits, CacheLimits, BedrockSettings, OpenAISettings, JournalSettings
)

_MAY_BE_NONE = frozenset({"bedrock.thinking_tokens"})
"""Numbers for which 0 says that it is left out."""


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
        elif key == "model":
            if isinstance(value, str) and is_model(value):
                settings = replace(settings, model=value)
            else:
                problems.append(f"model must be {MODEL_NAMES}, not {value!r}.")
        elif key in ("hover", "diagnostics"):
            if isinstance(value, bool):
                settings = replace(settings, hover=value) if key == "hover" else replace(settings, diagnostics=value)
            else:
                problems.append(f"{key} must be true or false, not {value!r}.")
        elif key == "journal" and isinstance(value, bool):
            settings = replace(settings, journal=replace(settings.journal, enabled=value))
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


MODEL_NAMES = '"extractive", "bedrock:" and a model id, "openai:" and a model, or "editor"'


def is_model(name: str) -> bool:
    """Whether a name is one that a model can have; whether there is such a model, its provider knows."""
    provider, colon, model = name.partition(":")
    return bool(colon and model.strip()) if provider in ("bedrock", "openai") else name in ("extractive", "editor")


def _parse_section(name: str, section: Section, given: Mapping[str, object]) -> tuple[Section, list[str]]:
    """One section with the given values put in, and a sentence for each that is wrong."""
    problems: list[str] = []
    known = {part.name: getattr(section, part.name) for part in fields(section)}
    good: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            problems.append(_unknown(f"{name}.{key}", [f"{name}.{other}" for other in known], []))
        elif isinstance(known[key], bool):
            if isinstance(value, bool):
                good[key] = value
            else:
                problems.append(f"{name}.{key} must be true or false, not {value!r}.")
        elif isinstance(known[key], int):
            least = 0 if f"{name}.{key}" in _MAY_BE_NONE else 1
            if isinstance(value, int) and not isinstance(value, bool) and value >= least:
                good[key] = value
            else:
                above = "" if least == 0 else " above 0"
                problems.append(f"{name}.{key} must be a whole number{above}, not {value!r}.")
        elif key != "vectors":
            if isinstance(value, str):
                good[key] = value
            else:
                problems.append(f"{name}.{key} must be a text in quotes.")  # it may be a key: its value is not told
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
