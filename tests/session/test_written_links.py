"""Written citations in a session: of live buffers, across folders, behind the fence, and marked when they fall."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from index_doubles import write_tree
from toolrag.adapters.names import file_uri
from toolrag.answer.types import Citation, Claim
from toolrag.config import Settings
from toolrag.session import Folder, Session, written_links
from toolrag.session import session as session_module
from toolrag.session.types import Links, Stood
from toolrag.text import Position, lines_sha
from workspace_runs import InPlace

PRICING = "DEFAULT_DISCOUNT = 0.05\n\n\ndef refund(price):\n    return -price\n"
PIN = lines_sha(["DEFAULT_DISCOUNT = 0.05"])[:12]
README = f"# Shop\n\nThe default: \U0001f600 `shop/pricing.py:1@{PIN}`. Any: shop/pricing.py:4-5.\n"
SECRET = "hunter2"
FILES: dict[str, str | bytes] = {
    "README.md": README,
    "shop/pricing.py": PRICING,
    "shop/basket.py": "# as shop/pricing.py:4 does\nx = shop/pricing.py:4\n",
    "docs/links.md": "[there](../shop/pricing.py#L4) and .env:1 and private/key.py:1 and ../outside.py:1\n",
    ".env": f"TOKEN={SECRET}\n",
    ".toolragignore": "private/\n",
    "private/key.py": f"KEY = '{SECRET}'\n",
}
MARKED = Settings(diagnostics=True)


class Seen:
    """Notes what a session tells."""

    def __init__(self) -> None:
        self.marked: list[tuple[str, Links | None]] = []
        self.stirred = asyncio.Event()

    def progress(self, phase: str, done: int, total: int) -> None:
        """Not looked at."""

    def log(self, level: int, sentence: str) -> None:
        """Not looked at."""

    async def converse(self, request: Mapping[str, object]) -> object:
        raise AssertionError(f"no model was asked for: {request}")

    def standings(self, answer_id: str, citations: Sequence[Stood]) -> None:
        raise AssertionError(f"no answer was given: {answer_id}, {citations}")

    def unstanding(self, uri: str, links: Links | None) -> None:
        self.marked.append((uri, links))
        self.stirred.set()

    def reading(self, message: str) -> None:
        """Not looked at."""

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Not looked at."""

    @property
    def last(self) -> list[str]:
        """What was told last, a citation each as `verdict path`."""
        links = self.marked[-1][1]
        return [] if links is None else [f"{one.verdict} {one.written.paths[0]}" for one in links.citations]

    async def until(self, found: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not found():
                self.stirred.clear()
                await self.stirred.wait()


class Closable(InPlace):
    """The parser in place; closing it ends nothing."""

    async def close(self) -> None:
        """Nothing was started."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(session_module, "ParseProcess", lambda *_: Closable())
    write_tree(tmp_path / "shop", FILES)
    write_tree(tmp_path, {"outside.py": "x = 1\n"})
    return tmp_path / "shop"


Body = Callable[[Session, Seen], Awaitable[None]]


def run(body: Body, *roots: Path, settings: Settings | None = None) -> None:
    async def main() -> None:
        seen = Seen()
        session = Session(settings or Settings(), seen)
        try:
            await session.start([Folder(file_uri(str(one)), one.name) for one in roots])
            async with asyncio.timeout(60):
                while session.status()["phase"] != "ready":
                    await asyncio.sleep(0)
            await session.settle()
            await body(session, seen)
        finally:
            await session.close()

    asyncio.run(main())


def uri(root: Path, path: str) -> str:
    return f"{file_uri(str(root))}/{path}"


async def links(session: Session, where: str) -> list[str]:
    """Each citation as `verdict document 1-2`."""
    found = await session.links(where)
    assert found is not None
    return [
        f"{one.verdict} {'' if one.snapshot is None else one.snapshot.uri.rpartition('/')[2]}"
        + (f" {one.lines.start + 1}-{one.lines.end}" if one.lines else "")
        for one in found.citations
    ]


def test_citations_follow_the_buffer_and_the_file_again(root: Path) -> None:
    async def body(session: Session, _: Seen) -> None:
        readme, pricing = uri(root, "README.md"), uri(root, "shop/pricing.py")
        assert await links(session, readme) == ["verified pricing.py 1-1", "unpinned pricing.py 4-5"]
        session.opened(pricing, "python", "# above\n" + PRICING, 1)
        assert await links(session, readme) == ["moved pricing.py 2-2", "unpinned pricing.py 4-5"]
        session.changed(pricing, "", 2)
        assert await links(session, readme) == ["changed pricing.py", "gone pricing.py"]
        session.closed(pricing)
        assert (await links(session, readme))[0] == "verified pricing.py 1-1"
        session.opened(readme, "markdown", "only shop/basket.py:1", 1)
        assert await links(session, readme) == ["unpinned basket.py 1-1"]

    run(body, root)


def test_in_source_only_comments_are_looked_at_and_an_unnamed_text_is_what_the_editor_says(root: Path) -> None:
    async def body(session: Session, _: Seen) -> None:
        found = await session.links(uri(root, "shop/basket.py"))
        assert found is not None
        assert [one.written.start for one in found.citations] == [5]
        session.opened("untitled:one", "python", "x = shop/pricing.py:4  # shop/basket.py:1", 1)
        session.opened("untitled:two", "markdown", "x = shop/pricing.py:4", 1)
        assert await links(session, "untitled:one") == ["unpinned basket.py 1-1"]
        assert await links(session, "untitled:two") == ["unpinned pricing.py 4-4"]

    run(body, root)


def test_a_denied_path_is_gone_and_nothing_of_it_is_shown(root: Path) -> None:
    async def body(session: Session, _: Seen) -> None:
        where = uri(root, "docs/links.md")
        assert await links(session, where) == ["unpinned pricing.py 4-4", "gone ", "gone ", "gone "]
        text = str(FILES["docs/links.md"])
        for name in (".env:1", "private/key.py:1", "../outside.py:1"):
            at = Position(0, text.index(name) + 2)
            hover = await session.hover(where, at, "utf-16", "markdown", False)
            assert hover is not None
            assert hover.text == "Gone: no such file that may be read."
            found = await session.written_at(where, at, "utf-16")
            assert found is not None
            assert (found.snapshot, found.lines) == (None, None)
        assert await session.links(uri(root, ".env")) is None
        assert await session.written_at(uri(root, ".env"), Position(0, 0), "utf-16") is None

    run(body, root)


def test_of_two_folders_the_text_s_own_is_meant(root: Path, tmp_path: Path) -> None:
    """Without one of its own a path that both have names neither; with a folder's name in front it is that one's."""
    write_tree(tmp_path / "other", {"shop/pricing.py": "x\n", "a.md": "shop/pricing.py:5, shop/shop/pricing.py:5"})

    async def body(session: Session, _: Seen) -> None:
        assert (await links(session, uri(root, "README.md")))[1] == "unpinned pricing.py 4-5"
        assert await links(session, uri(tmp_path / "other", "a.md")) == ["gone pricing.py", "unpinned pricing.py 5-5"]
        session.opened("untitled:one", "markdown", "shop/pricing.py:1, other/shop/pricing.py:1", 1)
        assert await links(session, "untitled:one") == ["gone ", "unpinned pricing.py 1-1"]

    run(body, root, tmp_path / "other")


@pytest.mark.parametrize(("encoding", "start"), [("utf-8", 19), ("utf-16", 17), ("utf-32", 16)])
def test_a_hover_stands_on_the_whole_citation_in_the_client_s_units(root: Path, encoding: str, start: int) -> None:
    async def body(session: Session, _: Seen) -> None:
        width = len(f"shop/pricing.py:1@{PIN}")
        for character in (start, start + 7, start + 16, start + width):
            hover = await session.hover(
                uri(root, "README.md"),
                Position(2, character),
                encoding,  # type: ignore[arg-type] # an encoding
                "plaintext",
                False,
            )
            assert hover is not None
            assert (hover.start, hover.end) == (Position(2, start), Position(2, start + width))
            assert hover.text == "Verified.\n\nshop/pricing.py:1\n\nDEFAULT_DISCOUNT = 0.05"

    run(body, root)


def test_a_hover_of_a_name_is_the_name_s_and_none_is_told_where_hovers_are_off(root: Path) -> None:
    async def body(session: Session, _: Seen) -> None:
        named = await session.hover(uri(root, "shop/pricing.py"), Position(3, 6), "utf-16", "plaintext", False)
        assert named is not None
        assert "Function refund" in named.text
        at = uri(root, "README.md"), Position(2, 20)
        assert await session.hover(*at, "utf-16", "plaintext", False) is not None
        await session.configure(Settings(hover=False))
        assert await session.hover(*at, "utf-16", "plaintext", False) is None

    run(body, root)


def test_what_is_too_much_to_be_read_is_no_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written_links, "MOST_READ", len(PRICING) - 1)
    monkeypatch.setattr(written_links, "_AT_ONCE", 1)

    async def body(session: Session, _: Seen) -> None:
        assert await links(session, uri(root, "README.md")) == ["verified pricing.py 1-1"]

    run(body, root)


class TestMarks:
    """Marks of citations in open Markdown documents that no longer stand."""

    def test_nothing_is_marked_unless_the_settings_want_it(self, root: Path) -> None:
        async def body(session: Session, seen: Seen) -> None:
            readme = uri(root, "README.md")
            session.opened(readme, "markdown", "shop/none.py:1", 1)
            await session.settle()
            assert seen.marked == []
            await session.configure(MARKED)
            await session.settle()
            assert seen.last == ["gone shop/none.py"]
            await session.configure(Settings())
            assert seen.marked[1:] == [(readme, None)]
            await session.configure(replace(MARKED, deny=("x",)))
            await session.settle()
            assert seen.last == ["gone shop/none.py"]

        run(body, root)

    def test_on_open_after_edits_of_either_document_and_cleared_on_close(self, root: Path) -> None:
        async def body(session: Session, seen: Seen) -> None:
            readme, pricing = uri(root, "README.md"), uri(root, "shop/pricing.py")
            session.opened(readme, "markdown", README, 1)
            session.opened(pricing, "python", PRICING, 1)
            await session.settle()
            assert seen.marked == []  # what stands, and what nobody can say, is not marked
            session.changed(pricing, "\n" + PRICING, 2)
            await seen.until(lambda: len(seen.marked) == 1)
            assert seen.last == ["moved shop/pricing.py"]
            session.changed(readme, README + "\nshop/pricing.py:90", 2)
            await session.settle()
            assert seen.last == ["moved shop/pricing.py", "gone shop/pricing.py"]
            told = seen.marked[-1][1]
            assert told is not None
            assert (told.snapshot.version, told.snapshot.uri) == (2, readme)
            session.changed(pricing, "\n" + PRICING + "\n", 3)
            await session.settle()
            assert len(seen.marked) == 2  # nothing that is told has changed
            session.closed(pricing)
            await session.settle()
            assert seen.last == ["gone shop/pricing.py"]
            session.closed(readme)
            assert seen.marked[-1] == (readme, None)
            await session.settle()
            assert len(seen.marked) == 4

        run(body, root, settings=MARKED)

    def test_when_files_change(self, root: Path) -> None:
        async def body(session: Session, seen: Seen) -> None:
            readme = uri(root, "README.md")
            session.opened(readme, "markdown", README, 1)
            await session.settle()
            (root / "shop/pricing.py").write_text("\n" + PRICING)
            session.files_changed([uri(root, "shop/pricing.py")])
            await seen.until(lambda: len(seen.marked) == 1)
            assert seen.last == ["moved shop/pricing.py"]
            (root / "shop/pricing.py").unlink()
            session.files_changed([uri(root, "shop/pricing.py")])
            await seen.until(lambda: len(seen.marked) == 2)
            assert seen.last == ["gone shop/pricing.py", "gone shop/pricing.py"]
            (root / "shop/pricing.py").write_text(PRICING)
            session.files_changed([uri(root, "shop/pricing.py")])
            await seen.until(lambda: len(seen.marked) == 3)
            assert seen.marked[-1] == (readme, None)

        run(body, root, settings=MARKED)

    def test_only_markdown_is_marked_and_a_document_that_becomes_another_is_cleared(self, root: Path) -> None:
        async def body(session: Session, seen: Seen) -> None:
            text = "# shop/none.py:1"
            session.opened(uri(root, "shop/basket.py"), "python", text, 1)
            session.opened("untitled:plain", "plaintext", text, 1)
            session.opened("untitled:marked", "markdown", text, 1)
            await session.settle()
            assert [where for where, _ in seen.marked] == ["untitled:marked"]
            session.opened("untitled:marked", "plaintext", text, 2)
            assert seen.marked[1:] == [("untitled:marked", None)]

        run(body, root, settings=MARKED)
