"""Hovers from a client's side, on real sources: how long they take, and whether what they say is so.

    python server/benchmarks/hover.py FOLDER [FOLDER …]

The folders are indexed from nothing by a server process of its own, over pipes, as the folders of one session; while it
indexes, hovers are asked for at names drawn from its Python files, and again once it is done. Then, for 300 symbols
drawn from the files by Python's own `ast`, every fact of the hover on their definition is held against the disk: each
link leads to a file that is there and a line that holds the name it is listed for, the signature begins the definition,
and no more lines are counted than have the name as a word. Exit code 1 for a fact that is wrong. Targets of time are
printed beside, and decide nothing: machines differ.
"""

from __future__ import annotations

import io
import keyword
import os
import platform
import random
import sys
import tempfile
import time
import tokenize
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hover_facts import FOLDERS, Spot, symbols_in, units, wrong_facts
from language_server import Client

SEED: Final = 6
N_TIMED: Final = 400
N_CHECKED: Final = 300
N_LISTED: Final = 200
Json = dict[str, Any]

CAPABILITIES: Final = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}


def main(folders: Sequence[Path]) -> None:
    chance = random.Random(SEED)
    files = [file for folder in folders for file in sorted(folder.rglob("*.py")) if file.stat().st_size < 400_000]
    uses = names_in(chance.sample(files, min(len(files), N_TIMED)), chance)
    symbols = list(symbols_in(files))
    checked = chance.sample(symbols, min(N_CHECKED, len(symbols)))
    print(f"{', '.join(folder.name for folder in folders)}: {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as cache:
        client = Client(folders[0], cache, *folders[1:], capabilities=CAPABILITIES)
        times: list[float] = []
        n_asked = 0
        while (status := client.request("toolrag/status", {})[1])["phase"] != "ready":
            seconds, found = hover(client, uses[n_asked % len(uses)])
            n_asked += 1
            if found is not None:
                times.append(seconds)
            time.sleep(0.02)
        print(f"  {status['files']['indexed']:,} files, {status['spans']:,} spans; load {os.getloadavg()[0]:.1f}")
        spread(f"hover while indexing ({n_asked} asked)", times, 150)
        while (dense := client.request("toolrag/status", {})[1]["dense"])["indexed"] < dense["total"]:
            time.sleep(0.2)
        timed(client, "hover, each name for the first time", uses)
        timed(client, "hover, warm", uses)
        lists(
            client, "workspace/symbol, beginnings of names", chance.sample(symbols, min(N_LISTED, len(symbols))), chance
        )
        wrong = [fault for spot in checked for fault in faults(client, spot, files)]
        client.close()
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    print(f"  {len(wrong)} wrong facts in the hovers on {len(checked)} definitions")
    if wrong:
        sys.exit(1)


def timed(client: Client, what: str, spots: Sequence[Spot]) -> None:
    """Asks for each, and prints how long those took that had something to say."""
    both = [hover(client, spot) for spot in spots]
    spread(f"{what} ({len(both)} asked)", [seconds for seconds, found in both if found is not None], 50)


def lists(client: Client, what: str, spots: Sequence[Spot], chance: random.Random) -> None:
    """Asks for lists of symbols by a part of a name, and prints how long they took."""
    queries = [spot.name[: chance.randint(2, len(spot.name))] for spot in spots if len(spot.name) > 2]
    spread(what, [client.request("workspace/symbol", {"query": query})[0] for query in queries], 30)


def hover(client: Client, spot: Spot) -> tuple[float, Json | None]:
    """Seconds, and the hover."""
    position = {"line": spot.line, "character": spot.character}
    document = {"uri": spot.file.as_uri()}
    return client.request("textDocument/hover", {"textDocument": document, "position": position})


def spread(what: str, seconds: Sequence[float], target_ms: int) -> None:
    """Median, 95th percentile and longest."""
    if not seconds:
        print(f"  {what}: none")
        return
    ordered = sorted(seconds)
    p50, p95 = (1_000 * ordered[int(share * len(ordered))] for share in (0.5, 0.95))
    print(
        f"  {what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, longest {1_000 * ordered[-1]:.0f} ms of {len(ordered)} "
        f"(target p95 {target_ms})"
    )


def names_in(files: Sequence[Path], chance: random.Random) -> list[Spot]:
    """One name of each file, wherever Python's tokenizer sees one, keywords aside."""
    spots = []
    for file in files:
        text = file.read_text("utf-8", errors="replace")
        try:
            tokens = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type == tokenize.NAME]
        except (tokenize.TokenError, SyntaxError):
            continue
        tokens = [one for one in tokens if not keyword.iskeyword(one.string)]
        if tokens and "\f" not in text:
            token = chance.choice(tokens)
            spots.append(Spot(file, token.start[0] - 1, units(token.line[: token.start[1]]), token.string))
    return spots


def faults(client: Client, spot: Spot, files: Sequence[Path]) -> list[str]:
    """What is wrong in the hover on a definition, a sentence each."""
    where = f"{spot.file.name}:{spot.line + 1} {spot.name}"
    _, found = hover(client, spot)
    if found is None:
        return [f"{where}: no hover"]
    return [f"{where}: {fault}" for fault in wrong_facts(found["contents"]["value"], spot, files)]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    FOLDERS += [Path(one).resolve() for one in sys.argv[1:]]
    main(FOLDERS)
