"""However its standard streams are, a command ends by its exit code and a sentence, never by a traceback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from e2e.conftest import COMMAND, Shell

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="shells and devices as Linux has them")

COMMANDS = ["search price", "read README.md 1", "--help"]


def redirected(shell: Shell, arguments: str, redirection: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell runs it with a redirection."""
    environment = {name: value for name, value in shell.environment.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["/bin/sh", "-c", f"{COMMAND} {arguments} {redirection}"],
        cwd=shell.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", COMMANDS)
@pytest.mark.parametrize(
    ("redirection", "why"), [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")]
)
def test_output_that_cannot_be_written_is_a_failure(shell: Shell, arguments: str, redirection: str, why: str) -> None:
    """A closed stdout, or one on a full disk: nobody got the answer."""
    done = redirected(shell, arguments, redirection)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"toolrag: The output could not be written ({why}).\n"


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-"])
def test_other_streams_do_not_matter(shell: Shell, redirection: str) -> None:
    """Data goes to stdout all the same, and a refusal has its exit code."""
    found = redirected(shell, "search discounted_price", redirection)
    assert found.returncode == 0
    assert "shop/pricing.py:6" in found.stdout
    assert redirected(shell, "read nowhere.py 1", redirection).returncode == 4
    assert redirected(shell, "ask ''", redirection).returncode == 2


def test_all_streams_closed_is_an_end(shell: Shell) -> None:
    """Nothing that is opened meanwhile is taken for a stream."""
    assert redirected(shell, "index", ">&- 2>&- <&-").returncode == 1
    assert redirected(shell, "search discounted_price", "").stderr == ""


def test_too_few_files_to_be_opened_is_not_an_empty_tree(shell: Shell) -> None:
    """What could not be looked at for want of descriptors is never said not to be there."""
    assert redirected(shell, "index", "").returncode == 0
    for most in (6, 9, 11, 13):
        done = subprocess.run(
            ["/bin/sh", "-c", f"ulimit -n {most}; exec {COMMAND} search discounted_price"],
            cwd=shell.folder,
            env=shell.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert "none mentions" not in done.stdout


def test_a_name_cannot_steer_the_terminal_through_doctor(shell: Shell, tmp_path: Path) -> None:
    """Paths in the report have their control characters written out."""
    hostile = tmp_path / "a\x1b]0;title\x07"
    hostile.mkdir()
    done = shell("doctor", "--root", str(hostile))
    assert "\x1b" not in done.out
    assert "\\x1b]0;title\\x07" in done.out
