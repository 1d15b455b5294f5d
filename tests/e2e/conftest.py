"""The installed command, run as a user runs it: its own process, a HOME of its own, a small real repository."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("toolrag")

FILES = {
    "shop/pricing.py": '''\
"""Prices."""

DEFAULT_DISCOUNT = 0.05


def discounted_price(price, discount=DEFAULT_DISCOUNT):
    """Take a discount off a price.

    :param discount: the share of the price that is taken off
    """
    if not 0 <= discount < 1:
        raise ValueError("a discount is a share of the price")
    return price * (1 - discount)
''',
    "shop/basket.py": '''\
"""Baskets."""

from shop.pricing import discounted_price


class Basket:
    """What a customer wants to buy."""

    def __init__(self):
        self.prices = []

    def total(self):
        """The sum of all discounted prices."""
        return sum(discounted_price(price) for price in self.prices)
''',
    "README.md": "# Shop\n\n## Discounts\n\nA discount is `0.05` unless one is given.\n",
    ".env": "SECRET=hunter2\n",
}


@dataclass(frozen=True)
class Run:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


class Shell:
    """Runs toolrag in a folder, with caches and settings of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder
        self.settings = home / "config" / "toolrag" / "config.toml"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
        }

    def __call__(
        self,
        *arguments: str,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
        command: Sequence[str] = (str(COMMAND),),
    ) -> Run:
        done = subprocess.run(
            [*command, *arguments],
            cwd=cwd or self.folder,
            env={**self.environment, **(environment or {})},
            capture_output=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
            preexec_fn=before,
        )
        return Run(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode())


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in a small repository."""
    folder = tmp_path / "shop-repository"
    (folder / ".git").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "logo.bin").write_bytes(b"\x89PNG\x00\x01")
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, folder)
