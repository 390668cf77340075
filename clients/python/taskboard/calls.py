"""Sends requests until they are answered, refused, or out of time."""

from __future__ import annotations

import json
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple

from .credentials import Credential
from .errors import TaskboardApiError
from .operations import Operation

_UNCERTAIN = (0, 502, 503, 504)
_CODES = {
    401: "AUTHENTICATION_FAILED",
    403: "AUTHORIZATION_FAILED",
    404: "RESOURCE_NOT_FOUND",
    413: "PAYLOAD_TOO_LARGE",
    429: "RATE_LIMIT_EXCEEDED",
    500: "INTERNAL_ERROR",
    502: "SERVICE_UNAVAILABLE",
    503: "SERVICE_UNAVAILABLE",
    504: "SERVICE_UNAVAILABLE",
}


class Retry(NamedTuple):
    """When a failed call is sent again. Times are in seconds."""

    #: How long a call can take with its repeats and waits.
    deadline: float = 30.0
    #: How long one attempt can take.
    attempt_timeout: float = 10.0
    #: The most attempts, the first one included; None for as many as the deadline allows.
    attempts: Optional[int] = None
    #: The longest wait before the second attempt; each wait after that is at most twice as long.
    base_delay: float = 0.25
    max_delay: float = 5.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address must not get the credential."""

    def redirect_request(self, *_args: Any) -> None:
        return None


class Caller:
    """Calls one server."""

    def __init__(self, base_url: str, credential: Credential, retry: Retry) -> None:
        self._base_url = base_url.rstrip("/")
        self._credential = credential
        self._retry = retry
        self._open = urllib.request.build_opener(_NoRedirects()).open

    def call(
        self,
        operation: Operation,
        ids: Tuple[str, ...],
        given: Mapping[str, Any],
        idempotency_key: Optional[str] = None,
        retry: Optional[Retry] = None,
    ) -> Any:
        """Calls an operation; ``given`` is its body or its query."""
        path, traits = _path_of(operation.path, ids), operation.traits
        body = None
        if "body" in traits:
            body = dict(given)
        elif given:
            query = {name: _query_text(value) for name, value in given.items() if value is not None}
            path += ("&" if "?" in path else "?") + urllib.parse.urlencode(query)
        key = idempotency_key or (str(uuid.uuid4()) if "key" in traits else None)
        is_repeatable = "repeatable" in traits or ("key" in traits and key is not None)
        return self.send(operation.method, path, body, key, is_repeatable, "public" in traits, retry)

    def send(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]],
        key: Optional[str],
        is_repeatable: bool,
        is_public: bool = False,
        retry: Optional[Retry] = None,
    ) -> Any:
        """Sends a request. 429 refuses before anything is done; after a lost answer only what is repeatable is sent again."""
        policy = retry or self._retry
        ends_at = time.monotonic() + policy.deadline
        rejected: Optional[str] = None
        is_uncertain = False
        failures = 0
        while True:
            token = None if is_public else self._credential.token(rejected)
            try:
                return self._send_once(method, path, body, key, token, min(policy.attempt_timeout, ends_at - time.monotonic()))
            except TaskboardApiError as error:
                if error.status == 401 and token is not None and rejected is None and self._credential.renews:
                    rejected = token
                    continue
                if error.status == 404 and method == "DELETE" and is_uncertain:
                    return None
                if error.status != 429 and not (is_repeatable and error.status in _UNCERTAIN):
                    raise
                is_uncertain = is_uncertain or error.status != 429
                failures += 1
                limit = min(policy.max_delay, policy.base_delay * 2 ** (failures - 1))
                wait = (error.retry_after or 0) + random.random() * limit
                if policy.attempts is not None and failures >= policy.attempts:
                    raise
                if time.monotonic() + wait >= ends_at:
                    raise
                time.sleep(wait)

    def _send_once(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]],
        key: Optional[str],
        token: Optional[str],
        timeout: float,
    ) -> Any:
        title = f"{method} {path.split('?')[0]}"
        headers: Dict[str, str] = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base_url + path, data, headers, method=method)
        try:
            with self._open(request, timeout=max(timeout, 0.001)) as answer:
                status, sent, text = answer.status, answer.headers, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            with error:
                try:
                    text = error.read().decode("utf-8", "replace")
                except (OSError, HTTPException):
                    text = ""
            raise _error_of(title, error.code, error.headers, text) from None
        except (OSError, HTTPException, socket.timeout) as error:
            raise TaskboardApiError(f"{title}: the server cannot be reached") from error
        if text == "":
            return None
        if "json" not in (sent.get("content-type") or ""):
            if path.endswith("/reference"):
                return text
            raise TaskboardApiError(
                f"{title}: {status}, but the answer is not from a task board", status=status, code="INVALID_ANSWER"
            )
        return json.loads(text)


def _path_of(pattern: str, ids: Tuple[str, ...]) -> str:
    left = list(ids)
    parts = []
    for part in pattern.split("/"):
        if part.startswith("{"):
            name, part = part, left.pop(0) if left else ""
            # An empty id, or one that addresses resolve as a folder, would call another operation.
            if not isinstance(part, str) or part in ("", ".", ".."):
                raise TypeError(f"{name[1:-1]} must be an id")
            part = urllib.parse.quote(part, safe="")
        parts.append(part)
    if left:
        raise TypeError("too many ids: pass the fields of a body or a query by their names")
    return "/".join(parts)


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _error_of(title: str, status: int, headers: Any, text: str) -> TaskboardApiError:
    """The error of an answer in one of the two envelopes, or in another form."""
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    inner = body.get("error")
    if isinstance(inner, str):
        inner = {"message": inner, "code": body.get("code")}
    inner = inner if isinstance(inner, dict) else {}
    message = inner.get("message") or "without a readable answer"
    return TaskboardApiError(
        f"{title}: {status} {message}",
        status=status,
        code=inner.get("code") or _CODES.get(status, "INVALID_ANSWER"),
        field=(inner.get("details") or {}).get("field") or None,
        request_id=inner.get("request_id") or headers.get("x-request-id"),
        retry_after=_retry_after(headers),
    )


def _retry_after(headers: Any) -> Optional[float]:
    text = headers.get("retry-after")
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        sent = headers.get("date")
        now = parsedate_to_datetime(sent).timestamp() if sent else time.time()
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError):
        return None
