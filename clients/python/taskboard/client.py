"""The client of one task board."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from .binding import bind
from .calls import Caller, Request, Retry, graphql_error
from .credentials import Credential, Session, TokenFunction
from .methods import Methods
from .operation import Operation
from .realtime import Realtime, RealtimeTimings
from .wire import ClaimedTask
from .worker import TaskContext, Worker


class Client(Methods):
    """A client of the task board at ``base_url``. It opens nothing until the first call. Threads can share it.

    A method takes the ids of its path, then the fields of its body or query by name, and returns what the server answers, with the
    names of the wire: ``client.tasks.update(task_id, title="Plan")``. Write a field that is a word of Python with an underscore:
    ``client.analytics.tasks(from_="2026-11-01")``. Each takes ``idempotency_key`` and ``retry_policy``, too.

    Pass one of ``key``, ``login=(email, password)`` or ``login=(email, password, mfa_code)``, and ``token``, which is called with the token
    that the server rejected, or None. ``paths`` is where the host has the routes below ``base_url``: ``board`` (``/api/board``),
    ``webhooks`` (``/api/webhooks/create``) and ``v2`` (``/v2``).

    An id can be passed by its name, too: ``client.tasks.get(task_id="task_…")``. A ``datetime`` with a time zone is a time.

    A call that fails raises ``TaskboardApiError``, as the subclass of its status. A ``base_url`` that is no address of a server is a ``ValueError``.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: Optional[str] = None,
        login: Optional[Tuple[str, ...]] = None,
        token: Optional[Callable[[Optional[str]], str]] = None,
        retry: Retry = Retry(),
        paths: Optional[Mapping[str, str]] = None,
        realtime: RealtimeTimings = RealtimeTimings(),
    ) -> None:
        if sum(given is not None for given in (key, login, token)) > 1:
            raise TypeError("pass one of key, login and token")
        self._credential = Credential(key)
        if token is not None:
            self._credential = TokenFunction(token)
        elif login is not None:
            public = Caller(base_url, Credential(None), retry, paths)

            def send(path: str, body: Dict[str, Any]) -> Dict[str, Any]:
                answer: Dict[str, Any] = public.send(Request("POST", path, body, None, "mfa_code" not in body, True))
                return answer

            self._credential = Session(login, send)
        self._caller = Caller(base_url, self._credential, retry, paths)
        #: The realtime channel: ``client.realtime.subscribe("tasks")``.
        self.realtime = Realtime(self._caller, realtime)
        bind(self, self._method)
        self._send_logout = self.auth.logout
        setattr(self.auth, "logout", self._logout)

    def graphql(
        self,
        query: str,
        variables: Optional[Mapping[str, Any]] = None,
        *,
        idempotency_key: Optional[str] = None,
        retry_policy: Optional[Retry] = None,
    ) -> Any:
        """Sends one document and returns its data. One with a mutation is repeated only with an ``idempotency_key``.

        Raises ``TaskboardApiError`` with ``errors`` and ``data`` when the answer has errors.
        """
        is_repeatable = idempotency_key is not None or re.search(r"\bmutation\b", query) is None
        body = {"query": query, "variables": variables or {}}
        answer = self._caller.send(Request("POST", "/v2/graphql", body, idempotency_key, is_repeatable), retry_policy)
        errors = answer.get("errors")
        if errors:
            raise graphql_error("POST /v2/graphql", 200, errors, answer.get("data"))
        return answer["data"]

    def worker(
        self,
        agent_id: str,
        run: Callable[[ClaimedTask, TaskContext], Any],
        concurrency: int = 1,
        *,
        lease: float = 60.0,
        poll: float = 30.0,
        on_error: Optional[Callable[[BaseException, Optional[str]], None]] = None,
    ) -> Worker:
        """Works the tasks of a stored agent in threads of this process, from now on. See ``Worker``."""
        return Worker(self, agent_id, run, concurrency, lease=lease, poll=poll, on_error=on_error)

    def close(self) -> None:
        """Ends the subscriptions of the client."""
        self.realtime.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def _method(self, _name: str, operation: Operation) -> Callable[..., Any]:
        def method(
            *ids: str, idempotency_key: Optional[str] = None, retry_policy: Optional[Retry] = None, **fields: Any
        ) -> Any:
            return self._caller.call(operation, ids, _wire_names(fields), idempotency_key, retry_policy)

        def read(*ids: str, retry_policy: Optional[Retry] = None, **fields: Any) -> Iterator[Any]:
            for entries in self.pages(operation, ids, fields, retry_policy):
                yield from entries

        if operation.is_paged:
            return read
        return method

    def pages(
        self, operation: Operation, ids: Tuple[str, ...], fields: Mapping[str, Any], retry: Optional[Retry]
    ) -> Iterator[List[Any]]:
        """The entries of each page: asks for the next one when the loop gets there."""
        query = _wire_names(fields)
        while True:
            page = self._caller.call(operation, ids, query, None, retry)
            yield _entries_of(page)
            if page.get("next_cursor") is None:
                return
            query["cursor"] = page["next_cursor"]

    def _logout(
        self,
        refresh_token: Optional[str] = None,
        *,
        idempotency_key: Optional[str] = None,
        retry_policy: Optional[Retry] = None,
    ) -> None:
        """Ends the session of a refresh token. Without one: that of the client, which logs in again for the next call."""
        token = refresh_token or self._credential.end()
        if token is not None:
            self._send_logout(refresh_token=token, idempotency_key=idempotency_key, retry_policy=retry_policy)
        elif not isinstance(self._credential, Session):
            # The session of the access token.
            self._caller.send(Request("POST", "/v2/auth/logout", None, idempotency_key, is_repeatable=True), retry_policy)


def _entries_of(page: Dict[str, Any]) -> List[Any]:
    name = next(name for name, value in page.items() if isinstance(value, list))
    entries: List[Any] = page[name]
    return entries


def _wire_names(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name.rstrip("_"): value for name, value in fields.items()}
