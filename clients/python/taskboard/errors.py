"""The errors of the client."""

from __future__ import annotations

from typing import Any, Optional


class TaskboardApiError(Exception):
    """A call that failed. Match on ``code``; the message is for people and never contains the credential."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "NETWORK_ERROR",
        field: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        errors: Any = None,
        data: Any = None,
    ) -> None:
        super().__init__(message)
        #: The HTTP status; 0 when no answer arrived.
        self.status = status
        #: The server's code, or ``NETWORK_ERROR`` and ``TIMEOUT`` without an answer, ``INVALID_ANSWER`` for one that is not from a task
        #: board, such as a redirect, and ``LOGIN_REQUIRED``.
        self.code = code
        #: The invalid field, by its name on the wire.
        self.field = field
        #: Identifies the request in the logs of the host.
        self.request_id = request_id
        #: After how many seconds the server expects the call again.
        self.retry_after = retry_after
        #: Of a GraphQL answer: its errors, and the data of the fields that did not fail.
        self.errors = errors
        self.data = data


class TaskFailure(Exception):
    """Raised by a worker's ``run`` when a retry would fail as well: the task is put on hold as ``failed`` at once."""

    retry = False


class RunEnded(BaseException):
    """Ends a run that no longer has its task, or that waits for people. Not an ``Exception``, so that code which catches those ends."""
