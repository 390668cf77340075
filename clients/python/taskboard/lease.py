"""The hold of a run on its task."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Callable

from .calls import Retry
from .errors import RunEnded, TaskboardApiError
from .wire import ClaimedTask


class Lease:
    """A run's hold on its task, renewed three times in its length."""

    def __init__(self, client: Any, task: ClaimedTask, lease: float, claimed_at: float, report: Callable[[BaseException], None]) -> None:
        self.signal = threading.Event()
        self.is_held = True
        self.reason = ""
        self._client = client
        self._task = task
        self._lease = lease
        self._ends_at = claimed_at + lease
        self._report = report
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self.held = {"fencing_token": task["fencing_token"], "lease_s": math.ceil(lease)}
        threading.Thread(target=self._beat, name="taskboard-lease", daemon=True).start()

    def left(self) -> float:
        """How long it lasts, by a clock that is never set."""
        return self._ends_at - time.monotonic()

    def write(self, send: Callable[..., Any], *, is_strict: bool = False, is_renewed: bool = True, **fields: Any) -> Any:
        """Sends a write of the run. ``is_strict``: it has conflicts of its own, so only one about the token means loss."""
        if self.left() <= 0:
            self.end("the lease expired without a renewal")
        if not self.is_held:
            raise RunEnded(self.reason)
        started_at = time.monotonic()
        token = self.held if is_renewed else {"fencing_token": self.held["fencing_token"]}
        try:
            answer = send(self._task["id"], **token, **fields)
        except TaskboardApiError as error:
            if is_lost(error, is_strict):
                self.end(f"the task is no longer the run's: {error}")
                raise RunEnded(self.reason) from error
            raise
        with self._lock:
            self._ends_at = max(self._ends_at, started_at + self._lease)
        return answer

    def end(self, reason: str) -> None:
        """The run no longer has the task."""
        with self._lock:
            if not self.is_held:
                return
            self.is_held = False
            self.reason = reason
        self.signal.set()
        self._wake.set()

    def interrupt(self, reason: str) -> None:
        """Sets the signal; the task stays the run's until its outcome is written."""
        self.reason = reason
        self.signal.set()

    def release(self) -> None:
        self.is_held = False
        self._wake.set()

    def check(self) -> None:
        """Asks the board now whether the task is still the run's."""
        self._wake.set()

    def _beat(self) -> None:
        delay = self._lease / 3
        while True:
            self._wake.wait(max(0.0, min(delay, self.left())))
            self._wake.clear()
            if not self.is_held:
                return None
            if self.left() <= 0:
                return self.end("the lease expired without a renewal")
            try:
                once = Retry(attempts=1, deadline=self._lease / 3, attempt_timeout=self._lease / 3)
                self.write(self._client.tasks.heartbeat, retry_policy=once)
                delay = self._lease / 3
            except RunEnded:
                return None
            except Exception as error:  # The lease lasts: the next heartbeat is soon.
                self._report(error)
                delay = self._lease / 24


def is_lost(error: BaseException, is_strict: bool = False) -> bool:
    """Whether an error says that the task is no longer the writer's."""
    if not isinstance(error, TaskboardApiError):
        return False
    return error.status == 404 or (error.status == 409 and (not is_strict or error.field == "fencing_token"))
