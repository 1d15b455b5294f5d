"""Citations of recent answers are followed: typed over, undone, and through whatever somebody else does to the tree.

Each kind of change goes through a real git in a folder of its own, and a session that has indexed it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import pytest
from index_doubles import write_tree
from toolrag.adapters.documents import Documents
from toolrag.adapters.fence import Fence
from toolrag.adapters.names import file_uri
from toolrag.answer.citations import anchor_of
from toolrag.answer.edits import Edit
from toolrag.answer.types import Answer, Citation, Claim, Usage
from toolrag.config import Budget, ReadLimits, Settings
from toolrag.errors import ReadError
from toolrag.ports import Searched
from toolrag.session import Ask, Folder, Session
from toolrag.session import session as session_module
from toolrag.session.standings import MOST_ANSWERS, Standings
from toolrag.session.types import Stood
from toolrag.text import Form, LineRange, Text, TextSnapshot, blob_sha
from workspace_runs import InPlace

PRICING = (
    '"""Prices."""\n\nDEFAULT_DISCOUNT = 0.05\n\n\n'
    "def discounted_price(price, discount=DEFAULT_DISCOUNT):\n"
    '    """Take a discount off a price."""\n'
    "    return price * (1 - discount)\n\n\n"
    "def refund(price):\n"
    '    """Give a price back."""\n'
    "    return -price\n"
)
PATH = "shop/pricing.py"
QUESTION = "what does discounted_price do?"
FILES: dict[str, str | bytes] = {PATH: PRICING, "shop/basket.py": "from shop.pricing import refund\n"}


class Closable(InPlace):
    """The parser in place; closing it ends nothing."""

    async def close(self) -> None:
        """Nothing was started."""


class Seen:
    """Notes what a session tells."""

    def __init__(self) -> None:
        self.now: dict[tuple[str, str], Stood] = {}
        self.told: list[tuple[str, tuple[Stood, ...]]] = []
        self.phases: list[tuple[str, int, int]] = []
        self.logged: list[tuple[int, str]] = []
        self.stirred = asyncio.Event()

    def progress(self, phase: str, done: int, total: int) -> None:
        self.phases.append((phase, done, total))
        self.stirred.set()

    def log(self, level: int, sentence: str) -> None:
        self.logged.append((level, sentence))
        self.stirred.set()

    async def converse(self, request: Mapping[str, object]) -> object:
        raise AssertionError(f"no model was chosen, and one was asked: {request}")

    def spent(self, usage: Usage, budget: Budget) -> None:
        raise AssertionError(f"nothing is spent without a model: {usage} of {budget}")

    def reading(self, message: str) -> None:
        """Not looked at."""

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Not looked at."""

    def standings(self, answer_id: str, citations: Sequence[Stood]) -> None:
        self.told.append((answer_id, tuple(citations)))
        self.now |= {(answer_id, one.id): one for one in citations}
        self.stirred.set()

    async def until(self, found: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not found():
                self.stirred.clear()
                await self.stirred.wait()


class Shop:
    """A repository in a session, and an answer that cites it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: Seen
        self.session: Session
        self.answer: Answer

    def uri(self, path: str = PATH) -> str:
        return f"{file_uri(str(self.folder))}/{path}"

    def git(self, *arguments: str) -> None:
        names = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_EDITOR": "true"}
        subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True, env={**os.environ, **names, **alone}
        )

    def write(self, text: str, path: str = PATH) -> None:
        (self.folder / path).write_text(text)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-m", "a")

    async def ask(self) -> None:
        self.answer = await self.session.ask(Ask(QUESTION), self.seen)
        assert self.answer.citations[0].snapshot.path == PATH
        assert self.answer.citations[0].lines.start == 5

    async def changed_on_disk(self, *paths: str) -> None:
        """The editor's watcher has seen it, and the index has followed."""
        self.session.files_changed([self.uri(path) for path in paths or (PATH,)])
        await asyncio.sleep(0)
        await self.seen.until(lambda: self.session.status()["phase"] == "ready")
        await self.session.settle()

    def stands(self) -> tuple[str, str, int | None]:
        """The first citation: its standing, file and first line, counted from 1."""
        citation = self.answer.citations[0]
        told = self.seen.now.get((self.answer.id, citation.id))
        if told is None:
            return "verified", citation.snapshot.path, citation.lines.start + 1
        if told.uri is None or told.lines is None:
            return told.standing, "", None
        return told.standing, told.uri.removeprefix(self.uri("")), told.lines.start + 1


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(session_module, "ParseProcess", lambda *_: Closable())
    write_tree(tmp_path / "shop", FILES)
    shop = Shop(tmp_path / "shop")
    shop.git("init", "-b", "main")
    shop.commit()
    return shop


def run(shop: Shop, body: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        shop.seen = Seen()
        shop.session = Session(Settings(), shop.seen)
        await shop.session.start([Folder(file_uri(str(shop.folder)), "shop")])
        await shop.seen.until(lambda: shop.session.status()["phase"] == "ready")
        try:
            await shop.ask()
            await body()
        finally:
            await shop.session.close()

    asyncio.run(main())


VERIFIED = ("verified", PATH, 6)
DOUBLED = PRICING.replace(
    "def discounted_price", "def refund_all(prices):\n    return [refund(p) for p in prices]\n\n\ndef discounted_price"
)


class TestOnDisk:
    def test_another_branch_and_back(self, shop: Shop) -> None:
        shop.git("checkout", "-b", "more")
        shop.write(DOUBLED)
        shop.commit()
        shop.git("checkout", "-b", "other", "main")
        shop.write(PRICING.replace("def discounted_price(price,", "def discounted_price(amount,"))
        shop.commit()
        shop.git("checkout", "main")

        async def body() -> None:
            shop.git("checkout", "more")
            await shop.changed_on_disk()
            assert shop.stands() == ("moved", PATH, 10)
            shop.git("checkout", "other")
            await shop.changed_on_disk()
            assert shop.stands() == ("changed", "", None)
            shop.git("checkout", "main")
            await shop.changed_on_disk()
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_a_rebase_that_puts_lines_above(self, shop: Shop) -> None:
        shop.git("checkout", "-b", "work")
        shop.write(PRICING + "\n\nRATE = 3\n")
        shop.commit()
        shop.git("checkout", "main")
        shop.write("import sys\n" + PRICING)
        shop.commit()
        shop.git("checkout", "work")

        async def body() -> None:
            shop.git("rebase", "main")
            await shop.changed_on_disk()
            assert shop.stands() == ("moved", PATH, 7)

        run(shop, body)

    def test_a_stash_that_takes_the_cited_lines_away_and_brings_them_back(self, shop: Shop) -> None:
        head = "HALF = 0.5\nTHIRD = 0.3\n"
        shop.write(PRICING.replace("def discounted_price", "def discounted"))
        shop.commit()
        shop.write(PRICING + head)

        async def body() -> None:
            shop.git("stash")
            await shop.changed_on_disk()
            assert shop.stands() == ("changed", "", None)
            shop.git("stash", "pop")
            await shop.changed_on_disk()
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_a_formatter_that_goes_over_the_tree(self, shop: Shop) -> None:
        """It leaves the cited lines and takes blank ones above away; then it indents everything anew."""

        async def body() -> None:
            shop.write(PRICING.replace("\n\n\n", "\n\n"))
            shop.write("from shop.pricing import (\n    refund,\n)\n", "shop/basket.py")
            await shop.changed_on_disk(PATH, "shop/basket.py")
            assert shop.stands() == ("moved", PATH, 5)
            shop.write(PRICING.replace("    ", "\t"))
            await shop.changed_on_disk()
            assert shop.stands()[0] == "changed"
            shop.write(PRICING)
            await shop.changed_on_disk()
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_a_renamed_file_and_one_that_is_renamed_back(self, shop: Shop) -> None:
        async def body() -> None:
            shop.git("mv", PATH, "shop/prices.py")
            await shop.changed_on_disk(PATH, "shop/prices.py")
            assert shop.stands() == ("moved", "shop/prices.py", 6)
            shop.git("mv", "shop/prices.py", PATH)
            await shop.changed_on_disk(PATH, "shop/prices.py")
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_a_renamed_file_is_followed_where_it_is_typed_in(self, shop: Shop) -> None:
        async def body() -> None:
            shop.git("mv", PATH, "shop/prices.py")
            await shop.changed_on_disk(PATH, "shop/prices.py")
            where = shop.uri("shop/prices.py")
            shop.session.opened(where, "python", PRICING, 1)
            shop.session.changed(where, "# typed\n" + PRICING, 2, [Edit(LineRange(0, 0), ("# typed",))])
            await shop.session.settle()
            assert shop.stands() == ("moved", "shop/prices.py", 7)
            shop.session.changed(where, "", 3, None)
            await shop.session.settle()
            assert shop.stands()[0] == "gone"

        run(shop, body)

    def test_a_file_that_became_two_is_gone(self, shop: Shop) -> None:
        """Which of them has the cited lines, nobody can say."""

        async def body() -> None:
            shop.git("mv", PATH, "shop/prices.py")
            shop.write(PRICING, "shop/old_prices.py")
            await shop.changed_on_disk(PATH, "shop/prices.py", "shop/old_prices.py")
            assert shop.stands() == ("gone", "", None)

        run(shop, body)

    def test_a_deleted_file_is_gone_until_it_comes_back(self, shop: Shop) -> None:
        async def body() -> None:
            shop.git("rm", PATH)
            await shop.changed_on_disk()
            assert shop.stands() == ("gone", "", None)
            shop.git("checkout", "HEAD", PATH)
            await shop.changed_on_disk()
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_a_file_that_may_be_read_no_more_is_gone_and_its_text_is_not_served(self, shop: Shop) -> None:
        async def body() -> None:
            first = shop.answer.citations[0].id
            assert (await shop.session.cited(shop.answer.id, first)).text.content == PRICING
            await shop.session.configure(Settings(deny=(PATH,)))
            await shop.seen.until(lambda: shop.session.status()["phase"] == "ready")
            await shop.session.settle()
            assert shop.stands() == ("gone", "", None)
            with pytest.raises(ReadError) as refused:
                await shop.session.cited(shop.answer.id, first)
            assert refused.value.code == "ignored"

        run(shop, body)


class TestInTheEditor:
    def test_typed_above_undone_and_edited_within(self, shop: Shop) -> None:
        async def body() -> None:
            where, typed = shop.uri(), Edit(LineRange(0, 0), ("# typed",))
            shop.session.opened(where, "python", PRICING, 1)
            shop.session.changed(where, "# typed\n" + PRICING, 2, [typed])
            await shop.session.settle()
            assert shop.stands() == ("verified", PATH, 7)
            shop.session.changed(where, PRICING, 3, [Edit(LineRange(0, 1), ())])
            await shop.session.settle()
            assert shop.stands() == VERIFIED
            line = "def discounted_price(price, discount=DEFAULT_DISCOUNT):"
            shop.session.changed(
                where, PRICING.replace(line, line[1:]), 4, [Edit(LineRange(5, 6), (line[1:],), is_within=True)]
            )
            await shop.session.settle()
            assert shop.stands() == ("changed", "", None)
            shop.session.changed(where, PRICING, 5, [Edit(LineRange(5, 6), (line,), is_within=True)])
            await shop.session.settle()
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_after_closing_without_saving_the_file_counts_again(self, shop: Shop) -> None:
        async def body() -> None:
            shop.session.opened(shop.uri(), "python", PRICING, 1)
            shop.session.changed(shop.uri(), "", 2, [Edit(LineRange(0, 14), ("",))])
            await shop.session.settle()
            assert shop.stands() == ("gone", "", None)
            shop.session.closed(shop.uri())
            await shop.session.settle()
            assert shop.stands() == VERIFIED

        run(shop, body)

    def test_what_was_typed_and_saved_stays_where_the_edits_carried_it(self, shop: Shop) -> None:
        async def body() -> None:
            shop.session.opened(shop.uri(), "python", PRICING, 1)
            shop.session.changed(shop.uri(), "#\n" + PRICING, 2, [Edit(LineRange(0, 0), ("#",))])
            shop.write("#\n" + PRICING)
            shop.session.saved(shop.uri())
            shop.session.closed(shop.uri())
            await shop.session.settle()
            assert shop.stands() == ("verified", PATH, 7)

        run(shop, body)

    def test_a_whole_text_from_a_formatter_keeps_the_lines_it_left(self, shop: Shop) -> None:
        async def body() -> None:
            shop.session.opened(shop.uri(), "python", PRICING, 1)
            shop.session.changed(shop.uri(), PRICING.replace("\n\n\n", "\n\n").replace("-price", "- price"), 2)
            await shop.session.settle()
            assert shop.stands() == ("verified", PATH, 5)

        run(shop, body)

    def test_the_client_s_own_spelling_of_an_open_document_is_told(self, shop: Shop) -> None:
        async def body() -> None:
            where = shop.uri().replace("pricing", "%70ricing")
            shop.session.opened(where, "python", "#\n" + PRICING, 1)
            await shop.session.settle()
            ((_, (told, *_)),) = shop.seen.told
            assert (told.standing, told.uri, told.lines) == (
                "moved",
                where,
                LineRange(6, told.lines.end if told.lines else 0),
            )

        run(shop, body)

    def test_nothing_is_told_twice(self, shop: Shop) -> None:
        async def body() -> None:
            shop.session.opened(shop.uri(), "python", PRICING, 1)
            for version, edit in enumerate([Edit(LineRange(13, 14), ("# below",), is_within=True)] * 3, 2):
                shop.session.changed(shop.uri(), PRICING + "# below", version, [edit])
                await shop.session.settle()
            await shop.session.reindex()
            await shop.session.settle()
            assert shop.seen.told == []

        run(shop, body)

    def test_it_is_told_by_itself_when_the_keys_rest(self, shop: Shop) -> None:
        async def body() -> None:
            shop.session.opened(shop.uri(), "python", PRICING, 1)
            shop.session.changed(shop.uri(), "#\n" + PRICING, 2, [Edit(LineRange(0, 0), ("#",))])
            await shop.seen.until(lambda: shop.stands() == ("verified", PATH, 7))

        run(shop, body)


def answer_about(texts: Sequence[str], n_citations: int, name: str = "a", uri: str = "untitled:a") -> Answer:
    """An answer that cites lines of one open document, spread over it."""
    text = Text("\n".join(texts))
    snapshot = TextSnapshot(uri, "", uri, text, Form(), blob_sha(text.content.encode()), "buffer", 1, dirty=True)
    citations = []
    for number in range(n_citations):
        start = number * (len(texts) // n_citations)
        lines = LineRange(start, min(start + 4, len(texts)))
        citations.append(
            Citation(f"r{number}", snapshot, lines, text.sha_of(lines), anchor_of(text, lines), "", "verified")
        )
    return Answer(
        name, "?", "answered", None, "extractive", (), tuple(citations), (), Searched(1, 0, True, ()), Usage()
    )


def alone(body: Callable[[Standings, Documents, Seen], Awaitable[None]]) -> None:
    """Standings without a session around them."""

    async def main() -> None:
        documents, seen = Documents(Fence([], ReadLimits(), ())), Seen()
        standings = Standings(documents, lambda: (), seen)
        try:
            await body(standings, documents, seen)
        finally:
            await standings.close()

    asyncio.run(main())


def test_so_many_answers_are_kept_and_no_more() -> None:
    async def body(standings: Standings, documents: Documents, seen: Seen) -> None:
        documents.open("untitled:a", "a\nb", 1)
        standings.opened("untitled:a", "a\nb")
        for number in range(MOST_ANSWERS + 1):
            standings.keep(answer_about(["a", "b"], 1, f"a{number}"))
        standings.keep(answer_about(["a", "b"], 1, "a7"))
        with pytest.raises(ReadError, match="No answer with this id is kept"):
            standings.cited("a0", "r0")
        with pytest.raises(ReadError, match="no citation with this id"):
            standings.cited("a1", "r1")
        assert standings.cited("a1", "r0").text.content == "a\nb"
        documents.change("untitled:a", "#\na\nb", 2)
        standings.changed("untitled:a", "#\na\nb", [Edit(LineRange(0, 0), ("#",))])
        await standings.settle()
        assert sorted(answer for answer, _ in seen.told) == sorted(f"a{n}" for n in range(1, MOST_ANSWERS + 1))

    alone(body)


def test_a_document_without_a_file_is_gone_when_it_is_closed() -> None:
    async def body(standings: Standings, documents: Documents, seen: Seen) -> None:
        documents.open("untitled:a", "a\nb", 1)
        standings.opened("untitled:a", "a\nb")
        standings.keep(answer_about(["a", "b"], 1))
        documents.close("untitled:a")
        standings.closed("untitled:a")
        await standings.settle()
        assert [one.standing for _, told in seen.told for one in told] == ["gone"]

    alone(body)


def test_fast_typing_in_a_large_file_with_200_citations_holds_up_nothing() -> None:
    """The loop's own time for one key, and for any turn while the thread works, stays far below 50 ms.

    Counted in the thread's own time, which a machine that is busy with other things does not stretch.
    """
    texts = [f"    value_{at} = compute({at})" for at in range(5_000)]

    async def body(standings: Standings, documents: Documents, seen: Seen) -> None:
        documents.open("untitled:a", "\n".join(texts), 1)
        standings.opened("untitled:a", "\n".join(texts))
        standings.keep(answer_about(texts, 200))
        await standings.settle()
        worst, now = 0.0, list(texts)

        async def turn(work: Callable[[], None]) -> float:
            began = time.thread_time()
            work()
            await asyncio.sleep(0)
            return time.thread_time() - began

        for version in range(2, 42):
            line = f"    value_{version} = compute({version}) # {'x' * version}"
            edit = Edit(LineRange(40, 41), (line,), is_within=True) if version % 4 else Edit(LineRange(40, 40), (line,))
            now[edit.lines.start : edit.lines.end] = edit.new
            content = "\n".join(now)
            worst = max(worst, await turn(lambda: standings.changed("untitled:a", content, [edit])))  # noqa: B023
        taking = asyncio.create_task(standings.settle())
        while not taking.done():
            worst = max(worst, await turn(lambda: None))
        assert worst < 0.05
        assert {one.standing for one in seen.now.values()} == {"verified"}
        assert len(seen.now) == 198, "two stand above the edits"

    alone(body)
