"""`toolrag ask` and `search`, by the installed command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from toolrag.text import Text, lines_sha

from e2e.conftest import COMMAND, FILES, Shell

PINNED = re.compile(r"^\s+(\S+?):(\d+)(?:-(\d+))?@([0-9a-f]{12})\b.*\bverified$", re.MULTILINE)


def test_an_answer_cites_lines_that_are_there(shell: Shell) -> None:
    """Every pinned citation of an answer hashes to its pin in the file it names."""
    run = shell("ask", "how is a discounted price computed?")
    assert run.code == 0, run.err
    citations = PINNED.findall(run.out)
    assert len(citations) >= 2
    for path, first, last, pin in citations:
        text = Text((shell.folder / path).read_text())
        lines = [text.line(number) for number in range(int(first) - 1, int(last or first))]
        assert lines_sha(lines)[:12] == pin
    assert "price * (1 - discount)" in run.out


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("who calls discounted_price", "shop/basket.py:14", id="who calls"),
        pytest.param("what does discounted_price do?", "shop/pricing.py:6", id="what does it do"),
        pytest.param("where is DEFAULT_DISCOUNT defined", "shop/pricing.py:3", id="where is it"),
        pytest.param("where is the default discount set?", "shop/pricing.py:3", id="where, in words"),
        pytest.param("what happens when the discount is not a share?", "shop/pricing.py:11", id="what happens when"),
        pytest.param("`Basket.total`", "shop/basket.py:12", id="a dotted name in backticks"),
    ],
)
def test_the_first_citation_is_where_one_would_look(shell: Shell, question: str, expected: str) -> None:
    """Each kind of question is answered first by the line that says it."""
    run = shell("ask", question)
    assert run.code == 0, run.err
    path, first, _, _ = PINNED.findall(run.out)[0]
    assert f"{path}:{first}" == expected


def test_json_has_the_shape_of_the_protocol(shell: Shell) -> None:
    """`--json` prints an Answer whose quotes are the files' own lines."""
    answer = json.loads(shell("ask", "--json", "what does discounted_price do?").out)
    assert answer["outcome"] == "answered"
    assert {"id", "question", "model", "claims", "citations", "candidates", "searched", "usage"} <= answer.keys()
    cited = {name for claim in answer["claims"] for name in claim["citations"]}
    assert cited == {citation["id"] for citation in answer["citations"]}
    for citation in answer["citations"]:
        assert citation["standing"] == "verified"
        lines = (shell.folder / citation["path"]).read_text().split("\n")
        first, last = citation["lines"]["start"], citation["lines"]["end"]
        assert citation["quote"].rstrip("\n") == "\n".join(lines[first - 1 : last])
    assert answer["searched"] == {
        "files": 3,
        "skipped": 2,
        "complete": True,
        "denseComplete": True,
        "terms": ["discounted_price"],
        "missing": [],
    }


def test_the_same_question_gives_the_same_bytes(shell: Shell) -> None:
    """Two runs over the same texts differ in their seconds only."""
    first, second = (json.loads(shell("ask", "--json", "how is a price discounted?").out) for _ in range(2))
    first["usage"]["seconds"] = second["usage"]["seconds"] = 0
    assert first == second


def test_what_is_not_there_is_said_not_to_be_there(shell: Shell) -> None:
    """A question about a word that no file has is not answered: exit code 3, what was searched, where to look."""
    run = shell("ask", "where is the redis cache of discounts configured?")
    assert run.code == 3
    assert "none mentions `redis`" in run.out
    assert "Where to look: " in run.out
    assert not PINNED.findall(run.out)


def test_a_secret_is_in_no_answer(shell: Shell) -> None:
    """A denied file is neither indexed nor quoted, whatever is asked."""
    run = shell("ask", "what is SECRET hunter2?")
    assert run.code == 3
    cache = b"".join(path.read_bytes() for path in (shell.home / "cache").rglob("*") if path.is_file())
    assert b"hunter2" not in cache


def test_a_file_rewritten_behind_the_index_is_quoted_as_it_is_now(shell: Shell) -> None:
    """The new text at its new lines, also when size and times are those of the old one."""
    assert shell("ask", "what does discounted_price do?").code == 0
    path = shell.folder / "shop/pricing.py"
    path.write_text("# moved down\n\n" + FILES["shop/pricing.py"].replace("Take a discount off", "Knock a rebate off"))
    run = shell("ask", "--no-wait", "what does discounted_price do?")
    assert "Knock a rebate off" in run.out
    assert "Take a discount off" not in run.out
    assert PINNED.findall(run.out)[0][:2] == ("shop/pricing.py", "8")


def test_without_waiting_a_fresh_root_says_that_it_is_not_indexed(shell: Shell) -> None:
    """`--no-wait` answers from what is there, and does not say "not here" when nothing was looked at."""
    run = shell("ask", "--no-wait", "--json", "what does discounted_price do?")
    assert run.code == 3
    assert json.loads(run.out)["reason"]["code"] == "not_indexed_yet"


def test_nothing_is_written_into_the_repository(shell: Shell) -> None:
    """The index is kept in the user's cache folder alone."""
    before = sorted(shell.folder.rglob("*"))
    assert shell("ask", "how is a price discounted?").code == 0
    assert sorted(shell.folder.rglob("*")) == before


def test_a_repository_cannot_bring_code_of_its_own(shell: Shell) -> None:
    """Modules in the current folder named like ours, or like what we import, are not imported."""
    for name in ("numpy", "tree_sitter", "toolrag", "sitecustomize", "platformdirs"):
        (shell.folder / f"{name}.py").write_text("raise SystemExit('imported from the repository')\n")
    run = shell("ask", "what does discounted_price do?")
    assert run.code == 0, run.err
    assert "imported from" not in run.out + run.err


def test_ask_imports_neither_the_language_server_nor_a_model(shell: Shell) -> None:
    """What a command does not need it does not import: no pygls, lsprotocol, boto3, httpx or tqdm, no parser,
    and none of what talks to a model or replays."""
    script = (
        "import sys; from toolrag.cli import main; main(['ask', 'what does discounted_price do?']); "
        "print([name for name in sys.argv[1:] if name in sys.modules])"
    )
    libraries = ("pygls", "lsprotocol", "boto3", "botocore", "httpx", "re2", "tqdm", "tree_sitter")
    ours = ("answer.agent", "answer.tools", "answer.drafting", "answer.journal.replay", "adapters.bedrock")
    unwanted = (*libraries, *(f"toolrag.{name}" for name in ours))
    run = shell("-c", script, *unwanted, command=(sys.executable,))
    assert run.out.rstrip().endswith("[]"), run.out[-200:] + run.err


def test_a_reader_that_goes_away_is_no_error(shell: Shell) -> None:
    """`toolrag search … | head -1` ends quietly."""
    piped = f"'{COMMAND}' search price | head -n 1"
    done = subprocess.run(
        ["sh", "-c", piped], cwd=shell.folder, env=shell.environment, capture_output=True, timeout=60, check=True
    )
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


def test_search_lists_places_with_reasons(shell: Shell) -> None:
    """The best place first, and why each was found."""
    run = shell("search", "discounted price", "-n", "3")
    assert run.code == 0
    first, second, third = run.out.split("\n")[:3]
    assert first == "shop/pricing.py:6-13  discounted_price"
    assert second.strip() == "def discounted_price(price, discount=DEFAULT_DISCOUNT)"
    assert third.strip() == "“discounted” in name; “price” in name, path"
    found = json.loads(shell("search", "--json", "discounted price").out)
    assert found["candidates"][0]["symbol"] == {"name": "discounted_price", "kind": "function", "container": ""}


def test_search_for_what_is_not_there(shell: Shell) -> None:
    """Exit code 3, and a sentence."""
    run = shell("search", "kubernetes")
    assert run.code == 3
    assert "none mentions kubernetes" in run.out


def test_hostile_names_and_texts_do_not_reach_the_terminal(shell: Shell) -> None:
    """Escape sequences in names and lines are written out."""
    name = "evil\x1b]0;owned\x07.py"
    (shell.folder / name).write_text('def discount_evil():\n    """Discount \x1b[31mred\x1b[0m."""\n')
    for arguments in (["ask", "what does discount_evil do?"], ["search", "discount_evil"], ["index"]):
        run = shell(*arguments)
        assert "\x1b" not in run.out + run.err
        assert "\x07" not in run.out + run.err
    assert "\\x1b" in shell("search", "discount_evil").out


def test_questions_through_make_arrive_as_typed(shell: Shell) -> None:
    """Backticks and dollars in Q are neither run nor expanded."""
    repository = Path(__file__).parents[2]
    question = 'what is `touch made-by-make` $(shell touch made-by-make) $HOME $$ "quoted"?'
    run = shell(
        "--no-print-directory", f"Q={question}", f"ROOT={shell.folder}", "ask", cwd=repository, command=("make",)
    )
    assert run.out.startswith(question), run.out + run.err
    assert not (repository / "made-by-make").exists()
