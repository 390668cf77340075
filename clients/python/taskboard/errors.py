"""The errors of the client."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class TaskboardApiError(Exception):
    """A call that failed, as the subclass of its status. The message is for people and never contains the credential."""

    def __new__(cls, message: str, *_args: Any, status: int = 0, **_fields: Any) -> TaskboardApiError:
        kind: Type[TaskboardApiError] = cls
        if kind is TaskboardApiError and status >= 500:
            kind = ServerError
        elif kind is TaskboardApiError:
            kind = _CLASSES.get(status, kind)
        return Exception.__new__(kind)

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


class NetworkError(TaskboardApiError):
    """No answer arrived: ``NETWORK_ERROR`` or ``TIMEOUT``."""


class InvalidRequestError(TaskboardApiError):
    """400, 413 and 415: another try would fail as well. ``field`` is the first invalid one."""


class AuthenticationError(TaskboardApiError):
    """401: no valid credential."""


class AuthorizationError(TaskboardApiError):
    """403: the credential does not have the scope."""


class NotFoundError(TaskboardApiError):
    """404: there is none, or it is out of reach."""


class ConflictError(TaskboardApiError):
    """409: the state does not allow it."""


class RateLimitError(TaskboardApiError):
    """429: ``retry_after`` says when to come again."""


class ServerError(TaskboardApiError):
    """500 and above."""


class RealtimeError(TaskboardApiError):
    """Why a subscription ended, or why a connection was lost. Its ``code`` is the server's, or ``CLOSED``."""

    def __init__(
        self, message: str, *, close_code: Optional[int] = None, channel: Optional[str] = None, **fields: Any
    ) -> None:
        super().__init__(message, **fields)
        #: The code of the close frame; 1006 without one, None when the connection stays.
        self.close_code = close_code
        #: The channel that was refused; None when it is the connection.
        self.channel = channel


def is_refusal(error: BaseException) -> bool:
    """Refused for good: what is wrong with the caller stays wrong."""
    return isinstance(error, TaskboardApiError) and 400 <= error.status < 500 and error.status not in (408, 409, 429)


_CLASSES: Dict[int, Type[TaskboardApiError]] = {
    0: NetworkError,
    400: InvalidRequestError,
    401: AuthenticationError,
    403: AuthorizationError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    429: RateLimitError,
}


class TaskFailure(Exception):
    """Raised by a worker's ``run`` when a retry would fail as well: the task is put on hold as ``failed`` at once."""

    retry = False


class RunEnded(BaseException):
    """Ends a run that no longer has its task, or that waits for people. Not an ``Exception``, so that code which catches those ends."""
