"""The command line. Data goes to stdout; progress and what went wrong to stderr.

Exit codes: 0 answered, or done · 2 usage and configuration · 3 nothing found · 4 a read was refused · 5 the model
failed · 1 anything else that is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sqlite3
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import platformdirs

from toolrag import __version__
from toolrag.answer.prose import visible
from toolrag.config import Settings, parse_settings
from toolrag.errors import ConfigError, ReadError

OK, FAILED, USAGE, NOT_FOUND, READ_REFUSED, MODEL_FAILED = 0, 1, 2, 3, 4, 5
MANY_FILES = 500
"""From here a run without a terminal says that it is indexing."""

_EXAMPLES = """\
examples:
  toolrag ask 'where are retries configured?'
  toolrag ask --root ~/src/flask 'what happens when a view returns None?'
  toolrag search 'session cookie' -n 5
  toolrag read src/app.py 10 24
  toolrag index            what is indexed, what is not, and why
  toolrag doctor           what is set up, and what to do about the rest

An answer's every claim cites lines that were just read: path:12-18@ and the beginning of their SHA-256.
Settings: {settings}
"""


def run() -> NoReturn:
    """The console script."""
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130  # 128 + SIGINT, as shells have it
    except BrokenPipeError:
        # The reader, such as `head`, has gone; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    logging.basicConfig(level=logging.WARNING, format="toolrag: %(message)s", stream=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except ConfigError as error:
        _say(str(error))
        return USAGE
    except ReadError as error:
        if options.json:
            _print_json(error.wire())
        _say(f"{error.code}: {error.message}")
        return READ_REFUSED
    except sqlite3.Error as error:
        _say(f"The index could not be used ({error}). If this goes on, remove its folder: `toolrag doctor` names it.")
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toolrag",
        description="Ask about code, and get answers in which every claim cites lines that were just read and checked.",
        epilog=_EXAMPLES.format(settings=settings_path()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"toolrag {__version__}")
    commands = parser.add_subparsers(metavar="command", required=True, parser_class=_Parser)

    ask = _command(commands, "ask", _ask, "answer a question about the code, with citations")
    ask.add_argument("question", help="in your words, or the code's; quote it with '…' so the shell leaves it alone")
    ask.add_argument("--model", default="extractive", metavar="M", help="extractive (default): no model, nothing sent")
    ask.add_argument("--no-wait", action="store_true", help="answer from the index as it is, without refreshing it")

    search = _command(commands, "search", _search, "list the places that fit a question or a name")
    search.add_argument("query", help="a name, or words from the code")
    search.add_argument("-n", type=_positive, default=10, metavar="N", help="how many places (default 10)")

    read = _command(commands, "read", _read, "print lines of a file, with the shas they can be checked by")
    read.add_argument("path", help="relative to the root, or absolute inside it")
    read.add_argument("start", type=_integer, help="first line, counted from 1")
    read.add_argument("end", type=_integer, help="last line, included")
    read.add_argument("--sha", metavar="SHA", help="git blob SHA-1 the file must have; refused as stale_blob otherwise")

    _command(commands, "index", _index, "build or refresh the index, and report what is in it and what is not")
    _command(commands, "doctor", _doctor, "say what is set up, what is not, and the one thing to do about each")
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser], name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
    parser.set_defaults(command=run)
    parser.add_argument(
        "--root", metavar="DIR", help="the folder to look in (default: the nearest one with .git, else this)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, in the shapes of server/PROTOCOL.md")
    return parser


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and where help is."""

    def error(self, message: str) -> NoReturn:
        """Prints the sentence; exit code 2."""
        _say(f"{message[0].upper()}{message[1:]}. See `{self.prog} --help`.")
        sys.exit(USAGE)


def _ask(options: argparse.Namespace) -> int:
    from toolrag import app, render
    from toolrag.answer import wire

    if not options.question.strip():
        raise ConfigError("The question is empty. Ask something, such as: toolrag ask 'where are retries configured?'")
    if options.model != "extractive":
        raise ConfigError(
            f"{options.model!r} is not a model this version can use. Leave --model out, or say extractive."
        )

    async def ask() -> int:
        with app.open_place(_root(options), _settings()) as place, _Bar(options) as bar:
            async with app.open_workspace(place, refresh=not options.no_wait, progress=bar.update) as workspace:
                bar.close()
                answer = await workspace.extractive().answer(options.question)
        if options.json:
            _print_json(wire.answer(answer))
        else:
            _print(render.answer(answer, render.look_for(sys.stdout)))
        return NOT_FOUND if answer.outcome == "notFound" else OK

    return asyncio.run(ask())


def _search(options: argparse.Namespace) -> int:
    from toolrag import app, render
    from toolrag.answer import wire
    from toolrag.ports import Scope

    if not options.query.strip():
        raise ConfigError("The query is empty. Give a name, or words from the code.")

    async def search() -> int:
        with app.open_place(_root(options), _settings()) as place, _Bar(options) as bar:
            async with app.open_workspace(place, refresh=True, progress=bar.update) as workspace:
                bar.close()
                result = await workspace.retriever.search(options.query, options.n, Scope())
        if options.json:
            _print_json(wire.search_result(result))
        else:
            _print(render.candidates(result, render.look_for(sys.stdout)))
        return OK if result.candidates else NOT_FOUND

    return asyncio.run(search())


def _read(options: argparse.Namespace) -> int:
    from toolrag import app, render

    with app.open_place(_root(options), _settings()) as place:
        try:
            result = asyncio.run(app.read_range(place, options.path, options.start, options.end, options.sha))
        except ReadError as error:
            # A path typed in a folder below the root is often meant from there. The fence judges that spelling too.
            if error.code != "not_found" or Path(options.path).is_absolute() or options.root is not None:
                raise
            here = str(Path.cwd() / options.path)
            try:
                result = asyncio.run(app.read_range(place, here, options.start, options.end, options.sha))
            except ReadError:
                raise error from None
    if options.json:
        _print_json(result.wire())
    elif sys.stdout.isatty():
        _print(render.lines_read(result, render.look_for(sys.stdout)))
    else:
        # Into a pipe or a file go the lines themselves, to be compared or used.
        sys.stdout.flush()
        sys.stdout.buffer.write(result.text.encode("utf-8", "surrogatepass"))
    return OK


def _index(options: argparse.Namespace) -> int:
    from toolrag import app, render

    async def index() -> dict[str, object]:
        began = time.monotonic()
        with app.open_place(_root(options), _settings()) as place, _Bar(options) as bar:
            async with app.open_workspace(place, refresh=True, progress=bar.update) as workspace:
                coverage = workspace.coverage
                assert coverage is not None
                return {
                    "files": coverage.files,
                    "languages": coverage.languages,
                    "skipped": coverage.skipped,
                    "spans": workspace.n_spans,
                    "parsed": coverage.parsed,
                    "seconds": round(time.monotonic() - began, 3),
                    "dense": {"engine": workspace.engine},
                    "problems": list(coverage.problems),
                }

    report = asyncio.run(index())
    if options.json:
        _print_json(report)
    else:
        _print(render.coverage(report, render.look_for(sys.stdout)))
    return OK


def _doctor(options: argparse.Namespace) -> int:
    from toolrag import doctor, render

    settings, problems = _read_settings()
    report = doctor.examine(_root(options), settings, settings_path(), problems)
    if options.json:
        _print_json(report.wire())
    else:
        _print(doctor.lines(report, render.look_for(sys.stdout)))
    return OK if report.healthy else FAILED


def settings_path() -> Path:
    """The user's settings file; it need not exist."""
    return Path(platformdirs.user_config_dir("toolrag", appauthor=False)) / "config.toml"


def _settings() -> Settings:
    settings, problems = _read_settings()
    if problems:
        raise ConfigError(f"{settings_path()}: {' '.join(problems)}")
    return settings


def _read_settings() -> tuple[Settings, list[str]]:
    path = settings_path()
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Settings(), []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Settings(), [f"The settings cannot be read: {error}."]
    return parse_settings(given)


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
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    if root in (Path(root.anchor), Path.home()):
        raise ConfigError(f"{root} is not taken as a root by itself: it would index everything. Name it with --root.")
    return str(root)


class _Bar:
    """A progress bar on a terminal; elsewhere one sentence when there is much to do."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._quiet = not sys.stderr.isatty()
        self._said = False
        self._bar: object = None
        self._name = options.root or "."

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, done: int, total: int) -> None:
        """Called by the indexer."""
        if self._quiet:
            if total >= MANY_FILES and not self._said:
                self._said = True
                _say(f"Indexing {total:,} files; the next run reads only what changed.")
            return
        from tqdm import tqdm

        if self._bar is None and done < total:
            self._bar = tqdm(total=total, unit=" files", desc="Indexing", leave=False, file=sys.stderr)
        if isinstance(self._bar, tqdm):
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Takes the bar off the screen."""
        close = getattr(self._bar, "close", None)
        if close is not None:
            close()
        self._bar = None


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a line number") from None


def _positive(text: str) -> int:
    if (number := _integer_or_none(text)) is not None and number > 0:
        return number
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")


def _integer_or_none(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2))


def _say(sentence: str) -> None:
    print(f"toolrag: {visible(sentence)}", file=sys.stderr)
