"""A language server whose session is the double, in a process of its own: `serve_fake.py [tcp|ws]`.

An end by force comes after a second where TOOLRAG_TEST_HANG says what hangs, `thread` or `loop`; else it never comes.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading

from lsp_doubles import FakeSession
from toolrag.config import Settings
from toolrag.lsp import lifetime
from toolrag.lsp.serve import Address, serve
from toolrag.lsp.settings import SettingsFile
from toolrag.session.types import Events

HANGS = os.environ.get("TOOLRAG_TEST_HANG")


class Session(FakeSession):
    """Prints, as libraries may, and can hold up the end."""

    def __init__(self, settings: Settings, events: Events) -> None:
        super().__init__(settings, events)
        print("a library's own words")
        os.write(1, b"and from C\n")
        if len(sys.argv) == 1:
            subprocess.run(["cat"], check=True)  # stdin, which is the wire, is empty for whoever is started
        lifetime.GRACE_SECONDS = 1.0 if HANGS else 3_600.0  # type: ignore[misc]
        if HANGS == "thread":
            threading.Thread(target=threading.Event().wait).start()

    def saved(self, uri: str) -> None:
        if HANGS == "loop":
            self.events.log(logging.WARNING, "hanging")
            threading.Event().wait()
        super().saved(uri)


if __name__ == "__main__":
    kind = sys.argv[1] if len(sys.argv) > 1 else None
    address = Address(kind, "127.0.0.1", 0) if kind in ("tcp", "ws") else None
    sys.exit(serve(address, Session, SettingsFile()))
