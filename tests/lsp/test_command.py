"""`toolrag serve` and its options."""

from __future__ import annotations

import socket
import subprocess

import pytest
from language_server import COMMAND, Shop


def run(shop: Shop, *arguments: str, given: bytes = b"") -> tuple[int, str]:
    command = [str(COMMAND), "serve", *arguments]
    done = subprocess.run(command, input=given, env=shop.environment, capture_output=True, check=False, timeout=60)
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tcp", "7411"], "'7411' is not HOST:PORT, such as 127.0.0.1:7411"),
        (["--ws", "localhost:http"], "'localhost:http' is not HOST:PORT"),
        (["--tcp", "localhost:65536"], "'localhost:65536' is not HOST:PORT"),
        (["--tcp", ":1"], "':1' is not HOST:PORT"),
        (["--tcp"], "expected one argument"),
        (["--tcp", "localhost:0", "--ws", "localhost:0"], "not allowed with argument"),
        (["--root", "."], "nrecognized arguments: --root"),
    ],
)
def test_options_that_are_wrong_end_with_2_and_a_sentence(shop: Shop, arguments: list[str], said: str) -> None:
    code, err = run(shop, *arguments)
    assert code == 2
    assert said in err


@pytest.mark.parametrize("kind", ["--tcp", "--ws"])
def test_an_address_that_cannot_be_listened_on_is_said(shop: Shop, kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, err = run(shop, kind, f"127.0.0.1:{port}")
    assert code == 2
    assert f"127.0.0.1:{port} cannot be listened on" in err
    assert run(shop, kind, "no.such.host.invalid:0")[0] == 2


@pytest.mark.parametrize("arguments", [[], ["--stdio"], ["--stdio", "--clientProcessId=1"]])
def test_without_a_client_the_end_of_stdin_ends_it(shop: Shop, arguments: list[str]) -> None:
    """The options that VS Code's client library adds are understood."""
    assert run(shop, *arguments) == (1, "")
