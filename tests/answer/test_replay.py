"""A run that was taken down comes out again byte for byte by running; whatever is changed in it shows."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest
from doubles import MemoryDocuments
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_doubles import (
    FILES,
    MODEL,
    QUESTION,
    ScriptedModel,
    Taken,
    again,
    changed,
    outside,
    says,
    taken,
)
from toolrag.answer import wire
from toolrag.answer.journal import events
from toolrag.answer.journal.chain import seal
from toolrag.answer.journal.outside import Outside, answer_by
from toolrag.answer.journal.recording import Recording
from toolrag.answer.journal.replay import Report
from toolrag.answer.types import Answer
from toolrag.chat import Reply, Said, Turn
from toolrag.config import BedrockSettings, Budget, OpenAISettings, Settings
from toolrag.errors import ModelError
from toolrag.ports import Scope

CLAIM = "`discounted_price` returns `price * (1 - discount)` [e1:4-11]."
READ = ("read_range", {"path": "shop/pricing.py", "start": 4, "end": 11})
QUESTIONS = (
    QUESTION,
    "who calls discounted_price?",
    "what happens when a discount is above 1?",
    "how is the total of a basket made",
    "what does no_such_name do?",
    "where is LIMIT",
    "",
)


def extractive(question: str = QUESTION) -> Taken:
    return asyncio.run(taken(outside(), question))


def modelled(*script: Any) -> Taken:
    return asyncio.run(taken(outside(model=ScriptedModel(*script))))


def kinds(made: Taken) -> list[str]:
    return [one.kind for one in made.events]


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_extractive_run_comes_out_again(question: str) -> None:
    made = extractive(question)
    report = asyncio.run(again(made.sealed))
    assert report.wire() == {
        "run": "0" * 16, "question": question, "model": "extractive", "reproduced": True, "chain": "whole",
    }  # fmt: skip
    assert report.replayed is not None
    assert wire.answer(report.replayed) == wire.answer(made.answer) == report.recorded


def test_an_extractive_run_tells_its_reads_and_its_verdicts() -> None:
    made = extractive()
    assert kinds(made)[0] == "run.start"
    assert kinds(made)[-3:] == ["lexicon", "clock", "run.end"]
    reads = [one.attributes for one in made.events if one.kind == "execute_tool"]
    assert reads
    assert {read["gen_ai.tool.name"] for read in reads} == {"read_range"}
    assert all(read["toolrag.sha.expected"] == read["toolrag.sha.found"] for read in reads)
    assert [one.attributes["toolrag.claim"] for one in made.events if one.kind == "verify"] == [
        claim.text for claim in made.answer.claims
    ]


@given(
    st.lists(
        st.sampled_from(["discounted_price", "total", "Basket", "who", "calls", "what", "raises", "`LIMIT`", "0"]),
        max_size=6,
    )
)
@settings(max_examples=40)
def test_any_question_comes_out_again(words: list[str]) -> None:
    async def run() -> Report:
        return await again((await taken(outside(), " ".join(words))).sealed)

    assert asyncio.run(run()).reproduced


def test_a_text_that_is_another_now_gives_another_answer() -> None:
    """The chain is whole, and still it is not believed: the run is run."""
    made = extractive()

    def change(attributes: dict[str, Any]) -> None:
        attributes["toolrag.text"] = attributes["toolrag.text"].replace("1 - discount", "2 - discount")

    n_reads = kinds(made).count("document")
    report = asyncio.run(again(changed(made.events, "document", change, n_reads - 1)))
    assert report.chain == "whole"
    assert not report.reproduced
    assert report.divergence is not None
    assert "verify" in report.divergence.message
    assert report.replayed is not None
    assert wire.answer(report.replayed) != report.recorded


def test_an_answer_that_was_made_up_is_not_reproduced() -> None:
    made = extractive()
    report = asyncio.run(
        again(changed(made.events, "run.end", lambda end: end["toolrag.answer"]["claims"][0].update(text="Anything.")))
    )
    assert report.divergence is not None
    assert (report.divergence.event, report.divergence.message) == (
        len(made.events),
        "The answer is another now: claims.",
    )


def test_a_run_that_asks_for_something_else_is_stopped_there() -> None:
    """Named are the event that should have come, what it was, and what is asked instead."""
    made = extractive()

    async def reads_first(ports: Outside, question: str, scope: Scope) -> Answer:
        await ports.documents.snapshot("notes.txt")
        return await answer_by(ports, question, scope)

    report = asyncio.run(again(made.sealed, reads_first))
    assert report.wire()["divergence"] == {
        "event": 2,
        "message": f"The run asks for the document notes.txt; recorded was search of {QUESTION!r}.",
    }

    async def asks_more(ports: Outside, question: str, scope: Scope) -> Answer:
        return await answer_by(ports, f"{question} more", scope)

    report = asyncio.run(again(made.sealed, asks_more))
    assert report.divergence is not None
    assert report.divergence.message.endswith("(gen_ai.retrieval.query.text).")

    async def twice(ports: Outside, question: str, scope: Scope) -> Answer:
        await answer_by(ports, question, scope)
        return await answer_by(ports, question, scope)

    report = asyncio.run(again(made.sealed, twice))
    assert report.divergence is not None
    assert not report.reproduced

    async def looks_up(ports: Outside, question: str, scope: Scope) -> Answer:
        ports.retriever.idf("unheard")
        return await answer_by(ports, question, scope)

    report = asyncio.run(again(made.sealed, looks_up))
    assert report.divergence is not None
    assert kinds(made)[report.divergence.event - 1] == "lexicon"


def test_a_journal_that_is_no_run_is_broken_though_its_chain_is_whole() -> None:
    made = extractive()
    for kind, change in [
        ("document", lambda one: one.update({"toolrag.snapshot": 3})),
        ("retrieval", lambda one: one.pop("gen_ai.retrieval.documents")),
        ("document", lambda one: one.pop("toolrag.path")),
        ("run.start", lambda one: one.pop("toolrag.scope")),
        ("run.start", lambda one: one["toolrag.budget"].update(turn=1)),
        ("run.end", lambda one: one.update({"toolrag.answer": None})),
        ("run.end", lambda one: one["toolrag.answer"]["citations"][0].pop("linesSha")),
        ("clock", lambda one: one.update({"toolrag.now": 3})),
    ]:
        report = asyncio.run(again(changed(made.events, kind, change)))
        at = kinds(made).index(kind) + 1
        assert report.chain == f"broken at {at}", kind
        assert not report.reproduced


def test_one_flipped_byte_is_named_and_nothing_is_run() -> None:
    made = extractive()

    async def never(_: Outside, __: str, ___: Scope) -> Answer:
        raise AssertionError("a broken journal is run")

    at = made.sealed.lines.index(b'"toolrag.claim"')
    altered = made.sealed.lines[:at] + b"'" + made.sealed.lines[at + 1 :]
    report = asyncio.run(again(replace(made.sealed, lines=altered), never))
    line = made.sealed.lines[:at].count(b"\n") + 1
    assert report.wire() == {
        "run": "0" * 16, "question": "", "model": "", "reproduced": False, "chain": f"broken at {line}",
        "divergence": {"event": line, "message": f"Line {line} of the journal is not what was written."},
    }  # fmt: skip


def test_an_unfinished_journal_is_named_as_one() -> None:
    made = extractive()
    report = asyncio.run(again(seal(made.events[:-1])))
    assert (report.chain, report.reproduced, report.question) == ("unfinished", False, QUESTION)
    report = asyncio.run(again(changed(made.events, "run.start", lambda one: one.update({"toolrag.format": 99}))))
    assert (report.chain, report.reproduced) == ("whole", False)


class TestModel:
    def test_a_run_of_a_model_comes_out_again_without_it(self) -> None:
        made = modelled(says("I read.", READ), says(CLAIM))
        assert made.answer.claims
        report = asyncio.run(again(made.sealed))
        assert (report.reproduced, report.model) == (True, MODEL)
        assert kinds(made).count("chat") == 2

    def test_a_reply_that_was_changed_gives_another_answer(self) -> None:
        made = modelled(says("I read.", READ), says(CLAIM))

        def change(chat: dict[str, Any]) -> None:
            chat["gen_ai.output.messages"][0]["parts"][0]["content"] = "`discounted_price` has a `discount` [e1:4-11]."

        report = asyncio.run(again(changed(made.events, "chat", change, 1)))
        assert report.chain == "whole"
        assert report.replayed is not None
        assert wire.answer(report.replayed) != wire.answer(made.answer)
        assert report.divergence is not None
        assert kinds(made)[report.divergence.event - 1] == "verify"

    def test_a_call_that_was_changed_asks_for_what_was_not_read(self) -> None:
        made = modelled(says("I read.", READ), says(CLAIM))

        def change(chat: dict[str, Any]) -> None:
            chat["gen_ai.output.messages"][0]["parts"][1]["arguments"]["path"] = "notes.txt"

        report = asyncio.run(again(changed(made.events, "chat", change)))
        assert report.divergence is not None
        assert "the document notes.txt; recorded was the document shop/pricing.py" in report.divergence.message

    def test_a_failure_that_was_survived_is_survived_again(self) -> None:
        made = modelled(ModelError("cut", "The reply was cut.", after=2.0), says("", READ), says(CLAIM))
        failed = next(one.attributes for one in made.events if one.kind == "chat")
        assert (failed["error.type"], failed["toolrag.streamed"]) == ("cut", "half of ")
        assert asyncio.run(again(made.sealed)).reproduced

    def test_the_pieces_of_a_reply_come_as_they_came(self) -> None:
        made = modelled(says("", READ), says(CLAIM))
        heard: list[str] = []

        async def listens(ports: Outside, question: str, scope: Scope) -> Answer:
            class Told:
                id = MODEL

                async def reply(self, turn: Any) -> Any:
                    assert ports.model is not None
                    async for one in ports.model.reply(turn):
                        heard.append(one if isinstance(one, str) else "whole")
                        yield one

            return await answer_by(replace(ports, model=Told()), question, scope)

        assert asyncio.run(again(made.sealed, listens)).reproduced
        assert heard == ["whole", *(CLAIM[at : at + 3] for at in range(0, len(CLAIM), 3)), "whole"]

    def test_of_what_is_looked_through_only_what_was_looked_at_is_kept(self) -> None:
        """A text that is searched in vain is empty in a replay, where it is searched in vain again."""
        many = {f"big/{at}.txt": f"nothing {at} " * 500 for at in range(5)}
        real = outside({**FILES, **many}, ScriptedModel(says("", ("grep", {"pattern": "share"}), READ), says(CLAIM)))
        made = asyncio.run(taken(real))
        assert not any(b"nothing 1 " in blob for blob in made.sealed.blobs.values())
        (looked,) = [
            one.attributes for one in made.events if one.kind == "documents" and one.attributes["toolrag.texts"]
        ]
        assert len(looked["toolrag.texts"]) == 1  # type: ignore[arg-type] # a mapping
        assert asyncio.run(again(made.sealed)).reproduced

    @pytest.mark.parametrize("pattern", ["share", "nowhere at all", "x{900}y", "^$", "."])
    def test_a_search_of_lines_comes_out_again_whatever_it_looked_through(self, pattern: str) -> None:
        """One slice or several, lines that are searched in part, and a search that ends for its time."""
        large = {"many.txt": "xy\n" * 200_000, "long.txt": "x" * 50_000, "none.txt": ""}
        calls = [("grep", {"pattern": pattern}), ("grep", {"pattern": pattern, "ignore_case": True})]
        real = outside({**FILES, **large}, ScriptedModel(says("", *calls, READ), says(CLAIM)))
        made = asyncio.run(taken(real))
        assert asyncio.run(again(made.sealed)).reproduced

    @pytest.mark.parametrize("ends", ["closed", "cancelled"])
    def test_who_stops_listening_ends_the_request_at_once_and_what_came_is_kept(self, ends: str) -> None:
        ended: list[str] = []

        class Held:
            id = MODEL

            async def reply(self, _: Turn) -> AsyncGenerator[str | Reply, None]:
                try:
                    yield "half"
                    await asyncio.Event().wait()
                finally:
                    ended.append("ended")

        async def run() -> Recording:
            start = events.run_start("q", Scope(), MODEL, Settings(), asked="q", roots=(), version="0")
            recording = Recording(start)
            model = recording.outside(outside(model=Held())).model
            assert model is not None
            coming = model.reply(Turn("", (Said("q"),), (), "auto"))
            assert await anext(coming) == "half"
            if ends == "cancelled":
                waiting = asyncio.create_task(anext(coming))  # type: ignore[arg-type] # a coroutine, as generators have it
                await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            else:
                await coming.aclose()  # type: ignore[attr-defined] # a generator, as the port has it
            assert ended == ["ended"]
            return recording

        chat = asyncio.run(run()).events()[1]
        assert (chat.kind, chat.attributes["toolrag.streamed"]) == ("chat", "half")
        assert "gen_ai.output.messages" not in chat.attributes

    def test_listening_no_longer_than_then_is_the_same_and_longer_is_not(self) -> None:
        async def hasty(ports: Outside, question: str, scope: Scope) -> Answer:
            assert ports.model is not None
            coming = ports.model.reply(Turn("", (Said(question),), (), "auto"))
            assert await anext(coming) == CLAIM[:3]
            await coming.aclose()
            return replace(await answer_by(replace(ports, model=None), question, scope), model=MODEL)

        async def patient(ports: Outside, question: str, scope: Scope) -> Answer:
            assert ports.model is not None
            async for _ in ports.model.reply(Turn("", (Said(question),), (), "auto")):
                pass
            return replace(await answer_by(replace(ports, model=None), question, scope), model=MODEL)

        made = asyncio.run(taken(outside(model=ScriptedModel(says(CLAIM))), run=hasty))
        assert asyncio.run(again(made.sealed, hasty)).reproduced
        report = asyncio.run(again(made.sealed, patient))
        assert report.divergence is not None
        assert "listens on" in report.divergence.message


def test_no_setting_but_the_budget_and_the_read_limits_and_no_environment_is_taken_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sentinel = "sk-sentinel-51c0"
    for name in ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.setenv(name, sentinel)
    assert os.environ["OPENAI_API_KEY"] == sentinel
    given = Settings(
        openai=OpenAISettings(base_url=f"http://{sentinel}", api_key=sentinel),
        bedrock=BedrockSettings(profile=sentinel, endpoint=sentinel, guardrail=sentinel),
        deny=(sentinel,),
        budget=Budget(reads=5),
    )
    made = asyncio.run(taken(outside(model=ScriptedModel(says("", READ), says(CLAIM)), settings=given)))
    assert not any(sentinel.encode() in data for data in (made.sealed.lines, *made.sealed.blobs.values()))
    assert b'"reads":5' in made.sealed.lines
    assert events.settings_of(json.loads(json.dumps(dict(made.events[0].attributes)))).budget == given.budget


def test_recording_changes_nothing_of_an_answer() -> None:
    for question in QUESTIONS:
        plain = asyncio.run(answer_by(outside(), question, Scope()))
        assert wire.answer(extractive(question).answer) == wire.answer(plain)


def test_a_recording_without_an_answer_has_no_end() -> None:
    recording = Recording(events.run_start("q", Scope(), "extractive", Settings(), asked="q", roots=(), version="0"))
    assert [one.kind for one in recording.events()] == ["run.start", "lexicon", "clock"]


def test_a_document_that_may_not_be_read_leaves_its_code_alone() -> None:
    async def run() -> Taken:
        return await taken(outside(documents=MemoryDocuments({})))

    made = asyncio.run(run())
    refused = [one.attributes for one in made.events if one.kind == "document"]
    assert refused
    assert {one["error.type"] for one in refused} == {"not_found"}
    assert not any("toolrag.text" in one for one in refused)
    assert asyncio.run(again(made.sealed)).reproduced
