"""Fetch and unpack the source distributions that the README's examples and the question sets ask about.

    python server/benchmarks/fetch_corpora.py FOLDER

Which packages, and in which versions, is read from the question sets beside this file. pip downloads them, with
whatever index and proxy it is set up for; what is there already stays.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict


class Row(TypedDict):
    """A question about a package, and where its answer is."""

    package: str
    version: str
    question: str
    gold: list[str]
    """Places as `path:first-last`; none when what is asked for is not there."""


def question_sets(folder: Path = Path(__file__).parent) -> dict[str, list[Row]]:
    """Every `NAME_questions.json` of a folder by NAME: a set is added by putting its file there."""
    return {
        path.name.removesuffix("_questions.json"): json.loads(path.read_text("utf-8"))
        for path in sorted(folder.glob("*_questions.json"))
    }


CORPORA = tuple(sorted({(row["package"], row["version"]) for rows in question_sets().values() for row in rows}))
"""Each package with its version."""


def corpus(folder: Path, package: str, version: str) -> Path:
    """Where a package is unpacked."""
    return folder / f"{package}-{version}"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # pip prepares each package's metadata, mostly waiting: several at once take half the time.
    with ThreadPoolExecutor(4) as fetchers:
        list(fetchers.map(lambda row: fetch(folder, *row), CORPORA))


def fetch(folder: Path, name: str, version: str) -> None:
    """Download and unpack one package, unless it is there."""
    target = corpus(folder, name, version)
    if target.is_dir():
        return
    print(f"Fetching {name} {version}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--no-binary", ":all:", "--dest", scratch, f"{name}=={version}"], check=True)
        (archive,) = Path(scratch).glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            opened.extractall(scratch, filter="data")
        (unpacked,) = (entry for entry in Path(scratch).iterdir() if entry.is_dir())
        unpacked.rename(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
