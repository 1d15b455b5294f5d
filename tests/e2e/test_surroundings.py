"""Where a command is run, by whom, and with which settings: a folder of a stranger's, no home, no rights."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest
from root_rights import without_root_rights
from toolrag.commands import settings_path

from e2e.conftest import Shell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="rights and links as Linux has them")


def test_a_home_by_another_name_is_home(shell: Shell, tmp_path: Path) -> None:
    """HOME may lead through a link; what is refused is the folder."""
    link = tmp_path / "link"
    link.symlink_to(shell.home)
    for home in (link, f"{shell.home}/../{shell.home.name}"):
        run = shell("search", "x", cwd=shell.home, environment={"HOME": str(home)})
        assert run.code == 2
        assert "not taken as a root" in run.err


def test_a_folder_that_may_not_be_entered_is_a_sentence(shell: Shell, tmp_path: Path) -> None:
    """The search for `.git` goes on above it, and what is wrong with it is said."""
    locked = tmp_path / "locked"
    locked.mkdir()

    def enter_and_lock() -> None:
        os.chdir(locked)
        locked.chmod(0)
        without_root_rights()

    run = shell("search", "x", before=enter_and_lock)
    locked.chmod(0o700)
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert "may not be listed" in run.err


def test_a_user_without_a_home_has_defaults(shell: Shell) -> None:
    """In a container a uid often has no name and no HOME: the index is held in memory, and settings are the defaults."""
    code = (
        "import os, pwd, sys\n"
        "def nobody(_): raise KeyError\n"
        "pwd.getpwuid = nobody\n"
        "for name in ('HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'): os.environ.pop(name, None)\n"
        "from toolrag.cli import run\n"
        "run()\n"
    )
    command = (sys.executable, "-c", code)
    found = shell("search", "discounted_price", command=command)
    assert found.code == 0
    assert found.err.count("\n") == 1
    assert "held in memory" in found.err
    assert shell("--help", command=command).code == 0
    assert shell("read", "README.md", "1", command=command).err == ""
    report = shell("doctor", command=command)
    assert report.code == 1
    assert report.err == ""
    assert "HOME" in report.out


@pytest.mark.parametrize("given", ["settings", "./~/settings", "."])
def test_settings_never_come_from_the_current_folder(shell: Shell, given: str) -> None:
    """A repository could bring them: a relative place for settings is no place."""
    brought = shell.folder / given / "toolrag"
    brought.mkdir(parents=True)
    (brought / "config.toml").write_text("not a setting\n")
    assert shell("read", "README.md", "1", environment={"XDG_CONFIG_HOME": given}).code == 0


def test_a_relative_settings_folder_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where an older platformdirs hands on what the environment says."""
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_, **__: "settings/toolrag")
    assert settings_path() is None


@pytest.mark.parametrize(
    ("text", "says"), [('deny = ["[abc"]', "not a pattern"), (f"a = {'[' * 100_000}", "cannot be read")]
)
def test_settings_that_mean_nothing_are_refused(shell: Shell, text: str, says: str) -> None:
    """In one sentence, and by every command: a glob that is no pattern would otherwise deny more than was meant."""
    shell.settings.parent.mkdir(parents=True)
    shell.settings.write_text(text)
    run = shell("search", "price")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert says in run.err
    report = shell("doctor")
    assert report.code == 1
    assert says in report.out


def test_hard_links_are_readable_beside_a_folder_that_may_only_be_listed(shell: Shell) -> None:
    """A secret in it is known by its inode, under its other name too; every other file with two names is read."""
    listed = shell.folder / "listed"
    listed.mkdir()
    (listed / ".env").write_text("SECRET=hunter2\n")
    os.link(listed / ".env", shell.folder / "notes.md")
    os.link(shell.folder / "README.md", shell.folder / "twin.md")

    def lock() -> None:
        listed.chmod(0o444)
        without_root_rights()

    secret = shell("read", "notes.md", "1", before=lock)
    assert (secret.code, secret.out) == (4, "")
    assert secret.err.startswith("toolrag: secret_denied")
    assert shell("read", "twin.md", "1", before=lock).out == "# Shop\n"
    listed.chmod(0o700)


def test_a_root_whose_name_is_not_utf8_is_read_and_cited(shell: Shell, tmp_path: Path) -> None:
    """Only names below the root are told to people."""
    root = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff")
    os.mkdir(root)
    Path(root, "a.py").write_text('def answer():\n    """Give the answer."""\n    return 42\n')
    run = shell("ask", "what does `answer` do?", "--root", root)
    assert run.code == 0
    assert "a.py:1" in run.out
    assert shell("read", f"{root}/a.py", "1", "--root", root).out == "def answer():\n"
    assert shell("read", f"{root}/\udcfe.py", "1", "--root", root).code == 4


def test_the_parse_process_is_as_isolated_as_the_command(shell: Shell, tmp_path: Path) -> None:
    """`python -I` keeps PYTHONPATH out of the child too."""
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted/sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "toolrag", "index", "--json"],
        cwd=shell.folder,
        env={**shell.environment, "PYTHONPATH": str(tmp_path / "planted")},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert not (tmp_path / "ran").exists()
