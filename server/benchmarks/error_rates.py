"""How often verification drops a true claim and lets a false one pass, by kind, with 95 % intervals.

    python server/benchmarks/error_rates.py FOLDER [--set development|held_out] [--share PART] [--show KIND]
                                              [--report] [--times N]

FOLDER is where packages are unpacked; `claims/packages.json` names them, their versions and the seed. Claims are made
from Python's syntax trees (`claims/`), and checked by `answer.verify.verify` as a model's are: at most 40 cited lines,
every document read again. Of each kind 1,500 claims are made over a set's packages, in equal parts where a package has
enough. `--show` prints claims of that kind that were judged wrongly. Exit code 1 where a rate misses its target, or,
with `--times`, so many times its target, for a share in which chance alone may miss it. With `--report` it is 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from claims.facts import File
from claims.falsify import BESIDE, KINDS, has_number, kind_of
from claims.runs import Made, Package
from fetch_corpora import corpus, fetch
from toolrag.answer.types import Cut, Draft, Evidence
from toolrag.answer.verify import verify
from toolrag.errors import ReadError
from toolrag.text import LineRange, Text, TextSnapshot, blob_sha, decode

PACKAGES = Path(__file__).parent / "claims" / "packages.json"
N_CLAIMS = 1_500
"""Of each kind, over all packages."""
LEAST = 1_000
"""Fewer say too little of a kind."""
MOST_DROPPED = 0.05
MOST_PASSED = 0.02
TRUE = "true claims"
Z = 1.959963984540054
"""Of a two-sided 95 % interval."""


class Texts:
    """A DocumentSource over a package's files, some of them edited since they were read."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files = files
        self._snapshots: dict[str, TextSnapshot] = {}
        self.edited: Mapping[str, str] = {}

    async def snapshot(self, path: str) -> TextSnapshot:
        """As `ports.DocumentSource.snapshot`, by path or URI."""
        name = path.removeprefix("file:///package/")
        if name in self.edited:
            return _snapshot(name, self.edited[name])
        if name not in self._files:
            raise ReadError("not_found", f"There is no {name}.")
        if name not in self._snapshots:
            self._snapshots[name] = _snapshot(name, self._files[name].text)
        return self._snapshots[name]

    async def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        """As `ports.DocumentSource.glances`."""
        return [await self.snapshot(path) for path in paths]


def _snapshot(name: str, content: str) -> TextSnapshot:
    data = content.encode()
    text, form = decode(data)
    return TextSnapshot(f"file:///package/{name}", "package", name, Text(text), form, blob_sha(data), "disk")


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim, what it is, and what verification said: why it was dropped, or nothing where it passed."""

    kind: str
    made: Made
    why: str


async def judge(made: Made, texts: Texts) -> str:
    """Why the product drops a claim; empty where it lets it pass."""
    texts.edited = {}
    evidence = []
    for at, read in enumerate(made.reads, 1):
        lines = LineRange(read.lines[0] - 1, read.lines[1])
        evidence.append(Evidence(f"e{at}", await texts.snapshot(read.path), lines))
    cuts = []
    for first, last in made.cited:
        lines = LineRange(first - 1, last)
        holding = next(item for item in evidence if item.snapshot.path == made.path and lines in item.lines)
        cuts.append(Cut(holding, lines))
    texts.edited = made.edited
    found = await verify([Draft(made.sentence.text(), tuple(cuts))], evidence, texts)
    return found.dropped[0].why if found.dropped else ""


def claims_of(package: Package, name: str, seed: int) -> dict[str, Iterator[Made]]:
    """Claims of each kind about a package, the same for the same seed."""

    def false(kind: str, counted_as: str) -> Iterator[Made]:
        random = Random(f"{seed} {name} {counted_as}")
        wanted = has_number if kind == "wrong numbers" else lambda _: True
        for made in package.true_claims(Random(f"{seed} {name} for {counted_as}"), wanted):
            wrong = KINDS[kind](made, package.files, random)
            if wrong is not None and kind_of(kind, made, wrong, package.files) == counted_as:
                yield wrong

    return {
        TRUE: package.true_claims(Random(f"{seed} {name} {TRUE}")),
        **{kind: false(kind, kind) for kind in KINDS},
        BESIDE[2]: false("identifiers swapped", BESIDE[2]),
        BESIDE[3]: false("wrong numbers", BESIDE[3]),
    }


async def measure(folder: Path, which: str, share: float) -> list[Judged]:
    """Every claim made and judged."""
    listed = json.loads(PACKAGES.read_text("utf-8"))
    n_each = math.ceil(N_CLAIMS * share / len(listed[which]))
    judged = []
    folder.mkdir(parents=True, exist_ok=True)
    for row in listed[which]:
        fetch(folder, row["name"], row["version"])
        package = Package(corpus(folder, row["name"], row["version"]))
        texts = Texts(package.files)
        for kind, claims in claims_of(package, row["name"], listed["seed"]).items():
            for made in islice(claims, n_each):
                judged.append(Judged(kind, made, await judge(made, texts)))
    return judged


def wilson(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a rate (Wilson 1927), without the correction for continuity."""
    if not n:
        return 0.0, 1.0
    rate, square = count / n, Z * Z
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def table(judged: Sequence[Judged], least: float, times: float = 1.0) -> tuple[list[str], bool]:
    """The rates by kind as lines of text, and whether each holds so many times its target with at least so many claims.

    A rate that misses its target is marked in any case.
    """
    by_kind: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        by_kind[one.kind].append(one)
    lines = [f"{'':<32}{'n':>6}{'wrong':>7}{'rate':>8}   95 % interval    with `    bare"]
    held = True
    for kind in (TRUE, *KINDS, *BESIDE[2:]):
        rows = by_kind[kind]
        if len(rows) < least:
            lines.append(f"{kind}: {len(rows):,} claims; too few")
            held &= kind in BESIDE
            if not rows:
                continue
        target = None if kind in BESIDE else MOST_DROPPED if kind == TRUE else MOST_PASSED
        n_wrong = sum(is_wrong(one) for one in rows)
        low, high = wilson(n_wrong, len(rows))
        parts = []
        for backticks in (True, False):
            part = [one for one in rows if one.made.sentence.style.backticks == backticks]
            parts.append(f"{sum(map(is_wrong, part)) / len(part):>9.2%}" if part else f"{'-':>9}")
        holds = target is None or n_wrong < target * len(rows)
        held &= target is None or n_wrong < times * target * len(rows)
        said = f"{kind}, {'dropped' if kind == TRUE else 'passed'}"
        rate = f"{n_wrong / len(rows):>8.2%}   {low:>6.2%} - {high:<6.2%}"
        limit = "" if target is None else f"   < {target:.0%}{'' if holds else '  MISSED'}"
        lines.append(f"{said:<32}{len(rows):>6,}{n_wrong:>7,}{rate}{''.join(parts)}{limit}")
    return lines, held


def is_wrong(one: Judged) -> bool:
    """Whether verification judged wrongly."""
    return bool(one.why) == (one.kind == TRUE)


def shown(one: Judged, files: bool = True) -> str:
    """A claim with what it cites, for a person to look at."""
    cited = ", ".join(f"{first}-{last}" for first, last in one.made.cited)
    place = f"{one.made.path}:{cited}" if files else cited
    return f"[{one.made.fact.family}] {one.made.sentence.text()}  ({place}; made from {one.made.fact.first})  {one.why}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", default="held_out", choices=("development", "held_out"))
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--show", default="")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--times", type=float, default=1.0)
    chosen = parser.parse_args()
    listed = json.loads(PACKAGES.read_text("utf-8"))
    names = ", ".join(f"{row['name']} {row['version']}" for row in listed[chosen.set])
    print(f"Claims about {names}; seed {listed['seed']}, share {chosen.share:g}")
    judged = asyncio.run(measure(chosen.folder, chosen.set, chosen.share))
    lines, held = table(judged, LEAST * chosen.share, chosen.times)
    print(*lines, sep="\n")
    for one in judged:
        if one.kind == chosen.show and is_wrong(one):
            print(shown(one))
    if not held and not chosen.report:
        sys.exit(1)


if __name__ == "__main__":
    main()
