"""Index real sources as a user would, and print what it took: lines, spans, seconds, memory, warm start.

    python server/benchmarks/index.py FOLDER...

Each folder is indexed by the installed command into a cache of its own, then asked again with the index there. Seconds
are of the wall clock, from the start of the process; memory is the highest sum of the resident sizes of the command
and its children, sampled every 10 ms. Targets are printed beside, and decide nothing: machines differ.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolrag.adapters.cache_dir import DATABASE
from toolrag.adapters.fingerprint import analysis_fingerprint
from toolrag.adapters.store import Store

COMMAND = [str(Path(sys.executable).with_name("toolrag"))]
WARM_RUNS = 7
QUESTION = "where are passwords hashed?"
PAGE = os.sysconf("SC_PAGE_SIZE")


def measure(folder: Path) -> None:
    """Prints everything about one folder."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        wall, peak, report = cold(folder, environment)
        lines = lines_by_language(folder, Path(cache))
        warm = [timed([*COMMAND, "ask", "--root", str(folder), QUESTION], environment) for _ in range(WARM_RUNS)]
        again = json.loads(output([*COMMAND, "index", "--yes", "--json", "--root", str(folder)], environment))
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
    total = sum(lines.values())
    before = wall - report["seconds"]  # the interpreter's start and the imports
    searchable, complete = before + report["searchableSeconds"], wall
    print(f"\n{folder.name}")
    print(
        f"  {report['files']:,} files, {total:,} lines, {report['spans']:,} spans, {report['dense']['total']:,} vectors"
    )
    for language, count in lines.most_common():
        print(f"  {count:>11,}  {language}")
    print(f"  searchable         {searchable:7.2f} s   {total / searchable:,.0f} lines/s (target 40,000)")
    print(f"  dense complete     {complete:7.2f} s   {complete / searchable:.2f} times that (target 3)")
    spread = f"{WARM_RUNS} runs, {min(warm):.3f} to {max(warm):.3f}"
    print(f"  warm first answer  {statistics.median(warm):7.3f} s   {spread} (target 0.7)")
    print(f"  parsed again       {again['parsed']:7,}     (target 0)")
    print(f"  peak memory        {peak / 1e6:7.0f} MB  (target 700)")
    print(f"  cache              {size / 1e6:7.0f} MB")


def cold(folder: Path, environment: dict[str, str]) -> tuple[float, int, dict[str, Any]]:
    """Seconds, peak bytes and the report of a first run."""
    began = time.perf_counter()
    command = [*COMMAND, "index", "--yes", "--json", "--root", str(folder)]
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            peak = max(peak, sum(resident(process) for process in tree(child.pid)))
            time.sleep(0.01)
        wall = time.perf_counter() - began
        out.seek(0)
        return wall, peak, json.load(out)


def tree(process: int) -> Iterator[int]:
    """A process and all below it."""
    yield process
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from tree(int(child))


def resident(process: int) -> int:
    """Bytes of a process in memory; 0 when it has gone."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def lines_by_language(folder: Path, cache: Path) -> Counter[str]:
    """Lines of the files that are in the index."""
    (database,) = cache.rglob(DATABASE)
    store = Store(database, analysis_fingerprint())
    found: Counter[str] = Counter()
    for path, row in store.files().items():
        if not row.left_out:
            found[row.language] += (folder / path).read_bytes().count(b"\n") + 1
    store.close()
    return found


def timed(command: list[str], environment: dict[str, str]) -> float:
    """Seconds from the start of a command to its end."""
    began = time.perf_counter()
    output(command, environment)
    return time.perf_counter() - began


def output(command: list[str], environment: dict[str, str]) -> bytes:
    """What a command prints. It may find nothing (exit code 3), not fail."""
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)} failed: {done.stderr.decode()}")
    return done.stdout


def processor() -> str:
    """The processor's name, as Linux gives it."""
    lines = Path("/proc/cpuinfo").read_text().split("\n")
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{os.cpu_count()} cores, {processor()}, Python {platform.python_version()}; load {os.getloadavg()[0]:.1f}")
    for argument in sys.argv[1:]:
        measure(Path(argument).resolve())
