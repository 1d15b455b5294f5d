"""A long-lived workspace: live buffers, folders that come and go, an index that follows, and every request."""

from toolrag.session.session import Session as Session
from toolrag.session.types import Ask as Ask
from toolrag.session.types import Events as Events
from toolrag.session.types import Folder as Folder
from toolrag.session.types import Watch as Watch
