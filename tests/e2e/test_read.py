"""`toolrag read`, and what every command says to bad input, by the installed command."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sysconfig
from pathlib import Path

import pytest
from parser_double import InlineParser
from root_rights import without_root_rights
from toolrag import app
from toolrag.config import Settings

from e2e.conftest import COMMAND, Shell


def test_read_prints_the_lines_themselves(shell: Shell) -> None:
    """Into a pipe go the exact bytes of the lines, with their own line ends."""
    (shell.folder / "mixed.py").write_bytes(b"a = 1\r\nb = 2\rc = '\xe2\x82\xac'\nd = 4")
    done = subprocess.run(
        [*_command(), "read", "mixed.py", "1", "3"],
        cwd=shell.folder,
        env=shell.environment,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"a = 1\r\nb = 2\rc = '\xe2\x82\xac'\n"


def test_read_json_names_what_was_read(shell: Shell) -> None:
    """Every member of PROTOCOL section 1; the sha is git's."""
    read = json.loads(shell("read", "--json", "shop/pricing.py", "3", "3").out)
    sha = subprocess.run(
        ["git", "hash-object", "--no-filters", "shop/pricing.py"],
        cwd=shell.folder,
        capture_output=True,
        check=True,
        env={**shell.environment, "GIT_CONFIG_GLOBAL": os.devnull},
    )
    assert read["sha"] == sha.stdout.decode().strip()
    assert read["text"] == "DEFAULT_DISCOUNT = 0.05\n"
    assert (read["path"], read["start"], read["end"], read["totalLines"]) == ("shop/pricing.py", 3, 3, 14)
    assert (read["source"], read["dirty"], read["redactions"]) == ("disk", False, [])
    assert "version" not in read


def test_symbols_of_real_code_are_read_as_they_are() -> None:
    """For 200 symbols of the standard library drawn at random, the text read is the file's own bytes."""
    library = Path(sysconfig.get_paths()["stdlib"])
    names = [f"{name}.py" for name in ("argparse", "typing", "shutil", "inspect", "tarfile", "zipfile/__init__", "ast")]
    paths = [path for path in names if (library / path).is_file()]

    async def check() -> int:
        checked = 0
        with app.open_place(str(library), Settings()) as place:
            parser = InlineParser()
            symbols = [
                (path, span)
                for path in paths
                for span in (await parser.parse((library / path).read_text("utf-8"), "python")).parsed.spans
            ]
            for path, span in random.Random(20).sample(symbols, 200):
                lines = span.lines
                if len(lines) > 250:
                    continue  # over the byte limit of one read
                result = await place.reader(parser).read_range(path, lines.start + 1, lines.end)
                own = (library / path).read_bytes().split(b"\n")[lines.start : lines.end]
                assert result.text.encode() == b"\n".join(own) + b"\n"
                checked += 1
        return checked

    assert asyncio.run(check()) >= 190


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        pytest.param(["../outside.txt", "1", "1"], 4, "path_denied", id="a path outside"),
        pytest.param(["/etc/passwd", "1", "1"], 4, "path_denied", id="an absolute path outside"),
        pytest.param([".env", "1", "1"], 4, "secret_denied", id="a secret"),
        pytest.param([".ENV", "1", "1"], 4, "secret_denied", id="a secret in capitals"),
        pytest.param(["logo.bin", "1", "1"], 4, "not_text", id="a binary"),
        pytest.param(["shop", "1", "1"], 4, "not_regular", id="a folder"),
        pytest.param(["nowhere.py", "1", "1"], 4, "not_found", id="no such file"),
        pytest.param(["shop/pricing.py", "14", "99"], 4, "range_invalid", id="past the end"),
        pytest.param(["shop/pricing.py", "0", "3"], 4, "range_invalid", id="line 0"),
        pytest.param(["shop/pricing.py", "3", "2"], 4, "range_invalid", id="end before start"),
        pytest.param(["shop/pricing.py", "1", "1000000000"], 4, "too_large", id="a huge range"),
        pytest.param(["shop/pricing.py", "1", "2", "--sha", "0" * 40], 4, "stale_blob", id="a wrong sha"),
    ],
)
def test_a_refused_read_says_why(shell: Shell, arguments: list[str], code: int, error: str) -> None:
    """One sentence on stderr, its code as JSON on request, and nothing of the file on stdout."""
    (shell.folder.parent / "outside.txt").write_text("canary")
    run = shell("read", *arguments)
    assert (run.code, run.out) == (code, "")
    assert run.err.startswith(f"toolrag: {error}: ")
    assert run.err.count("\n") == 1
    assert json.loads(shell("read", "--json", *arguments).out)["error"] == error


def test_a_path_may_be_meant_from_the_folder_one_is_in(shell: Shell) -> None:
    """The root's own path wins; else the current folder's is tried, behind the same fence."""
    assert shell("read", "pricing.py", "3", "3", cwd=shell.folder / "shop").out == "DEFAULT_DISCOUNT = 0.05\n"
    assert shell("read", "shop/pricing.py", "3", "3", cwd=shell.folder / "shop").code == 0
    run = shell("read", "../../outside.py", "1", "1", cwd=shell.folder / "shop")
    assert run.err.startswith("toolrag: path_denied: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(["ask", ""], "The question is empty", id="an empty question"),
        pytest.param(["ask", "  \n"], "The question is empty", id="a blank question"),
        pytest.param(["search", ""], "The query is empty", id="an empty query"),
        pytest.param(["ask", "--root", "no/such", "x"], "no/such", id="no such root"),
        pytest.param(["ask", "--root", "README.md", "x"], "README.md", id="a file given as root"),
        pytest.param(["ask", "--root", "", "x"], "--root is empty", id="an empty root"),
        pytest.param(["ask", "--wait", "x"], "nrecognized arguments: --wait", id="an unknown option"),
        pytest.param(["answer", "x"], "invalid choice: 'answer'", id="an unknown command"),
        pytest.param(["ask"], "are required: question", id="no question"),
        pytest.param([], "are required: command", id="no command"),
        pytest.param(["ask", "--model", "gpt", "x"], "'gpt' is no model", id="an unknown model"),
        pytest.param(["read", "README.md", "one", "2"], "'one' is not a line number", id="a line that is no number"),
        pytest.param(["search", "-n", "0", "x"], "'0' is not a whole number above 0", id="no results wanted"),
    ],
)
def test_bad_usage_gets_a_sentence(shell: Shell, arguments: list[str], sentence: str) -> None:
    """Exit code 2, one line on stderr, nothing on stdout, no traceback."""
    run = shell(*arguments)
    assert (run.code, run.out) == (2, "")
    assert sentence in run.err
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        pytest.param(
            "[read]\nmax_line = 5\n", "Unknown setting read.max_line. Did you mean read.max_lines?", id="unknown"
        ),
        pytest.param("[read]\nmax_lines = 'many'\n", "read.max_lines must be a whole number", id="of the wrong kind"),
        pytest.param("deny = 'private'\n", "deny must be a list", id="a glob that is no list"),
        pytest.param("[read\n", "The settings cannot be read", id="not TOML"),
    ],
)
def test_a_bad_setting_is_named(shell: Shell, settings: str, sentence: str) -> None:
    """Exit code 2 and the file's name; doctor goes on and reports it."""
    shell.settings.parent.mkdir(parents=True)
    shell.settings.write_text(settings)
    run = shell("ask", "what is a discount?")
    assert (run.code, run.out) == (2, "")
    assert sentence in run.err
    assert str(shell.settings) in run.err
    doctor = shell("doctor", "--json")
    assert doctor.code == 1
    assert sentence in doctor.out


def test_settings_narrow_what_is_read(shell: Shell) -> None:
    """The user's deny list and limits hold for reads and the index alike."""
    shell.settings.parent.mkdir(parents=True)
    shell.settings.write_text('deny = ["shop/basket.py"]\n[read]\nmax_lines = 2\n')
    assert shell("read", "shop/basket.py", "1", "1").err.startswith("toolrag: ignored: ")
    assert shell("read", "README.md", "1", "3").err.startswith("toolrag: too_large: ")
    assert json.loads(shell("index", "--json").out)["files"] == 2


@pytest.mark.parametrize("folder", ["/", "~"])
def test_home_and_the_whole_disk_are_no_roots_by_themselves(shell: Shell, folder: str) -> None:
    """They are taken only when given by --root."""
    run = shell("ask", "anything", cwd=shell.home if folder == "~" else Path("/"))
    assert run.code == 2
    assert "Name it with --root" in run.err


def test_home_is_a_root_when_given(shell: Shell) -> None:
    """--root says what is meant."""
    (shell.home / "notes.md").write_text("# Notes\n\nThe `answer` is 42.\n")
    assert shell("ask", "--root", str(shell.home), "what is the answer?").code == 0


def test_an_unreadable_root_is_named(shell: Shell) -> None:
    """A folder that may not be listed gets a sentence and exit code 2."""
    locked = shell.folder.parent / "locked"
    locked.mkdir(mode=0)
    run = shell("ask", "--root", str(locked), "anything", before=without_root_rights)
    locked.chmod(0o700)
    assert (run.code, run.out) == (2, "")
    assert "locked" in run.err
    assert "may not be listed" in run.err


def test_an_unreadable_file_is_counted_and_the_rest_answers(shell: Shell) -> None:
    """One file that may not be read spoils nothing."""
    (shell.folder / "shop/private.py").write_text("x = 1\n")
    (shell.folder / "shop/private.py").chmod(0)
    assert shell("read", "shop/private.py", "1", "1", before=without_root_rights).err.startswith(
        "toolrag: permission: "
    )
    report = json.loads(shell("index", "--json", before=without_root_rights).out)
    assert report["skipped"]["permission"] == 1
    assert report["files"] == 3


def test_fifos_and_sockets_do_not_block(shell: Shell) -> None:
    """A FIFO or a socket with a source's name is refused at once, and passed over by the index."""
    os.mkfifo(shell.folder / "fifo.py")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(shell.folder)  # the path of a socket is at most 107 bytes
        try:
            listening.bind("sock.py")
        finally:
            os.chdir(here)
        assert shell("read", "fifo.py", "1", "1").err.startswith("toolrag: not_regular: ")
        assert shell("read", "sock.py", "1", "1").err.startswith("toolrag: not_regular: ")
        assert json.loads(shell("index", "--json").out)["skipped"]["not_regular"] == 2


def _command() -> list[str]:
    return [str(COMMAND)]
