"""The connections of one request, so that another thread can cut them while the request is blocked in them.

Closing a response does not do it: its buffer is locked by who reads. Shutting the socket down wakes the reader,
whatever it waits for (a handshake, the answer's head, the next bytes), and the service sees the end at once. The socket
that is kept is a duplicate: TLS takes the first one over, and HTTP lets go of it when an answer says it is the last.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from typing import Any, cast

from botocore.awsrequest import (
    AWSHTTPConnection,
    AWSHTTPConnectionPool,
    AWSHTTPSConnection,
    AWSHTTPSConnectionPool,
)

log = logging.getLogger(__name__)


class LineCutError(OSError):
    """Nothing may be sent any more."""


class Line:
    """What one request's thread connects, and any thread cuts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._cut = False

    @property
    def is_cut(self) -> bool:
        """Whether whoever asked has gone."""
        return self._cut

    def hold(self, connected: socket.socket) -> None:
        """Takes note of a socket that was just connected. Raises LineCutError when the line is cut already."""
        with self._lock:
            if self._cut:
                connected.close()
                raise LineCutError
            self._sockets.append(connected.dup())

    def cut(self) -> None:
        """Ends every connection at once, and every later one before anything is sent on it."""
        with self._lock:
            self._cut = True
            for held in self._sockets:
                with contextlib.suppress(OSError):  # the other side was first
                    held.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Lets go of the sockets; for the request's own thread, when it is done."""
        with self._lock:
            for held in self._sockets:
                held.close()
            self._sockets.clear()

    def tap(self, client: Any) -> None:
        """Has a client of botocore connect through this line. The client may be used for nothing else."""
        line = self

        # `_new_conn` is where urllib3 connects, before TLS; botocore's own classes are subclassed, not replaced.
        class Connection(AWSHTTPConnection):  # type: ignore[misc]
            def _new_conn(self) -> socket.socket:
                connected = cast("socket.socket", super()._new_conn())
                line.hold(connected)
                return connected

        class SecureConnection(AWSHTTPSConnection):  # type: ignore[misc]
            def _new_conn(self) -> socket.socket:
                connected = cast("socket.socket", super()._new_conn())
                line.hold(connected)
                return connected

        class Pool(AWSHTTPConnectionPool):  # type: ignore[misc]
            ConnectionCls = Connection

        class SecurePool(AWSHTTPSConnectionPool):  # type: ignore[misc]
            ConnectionCls = SecureConnection

        try:
            pools = client._endpoint.http_session._pool_classes_by_scheme
        except AttributeError:
            log.warning("This boto3 hides its connections: a cancelled request goes on until the service's next bytes.")
        else:
            pools.update(http=Pool, https=SecurePool)
