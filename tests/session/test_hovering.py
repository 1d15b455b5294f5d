"""Hovers and explanations of a session: of what is typed now, while it indexes, and only while the lines stand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import pytest
from index_doubles import write_tree
from toolrag.adapters.names import file_uri
from toolrag.answer.types import Citation, Claim
from toolrag.config import Settings
from toolrag.errors import ConfigError
from toolrag.session import Folder, Session
from toolrag.session import session as session_module
from toolrag.text import Position
from workspace_runs import InPlace

PRICING = (
    "DEFAULT_DISCOUNT = 0.05\n\n\n"
    "def discounted_price(price, discount=DEFAULT_DISCOUNT):\n"
    '    """Take a discount off a price."""\n'
    "    return price * (1 - discount)\n"
)
FILES: dict[str, str | bytes] = {
    "shop/pricing.py": PRICING,
    "shop/basket.py": "from shop.pricing import discounted_price\n\n\ndef total(prices):\n    return discounted_price(sum(prices))\n",
    ".env": "SECRET=discounted_price\n",
}
NAME = Position(3, 8)


class Heard:
    """Hears all that a session tells."""

    def __init__(self) -> None:
        self.all: list[object] = []

    def progress(self, phase: str, done: int, total: int) -> None:
        self.all.append((phase, done, total))

    def log(self, level: int, sentence: str) -> None:
        self.all.append((level, sentence))

    async def converse(self, request: Mapping[str, object]) -> object:
        raise AssertionError(f"no model was asked for: {request}")

    def reading(self, message: str) -> None:
        self.all.append(message)

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        self.all.append((claims, citations, withdrawn))


class Closable(InPlace):
    """The parser in place; closing it ends nothing."""

    async def close(self) -> None:
        """Nothing was started."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(session_module, "ParseProcess", lambda *_: Closable())
    write_tree(tmp_path / "shop", FILES)
    return tmp_path / "shop"


def run(root: Path, body: Callable[[Session], Awaitable[None]], settings: Settings | None = None) -> None:
    async def main() -> None:
        session = Session(settings or Settings(), Heard())
        try:
            await session.start([Folder(file_uri(str(root)), root.name)])
            async with asyncio.timeout(60):
                while session.status()["phase"] != "ready":
                    await asyncio.sleep(0)
            await body(session)
        finally:
            await session.close()

    asyncio.run(main())


def uri(root: Path, path: str) -> str:
    return f"{file_uri(str(root))}/{path}"


async def hover(session: Session, where: str, at: Position = NAME, links: bool = False, form: str = "plaintext") -> str:
    found = await session.hover(where, at, "utf-16", form, links)  # type: ignore[arg-type] # a Format
    return "" if found is None else found.text


def test_a_hover_says_what_stands_there_and_where_the_name_is(root: Path) -> None:
    async def body(session: Session) -> None:
        found = await session.hover(uri(root, "shop/pricing.py"), NAME, "utf-16", "plaintext", False)
        assert found is not None
        assert (found.start, found.end) == (Position(3, 4), Position(3, 20))
        assert found.text.split("\n\n") == [
            "def discounted_price(price, discount=DEFAULT_DISCOUNT)",
            "Take a discount off a price.",
            "Function discounted_price, shop/pricing.py:4-6.",
            "discounted_price is named on 2 other lines of 1 file: shop/basket.py:5 in total, shop/basket.py:1.",
        ]

    run(root, body)


def test_what_is_typed_is_told_at_once_before_it_is_indexed(root: Path) -> None:
    async def body(session: Session) -> None:
        where = uri(root, "shop/pricing.py")
        session.opened(where, "python", "# \U0001f600 above\n" + PRICING, 1)
        assert "shop/pricing.py:5-7" in await hover(session, where, Position(4, 8))
        session.changed(where, "def fresh(): ...\n\n\nfresh()\n", 2)
        assert "Function fresh, shop/pricing.py:1." in await hover(session, where, Position(3, 1))
        assert await hover(session, where, Position(1, 0)) == ""
        session.closed(where)
        assert "shop/pricing.py:4-6" in await hover(session, where)

    run(root, body)


def test_a_document_without_a_file_has_hovers_by_its_language(root: Path) -> None:
    async def body(session: Session) -> None:
        session.opened("untitled:Untitled-1", "python", "def mint(): ...\n", 1)
        assert "Function mint" in await hover(session, "untitled:Untitled-1", Position(0, 5))
        session.opened("untitled:Untitled-2", "markdown", "Call mint.\n", 1)
        assert await hover(session, "untitled:Untitled-2", Position(0, 6)) == ""

    run(root, body)


def test_nothing_is_told_of_what_may_not_be_read_nor_is_not_there(root: Path) -> None:
    async def body(session: Session) -> None:
        for path, at in ((".env", Position(0, 10)), ("no.py", NAME), ("shop/pricing.py", Position(10**9, 10**9))):
            assert await hover(session, uri(root, path), at) == ""
        assert ".env" not in await hover(session, uri(root, "shop/pricing.py"))

    run(root, body)


def test_the_setting_turns_it_off_without_opening_the_folders_again(root: Path) -> None:
    async def body(session: Session) -> None:
        before = session.status()["epoch"]
        await session.configure(Settings(hover=False))
        assert await hover(session, uri(root, "shop/pricing.py")) == ""
        await session.configure(Settings())
        assert await hover(session, uri(root, "shop/pricing.py"))
        assert session.status()["epoch"] == before

    run(root, body)


def test_a_link_that_explains_is_for_clients_that_run_it(root: Path) -> None:
    async def body(session: Session) -> None:
        where = uri(root, "shop/pricing.py")
        for form, links, offered in (("markdown", True, True), ("markdown", False, False), ("plaintext", True, False)):
            text = await hover(session, where, links=links, form=form)
            assert ("[Explain](command:toolrag.explain?" in text) == offered

    run(root, body)


def test_an_explanation_is_told_again_while_each_line_it_cites_stands(root: Path) -> None:
    async def body(session: Session) -> None:
        where = uri(root, "shop/pricing.py")
        before = await hover(session, where)
        answer = await session.explain(where, NAME, "utf-16", None, Heard())
        assert (answer.question, answer.outcome) == ("what does `discounted_price` do?", "answered")
        explained = await hover(session, where)
        assert explained.startswith(before)
        assert "discounted_price returns price * (1 - discount)" in explained[len(before) :].replace("`", "")
        session.opened(where, "python", "# above\n" + PRICING, 1)
        moved = await hover(session, where, Position(4, 8))
        assert "shop/pricing.py:5" in moved.split("other line", 1)[1]
        changed = PRICING.replace("1 - discount", "2 - discount")
        session.changed(where, changed, 2)
        assert "returns" not in await hover(session, where)
        session.changed(where, PRICING, 3)
        assert await hover(session, where) == explained

    run(root, body)


def test_without_a_name_the_symbol_around_is_explained(root: Path) -> None:
    async def body(session: Session) -> None:
        answer = await session.explain(uri(root, "shop/pricing.py"), Position(5, 1), "utf-16", None, Heard())
        assert answer.question == "what does this do?"
        assert answer.outcome == "answered"
        with pytest.raises(ConfigError):
            await session.explain(uri(root, "shop/pricing.py"), NAME, "utf-16", "no such", Heard())

    run(root, body)


def test_symbols_are_listed_by_a_part_of_their_name_where_they_stand_now(root: Path) -> None:
    async def body(session: Session) -> None:
        assert [one.name for one in await session.symbols("disc")] == ["discounted_price", "DEFAULT_DISCOUNT"]
        assert await session.symbols("") == []
        (root / "shop/pricing.py").write_text("# gone\n")
        assert await session.symbols("disc") == []

    run(root, body)
