"""Fetch and unpack the source distributions that the README's examples and `questions.py` ask about.

    python server/benchmarks/fetch_corpora.py FOLDER

Versions are pinned. pip downloads them, with whatever index and proxy it is set up for; what is there already stays.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORPORA = {
    "requests": "2.32.5",
    "flask": "3.1.2",
    "django": "5.2.8",
    "click": "8.5.1",
    "httpx": "0.28.1",
    "pluggy": "1.7.0",
    "starlette": "1.10.0",
    "werkzeug": "3.1.9",
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # pip prepares each package's metadata, mostly waiting: several at once take half the time.
    with ThreadPoolExecutor(4) as fetchers:
        list(fetchers.map(lambda row: fetch(folder, *row), CORPORA.items()))


def fetch(folder: Path, name: str, version: str) -> None:
    """Download and unpack one package, unless it is there."""
    target = folder / f"{name}-{version}"
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
