"""What the protocol needs of a way to a client; `stdio` and `sockets` have them. Types alone."""

from __future__ import annotations

from typing import Final, Protocol

from toolrag.lsp.framing import Body, Skipped

MAX_PENDING_BYTES: Final = 32 * 1024 * 1024
"""With more than this not yet taken by the client, nothing more is read from it. Far more than pipes hold, so that
a client which writes many requests before it reads an answer is not waited for in turn."""

BUSY_BYTES: Final = 256 * 1024
"""With more than this not yet taken, reports of progress are left out."""

FLUSH_SECONDS: Final = 2.0
"""How long what is still to be sent may take at the end."""


class Connection(Protocol):
    """Messages from and to one client. Belongs to one event loop."""

    @property
    def pending(self) -> int:
        """Bytes that were sent and not yet taken."""
        ...

    async def receive(self) -> Body | Skipped | None:
        """The next message; None when the client has gone. Raises FramingError."""
        ...

    def send(self, body: bytes) -> None:
        """Sends a message. Never waits, never raises: to a client that has gone, nothing is sent."""
        ...

    async def drain(self) -> None:
        """Waits while more than MAX_PENDING_BYTES are pending."""
        ...

    async def close(self) -> None:
        """Sends what is pending, within FLUSH_SECONDS, and lets go."""
        ...
