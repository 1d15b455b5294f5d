"""What each command does, and its exit code; `cli` reads the command line and says how it ended."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import platformdirs

from toolrag.config import MODEL_NAMES, Settings, is_model, parse_settings
from toolrag.errors import ConfigError, ReadError
from toolrag.progress import Bar, Turns, say

OK, FAILED, USAGE, NOT_FOUND, READ_REFUSED, MODEL_FAILED = 0, 1, 2, 3, 4, 5


def ask(options: argparse.Namespace) -> int:
    """Answer a question; 0 answered or in part, 3 nothing found, 5 the model failed or refused."""
    from toolrag import app, render
    from toolrag.answer import wire

    if not options.question.strip():
        raise ConfigError("The question is empty. Ask something, such as: toolrag ask 'where are retries configured?'")
    settings = _settings(options)
    model = options.model or settings.model
    if not is_model(model):
        raise ConfigError(f"{model!r} is no model. --model takes {MODEL_NAMES}.")

    async def ask() -> int:
        with app.open_place(_root(options), settings) as place, Bar() as bar:
            async with app.open_workspace(place, refresh=not options.no_wait, progress=bar) as workspace:
                bar.close()
                with Turns() as turns:
                    answer = await workspace.answerer(model, turns).answer(options.question)
                # Before the vectors of a first run are completed: the person reads meanwhile.
                bar.close()
                if options.json:
                    print_json(wire.answer(answer))
                else:
                    _print(render.answer(answer, render.look_for(sys.stdout)))
        if answer.outcome != "notFound":
            return OK
        failed = answer.reason is not None and answer.reason.code in ("model_error", "model_refused")
        return MODEL_FAILED if failed else NOT_FOUND

    return asyncio.run(ask())


def search(options: argparse.Namespace) -> int:
    """List candidates; 0, or 3 when there are none."""
    from toolrag import app, render
    from toolrag.answer import wire
    from toolrag.ports import Scope

    if not options.query.strip():
        raise ConfigError("The query is empty. Give a name, or words from the code.")

    async def search() -> int:
        with app.open_place(_root(options), _settings(options)) as place, Bar() as bar:
            async with app.open_workspace(place, refresh=True, progress=bar) as workspace:
                bar.close()
                result = await workspace.retriever.search(options.query, options.n, Scope())
                bar.close()
                if options.json:
                    print_json(wire.search_result(result))
                else:
                    _print(render.candidates(result, render.look_for(sys.stdout)))
        return OK if result.candidates else NOT_FOUND

    return asyncio.run(search())


def read(options: argparse.Namespace) -> int:
    """Print lines of a file. Raises ReadError when they may not, or cannot, be read."""
    from toolrag import app, render

    end = options.start if options.end is None else options.end
    with app.open_place(_root(options), _settings(options)) as place:
        try:
            result = asyncio.run(app.read_range(place, options.path, options.start, end, options.sha))
        except ReadError as error:
            # A path typed in a folder below the root is often meant from there. The fence judges that spelling too.
            if error.code != "not_found" or Path(options.path).is_absolute() or options.root is not None:
                raise
            here = str(Path.cwd() / options.path)
            try:
                result = asyncio.run(app.read_range(place, here, options.start, end, options.sha))
            except ReadError:
                raise error from None
    if options.json:
        print_json(result.wire())
    elif sys.stdout.isatty():
        _print(render.lines_read(result, render.look_for(sys.stdout)))
    else:
        # Into a pipe or a file go the lines themselves, to be compared or used.
        sys.stdout.flush()
        sys.stdout.buffer.write(result.text.encode("utf-8", "surrogatepass"))
    return OK


def index(options: argparse.Namespace) -> int:
    """Bring the index up to date and report what is in it."""
    from toolrag import app, render

    async def index() -> dict[str, object]:
        began = time.monotonic()
        with app.open_place(_root(options), _settings(options)) as place, Bar() as bar:
            async with app.open_workspace(place, refresh=True, progress=bar) as workspace:
                searchable = time.monotonic() - began
                coverage, dense = workspace.coverage, workspace.dense
                assert coverage is not None
                assert dense is not None
                await dense
                state = workspace.library.state
                return {
                    "files": coverage.files,
                    "languages": coverage.languages,
                    "skipped": coverage.skipped,
                    "spans": workspace.library.n_spans,
                    "parsed": coverage.parsed,
                    "searchableSeconds": round(searchable, 3),
                    "seconds": round(time.monotonic() - began, 3),
                    "dense": {"indexed": state.indexed, "total": state.total, "engine": state.engine},
                    "problems": list(coverage.problems),
                }

    report = asyncio.run(index())
    if options.json:
        print_json(report)
    else:
        _print(render.coverage(report, render.look_for(sys.stdout)))
    return OK


def serve(options: argparse.Namespace) -> int:
    """Serve one language client; 0 when it shut the server down before it left, else 1."""
    from toolrag.lsp import serve as language_server
    from toolrag.lsp.settings import SettingsFile
    from toolrag.session import Session

    given, problems = _given_settings()
    file = SettingsFile(given, tuple(f"{settings_path()}: {problem}" for problem in problems))
    address = None if options.address is None else language_server.Address(*options.address)
    return language_server.serve(address, Session, file)


def verify(options: argparse.Namespace) -> int:
    """Re-check the citations of files; 0 when all stand, 1 when one does not or a claim has no support."""
    from toolrag import app, render, verifying

    if options.fix and "-" in options.files:
        raise ConfigError("What is piped in cannot be mended. Name a file with --fix.")
    files = verifying.read_all(options.files)

    async def verify() -> list[verifying.Checked]:
        with app.open_place(_root(options), _settings(options)) as place:
            return [await verifying.check(file, place) for file in files]

    checked = asyncio.run(verify())  # all of them, before anything is written
    if options.fix:
        for at, one in enumerate(checked):
            checked[at] = fixed = verifying.fix(one)
            if fixed.n_fixed:
                many = "" if fixed.n_fixed == 1 else "s"
                say(f"Wrote {fixed.n_fixed:,} moved citation{many} anew in {fixed.file.name}.")
    if options.json:
        print_json({"files": [one.wire() for one in checked]})
    else:
        _print(verifying.lines(checked, render.look_for(sys.stdout)))
    if not any(one.standings() for one in checked):
        say("Nothing is cited there: no path:12, path:12-18 or path#L12 was found.")
    return OK if all(one.passes(options.allow_moved) for one in checked) else FAILED


def replay(options: argparse.Namespace) -> int:
    """Run a kept run again; 1 where it does not come to the same answer."""
    from toolrag import render, replaying

    replayed = replaying.replay(options.run, _settings(options), verify=options.verify, root=options.root)
    if options.json:
        print_json(replayed.wire())
    else:
        _print(replayed.lines(render.look_for(sys.stdout)))
    return OK if replayed.report.reproduced else FAILED


def journal(options: argparse.Namespace) -> int:
    """List the runs that are kept, or remove them."""
    from toolrag import render, replaying

    look = render.look_for(sys.stdout)
    if options.clear:
        removed = replaying.clear(_settings(options))
        print_json(removed) if options.json else _print(replaying.cleared(removed, look))
    else:
        runs = replaying.kept(_settings(options))
        print_json({"runs": runs}) if options.json else _print(replaying.listed(runs, look))
    return OK


def doctor(options: argparse.Namespace) -> int:
    """Report what is set up; 1 when a check is a problem."""
    from toolrag import doctor, render

    settings, problems = _read_settings()
    report = doctor.examine(_root(options), settings, settings_path(), problems)
    if options.json:
        print_json(report.wire())
    else:
        _print(doctor.lines(report, render.look_for(sys.stdout)))
    return OK if report.healthy else FAILED


def settings_path() -> Path | None:
    """The user's settings file; it need not exist. None where nothing says where it would be.

    A relative one would be looked for in the current folder, which may be a stranger's: it counts as none.
    """
    try:
        folder = Path(platformdirs.user_config_dir("toolrag", appauthor=False))
    except RuntimeError:  # no HOME, and a user the system does not know
        return None
    return folder / "config.toml" if folder.is_absolute() else None


def _settings(options: argparse.Namespace) -> Settings:
    settings, problems = _read_settings()
    if problems:
        raise ConfigError(f"{settings_path()}: {' '.join(problems)}")
    if getattr(options, "yes", False):
        return replace(settings, index=replace(settings.index, max_files=sys.maxsize))
    return settings


def _read_settings() -> tuple[Settings, list[str]]:
    from toolrag import app

    given, problems = _given_settings()
    settings, wrong = parse_settings(given)
    return settings, [*problems, *wrong, *app.deny_problems(settings)]


def _given_settings() -> tuple[dict[str, object], list[str]]:
    """The settings file as it is written, and a sentence when it cannot be read."""
    path = settings_path()
    if path is None:
        return {}, []
    try:
        return tomllib.loads(path.read_text("utf-8-sig")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, [f"The settings cannot be read: {error}."]


def _root(options: argparse.Namespace) -> str:
    """The root as given, else the nearest folder with `.git`, else this one. HOME and `/` only as given."""
    if options.root is not None:
        if not options.root:
            raise ConfigError("--root is empty. Name a folder.")
        return str(options.root)
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise ConfigError("The current folder no longer exists. Go to another, or name one with --root.") from None
    root = next((folder for folder in (here, *here.parents) if os.path.exists(folder / ".git")), here)
    if _holds_everything(root):
        raise ConfigError(f"{root} is not taken as a root by itself: it would index everything. Name it with --root.")
    return str(root)


def _holds_everything(root: Path) -> bool:
    """Whether a folder is `/` or HOME, however HOME is spelt."""
    try:
        return root == Path(root.anchor) or root.samefile(Path.home())
    except (OSError, RuntimeError):  # there is no such HOME
        return False


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def print_json(value: object) -> None:
    """A value of the wire, indented, in ASCII."""
    print(json.dumps(value, indent=2))
