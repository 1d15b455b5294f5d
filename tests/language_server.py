"""The installed command as a language server, in a HOME of its own, over a small repository."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from index_doubles import write_tree
from raw_client import Piped

COMMAND = Path(sys.executable).with_name("toolrag")
PRICING = '''\
"""Prices."""

DEFAULT_DISCOUNT = 0.05


def discounted_price(price, discount=DEFAULT_DISCOUNT):
    """Take a discount off a price."""
    if not 0 <= discount < 1:
        raise ValueError("a discount is a share of the price")
    return price * (1 - discount)
'''
QUESTION = "what does discounted_price take off a price?"
"""Its answer cites the first lines of the function."""

FIRST = "def discounted_price(price, discount=DEFAULT_DISCOUNT):"
FIRST_LINE = 6

FILES: dict[str, str | bytes] = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "shop/pricing.py": PRICING,
    "shop/basket.py": (
        '"""Baskets."""\n\nfrom shop.pricing import discounted_price\n\n\ndef total(prices):\n'
        '    """The sum of all discounted prices."""\n    return sum(map(discounted_price, prices))\n'
    ),
    ".env": "SECRET=hunter2\n",
}


@dataclass(frozen=True)
class Shop:
    """A repository, and where a server keeps what it keeps."""

    folder: Path
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_DATA_HOME": str(self.home / "data"),
        }

    @property
    def folders(self) -> list[dict[str, str]]:
        return [{"uri": self.folder.as_uri(), "name": self.folder.name}]

    def uri(self, path: str) -> str:
        return (self.folder / path).as_uri()

    def serve(self, *arguments: str) -> Piped:
        return Piped([str(COMMAND), "serve", *arguments], self.home, self.environment)


def made(at: Path) -> Shop:
    """The shop, written below a folder."""
    shop = Shop(at / "shop repository", at / "home")
    shop.home.mkdir()
    write_tree(shop.folder, FILES)
    return shop


def until_ready(client: Piped) -> dict[str, Any]:
    """The status of a server that has indexed everything. Asks again and again, as an editor's status line does."""
    return until(client, lambda status: status["phase"] == "ready")


def until(client: Piped, found: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first status that fits."""
    while not found(status := client.request("toolrag/status")):
        assert status["phase"] != "failed", status
    return dict(status)
