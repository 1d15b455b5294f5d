"""Emacs with eglot as a client, with the set-up that README.md prints, alone and beside a language's own server.

`make editors` gets it where it can. Where it is missing its tests are skipped, unless TOOLRAG_TEST_EDITORS names it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from language_server import COMMAND, FIRST, FIRST_LINE, Shop

SCRIPT = Path(__file__).with_name("emacs.el")
SETUP = Path(__file__).parents[2] / "editors" / "toolrag.el"
EMACS = shutil.which("emacs") or ""
OTHER = 'from pygls.lsp.server import LanguageServer\nLanguageServer("other", "1").start_io()\n'
"""A server of a language's own, as eglot would have it for Python."""

ALONE = "(setq toolrag-modes '(toolrag-mode text-mode python-mode))\n"
BESIDE = '(with-eval-after-load \'eglot (add-to-list \'eglot-server-programs \'(python-mode . ("{}" "{}"))))\n'
BESIDE += "(add-hook 'python-mode-hook 'eglot-ensure)\n"


def missing() -> str:
    """Why the tests cannot run here; empty where they can."""
    if not EMACS:
        return "there is no emacs; `make editors` gets it where that is possible"
    found = subprocess.run([EMACS, "--batch", "-f", "package-activate-all", "-l", "eglot"], capture_output=True)
    return "" if found.returncode == 0 else "this Emacs has no eglot; `make editors` gets it where that is possible"


@pytest.mark.parametrize("manager", ["toolrag", "other"])
def test_emacs_asks_jumps_and_asks_again(manager: str, shop: Shop, tmp_path: Path) -> None:
    """Ask while indexing, jump to the citation, edit above it, ask again, close without saving, ask again."""
    reason = missing()
    if reason:
        assert "emacs" not in os.environ.get("TOOLRAG_TEST_EDITORS", "").split(), reason
        pytest.skip(reason)
    other = tmp_path / "other.py"
    other.write_text(OTHER)
    before = ALONE if manager == "toolrag" else BESIDE.format(sys.executable, other)
    init = shop.home / ".emacs.d" / "init.el"
    init.parent.mkdir()
    init.write_text(before + SETUP.read_text("utf-8"), "utf-8")
    report = tmp_path / "report.json"
    with tempfile.TemporaryDirectory() as sockets:  # a socket's path is short
        ran = subprocess.run(
            [EMACS, f"--fg-daemon={sockets}/emacs", "-l", str(SCRIPT)],
            cwd=shop.folder,
            env={
                **shop.environment,
                "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
                "TOOLRAG_TEST_REPORT": str(report),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
    assert report.exists(), ran.stderr
    seen = json.loads(report.read_text())
    assert "why" not in seen, (seen["why"], ran.stderr)
    assert seen["during"] in ("answered", "partial", "notFound")
    for step, source, moved_by in (
        ("before", "buffer" if manager == "toolrag" else "disk", 0),
        ("edited", "buffer", 2),
        ("closed", "disk", 0),
    ):
        assert seen[step]["outcome"] == "answered", step
        assert seen[step]["path"] == "shop/pricing.py", step
        assert seen[step]["source"] == source, step
        assert seen[step]["lines"]["start"] == seen[step]["cursor"] == FIRST_LINE + moved_by, step
        assert seen[step]["text"] == FIRST, step
        assert seen[step]["quote"].startswith(FIRST), step
        assert f"shop/pricing.py:{FIRST_LINE + moved_by}-" in seen[step]["claims"], step
    if manager == "toolrag":
        moved = {"line": FIRST_LINE + 3, "text": FIRST}
        assert seen["moved"] == seen["mended"] == moved
        assert seen["broken"]["line"] == FIRST_LINE + 3
        assert "Take a discount off a price." in seen["hover"]
    else:  # the file is not what the buffer has: what is told of it says nothing of the buffer's lines
        assert f"shop/pricing.py:{FIRST_LINE + 2}-{FIRST_LINE + 3} verified" in seen["unfollowed"]
    assert "zeppelin" in seen["nothing"].split("\n", 1)[1]
    assert seen["wrong"] == {"code": -32602, "message": "question must be a string, not 3."}
    assert (seen["manager"], seen["stopped"]) == (manager, True)
