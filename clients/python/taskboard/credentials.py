"""Where calls get their bearer token from."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Optional, Tuple

from .errors import TaskboardApiError


class Credential:
    """An API key, or nothing."""

    renews = False

    def __init__(self, key: Optional[str]) -> None:
        self._key = key

    def token(self, rejected: Optional[str]) -> Optional[str]:
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

    def token(self, rejected: Optional[str]) -> Optional[str]:
        return self._function(rejected)


class Session(Credential):
    """One login for all calls and threads. ``post`` sends a body to a public path."""

    renews = True

    def __init__(self, login: Tuple[str, ...], post: Callable[[str, dict], Any]) -> None:
        super().__init__(None)
        self._login = login
        self._post = post
        self._lock = threading.Lock()
        self._tokens: Optional[dict] = None
        self._stale_at = 0.0
        self._is_code_used = False

    def token(self, rejected: Optional[str]) -> Optional[str]:
        with self._lock:
            tokens = self._tokens
            if tokens is None or tokens["access_token"] == rejected or time.monotonic() >= self._stale_at:
                tokens = self._renewed()
                life = tokens["expires_in"]
                self._tokens = tokens
                self._stale_at = time.monotonic() + life - min(30.0, life / 10)
            return tokens["access_token"]

    def end(self) -> Optional[str]:
        with self._lock:
            tokens, self._tokens = self._tokens, None
            return None if tokens is None else tokens["refresh_token"]

    def _renewed(self) -> dict:
        """The refresh token is valid once: when it is refused, the password begins another session."""
        if self._tokens is not None:
            try:
                return self._post("/v2/auth/refresh", {"refresh_token": self._tokens["refresh_token"]})
            except TaskboardApiError as error:
                if error.status != 401:
                    raise
                self._tokens = None
        email, password, *code = self._login
        if self._is_code_used:
            message = "the session ended, and the code of the second factor is used up: log in again"
            raise TaskboardApiError(message, status=401, code="LOGIN_REQUIRED", field="mfa_code")
        body = {"email": email, "password": password}
        if code:
            body["mfa_code"] = code[0]
        tokens = self._post("/v2/auth/login", body)
        self._is_code_used = bool(code)
        return tokens
