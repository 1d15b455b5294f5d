"""A workspace full of traps for the fence, with the canary outside it, and fences that are closed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toolrag.adapters.fence import Fence
from toolrag.adapters.roots import open_root
from toolrag.config import ReadLimits
from toolrag.errors import ReadError

CANARY = "CANARY-4f1c"
Open = Callable[..., Fence]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with links of every kind; every file outside it holds the canary."""
    ws = tmp_path / "ws"
    for folder in ("src/deep", "links", "special", "sec"):
        (ws / folder).mkdir(parents=True)
    (ws / "src" / "app.py").write_text("app\n")
    (ws / "src" / "deep" / "b.py").write_text("b\n")
    (ws / "sec" / ".env").write_text(CANARY)
    (ws / "sec" / "notes.txt").symlink_to(".env")
    (ws / "sec" / ".env.link").symlink_to("../src/app.py")
    for outside in ("ws-evil", "outside"):
        (tmp_path / outside).mkdir()
        (tmp_path / outside / "secret.txt").write_text(CANARY)
    links: dict[str, str | Path] = {
        "in_rel.py": "../src/app.py",
        "in_abs.py": ws / "src" / "app.py",
        "folder": "../src",
        "round.py": "../../ws/src/app.py",
        "out_rel.py": "../../outside/secret.txt",
        "out_abs.py": tmp_path / "outside" / "secret.txt",
        "out_folder": "../../outside",
        "evil.py": "../../ws-evil/secret.txt",
        "passwd": "/etc/passwd",
        "up": "..",
        "above": "../..",
        "dangling.py": "nowhere.py",
        "dangling_out.py": "../../outside/later.txt",
        "loop.py": "loop.py",
        "proc_fd0": "/proc/self/fd/0",
        "dev_zero": "/dev/zero",
        "root_by_proc": f"/proc/self/root{ws}/src/app.py",
    }
    for name, target in links.items():
        (ws / "links" / name).symlink_to(target)
    return ws


@pytest.fixture
def open_fence() -> Iterator[Open]:
    """Opens fences and closes them after the test."""
    opened: list[Fence] = []

    def make(*folders: Path | str, deny: tuple[str, ...] = (), limits: ReadLimits | None = None) -> Fence:
        fence = Fence([open_root(folder) for folder in folders], limits or ReadLimits(), deny)
        opened.append(fence)
        return fence

    yield make
    for fence in opened:
        fence.close()


def read(fence: Fence, asked: str) -> str:
    """The text of what was asked for, or the code of the refusal; a message never holds the canary."""
    try:
        return fence.read(fence.locate(asked)).data.decode()
    except ReadError as error:
        refusal = error
    assert CANARY not in refusal.message
    assert refusal.message.endswith(".")
    return refusal.code
