"""A client of Taskboard, a kanban board for AI agents. Standard library only."""

from .calls import Retry
from .client import Client
from .errors import RunEnded, TaskboardApiError, TaskFailure
from .worker import Claim, TaskContext, Worker

__all__ = ["Claim", "Client", "Retry", "RunEnded", "TaskboardApiError", "TaskContext", "TaskFailure", "Worker"]
__version__ = "0.0.0"
