"""A session's answers are kept, and replayed by their ids alone, over live buffers too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from index_doubles import write_tree
from test_session import FILES, PRICING, Closable, Seen, opened, uri
from toolrag.answer import wire
from toolrag.config import JournalSettings, Settings
from toolrag.errors import ConfigError
from toolrag.session import Ask, Session
from toolrag.session import session as session_module
from toolrag.text import LineRange

QUESTION = "what does discounted_price do?"


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(session_module, "ParseProcess", lambda *_: Closable())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path / "shop-repository", FILES)
    return tmp_path / "shop-repository"


def run(body: Callable[[Session, Seen], Awaitable[None]], root: Path, settings: Settings | None = None) -> None:
    async def main() -> None:
        async with opened(root, settings=settings or Settings()) as (session, seen):
            await body(session, seen)

    asyncio.run(main())


def test_an_answer_over_a_buffer_comes_out_again_after_it_was_closed(root: Path) -> None:
    async def body(session: Session, seen: Seen) -> None:
        where = uri(root, "shop/pricing.py")
        session.opened(where, "python", "# typed\n" + PRICING, 3)
        answer = await session.ask(Ask(QUESTION), seen)
        assert answer.journal == answer.id
        assert answer.citations[0].snapshot.source == "buffer"
        session.closed(where)
        report = await session.replay(answer.id, False, "utf-16")
        assert report == {
            "run": answer.id, "question": QUESTION, "model": "extractive", "reproduced": True, "chain": "whole",
        }  # fmt: skip
        verified = await session.replay(answer.id, True, "utf-16")
        citations = verified["citations"]
        assert isinstance(citations, list)
        assert {one["standing"] for one in citations} == {"moved"}

    run(body, root)


def test_what_this_means_is_replayed_and_the_question_told_as_it_was_asked(root: Path) -> None:
    async def body(session: Session, seen: Seen) -> None:
        question = "what does this do?"
        answer = await session.ask(Ask(question, uri(root, "shop/pricing.py"), LineRange(4, 5)), seen)
        assert answer.question == question
        report = await session.replay(answer.id, False, "utf-16")
        assert (report["reproduced"], report["question"]) == (True, question)

    run(body, root)


def test_a_run_that_is_not_kept_is_a_sentence(root: Path) -> None:
    async def body(session: Session, _: Seen) -> None:
        with pytest.raises(ConfigError, match="No run 'ffffffffffffffff' is kept"):
            await session.replay("f" * 16, True, "utf-16")

    run(body, root)


def test_journals_are_cleared(root: Path, tmp_path: Path) -> None:
    async def body(session: Session, seen: Seen) -> None:
        answer = await session.ask(Ask(QUESTION), seen)
        assert (await session.clear_journals())["runs"] == 1
        assert not (tmp_path / "state" / "toolrag" / "journal").exists()
        with pytest.raises(ConfigError):
            await session.replay(answer.id, False, "utf-16")

    run(body, root)


def test_with_journals_off_nothing_is_written(root: Path, tmp_path: Path) -> None:
    async def body(session: Session, seen: Seen) -> None:
        answer = await session.ask(Ask(QUESTION), seen)
        assert "journal" not in wire.answer(answer)

    run(body, root, Settings(journal=JournalSettings(enabled=False)))
    assert not (tmp_path / "state").exists()


def test_nothing_of_a_buffer_with_a_denied_name_is_kept(root: Path, tmp_path: Path) -> None:
    async def body(session: Session, seen: Seen) -> None:
        session.opened(uri(root, ".env"), "plaintext", "canary51c0=1\n", 1)
        await session.settle()
        for question in ("where is canary51c0", "what does this do?", QUESTION):
            await session.ask(Ask(question, uri(root, ".env"), LineRange(0, 1)), seen)

    run(body, root)
    kept = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert any(b"discounted_price" in path.read_bytes() for path in kept)
    leaks = [path.name for path in kept if b"canary51c0=" in path.read_bytes()]
    assert leaks == []  # the word itself was asked for
