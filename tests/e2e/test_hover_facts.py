"""What hovers say of real code is so: each line they list is read from the disk by other means and holds the name.

`server/benchmarks/hover.py` checks 300 symbols of large corpora in the same way, and shares its checks with this.
"""

from __future__ import annotations

import importlib
import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from language_server import Shop, made, until_ready

BENCHMARKS = Path(__file__).parents[2] / "server" / "benchmarks"
N_SYMBOLS = 40
CAPABILITIES = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}


def checks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark's module of checks."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.delitem(sys.modules, "hover_facts", raising=False)
    return importlib.import_module("hover_facts")


def test_every_fact_on_symbols_of_the_standard_library_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = checks(monkeypatch)
    shop: Shop = made(tmp_path)
    for package in ("email", "unittest"):
        library = Path(json.__file__).parents[1] / package
        shutil.copytree(library, shop.folder / package, ignore=shutil.ignore_patterns("*.pyc", "__pycache__"))
    files = sorted(shop.folder.rglob("*.py"))
    benchmark.FOLDERS.append(shop.folder)
    symbols = random.Random(6).sample(list(benchmark.symbols_in(files)), N_SYMBOLS)
    wrong = []
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders, capabilities=CAPABILITIES)
        until_ready(client)
        for spot in symbols:
            at = {"line": spot.line, "character": spot.character}
            said = client.request("textDocument/hover", {"textDocument": {"uri": spot.file.as_uri()}, "position": at})
            assert said is not None, spot
            wrong += [(spot.name, fault) for fault in benchmark.wrong_facts(said["contents"]["value"], spot, files)]
    assert wrong == []


def test_the_checks_find_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = checks(monkeypatch)
    file = tmp_path / "a.py"
    file.write_text("def send():\n    other()\n")
    monkeypatch.setattr(benchmark, "FOLDERS", [tmp_path])
    monkeypatch.setattr(benchmark, "_TEXTS", {})
    spot = benchmark.Spot(file, 0, 4, "send")
    right = f"```python\ndef send()\n```\n\nFunction `send`, [`a.py:1`]({file.as_uri()}#L1).\n\n`send` is named on no other line."
    assert list(benchmark.wrong_facts(right, spot, [file])) == []
    for said in (
        right.replace("def send", "def sent"),
        right.replace("#L1)", "#L2)"),
        right.replace("#L1)", "#L9)"),
        right.replace("a.py#L1)", "b.py#L1)"),
        right.replace("on no other line", "on 7 other lines"),
        right.replace("is named on no other line", "is named"),
    ):
        assert list(benchmark.wrong_facts(said, spot, [file])), said
