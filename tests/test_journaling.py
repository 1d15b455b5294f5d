"""A workspace's answers are kept and replayed; nothing of a denied file is in a journal, and none is worth an answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from index_doubles import write_tree
from journal_doubles import ScriptedModel, says
from toolrag import app, replaying
from toolrag.adapters.names import file_uri
from toolrag.answer import wire
from toolrag.answer.journal.outside import Outside, Run, answer_by
from toolrag.answer.types import Answer
from toolrag.config import JournalSettings, OpenAISettings, Settings
from toolrag.errors import ConfigError, ReadError
from toolrag.ports import ChatModel, Scope
from workspace_runs import FILES, InPlace, one_line

QUESTION = "what does retry do?"
CANARY = "canary51c0"
DENIED = {
    ".env": f"SECRET={CANARY}\n",
    "keys/id_rsa": f"{CANARY}\n",
    "private/plans.py": f"def {CANARY}_plans():\n    return 1\n",
    "hidden/notes.md": f"# {CANARY}\n",
    ".toolragignore": "hidden/\n",
}


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(app, "ParseProcess", lambda *_: InPlace())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path / "root", FILES)
    return tmp_path / "root"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "toolrag" / "journal"


def ask(
    root: Path,
    question: str = QUESTION,
    settings: Settings | None = None,
    run: Run = answer_by,
    model: ChatModel | None = None,
) -> Answer:
    async def main() -> Answer:
        with app.open_place(str(root), settings or Settings()) as place:
            async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
                return await app.recorded(workspace.outside(model), [place.root], run).answer(question)

    return asyncio.run(main())


def test_an_answer_is_kept_by_its_id_and_comes_out_again(root: Path, folder: Path) -> None:
    answer = ask(root)
    assert answer.journal == answer.id
    assert (folder / f"{answer.id}.jsonl").exists()
    journals = app.Journals(JournalSettings())
    report = asyncio.run(app.replayed_here(answer.id, journals, Settings()))
    assert report.reproduced
    assert report.recorded == wire.answer(replace(answer, journal=None))
    assert report.roots == (str(root.resolve()),)


def test_it_comes_out_again_when_the_tree_is_gone(root: Path) -> None:
    answer = ask(root)
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert asyncio.run(app.replayed_here(answer.id, app.Journals(JournalSettings()), Settings())).reproduced


def test_the_same_question_again_replaces_its_journal(root: Path, folder: Path) -> None:
    assert ask(root).id == ask(root).id
    assert len(list(folder.glob("*.jsonl"))) == 1


def test_with_journals_off_nothing_is_written(root: Path, folder: Path) -> None:
    answer = ask(root, settings=Settings(journal=JournalSettings(enabled=False)))
    assert (answer.outcome, answer.journal) == ("answered", None)
    assert "journal" not in wire.answer(answer)
    assert not folder.parent.exists()


def test_a_run_of_a_model_is_kept_with_its_chats(root: Path) -> None:
    read = ("read_range", {"path": "src/retry.py", "start": 1, "end": 3})
    model = ScriptedModel(says("", read), says("`retry` is called with a `limit` [e1:1-3]."))
    answer = ask(root, model=model)
    assert (answer.outcome, answer.journal) == ("answered", answer.id)
    journals = app.Journals(JournalSettings())
    assert asyncio.run(app.replayed_here(answer.id, journals, Settings())).reproduced


def spellings(root: Path, tmp_path: Path) -> Sequence[str]:
    """Every way there is to ask for what is denied."""
    paths = [path for path in DENIED if path != ".toolragignore"]
    plain = [*paths, *(f"./{path}" for path in paths), *(f"src/../{path}" for path in paths)]
    plain += [f"root/{path}" for path in paths] + [str(root / path) for path in paths]
    plain += [file_uri(str(root / path)) for path in paths] + ["link.py", "outside.py", "hard.py"]
    return [*plain, str(tmp_path / "outside.txt"), "../outside.txt", "untitled:x"]


def test_nothing_of_a_denied_file_is_in_a_journal_whatever_is_asked(root: Path, folder: Path, tmp_path: Path) -> None:
    write_tree(root, DENIED)
    (tmp_path / "outside.txt").write_text(f"{CANARY}\n")
    (root / "link.py").symlink_to(".env")
    (root / "outside.py").symlink_to(tmp_path / "outside.txt")
    os.link(root / ".env", root / "hard.py")
    asked = spellings(root, tmp_path)
    refused: list[str] = []

    async def prying(ports: Outside, question: str, scope: Scope) -> Answer:
        for path in asked:
            try:
                await ports.documents.snapshot(path)
            except ReadError as error:
                refused.append(error.code)
        for one in await ports.documents.glances(asked):
            assert one is None
        for one in await ports.documents.glances(ports.retriever.files(scope)):
            assert one is not None
            assert one.text.n_lines  # looked at, so that all of it is kept
        await ports.retriever.search("plans secret", 60, scope)
        await ports.retriever.references("plans", 10, scope)
        return await answer_by(ports, question, scope)

    answer = ask(root, settings=Settings(deny=("private/**",)), run=prying)
    assert answer.journal is not None
    assert len(refused) == len(asked)
    assert {"secret_denied", "ignored", "path_denied"} <= set(refused)
    kept = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any(b"for _ in range(limit)" in data for data in kept.values())  # of what may be read, all
    assert [name for name, data in kept.items() if CANARY.encode() in data] == []


def test_a_file_that_is_denied_from_now_on_takes_the_runs_of_its_root_along(
    root: Path, folder: Path, tmp_path: Path
) -> None:
    write_tree(root, {"src/keys.py": f"def {CANARY}():\n    return 1\n"})
    write_tree(tmp_path / "other", FILES)
    ask(root, f"what does {CANARY} do?")
    kept = ask(tmp_path / "other", "what does Session send?")
    assert any(CANARY.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    (root / "src/keys.py").rename(root / ".env")
    answer = ask(root)
    runs = {one.run for one in app.Journals(JournalSettings()).runs()}
    assert runs == {answer.journal, kept.journal}
    assert not any(CANARY.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for run in runs:
        assert asyncio.run(app.replayed_here(str(run), app.Journals(JournalSettings()), Settings())).reproduced


def test_a_file_that_is_denied_from_now_on_takes_the_shown_answers_along(root: Path, tmp_path: Path) -> None:
    write_tree(root, {"src/keys.py": f"def {CANARY}():\n    return 1\n"})
    app.shown_answer(ask(root, f"what does {CANARY} do?"), [str(root)])
    (shown,) = (tmp_path / "cache" / "toolrag" / "answers").iterdir()
    assert CANARY in shown.read_text("utf-8")
    ask(root)
    assert shown.exists()
    (root / "src/keys.py").rename(root / ".env")
    ask(root)
    assert not shown.exists()


def test_a_file_that_is_merely_gone_takes_nothing_along(root: Path) -> None:
    first = ask(root)
    (root / "README.md").unlink()
    ask(root, "limit")
    assert first.journal in {one.run for one in app.Journals(JournalSettings()).runs()}


def test_no_credential_is_in_a_journal(root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentinel = "sk-sentinel-51c0"
    for name in ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.setenv(name, sentinel)
    ask(root, settings=Settings(openai=OpenAISettings(api_key=sentinel)))
    assert not any(sentinel.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_folder_that_cannot_be_written_is_one_line_and_no_answer_less(
    root: Path, folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = ask(root)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, one_line(caplog, "could not be kept (No space left on device)"):
        patch.setattr("toolrag.adapters.journal.os.replace", full)
        answer = ask(root)
    assert (answer.claims, answer.journal) == (good.claims, None)
    app.Journals(JournalSettings()).clear()
    folder.symlink_to(root)
    with one_line(caplog, "is not a folder. Remove it. The journal of this run is not kept."):
        answer = ask(root)
    assert (answer.claims, answer.journal) == (good.claims, None)
    assert not list(root.rglob("*.jsonl"))


def test_a_state_folder_in_the_workspace_keeps_nothing(
    root: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "state"))
    with one_line(caplog, "lies inside the workspace"):
        assert ask(root).journal is None
    assert not (root / "state").exists()


def test_what_is_no_json_costs_the_journal_and_not_the_answer(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def careless(ports: Outside, question: str, scope: Scope) -> Answer:
        ports.journal.record("verify", {"claim": object()})
        return await answer_by(ports, question, scope)

    with one_line(caplog, "could not be written (TypeError)"):
        answer = ask(root, run=careless)
    assert (answer.outcome, answer.journal) == ("answered", None)


def test_a_run_that_fails_or_is_cancelled_leaves_nothing(root: Path, folder: Path) -> None:
    async def fails(_: Outside, __: str, ___: Scope) -> Answer:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        ask(root, run=fails)
    assert not folder.exists()


def test_a_run_in_no_folder_is_verified_only_where_one_is_named(root: Path) -> None:
    async def kept() -> Answer:
        with app.open_place(str(root), Settings()) as place:
            async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
                return await app.recorded(workspace.outside(None), []).answer(QUESTION)

    answer = asyncio.run(kept())
    assert replaying.replay(answer.id, Settings(), verify=False, root=None).report.reproduced
    with pytest.raises(ConfigError, match="in no folder"):
        replaying.replay(answer.id, Settings(), verify=True, root=None)
    checked = replaying.replay(answer.id, Settings(), verify=True, root=str(root))
    assert checked.citations is not None
    assert {one["standing"] for one in checked.citations} == {"verified"}
