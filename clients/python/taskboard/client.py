"""The client of one task board."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator, Optional, Tuple

from .calls import Caller, Retry
from .credentials import Credential, Session, TokenFunction
from .errors import TaskboardApiError
from .operations import OPERATIONS, Operation
from .worker import Worker


class Group:
    """Methods by name: ``client.tasks``, ``client.account.mfa``."""


class Client:
    """A client of the task board at ``base_url``. It opens nothing until the first call. Threads can share it.

    A method takes the ids of its path, then the fields of its body or query by name, and returns what the server answers, with the
    names of the wire: ``client.tasks.update(task_id, title="Plan")``. Write a field that is a word of Python with an underscore:
    ``client.analytics.tasks(from_="2026-11-01")``. Each takes ``idempotency_key`` and ``retry_policy``, too.

    Pass one of ``key``, ``login=(email, password)`` or ``login=(email, password, mfa_code)``, and ``token``, which is called with the token
    that the server rejected, or None.
    """

    tasks: Any
    approvals: Any
    schedules: Any
    agents: Any
    budgets: Any
    analytics: Any
    webhooks: Any
    notification_channels: Any
    account: Any
    api_keys: Any
    workspaces: Any
    members: Any
    auth: Any
    board: Any
    chat: Any
    openapi: Callable[..., Any]
    reference: Callable[..., Any]

    def __init__(
        self,
        base_url: str,
        *,
        key: Optional[str] = None,
        login: Optional[Tuple[str, ...]] = None,
        token: Optional[Callable[[Optional[str]], str]] = None,
        retry: Retry = Retry(),
    ) -> None:
        if sum(given is not None for given in (key, login, token)) > 1:
            raise TypeError("pass one of key, login and token")
        self._credential = Credential(key)
        if token is not None:
            self._credential = TokenFunction(token)
        elif login is not None:
            public = Caller(base_url, Credential(None), retry)
            self._credential = Session(
                login, lambda path, body: public.send("POST", path, body, None, "mfa_code" not in body, True)
            )
        self._caller = Caller(base_url, self._credential, retry)
        for name, operation in OPERATIONS.items():
            *groups, last = name.split(".")
            holder: Any = self
            for group in groups:
                if not hasattr(holder, group):
                    setattr(holder, group, Group())
                holder = getattr(holder, group)
            method = self._list_method(operation) if operation.is_paged else self._method(operation)
            method.__name__ = last
            method.__qualname__ = f"Client.{name}"
            method.__doc__ = f"{operation.method} {operation.path}"
            setattr(holder, last, method)
        self._send_logout = self.auth.logout
        self.auth.logout = self._logout

    def graphql(self, query: str, variables: Optional[dict] = None, *, idempotency_key: Optional[str] = None) -> Any:
        """Sends one document and returns its data. One with a mutation is repeated only with an ``idempotency_key``."""
        is_repeatable = idempotency_key is not None or re.search(r"\bmutation\b", query) is None
        body = {"query": query, "variables": variables or {}}
        answer = self._caller.send("POST", "/v2/graphql", body, idempotency_key, is_repeatable)
        errors = answer.get("errors")
        if errors:
            first = errors[0].get("extensions") or {}
            raise TaskboardApiError(
                "POST /v2/graphql: " + "; ".join(error["message"] for error in errors),
                status=200,
                code=first.get("code", "INTERNAL_ERROR"),
                errors=errors,
                data=answer.get("data"),
            )
        return answer["data"]

    def worker(self, agent_id: str, run: Callable[[dict, Any], Any], concurrency: int = 1, **options: Any) -> Worker:
        """Works the tasks of a stored agent in threads of this process, from now on. See ``Worker``."""
        return Worker(self, agent_id, run, concurrency, **options)

    def _method(self, operation: Operation) -> Callable[..., Any]:
        def method(
            *ids: str, idempotency_key: Optional[str] = None, retry_policy: Optional[Retry] = None, **fields: Any
        ) -> Any:
            return self._caller.call(operation, ids, _wire_names(fields), idempotency_key, retry_policy)

        return method

    def _list_method(self, operation: Operation) -> Callable[..., Iterator[Any]]:
        """Asks for the next page when the loop gets there."""

        def entries(*ids: str, retry_policy: Optional[Retry] = None, **fields: Any) -> Iterator[Any]:
            query = _wire_names(fields)
            while True:
                page = self._caller.call(operation, ids, query, None, retry_policy)
                yield from next(value for value in page.values() if isinstance(value, list))
                if page.get("next_cursor") is None:
                    return
                query["cursor"] = page["next_cursor"]

        return entries

    def _logout(self, refresh_token: Optional[str] = None) -> None:
        """Ends the session of a refresh token. Without one: that of the client, which logs in again for the next call."""
        token = refresh_token or self._credential.end()
        if token is not None:
            self._send_logout(refresh_token=token)


def _wire_names(fields: dict) -> dict:
    return {name.rstrip("_"): value for name, value in fields.items()}
