"""Where a server is reached, and what it is shown for it. A credential never goes over plain http to a public host."""

from __future__ import annotations

import base64
import ipaddress
import os
import urllib.parse
from dataclasses import dataclass, field
from typing import Final

from toolrag.config import OpenAISettings
from toolrag.errors import ModelError

OPENAI: Final = "https://api.openai.com/v1"
_PATH: Final = "/chat/completions"
_PRIVATE_ENDINGS: Final = (".localhost", ".local", ".internal", ".home.arpa")
"""Names that mean nothing outside a network of one's own: RFC 6761, RFC 6762, ICANN's reservation, RFC 8375."""

BAD_ADDRESS: Final = (
    "The address in openai.base_url or OPENAI_BASE_URL is none. "
    "Write http:// or https://, a host and a path, such as http://localhost:11434/v1."
)
BAD_KEY: Final = "The key in openai.api_key or OPENAI_API_KEY is none: it has a blank, or a letter no key has."
NO_KEY: Final = "No key for OpenAI. Set OPENAI_API_KEY or openai.api_key, or another server in openai.base_url."


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server, checked."""

    url: str
    """Where chat completions are posted; without user and password."""
    base: str
    """As the user knows it; without user, password and what follows the path."""
    server: str
    """Host and port, for sentences."""
    is_local: bool
    """On this machine."""
    is_plain: bool
    """Over http."""
    authorization: str = field(repr=False)
    """The header's value; empty for none."""

    @property
    def may_be_proxied(self) -> bool:
        """A proxy's own loopback is another machine, and over plain http it would see the credential."""
        return not self.is_local and not (self.is_plain and self.authorization)


def endpoint(settings: OpenAISettings) -> Endpoint:
    """The server of the settings, or of the environment. Raises ModelError `not_configured`."""
    given = (settings.base_url or os.environ.get("OPENAI_BASE_URL", "") or OPENAI).strip()
    try:
        parts = urllib.parse.urlsplit(given)
        host, port = parts.hostname or "", parts.port
        user, password = parts.username, parts.password
        host.encode("idna")
    except ValueError:  # UnicodeError among them
        raise ModelError("not_configured", BAD_ADDRESS) from None
    if parts.scheme not in ("http", "https") or not host or not given.isprintable() or " " in given:
        raise ModelError("not_configured", BAD_ADDRESS)
    shown = f"[{host}]" if ":" in host else host
    server = shown if port is None else f"{shown}:{port}"
    path = parts.path.rstrip("/").removesuffix(_PATH)
    base = f"{parts.scheme}://{server}{path}"
    authorization = _authorization(settings, user, password)
    if parts.scheme == "http" and authorization and not is_private(host):
        raise ModelError(
            "not_configured",
            f"A key would go to {server} over plain http, where anyone on the way can read it. "
            "Write https:// in openai.base_url, or leave openai.api_key and OPENAI_API_KEY empty.",
        )
    if not authorization and base == OPENAI:
        raise ModelError("not_configured", NO_KEY)
    return Endpoint(
        url=f"{base}{_PATH}{'?' if parts.query else ''}{parts.query}",
        base=base,
        server=server,
        is_local=_is_loopback(host),
        is_plain=parts.scheme == "http",
        authorization=authorization,
    )


def is_private(host: str) -> bool:
    """Whether a host is on this machine or in a network of one's own, by its name or number alone.

    A name is not looked up: what it means can change between two looks.
    """
    address = _address(host)
    if address is None:
        return _is_loopback(host) or host.lower().rstrip(".").endswith(_PRIVATE_ENDINGS)
    return address.is_private or address.is_link_local or address.is_loopback


def _is_loopback(host: str) -> bool:
    address = _address(host)
    name = host.lower().rstrip(".")
    if address is not None:
        return address.is_loopback or address.is_unspecified  # `0.0.0.0`, as servers print where they listen
    return name == "localhost" or name.endswith(".localhost")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _authorization(settings: OpenAISettings, user: str | None, password: str | None) -> str:
    """What the address itself says goes before a key. Raises ModelError for a key that no header can hold."""
    if user is not None:
        pair = f"{urllib.parse.unquote(user)}:{urllib.parse.unquote(password or '')}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"
    key = (settings.api_key or os.environ.get("OPENAI_API_KEY", "")).strip()
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError("not_configured", BAD_KEY)
    return f"Bearer {key}" if key else ""
