"""Where calls get their bearer token from."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Dict, Optional, Tuple

from .errors import TaskboardApiError


class Credential:
    """An API key, or nothing."""

    renews = False

    def __init__(self, key: Optional[str]) -> None:
        # The end of the line of the file that it was read from.
        self._key = None if key is None else key.strip()

    def token(self, rejected: Optional[str], left: float) -> Optional[str]:
        """The token for a call, which waits for it at most ``left`` seconds. ``rejected`` is the one that the server has refused."""
        return self._key

    def end(self) -> Optional[str]:
        """Forgets the session, and returns its refresh token."""
        return None


class TokenFunction(Credential):
    """The host program's own source. It is called for each call, and once more with the token that was rejected."""

    renews = True

    def __init__(self, token: Callable[[Optional[str]], str]) -> None:
        super().__init__(None)
        self._function = token

    def token(self, rejected: Optional[str], left: float) -> Optional[str]:
        return self._function(rejected)


class Session(Credential):
    """One login for all calls and threads. ``post`` sends a body to a public path.

    Threads that need a token while it is fetched wait for the same one, and a failure is that of all that wait.
    """

    renews = True

    def __init__(self, login: Tuple[str, ...], post: Callable[[str, Dict[str, Any]], Dict[str, Any]]) -> None:
        super().__init__(None)
        self._login = login
        self._post = post
        self._lock = threading.Lock()
        self._tokens: Optional[Dict[str, Any]] = None
        self._stale_at = 0.0
        self._renewing: Optional[Future[Any]] = None
        self._is_code_used = False

    def token(self, rejected: Optional[str], left: float) -> Optional[str]:
        with self._lock:
            tokens, renewing = self._tokens, self._renewing
            if renewing is None:
                is_valid = tokens is not None and tokens["access_token"] != rejected
                if tokens is not None and is_valid and time.monotonic() < self._stale_at:
                    return str(tokens["access_token"])
                renewing = self._renewing = Future()
                threading.Thread(target=self._renew, args=(renewing, tokens), name="taskboard-login", daemon=True).start()
        try:
            return str(renewing.result(min(max(left, 0.0), threading.TIMEOUT_MAX))["access_token"])
        except FutureTimeout:
            raise TaskboardApiError("the login has no answer in time", code="TIMEOUT") from None

    def end(self) -> Optional[str]:
        with self._lock:
            tokens, self._tokens, self._renewing = self._tokens, None, None
            return None if tokens is None else str(tokens["refresh_token"])

    def _renew(self, renewing: Future[Any], tokens: Optional[Dict[str, Any]]) -> None:
        """A session that is ended meanwhile serves the calls that wait for it, and no later one."""
        try:
            fresh = self._renewed(tokens)
            life = fresh["expires_in"]
        except BaseException as error:
            with self._lock:
                if self._renewing is renewing:
                    self._renewing = None
            renewing.set_exception(error)
            return
        with self._lock:
            if self._renewing is renewing:
                self._renewing = None
                self._tokens = fresh
                self._stale_at = time.monotonic() + life - min(30.0, life / 10)
        renewing.set_result(fresh)

    def _renewed(self, tokens: Optional[Dict[str, Any]]) -> Dict[str, Any]:
        """The refresh token is valid once: when it is refused, the password begins another session."""
        if tokens is not None:
            try:
                return self._post("/v2/auth/refresh", {"refresh_token": tokens["refresh_token"]})
            except TaskboardApiError as error:
                if error.status != 401:
                    raise
            with self._lock:
                if self._tokens is tokens:
                    self._tokens = None
        email, password, *code = self._login
        if self._is_code_used:
            message = "the session ended, and the code of the second factor is used up: log in again"
            raise TaskboardApiError(message, status=401, code="LOGIN_REQUIRED", field="mfa_code")
        body = {"email": email, "password": password}
        if code:
            body["mfa_code"] = code[0]
        fresh = self._post("/v2/auth/login", body)
        self._is_code_used = bool(code)
        return fresh
