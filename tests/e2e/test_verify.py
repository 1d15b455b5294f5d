"""`toolrag verify`, by the installed command: what it says, what it writes, how it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from root_rights import without_root_rights
from toolrag.text import lines_sha

from e2e.conftest import COMMAND, FILES, Run, Shell

PRICING = FILES["shop/pricing.py"].split("\n")
DEFAULT = f"shop/pricing.py:3@{lines_sha(PRICING[2:3])[:12]}"
RAISES = f"shop/pricing.py:11-12@{lines_sha(PRICING[10:12])[:12]}"
DOC = f"# Prices\n\nThe default ({DEFAULT}) and what it raises: `{RAISES}`.\n"


@pytest.fixture
def doc(shell: Shell) -> Path:
    path = shell.folder / "docs.md"
    path.write_text(DOC)
    return path


def type_above(shell: Shell, n_lines: int = 2) -> None:
    path = shell.folder / "shop/pricing.py"
    path.write_text("# typed\n" * n_lines + path.read_text())


def edit(shell: Shell) -> None:
    path = shell.folder / "shop/pricing.py"
    path.write_text(path.read_text().replace("0.05", "0.10"))


def test_what_stands_is_said_a_line_each(shell: Shell, doc: Path) -> None:
    doc.write_text(f"{DOC}\nAlso shop/basket.py:7 and http://host:80/x at 12:30.\n")
    run = shell("verify", "docs.md")
    assert (run.code, run.err) == (0, "")
    assert run.out.split("\n") == [
        f"docs.md:3  {DEFAULT}  verified",
        f"docs.md:3  {RAISES}  verified",
        "docs.md:5  shop/basket.py:7  unpinned  its lines exist; more cannot be said",
        "2 verified, 1 unpinned.",
        "",
    ]


def test_moved_fails_unless_allowed_or_mended(shell: Shell, doc: Path) -> None:
    type_above(shell)
    run = shell("verify", "docs.md")
    assert run.code == 1
    assert run.out.split("\n")[0] == f"docs.md:3  {DEFAULT}  moved  → shop/pricing.py:5"
    assert run.out.endswith("\n2 moved.\n")
    assert doc.read_text() == DOC
    assert shell("verify", "--allow-moved", "docs.md").code == 0
    run = shell("verify", "--fix", "docs.md")
    assert (run.code, run.err) == (0, "toolrag: Wrote 2 moved citations anew in docs.md.\n")
    assert "mended → shop/pricing.py:5" in run.out
    assert doc.read_text() == DOC.replace("py:3@", "py:5@").replace("py:11-12@", "py:13-14@")
    run = shell("verify", "--fix", "docs.md")
    assert (run.code, run.err, run.out.endswith("\n2 verified.\n")) == (0, "", True)


def test_changed_and_gone_fail_and_are_never_mended(shell: Shell, doc: Path) -> None:
    edit(shell)
    run = shell("verify", "--fix", "--allow-moved", "docs.md")
    assert (run.code, run.err) == (1, "")
    assert f"{DEFAULT}  changed  other lines stand there" in run.out
    (shell.folder / "shop/pricing.py").unlink()
    run = shell("verify", "--fix", "--allow-moved", "docs.md")
    assert run.code == 1
    assert "  gone  not_found: " in run.out
    assert doc.read_text() == DOC


def test_mending_touches_nothing_else(shell: Shell, doc: Path) -> None:
    """A byte order mark, CR LF, a form feed, a last line without end, and permissions are as they were."""
    data = b"\xef\xbb\xbf" + f"{DOC}\x0c\u2028 tail".replace("\n", "\r\n").encode()
    doc.write_bytes(data)
    doc.chmod(0o640)
    type_above(shell, 1)
    assert shell("verify", "--fix", "docs.md").code == 0
    assert doc.read_bytes() == data.replace(b"py:3@", b"py:4@").replace(b"py:11-12@", b"py:12-13@")
    assert doc.stat().st_mode & 0o777 == 0o640
    assert not [name for name in os.listdir(shell.folder) if name.startswith(".toolrag-")]


def saved(shell: Shell) -> tuple[Path, str]:
    run = shell("ask", "--json", "what does discounted_price do?")
    assert run.code == 0
    path = shell.folder.parent / "answer.json"  # outside every root: it is the user's own
    path.write_text(run.out)
    return path, run.out


def test_a_saved_answer(shell: Shell) -> None:
    path, text = saved(shell)
    n = len(json.loads(text)["citations"])
    run = shell("verify", str(path))
    assert (run.code, run.err, run.out.endswith(f"\n{n} verified.\n")) == (0, "", True)
    type_above(shell)
    assert shell("verify", str(path)).code == 1
    run = shell("verify", "--fix", str(path))
    assert run.code == 0
    assert run.err == f"toolrag: Wrote {n} moved citation{'' if n == 1 else 's'} anew in {path}.\n"
    now = path.read_text()
    assert re.sub("[0-9a-f]+", "", now) == re.sub("[0-9a-f]+", "", text)
    assert now != text
    run = shell("verify", str(path))
    assert (run.code, run.out.endswith(f"\n{n} verified.\n")) == (0, True)


def test_an_answer_with_a_claim_made_up(shell: Shell) -> None:
    """Its lines stand, but they do not say that."""
    path, text = saved(shell)
    answer = json.loads(text)
    answer["claims"][0]["text"] = "`discounted_price` deletes `the_database`."
    path.write_text(json.dumps(answer))
    run = shell("verify", str(path))
    assert run.code == 1
    assert "c1  unsupported  It names " in run.out
    assert "1 claim without support." in run.out
    report = json.loads(shell("verify", "--json", str(path)).out)
    (file,) = report["files"]
    assert (file["kind"], file["fixed"], [one["id"] for one in file["unsupported"]]) == ("answer", 0, ["c1"])


def test_a_saved_answer_in_another_clone_after_a_rename(shell: Shell, tmp_path: Path) -> None:
    """The file is gone and another has its lines: found without any index, and written."""
    path, text = saved(shell)
    clone = tmp_path / "clone"
    (shell.folder).rename(clone)
    assert shell("verify", str(path), cwd=clone).code == 0
    (clone / "shop/pricing.py").rename(clone / "shop/prices.py")
    run = shell("verify", str(path), "--root", str(clone), cwd=clone)
    assert run.code == 1
    assert "moved  → shop/prices.py:" in run.out
    assert shell("verify", "--fix", str(path), cwd=clone).code == 0
    now = json.loads(path.read_text())
    assert {one["path"] for one in now["citations"] if one["path"].startswith("shop/pric")} == {"shop/prices.py"}
    assert shell("verify", str(path), cwd=clone).code == 0
    assert [claim["text"] for claim in now["claims"]] == [claim["text"] for claim in json.loads(text)["claims"]]


def test_json_has_the_shapes_of_the_protocol(shell: Shell, doc: Path) -> None:
    type_above(shell)
    doc.write_text(f"{DOC}shop/nowhere.py:3\n")
    report = json.loads(shell("verify", "--json", "docs.md").out)
    (file,) = report["files"]
    assert {key: file[key] for key in ("file", "kind", "fixed", "unsupported")} == {
        "file": "docs.md",
        "kind": "text",
        "fixed": 0,
        "unsupported": [],
    }
    first, _, last = file["citations"]
    assert (first["written"], first["standing"], first["lines"]) == (DEFAULT, "moved", {"start": 5, "end": 5})
    assert first["location"]["uri"] == (shell.folder / "shop/pricing.py").as_uri()
    assert (last["standing"], last["error"]) == ("gone", "not_found")
    assert json.loads(shell("verify", "--json", "--fix", "docs.md").out)["files"][0]["fixed"] == 2


def test_what_is_cited_goes_through_the_fence(shell: Shell, doc: Path) -> None:
    """A text that asks for secrets, or for what lies outside, learns nothing: the lines are not even compared."""
    pin = lines_sha(["SECRET=hunter2"])[:12]
    (shell.folder.parent / "outside.py").write_text("SECRET=hunter2\n")
    doc.write_text(f".env:1@{pin} ../outside.py:1@{pin} {shell.folder.parent}/outside.py:1@{pin} /etc/passwd:1@{pin}\n")
    run = shell("verify", "docs.md")
    assert run.code == 1
    assert re.findall(r"  gone  (\w+):", run.out) == ["secret_denied", "path_denied", "path_denied", "path_denied"]


@pytest.mark.usefixtures("doc")
def test_several_files_one_bad(shell: Shell) -> None:
    (shell.folder / "b.md").write_text("shop/pricing.py:99\n")
    run = shell("verify", "docs.md", "b.md", "./docs.md")
    assert run.code == 1
    assert [line.split("  ")[0] for line in run.out.split("\n")[:-2]] == ["docs.md:3", "docs.md:3", "b.md:1"]
    assert run.out.endswith("\n2 verified, 1 gone.\n")


def piped(shell: Shell, data: bytes, *arguments: str) -> Run:
    done = subprocess.run(
        [str(COMMAND), "verify", *arguments],
        input=data,
        cwd=shell.folder,
        env=shell.environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_what_is_piped_in(shell: Shell) -> None:
    run = piped(shell, DOC.encode(), "-")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"-:3  {DEFAULT}  verified\n")
    run = piped(shell, DOC.encode(), "--fix", "-")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert "cannot be mended" in run.err
    assert piped(shell, b"\xff\xfe\x00", "-").code == 2
    answer = shell("ask", "--json", "what does discounted_price do?").out
    assert piped(shell, answer.encode(), "-").code == 0
    run = piped(shell, answer[: len(answer) // 2].encode(), "-")
    assert (run.code, run.out) == (2, "")
    assert "is not whole JSON" in run.err


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        pytest.param("missing.md", None, "There is no file", id="missing"),
        pytest.param("shop", None, "is a folder; name the files in it", id="a folder"),
        pytest.param("logo.bin", None, "is not text", id="no text"),
        pytest.param("half.json", '{"claims": [', "is not whole JSON", id="half an answer"),
        pytest.param("several.json", '[{"linesSha": ""}]', "Give each a file of its own", id="several answers"),
        pytest.param("lines.txt", '{"linesSha": ""}\n{}', "is not whole JSON", id="an answer a line"),
        pytest.param("deep.json", '{"a":' * 100_000, "is not whole JSON", id="an abyss"),
        pytest.param(
            "wrong.json", '{"claims": [], "citations": [{}]}', "Citation 1: The citation's path", id="no answer"
        ),
    ],
)
def test_a_file_that_cannot_be_checked_gets_a_sentence(
    shell: Shell, doc: Path, name: str, content: str | None, sentence: str
) -> None:
    """Exit code 2, and no other file is written: all are read before anything is done."""
    if content is not None:
        (shell.folder / name).write_text(content)
    type_above(shell)
    run = shell("verify", "--fix", "docs.md", name)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert sentence in run.err
    assert doc.read_text() == DOC


def test_a_file_that_may_not_be_read_or_written(shell: Shell, doc: Path) -> None:
    type_above(shell)
    doc.chmod(0)
    run = shell("verify", "docs.md", before=without_root_rights)
    doc.chmod(0o644)
    assert (run.code, run.err.count("\n")) == (2, 1)
    assert "may not be read" in run.err
    shell.folder.chmod(0o555)
    run = shell("verify", "--fix", "docs.md", before=without_root_rights)
    shell.folder.chmod(0o755)
    assert (run.code, run.err.count("\n")) == (1, 1)
    assert doc.read_text() == DOC


def test_a_text_that_cites_nothing(shell: Shell) -> None:
    """Nothing is wrong with it; it is said, so that a misspelt citation is not taken for one that stands."""
    run = shell("verify", "README.md")
    assert (run.code, run.out) == (0, "")
    assert "Nothing is cited there" in run.err
    (shell.folder / "package.json").write_text('{"name": "x", "version": "1.2.3"}')
    assert shell("verify", "package.json").code == 0


def test_no_file_is_bad_usage(shell: Shell) -> None:
    run = shell("verify")
    assert (run.code, run.out) == (2, "")
    assert "required: FILE" in run.err


def test_nothing_in_a_text_steers_the_terminal(shell: Shell, doc: Path) -> None:
    doc.write_text(f"`\x1b[31m a.py:3@{'0' * 12}` b\x1b]0;t\x07\u202e.py:4@{'0' * 12}\n")
    run = shell("verify", "docs.md")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", run.out + run.err)


def test_help_teaches(shell: Shell) -> None:
    """Every standing, every exit code, and a line for CI."""
    text = shell("verify", "--help").out
    for word in ("verified", "moved", "changed", "gone", "unpinned", "--fix", "--allow-moved", "in CI", "Exit codes"):
        assert word in text
