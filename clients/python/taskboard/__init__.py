"""A client of Taskboard, a kanban board for AI agents. Standard library only."""

from .async_client import AsyncClient, AsyncRealtime, AsyncSubscription
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
    RealtimeError,
    RunEnded,
    ServerError,
    TaskboardApiError,
    TaskFailure,
)
from .realtime import Realtime, RealtimeTimings, Subscription
from .version import __version__
from .worker import Claim, TaskContext, Worker

__all__ = [
    "AsyncClient",
    "AsyncRealtime",
    "AsyncSubscription",
    "AuthenticationError",
    "AuthorizationError",
    "Claim",
    "Client",
    "ConflictError",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "RateLimitError",
    "Realtime",
    "RealtimeError",
    "RealtimeTimings",
    "Retry",
    "RunEnded",
    "ServerError",
    "Subscription",
    "TaskboardApiError",
    "TaskContext",
    "TaskFailure",
    "Worker",
    "__version__",
]
