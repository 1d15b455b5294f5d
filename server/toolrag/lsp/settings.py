"""Settings out of what a user's file and an editor say. Pure.

An editor's settings may come from a workspace's own folder. They win over the user's file, but what the file denies
stays denied, and which model answers, at which address and with whose key, is said by the user's file alone: a cloned
repository must not send what is read to a server of its choice. Nor may it spend more of the user's money than the
file allows, keep journals the user wants none of, or have those of other folders thrown away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolrag.config import Settings, parse_settings

_USERS_ALONE: Final = frozenset({"model", "bedrock", "openai"})

_OF_THE_CLIENT: Final = frozenset({"command_links", "show_answers"})
"""What a client says of itself beside its settings, at the start; one may send both again as its settings."""

_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The user's settings file, as it was parsed."""

    given: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """A sentence for each reason why it, or a part of it, could not be read."""


def section(value: object) -> Mapping[str, object]:
    """toolrag's part of what an editor sends: the member `toolrag`, or all of it where the editor cut that out."""
    if not isinstance(value, Mapping):
        return {}
    part = value.get("toolrag", value)
    return part if isinstance(part, Mapping) else {}


def settings_of(file: Mapping[str, object], editor: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """The settings that hold, and a sentence for each that is wrong; one that is wrong leaves what the file says.

    An editor may write a name with capitals (`read.maxLines`) or as the file does (`read.max_lines`); null is unset.
    """
    base: dict[str, object] = {key: dict(value) if isinstance(value, Mapping) else value for key, value in file.items()}
    users = parse_settings(base)[0]
    problems: list[str] = []
    for path, value in _leaves(editor):
        if path[0] in _OF_THE_CLIENT:
            continue
        if path[0] in _USERS_ALONE:
            problems.append(f"{'.'.join(path)} is not taken from an editor. Set it in the user's config.toml.")
            continue
        alone: object = value
        for key in reversed(path):
            alone = {key: alone}
        assert isinstance(alone, dict)
        wrong = parse_settings(alone)[1]
        problems += wrong
        if wrong:
            continue
        if path[0] == "budget" and isinstance(value, int) and value > getattr(users.budget, path[1]):
            problems.append(f"{'.'.join(path)} is only lowered by an editor. Raise it in the user's config.toml.")
            continue
        if path[0] == "journal" and (path[1:] not in ((), ("enabled",)) or (value and not users.journal.enabled)):
            only = "is not taken from an editor, which may only turn journals off"
            problems.append(f"{'.'.join(path)} {only}. Set it in the user's config.toml.")
            continue
        if path == ("deny",) and isinstance(value, list):
            denied = base.get("deny")
            value = [*(denied if isinstance(denied, list) else []), *value]
        _put(base, path, value)
    settings, of_file = parse_settings(base)
    return settings, [*of_file, *problems]


def _leaves(editor: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every setting with its path, in the file's spelling."""
    for key, value in editor.items():
        if isinstance(value, Mapping):
            for name, leaf in value.items():
                if leaf is not None:
                    yield (_spelt(key), _spelt(name)), leaf
        elif value is not None:
            yield (_spelt(key),), value


def _put(base: dict[str, object], path: tuple[str, ...], value: object) -> None:
    if len(path) == 1:
        base[path[0]] = value
        return
    part = base.get(path[0])
    base[path[0]] = {**(part if isinstance(part, Mapping) else {}), path[1]: value}


def _spelt(name: str) -> str:
    """A name as the file spells it: `maxLines` is `max_lines`."""
    return _INNER_CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)
