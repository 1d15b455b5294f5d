"""README.md prints the editors' set-ups as they are, and were tried."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
SETUPS = sorted((HERE / "editors").iterdir())


@pytest.mark.parametrize(("name", "language"), [("toolrag.lua", "lua"), ("toolrag.el", "elisp")])
def test_a_set_up_is_printed_whole(name: str, language: str) -> None:
    text = (HERE / "editors" / name).read_text("utf-8")
    assert f"```{language}\n{text}```\n" in (HERE / "README.md").read_text("utf-8")


def test_no_set_up_is_left_out() -> None:
    assert [path.name for path in SETUPS] == ["toolrag.el", "toolrag.lua"]


def test_what_is_printed_as_toml_is_toml() -> None:
    printed = re.findall(r"^```toml\n(.*?)^```$", (HERE / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    read = [tomllib.loads(one) for one in printed]
    (helix,) = (one["language-server"]["toolrag"] for one in read if "language-server" in one)
    assert helix == {"command": "toolrag", "args": ["serve"], "config": {"showAnswers": True}}
