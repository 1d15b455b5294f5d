"""Where a server is reached, and that a credential never goes over plain http to a public host."""

from __future__ import annotations

import os
from collections.abc import Iterator
from unittest import mock

import pytest
from toolrag.adapters.openai_chat.endpoint import Endpoint, endpoint, is_private
from toolrag.config import OpenAISettings
from toolrag.errors import ModelError

KEY = "sk-example-0123456789"


@pytest.fixture(autouse=True)
def _plain_environment() -> Iterator[None]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    with mock.patch.dict(os.environ, kept, clear=True):
        yield


def at(base_url: str, key: str = "") -> Endpoint:
    return endpoint(OpenAISettings(base_url=base_url, api_key=key))


def refused(base_url: str, key: str = "") -> str:
    with pytest.raises(ModelError) as error:
        at(base_url, key)
    assert error.value.code == "not_configured"
    assert KEY not in error.value.message
    assert error.value.__cause__ is None
    return error.value.message


@pytest.mark.parametrize(
    ("given", "url", "server"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions", "localhost:11434"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions", "localhost:11434"),
        (" https://Example.COM/v1 ", "https://example.com/v1/chat/completions", "example.com"),
        ("https://example.com", "https://example.com/chat/completions", "example.com"),
        ("https://a.com/v1/chat/completions", "https://a.com/v1/chat/completions", "a.com"),
        ("https://a.com/v1?api-version=2", "https://a.com/v1/chat/completions?api-version=2", "a.com"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions", "[::1]:8080"),
        ("https://me:s3cr3t@a.com/v1", "https://a.com/v1/chat/completions", "a.com"),
    ],
)
def test_an_address_becomes_where_completions_are_posted(given: str, url: str, server: str) -> None:
    found = at(given, KEY)

    assert (found.url, found.server) == (url, server)
    assert "s3cr3t" not in repr(found)
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    "given",
    [
        "localhost:11434",
        "ftp://a.com",
        "http://",
        "http:///v1",
        "http://a b/",
        "http://a.com:port/",
        "http://[1/",
        "/v1",
    ],
)
def test_what_is_no_address_is_said_to_be_none(given: str) -> None:
    assert "openai.base_url" in refused(given, KEY)


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("ai.localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("0.0.0.0", True),
        ("10.1.2.3", True),
        ("172.16.0.1", True),
        ("192.168.1.7", True),
        ("169.254.1.1", True),
        ("fd00::1", True),
        ("fe80::1", True),
        ("::ffff:192.168.1.7", True),
        ("box.local", True),
        ("host.docker.internal", True),
        ("box.home.arpa", True),
        ("api.openai.com", False),
        ("localhost.example.com", False),
        ("127.0.0.1.nip.io", False),
        ("8.8.8.8", False),
        ("172.32.0.1", False),
        ("::ffff:8.8.8.8", False),
        ("2001:4860:4860::8888", False),
        ("2130706433", False),
        ("0x7f.1", False),
        ("box", False),
        ("local", False),
    ],
)
def test_a_host_is_private_by_its_name_or_number_alone(host: str, private: bool) -> None:
    assert is_private(host) is private
    url = f"http://[{host}]:8000/v1" if ":" in host else f"http://{host}:8000/v1"
    if private:
        assert at(url, KEY).authorization == f"Bearer {KEY}"
    else:
        assert "over plain http" in refused(url, KEY)
        assert "over plain http" in refused(url.replace("//", "//me:s3cr3t@"))
    assert at(url).authorization == ""
    assert at(url.replace("http:", "https:"), KEY).authorization == f"Bearer {KEY}"


def test_openai_itself_wants_a_key() -> None:
    assert "OPENAI_API_KEY" in refused("")
    assert at("", KEY).base == "https://api.openai.com/v1"


def test_the_environment_is_asked_where_the_settings_are_empty() -> None:
    with mock.patch.dict(os.environ, {"OPENAI_BASE_URL": "https://a.com/v1", "OPENAI_API_KEY": KEY}):
        assert (at("").base, at("").authorization) == ("https://a.com/v1", f"Bearer {KEY}")
        assert (at("https://b.com", "sk-b").base, at("https://b.com", "sk-b").authorization) == (
            "https://b.com",
            "Bearer sk-b",
        )


def test_a_key_of_the_environment_is_kept_from_plain_http_too() -> None:
    with mock.patch.dict(os.environ, {"OPENAI_API_KEY": KEY}):
        assert "over plain http" in refused("http://example.com/v1")


def test_a_user_in_the_address_goes_before_the_key() -> None:
    assert at("https://me:p%40ss@a.com/v1", KEY).authorization == "Basic bWU6cEBzcw=="


@pytest.mark.parametrize("key", ["sk a", "sk-\n\nx: y", "schlüssel", "sk-\x00"])
def test_a_key_that_no_header_can_hold_is_none(key: str) -> None:
    with pytest.raises(ModelError) as error:
        at("https://a.com/v1", key)
    assert "openai.api_key" in error.value.message
    assert key not in error.value.message


@pytest.mark.parametrize(
    ("given", "key", "may"),
    [
        pytest.param("http://localhost:1/v1", "", False, id="a proxy's own localhost is another"),
        pytest.param("https://127.0.0.1:1/v1", KEY, False, id="https on this machine"),
        pytest.param("http://192.168.1.7/v1", KEY, False, id="a key over plain http"),
        pytest.param("http://192.168.1.7/v1", "", True, id="no key"),
        pytest.param("https://a.com/v1", KEY, True, id="https"),
    ],
)
def test_a_proxy_is_used_where_it_sees_no_credential(given: str, key: str, may: bool) -> None:
    assert at(given, key).may_be_proxied is may
