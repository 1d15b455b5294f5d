"""`toolrag index` and `toolrag doctor`, by the installed command."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from contextlib import closing

from toolrag.retrieval.languages import LANGUAGES

from e2e.conftest import Shell


def test_index_reports_what_is_in_and_what_is_not(shell: Shell) -> None:
    """Files by language, symbols, and everything left out by reason."""
    (shell.folder / ".gitignore").write_text("build/\n")
    (shell.folder / "build").mkdir()
    (shell.folder / "build/made.py").write_text("x = 1\n")
    (shell.folder / "node_modules").mkdir()
    report = json.loads(shell("index", "--json").out)
    assert report["files"] == 4
    assert report["languages"] == {"markdown": 1, "python": 2, "text": 1}
    assert report["skipped"] == {"gitignored": 1, "language": 1, "secret": 1, "vendored": 1}
    assert report["spans"] >= 7
    assert report["dense"]["engine"] in ("hnsw", "exact")
    text = shell("index").out
    assert "4 files indexed" in text
    assert "secrets by their names" in text


def test_a_second_run_parses_only_what_changed(shell: Shell) -> None:
    """An unchanged tree costs no parse; an edit costs one; a file that comes back costs none."""
    assert json.loads(shell("index", "--json").out)["parsed"] == 3
    assert json.loads(shell("index", "--json").out)["parsed"] == 0
    path = shell.folder / "shop/pricing.py"
    old = path.read_text()
    path.write_text(f"{old}\n\ndef added():\n    return 1\n")
    assert json.loads(shell("index", "--json").out)["parsed"] == 1
    path.write_text(old)
    assert json.loads(shell("index", "--json").out)["parsed"] == 0


def test_very_many_files_are_indexed_on_the_users_word(shell: Shell) -> None:
    """It says what that will cost and how to go on; `--yes` goes on, and then it is not asked again."""
    shell.settings.parent.mkdir(parents=True)
    shell.settings.write_text("[index]\nmax_files = 2\n")
    run = shell("index")
    assert (run.code, run.out) == (2, "")
    assert "There are 3 files to index, more than 2" in run.err
    assert "--yes" in run.err
    assert shell("ask", "--yes", "what is a discount?").code == 0
    assert shell("ask", "what is a discount?").code == 0


def test_the_cache_is_private(shell: Shell) -> None:
    """Folders 0700, files 0600, whatever the umask."""
    shell("index", before=_open_umask)
    folders = [path for path in (shell.home / "cache").rglob("*") if path.is_dir()]
    (index,) = [path for path in folders if (path / "index.sqlite").exists()]
    assert stat.S_IMODE(index.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in index.iterdir()} == {0o600}


def test_doctor_names_what_serves(shell: Shell) -> None:
    """The active vector index, embedder and parser, and what to do next."""
    report = json.loads(shell("doctor", "--json").out)
    assert report["vectorIndex"]["engine"] == ("exact" if report["vectorIndex"]["hnswlib"] is None else "hnsw")
    assert report["embedder"] == "hashing-256"
    assert report["parser"]["languages"] == sorted(LANGUAGES)
    assert report["healthy"]
    (index,) = [check for check in report["checks"] if check["name"] == "index"]
    assert index["todo"] == "toolrag index"
    shell("index")
    (index,) = [check for check in json.loads(shell("doctor", "--json").out)["checks"] if check["name"] == "index"]
    assert (index["status"], index["todo"]) == ("ok", "")


def test_the_exact_index_serves_when_asked_for(shell: Shell) -> None:
    """The setting chooses, doctor says so, and answers come all the same."""
    shell.settings.parent.mkdir(parents=True)
    shell.settings.write_text('[index]\nvectors = "exact"\n')
    assert json.loads(shell("doctor", "--json").out)["vectorIndex"]["engine"] == "exact"
    assert json.loads(shell("index", "--json").out)["dense"]["engine"] == "exact"
    assert shell("ask", "what does discounted_price do?").code == 0


def test_doctor_on_a_root_that_is_not_there(shell: Shell) -> None:
    """It goes on, reports the root, and ends with 1."""
    run = shell("doctor", "--json", "--root", "nowhere")
    assert run.code == 1
    (root,) = [check for check in json.loads(run.out)["checks"] if check["name"] == "root"]
    assert root["status"] == "problem"


def test_help_teaches(shell: Shell) -> None:
    """Help shows examples, and each command explains its options."""
    text = shell("--help").out
    assert "toolrag ask 'where are retries configured?'" in text
    assert "config.toml" in text
    for command in ("ask", "search", "read", "index", "doctor"):
        assert "--root" in shell(command, "--help").out
    assert shell("--version").out.startswith("toolrag ")


def _open_umask() -> None:
    os.umask(0)


def test_doctor_reports_on_an_index_that_it_cannot_use(shell: Shell) -> None:
    """The rest of the report is there too, and what was altered by hand is no count."""
    shell("index")
    (database,) = (shell.home / "cache").rglob("index.sqlite")
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("UPDATE meta SET value = '{\"files\": 1e999}' WHERE key = 'coverage'")
    assert "begun but not complete" in shell("doctor").out
    database.unlink()
    os.mkfifo(database)
    run = shell("doctor")
    assert run.code == 0
    assert "index.sqlite is not a file" in run.err
    assert "PROBLEM" not in run.out
    assert "ok       parser" in run.out
