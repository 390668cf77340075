"""A client of Taskboard, a kanban board for AI agents. Standard library only."""

from .calls import Retry
from .client import Client
from .errors import (
    AuthenticationError,
    AuthorizationError,
    ConflictError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    RateLimitError,
    RunEnded,
    ServerError,
    TaskboardApiError,
    TaskFailure,
)
from .version import __version__
from .worker import Claim, TaskContext, Worker

__all__ = [
    "AuthenticationError",
    "AuthorizationError",
    "Claim",
    "Client",
    "ConflictError",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "RateLimitError",
    "Retry",
    "RunEnded",
    "ServerError",
    "TaskboardApiError",
    "TaskContext",
    "TaskFailure",
    "Worker",
    "__version__",
]
