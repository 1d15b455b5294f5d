"""The command line. Data goes to stdout; progress and what went wrong to stderr.

Exit codes: 0 answered, or done · 2 usage and configuration · 3 nothing found · 4 a read was refused · 5 the model
failed · 1 anything else that is wrong, such as a citation that no longer stands.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

from toolrag import __version__, commands, manual
from toolrag.errors import ConfigError, ReadError
from toolrag.progress import say

_MODEL = """\
extractive (default): no model, nothing is sent. bedrock:ID: a model or inference profile of Amazon Bedrock.
openai:NAME: a model of any server that speaks OpenAI's chat completions (OPENAI_BASE_URL, OPENAI_API_KEY)
"""

_EXAMPLES = """\
examples:
  toolrag ask 'where are retries configured?'
  toolrag ask --root ~/src/flask 'what happens when a view returns None?'
  toolrag search 'session cookie' -n 5
  toolrag read src/app.py 10 24
  toolrag verify docs/*.md whether what they cite still stands
  toolrag replay last      whether the latest answer comes out again
  toolrag index            what is indexed, what is not, and why
  toolrag doctor           what is set up, and what to do about the rest

An answer's every claim cites lines that were just read: path:12-18@ and the beginning of their SHA-256.
Settings: {settings}
"""


def run() -> NoReturn:
    """The console script."""
    # The collector looks for cycles after each 700 new objects; a command makes a million that all stay, and none of
    # its own makes cycles: looking took a tenth of a warm answer's time.
    gc.set_threshold(100_000, 50, 100)
    _fill_closed_streams()
    try:
        code = _ended(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130  # 128 + SIGINT, as shells have it
    except BrokenPipeError:
        # The reader, such as `head`, has gone; nothing more can be said to it.
        code = commands.OK
        _give_up(1)
    except OSError as error:
        say(f"The output could not be written ({error.strerror}).")
        code = commands.FAILED
        _give_up(1)
    try:
        sys.stderr.flush()
    except OSError:
        _give_up(2)
    # Everything is written and closed. Taking the interpreter down object by object takes another tenth.
    os._exit(code)


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
        say(str(error))
        return commands.USAGE
    except ReadError as error:
        if options.json:
            commands.print_json(error.wire())
        say(f"{error.code}: {error.message}")
        return commands.READ_REFUSED
    except sqlite3.Error as error:
        say(f"The index could not be used ({error}). If this goes on, remove its folder: `toolrag doctor` names it.")
        return commands.FAILED
    except BrokenPipeError:
        raise
    except OSError as error:
        name = f", {error.filename}" if error.filename else ""
        say(f"The system refused what was needed ({error.strerror}{name}).")
        return commands.FAILED
    except MemoryError:
        say("There is not enough memory.")
        return commands.FAILED


def _ended(arguments: Sequence[str]) -> int:
    """The exit code of one command, or the one argparse leaves with after `--help`, `--version` and wrong usage."""
    try:
        return main(arguments)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else commands.OK


def _fill_closed_streams() -> None:
    """Put something where a standard stream was closed (`>&-`), before a file or a pipe gets its number.

    What goes to stderr is lost then, as was asked. What goes to stdout fails when it is written: nobody gets it.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _give_up(number: int) -> None:
    """Send nowhere what a standard stream still holds, so that the interpreter does not fail on it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toolrag",
        description="Ask about code, and get answers in which every claim cites lines that were just read and checked.",
        epilog=_EXAMPLES.format(settings=commands.settings_path() or "none, since there is no home folder"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"toolrag {__version__}")
    added = parser.add_subparsers(metavar="command", required=True, parser_class=_Parser)

    ask = _command(added, "ask", commands.ask, "answer a question about the code, with citations")
    ask.add_argument("question", help="in your words, or the code's; quote it with '…' so the shell leaves it alone")
    ask.add_argument("--model", metavar="M", help=_MODEL)
    ask.add_argument("--no-wait", action="store_true", help="answer from the index as it is, without refreshing it")

    search = _command(added, "search", commands.search, "list the places that fit a question or a name")
    search.add_argument("query", help="a name, or words from the code")
    search.add_argument("-n", type=_positive, default=10, metavar="N", help="how many places (default 10)")

    read = _command(
        added,
        "read",
        commands.read,
        "print lines of a file, exactly; --json adds their shas",
    )
    read.add_argument("path", help="relative to the root, or absolute inside it")
    read.add_argument("start", type=_integer, help="first line, counted from 1")
    read.add_argument("end", type=_integer, nargs="?", help="last line, included (default: the first alone)")
    read.add_argument("--sha", metavar="SHA", help="git blob SHA-1 the file must have; refused as stale_blob otherwise")

    index = _command(
        added, "index", commands.index, "build or refresh the index, and report what is in it and what is not"
    )
    for indexing in (ask, search, index):
        indexing.add_argument("--yes", action="store_true", help="index however many files there are")
    verify = _command(
        added,
        "verify",
        commands.verify,
        "re-check every citation in Markdown or saved answers, and say how it stands",
        manual.VERIFY,
    )
    verify.add_argument(
        "files", nargs="+", metavar="FILE", help="any text, or an answer as JSON; - for what is piped in"
    )
    verify.add_argument(
        "--fix", action="store_true", help="write moved citations anew in their files, and nothing else"
    )
    verify.add_argument("--allow-moved", action="store_true", help="a moved citation is no failure")
    replay = _bare(
        added, "replay", commands.replay, "run a kept run again, and say whether it comes out", manual.REPLAY
    )
    replay.add_argument("run", metavar="RUN", help="its id, the beginning of one, or last")
    replay.add_argument(
        "--verify", action="store_true", help="also say how its citations stand in the files as they are"
    )
    replay.add_argument("--root", metavar="DIR", help="the folder for --verify (default: the one that was asked about)")
    journal = _bare(added, "journal", commands.journal, "list the runs that are kept, or remove them", manual.JOURNAL)
    journal.add_argument("--clear", action="store_true", help="remove them all, without asking")
    _add_serve(added)
    _command(added, "doctor", commands.doctor, "say what is set up, what is not, and the one thing to do about each")
    return parser


def _command(
    added: argparse._SubParsersAction[_Parser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
    more: str = "",
) -> argparse.ArgumentParser:
    """One that looks in a folder; `more` stands below the options, as it is written."""
    parser = _bare(added, name, run, text, more)
    parser.add_argument(
        "--root", metavar="DIR", help="the folder to look in (default: the nearest one with .git, else this)"
    )
    return parser


def _bare(
    added: argparse._SubParsersAction[_Parser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
    more: str = "",
) -> argparse.ArgumentParser:
    parser = added.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=more or None,
        formatter_class=argparse.RawDescriptionHelpFormatter if more else argparse.HelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(command=run)
    parser.add_argument("--json", action="store_true", help="print JSON, in the shapes of server/PROTOCOL.md")
    return parser


def _add_serve(added: argparse._SubParsersAction[_Parser]) -> None:
    text = "serve an editor: the language server"
    parser = added.add_parser("serve", help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
    parser.set_defaults(command=commands.serve, json=False)
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--stdio", dest="address", action="store_const", const=None, help="over stdin and stdout (default)"
    )
    for kind, name in (("tcp", "TCP"), ("ws", "a web socket")):
        way.add_argument(
            f"--{kind}",
            dest="address",
            metavar="HOST:PORT",
            type=partial(_address, kind),
            help=f"for the first client over {name}, such as 127.0.0.1:7411; port 0 takes one that is free",
        )
    # What VS Code's client library adds; the connection and `initialize` say the same.
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)


def _address(kind: str, text: str) -> tuple[str, str, int]:
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not port.isascii() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:7411")
    return kind, host, int(port)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and where help is."""

    def error(self, message: str) -> NoReturn:
        """Prints the sentence; exit code 2."""
        say(f"{message[0].upper()}{message[1:]}. See `{self.prog} --help`.")
        sys.exit(commands.USAGE)


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
