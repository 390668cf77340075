"""Sends requests until they are answered, refused, or out of time."""

from __future__ import annotations

import json
import logging
import random
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from contextvars import ContextVar
from datetime import date, datetime, timezone
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, cast

from .credentials import Credential
from .errors import TaskboardApiError
from .operation import Operation
from .version import __version__
from .web_socket import WebSocket

#: Set by who no longer waits for a call: it is not sent again.
CANCELLED: ContextVar[Optional[threading.Event]] = ContextVar("taskboard_cancelled", default=None)

_LOGGER = logging.getLogger("taskboard")
_UNCERTAIN = (0, 502, 503, 504)
_UNSENDABLE = re.compile("[^\t -~\x80-\xff]")
_USER_AGENT = f"taskboard-python/{__version__}"
#: Where the routes are, unless the host renamed them.
_PATHS = {"board": "/api/board", "webhooks": "/api/webhooks/create", "v2": "/v2"}
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


class Request(NamedTuple):
    """What is sent, and what makes it safe to send again."""

    method: str
    #: Below the base URL, with the query.
    path: str
    body: Optional[Mapping[str, Any]] = None
    idempotency_key: Optional[str] = None
    #: A second one changes nothing.
    is_repeatable: bool = False
    #: Without the credential.
    is_public: bool = False
    #: The answer is no JSON.
    is_text: bool = False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address must not get the credential, and a create must not become a read."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


class Caller:
    """Calls one server. Threads can share it."""

    def __init__(
        self, base_url: str, credential: Credential, retry: Retry, paths: Optional[Mapping[str, str]] = None
    ) -> None:
        self._base_url = _address_of(base_url)
        self._credential = credential
        self._retry = retry
        self._paths = {**_PATHS, **(paths or {})}
        if len(self._paths) > len(_PATHS):
            raise TypeError("paths can have board, webhooks and v2")
        # Its own context: programs switch the verification of the one that urllib makes off. Reading the authorities takes a while.
        is_secure = self._base_url.startswith("https")
        self._tls = tls = ssl.create_default_context() if is_secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.set_alpn_protocols(["http/1.1"])
        self._open = urllib.request.build_opener(_NoRedirects(), urllib.request.HTTPSHandler(context=tls)).open

    def token(self, rejected: Optional[str]) -> Optional[str]:
        """What a call would authenticate itself with."""
        return self._credential.token(rejected, self._retry.deadline)

    def open_socket(self, path: str, timeout: float) -> WebSocket:
        """A WebSocket to the server. The messages on it bring the credential."""
        return WebSocket(self._base_url + self._located(path), self._tls, {"user-agent": _USER_AGENT}, timeout)

    def call(
        self,
        operation: Operation,
        ids: Tuple[str, ...],
        given: Mapping[str, Any],
        idempotency_key: Optional[str] = None,
        retry: Optional[Retry] = None,
    ) -> Any:
        """Calls an operation; ``given`` is its body or its query."""
        given = dict(given)
        path, traits = _path_of(operation.path, ids, given), operation.traits
        body = None
        if "body" in traits:
            body = given
        elif given:
            query = {name: _query_text(value) for name, value in given.items() if value is not None}
            path += ("&" if "?" in path else "?") + urllib.parse.urlencode(query)
        key = str(uuid.uuid4()) if idempotency_key is None and "key" in traits else idempotency_key
        is_repeatable = "repeatable" in traits or "key" in traits
        request = Request(operation.method, path, body, key, is_repeatable, "public" in traits, "text" in traits)
        return self.send(request, retry)

    def send(self, request: Request, retry: Optional[Retry] = None) -> Any:
        """Sends a request. 429 refuses before anything is done; after a lost answer only what is repeatable is sent again."""
        policy = retry or self._retry
        request = request._replace(path=self._located(request.path))
        title = f"{request.method} {request.path.split('?')[0]}"
        key = request.idempotency_key
        if key is not None and re.fullmatch("[!-~]{1,255}", key) is None:
            raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters")
        # The server waits for the reply of an agent, and a chat is not repeated.
        is_chat = request.method == "POST" and request.path.endswith("chat")
        attempt_timeout = policy.deadline if is_chat else policy.attempt_timeout
        ends_at = time.monotonic() + policy.deadline
        rejected: Optional[str] = None
        is_uncertain = False
        failures = 0
        while True:
            token: Optional[str] = None
            try:
                if not request.is_public:
                    token = self._credential.token(rejected, ends_at - time.monotonic())
                left = ends_at - time.monotonic()
                if left <= 0:
                    raise TaskboardApiError(f"{title}: no answer in {policy.deadline:g} s", code="TIMEOUT")
                return self._send_once(title, request, token, min(attempt_timeout, left))
            except TaskboardApiError as error:
                if error.status == 401 and token is not None and rejected is None and self._credential.renews:
                    rejected = token
                    continue
                if error.status == 404 and request.method == "DELETE" and is_uncertain:
                    return None
                if error.status != 429 and not (request.is_repeatable and error.status in _UNCERTAIN):
                    raise
                is_uncertain = is_uncertain or error.status != 429
                failures += 1
                limit = min(policy.max_delay, policy.base_delay * 2.0 ** min(failures - 1, 64))
                wait = (error.retry_after or 0) + random.random() * limit
                if policy.attempts is not None and failures >= policy.attempts:
                    raise
                if time.monotonic() + wait >= ends_at:
                    raise
                _LOGGER.info("%s; it is sent again in %.2f s", error, wait)
                pause = min(wait, threading.TIMEOUT_MAX)
                cancelled = CANCELLED.get()
                if cancelled is None:
                    time.sleep(pause)
                elif cancelled.wait(pause):
                    raise

    def _located(self, path: str) -> str:
        """The path where the host has it."""
        for name, usual in _PATHS.items():
            if path.startswith(usual):
                return self._paths[name] + path[len(usual) :]
        return path

    def _send_once(self, title: str, asked: Request, token: Optional[str], timeout: float) -> Any:
        headers: Dict[str, str] = {"accept": "application/json", "user-agent": _USER_AGENT}
        if asked.body is not None:
            headers["content-type"] = "application/json"
        if asked.idempotency_key is not None:
            headers["idempotency-key"] = asked.idempotency_key
        if token is not None:
            if _UNSENDABLE.search(token) is not None:
                # The reason of http.client quotes the header.
                message = f"{title}: the credential has a character that no header can have"
                raise TaskboardApiError(message, status=401, code="AUTHENTICATION_FAILED")
            headers["authorization"] = f"Bearer {token}"
        data = None if asked.body is None else json.dumps(asked.body, allow_nan=False, default=_time_text).encode()
        request = urllib.request.Request(self._base_url + asked.path, data, headers, method=asked.method)
        ends_at = time.monotonic() + timeout
        try:
            with self._open(request, timeout=min(timeout, threading.TIMEOUT_MAX)) as answer:
                status, sent, text = answer.status, answer.headers, _text_of(answer, ends_at)
        except urllib.error.HTTPError as error:
            with error:
                try:
                    text = _text_of(error.fp, ends_at)
                except (OSError, HTTPException):
                    text = ""
            raise _error_of(title, error.code, error.headers, text) from None
        except (OSError, HTTPException) as error:
            if isinstance(getattr(error, "reason", error), socket.timeout):
                raise TaskboardApiError(f"{title}: no answer in {timeout:g} s", code="TIMEOUT") from error
            raise TaskboardApiError(f"{title}: the server cannot be reached") from error
        if status == 204 or asked.is_text:
            return text or None
        body: Any = _json_of(text) if "json" in (sent.get("content-type") or "") else None
        if type(body) not in (dict, list):
            message = f"{title}: {status}, but the answer is not from a task board"
            raise TaskboardApiError(message, status=status, code="INVALID_ANSWER")
        return body


def _address_of(base_url: str) -> str:
    """Without a slash at its end. The message does not repeat an address, which can contain a password."""
    try:
        address = base_url.strip().rstrip("/")
        parts = urllib.parse.urlsplit(address)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and parts.username is None and parts.port != 0
        if is_usable and re.search(r"[?#\s]", address) is None:
            return address
    except (AttributeError, ValueError):
        pass
    raise ValueError("base_url must be an http or https address without a query and a password")


def _text_of(answer: Any, ends_at: float) -> str:
    """Reads an answer up to its end. A timeout of a socket begins again with each part of the answer, so the whole is limited here."""
    expected = answer.length
    parts: List[bytes] = []
    count = 0
    while expected is None or count < expected:
        part = answer.read1(65_536)
        if not part:
            break
        parts.append(part)
        count += len(part)
        if time.monotonic() >= ends_at:
            raise socket.timeout("the answer goes on for too long")
    text = b"".join(parts)
    if expected is not None and count < expected:
        raise IncompleteRead(text, expected - count)
    return text.decode("utf-8", "replace")


def _json_of(text: str) -> Any:
    """None for what is no JSON: no answer of the API is null."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def fields_of(value: Any) -> Dict[str, Any]:
    """Empty for what is no object."""
    return cast("Dict[str, Any]", value) if isinstance(value, dict) else {}


def _path_of(pattern: str, ids: Tuple[str, ...], given: Dict[str, Any]) -> str:
    """``ids`` in their order; those that are missing are taken out of ``given``, by their names."""
    left = list(ids)
    parts: List[str] = []
    for part in pattern.split("/"):
        if part.startswith("{"):
            name, part = part, left.pop(0) if left else given.pop(part[1:-1], "")
            # An empty id, or one that addresses resolve as a folder, would call another operation.
            if type(part) is not str or part in ("", ".", ".."):
                raise TypeError(f"{name[1:-1]} must be an id")
            part = urllib.parse.quote(part, safe="")
        parts.append(part)
    if left:
        raise TypeError("too many ids: pass the fields of a body or a query by their names")
    return "/".join(parts)


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _time_text(value) if isinstance(value, date) else str(value)


def _time_text(value: Any) -> str:
    """A ``datetime`` as ISO 8601 in UTC, and a ``date`` as its day. Raises ``ValueError`` for a time without a time zone."""
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError("a datetime needs a time zone: datetime.now(timezone.utc)")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _error_of(title: str, status: int, headers: Any, text: str) -> TaskboardApiError:
    """The error of an answer in one of the three envelopes, or in another form."""
    body = fields_of(_json_of(text))
    if isinstance(body.get("errors"), list):
        return graphql_error(title, status, body["errors"], None)
    error: Any = body.get("error")
    inner = {"message": error, "code": body.get("code")} if isinstance(error, str) else fields_of(error)
    missing = "redirects: base_url must be where it leads to" if status < 400 else "without a readable answer"
    return TaskboardApiError(
        f"{title}: {status} {inner.get('message') or missing}",
        status=status,
        code=str(inner.get("code") or _CODES.get(status, "INVALID_ANSWER")),
        field=fields_of(inner.get("details")).get("field") or None,
        request_id=inner.get("request_id") or headers.get("x-request-id"),
        retry_after=_retry_after(headers),
    )


def graphql_error(title: str, status: int, errors: List[Any], data: Any) -> TaskboardApiError:
    """The error of a GraphQL answer. ``data`` has the fields that did not fail."""
    known = [fields_of(error) for error in errors if isinstance(error, dict)]
    first = fields_of(known[0].get("extensions")) if known else {}
    return TaskboardApiError(
        f"{title}: " + "; ".join(str(error.get("message")) for error in known),
        status=status,
        code=first.get("code") or "INTERNAL_ERROR",
        field=fields_of(first.get("details")).get("field") or None,
        request_id=first.get("request_id"),
        errors=errors,
        data=data,
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
        now: float = parsedate_to_datetime(sent).timestamp() if sent else time.time()
        due: float = parsedate_to_datetime(text).timestamp()
        return max(0.0, due - now)
    except (TypeError, ValueError, OverflowError):
        return None
