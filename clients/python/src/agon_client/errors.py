"""What can go wrong. Every error has a stable code for programs, a message, and a remedy for people."""

from __future__ import annotations


class AgonError(Exception):
    """The base of all errors of this package."""

    def __init__(
        self,
        code: str,
        message: str,
        remedy: str = "",
        *,
        status: int | None = None,
        kept: str | None = None,
        debate: str | None = None,
    ) -> None:
        super().__init__(f"{message} ({code})" + (f"; {remedy}" if remedy else ""))
        self.code = code
        """A word for programs. Those of the server are listed in its documentation."""
        self.message = message
        """What happened."""
        self.remedy = remedy
        """What to do; empty if nothing can be done."""
        self.status = status
        """The HTTP status, if the server answered."""
        self.kept = kept
        """Path of a rejected text on the server's machine."""
        self.debate = debate
        """The debate, if the error is about one that was started."""


class RefusedError(AgonError):
    """The server answered, and refused the request."""


class UnreachableError(AgonError):
    """No usable answer came; code ``unreachable``. A request that changes something may have taken effect."""


class StoppedError(AgonError):
    """The debate stopped before its end. ``resume`` continues it after the cause is removed."""


class DebateTimeoutError(AgonError):
    """The debate did not end in the given time; code ``timeout``. It continues on the server."""
