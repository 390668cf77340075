"""Remote agents: claims, heartbeats, fencing, questions and approvals."""

from __future__ import annotations

import json
import math
import random
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Literal, NamedTuple, NoReturn, Optional, Sequence

from .calls import Retry
from .errors import RunEnded, TaskboardApiError, TaskFailure, is_refusal
from .lease import Lease, is_lost
from .realtime import Subscription
from .wire import Agent, ClaimedTask, Comment, DelegateTaskTasksItem, Task, TaskAttempt

if TYPE_CHECKING:
    from .client import Client

#: Messages that say nothing about what can be claimed.
_QUIET = ("task.progress", "task.log", "task.started", "task.commented", "agent.status")
_ONCE = Retry(attempts=1)
_LONGEST_REASON = 2_000
_AGENT_TTL = 60.0


class Claim(NamedTuple):
    """A run's claim on its task, and what is known about the task."""

    #: Grows with each claim of the task. Pass it on to the systems that the agent writes to.
    fencing_token: int
    agent_id: str
    #: 1 for the first attempt since a person created, moved or released the task.
    attempt: int
    earlier_attempts: List[TaskAttempt]
    #: The tasks that this one depends on: ``id``, ``title``, ``result``.
    dependencies: List[Dict[str, Any]]
    #: The newest 100 comments, oldest first.
    comments: List[Comment]
    #: The answer to the last question of an earlier attempt; None without one.
    answer: Optional[Comment]


class TaskContext:
    """What a run can do with its task, by the names of the context in process.

    Every write renews the lease. Once the run has lost its task, ``signal`` is set and each write raises ``RunEnded``, as ``ask`` and
    an undecided ``approval`` do: let it pass.
    """

    def __init__(self, client: Client, agent: Agent, claim: Claim, lease: Lease) -> None:
        #: The client, to read and to change the board.
        self.client = client
        #: The run's agent, as stored.
        self.agent = agent
        self.claim = claim
        #: A ``threading.Event``: set when the run has lost its task, or when the worker stops.
        self.signal = lease.signal
        self._lease = lease

    def progress(self, percent: float) -> None:
        self._lease.write(self.client.tasks.progress, progress=round(percent))

    def log(self, message: str, level: Literal["debug", "info", "warn", "error"] = "info") -> None:
        self._lease.write(self.client.tasks.log, message=message, level=level)

    def output(self, *, type: str, name: str, url: str, size: Optional[int] = None) -> None:
        """A reference to something that the agent made."""
        self._lease.write(self.client.tasks.output, is_strict=True, type=type, name=name, url=url, size=size)

    def usage(
        self,
        *,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cached_input_tokens: Optional[int] = None,
        cost_usd: Optional[float] = None,
    ) -> None:
        """What a language model was asked for. When that spends the last of a budget, the run ends."""
        tokens: Dict[str, Any] = {"input_tokens": input_tokens, "output_tokens": output_tokens}
        more: Dict[str, Any] = {"cached_input_tokens": cached_input_tokens, "cost_usd": cost_usd}
        spent = self._lease.write(self.client.tasks.usage, model=model, **tokens, **more)["spent"]
        if spent is not None:
            self._ended(f"the budget of the {spent} is spent")

    def hold(self, reason: str, message: Optional[str] = None) -> None:
        """Puts the task on hold. A later result or error is ignored."""
        fields: Dict[str, Any] = {} if message is None else {"message": message}
        self._lease.write(self.client.tasks.hold, is_renewed=False, reason=reason, **fields)
        self._lease.end("the task was put on hold")

    def delegate(self, tasks: Sequence[DelegateTaskTasksItem], wait: bool = False) -> List[Task]:
        """Creates subtasks, all or none. With ``wait``, the task waits for them, and the run ends."""
        answer = self._lease.write(self.client.tasks.delegate, is_strict=True, tasks=tasks, wait=wait)
        if wait:
            self._lease.end("the task waits for its parts")
        created: List[Task] = answer["tasks"]
        return created

    def ask(self, question: str) -> NoReturn:
        """Asks people and ends the run. The attempt after the answer finds that as ``claim.answer``."""
        self.hold("needs_input", question)
        raise RunEnded("the task waits for an answer")

    def approval(self, action: str, summary: str, input: Any = None) -> Dict[str, Any]:
        """Asks for permission to do one thing, once: ``decision``, ``comment``, ``approval_id``. Ends the run while nobody has decided."""
        answer = self._lease.write(
            self.client.tasks.approvals.request,
            is_strict=True,
            is_renewed=False,
            action=action,
            summary=summary,
            input=input,
        )
        if answer["outcome"] == "pending":
            self._ended("the task waits for approval")
        approval = answer["approval"]
        return {"decision": answer["outcome"], "comment": approval["comment"], "approval_id": approval["id"]}

    def sleep(self, seconds: float) -> None:
        """Raises ``RunEnded`` when the signal is set."""
        if self.signal.wait(min(seconds, threading.TIMEOUT_MAX)):
            raise RunEnded(self._lease.reason)

    def _ended(self, reason: str) -> NoReturn:
        self._lease.end(reason)
        raise RunEnded(reason)


class _Run(NamedTuple):
    task: ClaimedTask
    lease: Lease
    thread: threading.Thread
    #: Set while the outcome is being written.
    ending: threading.Event


class Worker:
    """Claims the tasks of one agent and runs ``run(task, context)`` on each in a thread of its own, up to ``concurrency`` at once.

    ``lease``: how long a task stays claimed after the last sign of life, in whole seconds. ``poll``: the longest wait between two claims
    while there is nothing to do. ``on_error(error, task_id)``: gets faults of the network and of the server, after which the worker goes
    on, and the refusal that ends it. What it raises is ignored. Threads of the worker call it.
    """

    def __init__(
        self,
        client: Any,
        agent_id: str,
        run: Callable[[ClaimedTask, TaskContext], Any],
        concurrency: int = 1,
        *,
        lease: float = 60.0,
        poll: float = 30.0,
        on_error: Optional[Callable[[BaseException, Optional[str]], None]] = None,
    ) -> None:
        if not agent_id or not callable(run) or not concurrency >= 1:
            raise ValueError("a worker needs an agent_id, a function run, and a concurrency of 1 or more")
        self._client = client
        self._agent_id = agent_id
        self._run = run
        self._concurrency = concurrency
        self._lease = lease
        self._poll = poll
        self._on_error = on_error
        self._lock = threading.Lock()
        self._runs: Dict[str, _Run] = {}
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._drain = 10.0
        self._agent: Optional[Agent] = None
        self._agent_read_at = 0.0
        self._refusal: Optional[BaseException] = None
        self._messages: Optional[Subscription] = None
        #: Whether messages say when there is something to claim.
        self._is_live = False
        self._thread = threading.Thread(target=self._work, name="taskboard-worker", daemon=True)
        self._thread.start()

    def stop(self, drain_timeout: float = 10.0) -> None:
        """Stops claiming, lets runs end, sets their signals, and gives back the tasks of those that have not ended."""
        self._drain = drain_timeout
        self._stopping.set()
        self._wake.set()
        self._thread.join()

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits until it has stopped. Raises the server's refusal of the credential or of the agent."""
        self._thread.join(timeout)
        if self._refusal is not None:
            raise self._refusal

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.stop()

    def _report(self, error: BaseException, task_id: Optional[str] = None) -> None:
        try:
            if self._on_error is not None:
                self._on_error(error, task_id)
        except Exception:  # It must not end a heartbeat, or the worker.
            pass

    def _work(self) -> None:
        empty = faults = 0
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                is_idle = len(self._runs) >= self._concurrency or not self._claim()
                faults = 0
                empty = empty + 1 if is_idle else 0
                if is_idle and not self._stopping.is_set():
                    longest = self._poll if self._is_live else min(self._poll, 2.0 ** min(empty - 1, 16))
                    self._wake.wait(longest * (1 + random.random()) / 2)
            except Exception as error:
                if is_refusal(error):
                    self._refusal = error
                    self._report(error)
                    break
                self._report(error)
                least = getattr(error, "retry_after", None) or 0.0
                wait = max(least, random.random() * min(self._poll, 2.0**faults))
                self._stopping.wait(min(wait, threading.TIMEOUT_MAX))
                faults = min(faults + 1, 16)
        self._stopping.set()
        self._end()
        if self._messages is not None:
            self._messages.close()

    def _claim(self) -> bool:
        agent = self._current_agent()
        if self._messages is None:
            self._messages = self._client.realtime.subscribe(f"workspace.{agent['workspace_id']}", on_state=self._entered)
            threading.Thread(target=self._follow, args=(self._messages,), name="taskboard-realtime", daemon=True).start()
        claimed_at = time.monotonic()
        wanted = {"agent_id": self._agent_id, "lease_s": math.ceil(self._lease)}
        task = self._client.tasks.claim(**wanted, retry_policy=_ONCE)["task"]
        if task is None:
            return False
        lease = Lease(self._client, task, self._lease, claimed_at, lambda error: self._report(error, task["id"]))
        earlier = self._runs.get(task["id"])
        thread = threading.Thread(
            target=self._perform, args=(task, agent, lease, earlier), name=f"taskboard-{task['id']}", daemon=True
        )
        with self._lock:
            self._runs[task["id"]] = _Run(task, lease, thread, threading.Event())
        thread.start()
        return True

    def _entered(self, state: str, _reason: Optional[Exception]) -> None:
        self._is_live = state == "open"

    def _follow(self, messages: Subscription) -> None:
        """Wakes the worker when something may have changed. Where there is no channel, it polls."""
        try:
            for message in messages:
                if message["type"] in _QUIET:
                    continue
                data: Any = message.get("data")
                run = self._runs.get(data["task_id"]) if data is not None else None
                if run is not None:
                    run.lease.check()
                self._wake.set()
        except Exception as error:
            self._report(error)

    def _current_agent(self) -> Agent:
        now = time.monotonic()
        known = self._agent
        if known is not None and now - self._agent_read_at <= _AGENT_TTL:
            return known
        agent: Agent = self._client.agents.get(self._agent_id, retry_policy=_ONCE)
        self._agent, self._agent_read_at = agent, now
        return agent

    def _perform(self, task: ClaimedTask, agent: Agent, lease: Lease, earlier: Optional[_Run]) -> None:
        run = self._runs[task["id"]]
        # The lease of an earlier run has passed, but its code goes on: it must end before the same task begins again here.
        if earlier is not None:
            earlier.thread.join()
        try:
            outcome = self._outcome(task, agent, lease)
            if outcome is not None and lease.is_held:
                run.ending.set()
                self._while_held(lease, task, outcome)
        except BaseException as error:
            self._report(error, task["id"])
        finally:
            lease.release()
            with self._lock:
                if self._runs.get(task["id"]) is run:
                    del self._runs[task["id"]]
            self._wake.set()

    def _outcome(self, task: ClaimedTask, agent: Agent, lease: Lease) -> Optional[Callable[[], Any]]:
        """Runs the agent's code, and returns what writes how it ended."""
        background = self._while_held(lease, task, lambda: self._read_claim(task, agent))
        if background is None:
            return None
        try:
            if lease.signal.is_set():
                raise RunEnded(lease.reason)
            result = to_result(self._run(task, TaskContext(self._client, agent, background, lease)))
            return lambda: self._complete(task, result)
        except BaseException as error:
            thrown = error
        is_final = getattr(thrown, "retry", None) is False
        if lease.signal.is_set() and not is_final:
            # An interrupted attempt does not count.
            return lambda: self._hand_back(task)
        return lambda: self._fail(task, thrown, not is_final)

    def _read_claim(self, task: ClaimedTask, agent: Agent) -> Claim:
        tasks = self._client.tasks
        attempts: List[TaskAttempt] = tasks.attempts(task["id"], retry_policy=_ONCE)["attempts"] if task["fencing_token"] > 1 else []
        dependencies: List[Dict[str, Any]] = []
        for dependency in task["depends_on"]:
            try:
                found = tasks.get(dependency, retry_policy=_ONCE)
                dependencies.append({name: found[name] for name in ("id", "title", "result")})
            except TaskboardApiError as error:
                if error.status != 404:  # It was deleted.
                    raise
        comments = list(tasks.all_comments(task["id"], limit=100, retry_policy=_ONCE))[-100:]
        return Claim(
            task["fencing_token"], agent["id"], task["attempts"], attempts, dependencies, comments, task["answer"]
        )

    def _while_held(self, lease: Lease, task: ClaimedTask, work: Callable[[], Any]) -> Any:
        """Retries after faults while the lease lasts; None when the task was lost."""
        delay = 0.25
        while lease.is_held:
            try:
                return work()
            except Exception as error:
                if is_lost(error):
                    return None
                self._report(error, task["id"])
                if is_refusal(error) or delay > lease.left():
                    return None
                time.sleep(delay)
                delay = min(2 * delay, 5.0)
        return None

    def _complete(self, task: ClaimedTask, result: str) -> None:
        try:
            self._client.tasks.complete(task["id"], fencing_token=task["fencing_token"], result=result, retry_policy=_ONCE)
        except TaskboardApiError as error:
            # The result itself is refused: a retry would return the same.
            if error.status not in (400, 413):
                raise
            self._fail(task, error, False)

    def _fail(self, task: ClaimedTask, thrown: BaseException, retry: bool) -> None:
        reason = (str(thrown) or type(thrown).__name__)[:_LONGEST_REASON].replace("\0", "\ufffd")
        operation = self._client.tasks.fail
        wait = _wait_of(thrown) if retry else {}
        operation(task["id"], fencing_token=task["fencing_token"], reason=reason, retry=retry, **wait, retry_policy=_ONCE)

    def _hand_back(self, task: ClaimedTask) -> None:
        """One write under the token, so that a task that a person has taken meanwhile stays where it is. The attempt does not count."""
        self._client.tasks.release(task["id"], fencing_token=task["fencing_token"], retry_policy=_ONCE)

    def _end(self) -> None:
        runs = list(self._runs.values())
        ends_at = time.monotonic() + self._drain
        for run in runs:
            run.thread.join(min(max(0.0, ends_at - time.monotonic()), threading.TIMEOUT_MAX))
        for run in runs:
            run.lease.interrupt("the worker stops")
        ends_at = time.monotonic() + 0.25
        for run in runs:
            run.thread.join(max(0.0, ends_at - time.monotonic()))
        for run in runs:
            if run.ending.is_set():
                # A task that has just been completed must not go back.
                run.thread.join()
            elif run.lease.is_held:
                run.lease.end("the worker stops")
                try:
                    self._hand_back(run.task)
                except TaskboardApiError as error:
                    self._report(error, run.task["id"])


def _wait_of(thrown: BaseException) -> Dict[str, Any]:
    """How long the agent asks to wait: an error with `retry = "later"`, and `retry_after` in seconds."""
    if getattr(thrown, "retry", None) != "later":
        return {}
    seconds = getattr(thrown, "retry_after", None)
    if not isinstance(seconds, (int, float)) or not seconds >= 0:
        return {"retry_after_s": 60}
    return {"retry_after_s": max(1, math.ceil(min(float(seconds), 3600.0)))}


def to_result(value: Any) -> str:
    """Text as it is, nothing as the empty text, anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TaskFailure(f"the result cannot be written as JSON: {error}") from error
