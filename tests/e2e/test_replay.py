"""`toolrag replay` and `toolrag journal`, by the installed command."""

from __future__ import annotations

import json
import re
import stat
import sys
from pathlib import Path

import pytest
from root_rights import without_root_rights

from e2e.conftest import Shell

QUESTION = "what does discounted_price do?"


@pytest.fixture
def state(shell: Shell) -> Path:
    shell.environment["XDG_STATE_HOME"] = str(shell.home / "state")
    return shell.home / "state" / "toolrag" / "journal"


def ask(shell: Shell, question: str = QUESTION) -> str:
    """The id of an answer's run."""
    run = shell("ask", "--json", question)
    assert (run.code, run.err) == (0, "")
    answer = json.loads(run.out)
    assert answer["journal"] == answer["id"]
    return str(answer["id"])


def test_an_answer_comes_out_again(shell: Shell, state: Path) -> None:
    name = ask(shell)
    for given in (name, name[:6], "last"):
        run = shell("replay", given, "--json")
        assert (run.code, run.err) == (0, "")
        assert json.loads(run.out) == {
            "run": name, "question": QUESTION, "model": "extractive", "reproduced": True, "chain": "whole",
        }  # fmt: skip
    run = shell("replay", "last")
    assert (run.code, run.err) == (0, "")
    assert run.out == f"{QUESTION}  extractive\n{name}  reproduced  the same answer, byte for byte\n"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


@pytest.mark.usefixtures("state")
def test_a_replay_reads_no_file_of_the_workspace_and_verify_does(shell: Shell, tmp_path: Path) -> None:
    name = ask(shell)
    run = shell("replay", name, "--verify", cwd=tmp_path)
    assert (run.code, run.err) == (0, "")
    assert run.out.count("verified") == len(run.out.split("\n")) - 3
    path = shell.folder / "shop/pricing.py"
    path.write_text(path.read_text().replace("Take a discount off", "Take nothing off"))
    run = shell("replay", name, "--verify", "--json", cwd=tmp_path)
    report = json.loads(run.out)
    assert (run.code, report["reproduced"]) == (0, True)
    standings = {citation["standing"] for citation in report["citations"]}
    assert "changed" in standings
    assert {"id", "written", "standing"} <= report["citations"][0].keys()
    assert "  changed\n" in shell("replay", name, "--verify").out
    shell.folder.rename(tmp_path / "elsewhere")
    assert shell("replay", name, cwd=tmp_path).code == 0
    run = shell("replay", name, "--verify", cwd=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert "There is no folder" in run.err
    run = shell("replay", name, "--verify", "--root", str(tmp_path / "elsewhere"), cwd=tmp_path)
    assert (run.code, run.err) == (0, "")


def test_a_flipped_byte_and_a_missing_end_are_named(shell: Shell, state: Path) -> None:
    name = ask(shell)
    path = state / f"{name}.jsonl"
    whole = path.read_bytes()
    at = whole.index(b'"toolrag.claim":"') + 20
    path.write_bytes(whole[:at] + b"~" + whole[at + 1 :])
    run = shell("replay", name)
    line = whole[:at].count(b"\n") + 1
    assert (run.code, run.err) == (1, "")
    assert run.out == f"{name}  broken at {line}  Line {line} of the journal is not what was written.\n"
    path.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
    run = shell("replay", name, "--json")
    assert (run.code, json.loads(run.out)["chain"]) == (1, "unfinished")
    path.write_bytes(whole)
    blob = max((state / "blobs").iterdir(), key=lambda one: one.stat().st_size)
    blob.write_bytes(b"~" + blob.read_bytes()[1:])
    run = shell("replay", name, "--verify", "--json")
    report = json.loads(run.out)
    assert (run.code, report["citations"]) == (1, [])
    assert re.fullmatch(r"broken at \d+", report["chain"])
    assert blob.name in report["divergence"]["message"]


def test_a_run_that_is_not_kept_is_said_with_those_that_are(shell: Shell, state: Path) -> None:
    run = shell("replay", "last")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("toolrag: No run is kept. Ask something first")
    name = ask(shell)
    for given in ("zz", "", str(state / f"{name}.jsonl")):
        run = shell("replay", given)
        assert (run.code, run.out) == (2, "")
        assert f"The latest are: {name}." in run.err


def test_runs_are_listed_and_cleared(shell: Shell, state: Path) -> None:
    assert shell("journal").out == "No run is kept.\n"
    first, second = ask(shell), ask(shell, "who calls discounted_price")
    assert re.fullmatch(
        rf"{second}  \d{{4}}-\d\d-\d\d \d\d:\d\d  extractive  who calls discounted_price\n"
        rf"{first}  \d{{4}}-\d\d-\d\d \d\d:\d\d  extractive  {re.escape(QUESTION)}\n",
        shell("journal").out,
    )
    runs = json.loads(shell("journal", "--json").out)["runs"]
    assert [one["run"] for one in runs] == [second, first]
    assert runs[0].keys() == {"run", "when", "model", "question", "bytes"}
    run = shell("journal", "--clear")
    assert re.fullmatch(r"Removed 2 runs, [\d,]+ bytes\.\n", run.out)
    assert not state.exists()
    assert json.loads(shell("journal", "--clear", "--json").out) == {"runs": 0, "bytes": 0}


def test_journals_can_be_turned_off(shell: Shell, state: Path) -> None:
    shell.settings.parent.mkdir(parents=True)
    shell.settings.write_text("journal = false\n")
    answer = json.loads(shell("ask", "--json", QUESTION).out)
    assert "journal" not in answer
    assert not state.exists()


def test_a_state_folder_that_cannot_be_written_is_one_line(shell: Shell, state: Path) -> None:
    home = state.parents[1]
    home.mkdir()
    home.chmod(0o500)
    run = shell("ask", QUESTION, before=without_root_rights)
    assert run.code == 0
    assert "discounted_price" in run.out
    assert re.fullmatch(r"toolrag: The journal of this run could not be kept \(Permission denied\)\.\n", run.err)
    home.chmod(0o700)


def test_nothing_is_asked_of_a_home_that_is_not_there(shell: Shell) -> None:
    """A uid without a name and without HOME: the answer is given, and one line says that it is not kept."""
    code = (
        "import os, pwd\n"
        "def nobody(_): raise KeyError\n"
        "pwd.getpwuid = nobody\n"
        "for name in ('HOME', 'XDG_STATE_HOME'): os.environ.pop(name, None)\n"
        "from toolrag.cli import run\n"
        "run()\n"
    )
    run = shell("ask", QUESTION, command=(sys.executable, "-c", code))
    assert run.code == 0
    assert (
        run.err
        == "toolrag: There is no home folder to keep journals in. Set HOME or XDG_STATE_HOME. Runs cannot be replayed.\n"
    )


def test_help_teaches(shell: Shell) -> None:
    for command, words in (("replay", "byte for byte"), ("journal", "max_days = 14")):
        run = shell(command, "--help")
        assert run.code == 0
        assert words in run.out
        assert "examples:" in run.out
