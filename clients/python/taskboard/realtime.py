"""The realtime channel: what happens on the boards, as it happens, over all lost connections."""

from __future__ import annotations

import json
import random
import threading
import weakref
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Union, cast

from .calls import Caller, fields_of
from .errors import RealtimeError, TaskboardApiError, is_refusal
from .web_socket import GONE, UpgradeRefused, WebSocket, WebSocketClosed
from .wire import RealtimeMessage

#: Where a channel is: the last ``seq`` seen; of ``tasks``, by workspace id.
Position = Union[int, Mapping[str, int]]
#: Gets ``connecting``, ``open``, ``offline`` with what ended the connection, and ``closed``.
OnState = Callable[[str, Optional[Exception]], Any]

#: Faults of the client, which another connection would repeat.
_CLIENT_FAULTS = (1003, 1009, 4408, 4430)
_UNAUTHENTICATED, _FORBIDDEN, _TOO_MANY_CONNECTIONS = 4401, 4403, 4429
#: The codes of the server for faults that pass.
_PASSING = ("SERVICE_UNAVAILABLE", "INTERNAL_ERROR", "RATE_LIMIT_EXCEEDED")


class RealtimeTimings(NamedTuple):
    """How a subscription waits. Times are in seconds."""

    #: The longest wait before the second connection; each wait after that is at most twice as long.
    first_delay: float = 1.0
    longest_delay: float = 30.0
    #: After how long without a message the server is asked for one.
    ping: float = 25.0
    #: How long the server can take to respond.
    response: float = 10.0


class Realtime:
    """``client.realtime``."""

    def __init__(self, caller: Caller, timings: RealtimeTimings) -> None:
        self._caller = caller
        self._timings = timings
        self._open: weakref.WeakSet[Subscription] = weakref.WeakSet()

    def subscribe(
        self,
        channels: Union[str, Iterable[str]],
        *,
        since: Optional[Mapping[str, Position]] = None,
        on_state: Optional[OnState] = None,
    ) -> Subscription:
        """The messages of ``workspace.<workspace_id>``, of ``tasks``, or of several. It connects with the first ``next()``.

        ``since``: the last ``seq`` seen by channel; without one, a channel begins with the present. ``on_state(state, reason)`` is called by
        the thread that reads, and ends the loop with what it raises.
        """
        names = [channels] if isinstance(channels, str) else list(channels)
        subscription = Subscription(self._caller, self._timings, names, since or {}, on_state)
        self._open.add(subscription)
        return subscription

    def close(self) -> None:
        """Ends all subscriptions."""
        for subscription in list(self._open):
            subscription.close()


class Subscription(Iterator[RealtimeMessage]):
    """Messages in order, each once, over all connections. One thread reads it, and no other thread runs for it.

    A reader that is slow loses nothing: what the server no longer sends, it is asked for again. What it no longer has arrives as a ``gap``. The
    loop ends by ``close()``, or with an error when another connection cannot help: ``RealtimeError``, or that of the login.
    """

    def __init__(
        self,
        caller: Caller,
        timings: RealtimeTimings,
        channels: List[str],
        since: Mapping[str, Position],
        on_state: Optional[OnState],
    ) -> None:
        self._caller = caller
        self._timings = timings
        self._on_state = on_state
        self._places = {name: _Place(name, since.get(name)) for name in channels}
        self._closing = threading.Event()
        self._reading = threading.Lock()
        self._socket: Optional[WebSocket] = None
        self._failures = 0
        self._messages = self._read()

    def __next__(self) -> RealtimeMessage:
        with self._reading:
            return next(self._messages)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends it, from any thread: the loop ends without an error."""
        self._closing.set()
        web_socket = self._socket
        if self._reading.acquire(blocking=False):
            try:
                self._messages.close()
            finally:
                self._reading.release()
        elif web_socket is not None:
            web_socket.interrupt()

    def _enter(self, state: str, reason: Optional[Exception] = None) -> None:
        if self._on_state is not None:
            self._on_state(state, reason)

    def _read(self) -> Generator[RealtimeMessage, None, None]:
        rejected: Optional[str] = None
        was_refused = False
        try:
            while not self._closing.is_set():
                self._enter("connecting")
                connection = _Connection()
                token: Optional[str] = None
                try:
                    token = self._caller.token(rejected)
                    yield from self._converse(connection, token)
                    return
                except (TaskboardApiError, UpgradeRefused, WebSocketClosed) as fault:
                    reason = connection.error_of(fault)
                finally:
                    self._socket = None
                    if connection.socket is not None:
                        connection.socket.close()
                if self._closing.is_set():
                    return
                if is_final(reason, connection.was_open, was_refused):
                    raise reason
                was_refused = is_rejection(reason)
                # Once, and without a wait: there may be another token.
                rejected = token if was_refused else None
                if not was_refused:
                    self._enter("offline", reason)
                    self._closing.wait(self._delay(getattr(reason, "close_code", None) == _TOO_MANY_CONNECTIONS))
        finally:
            self._enter("closed")

    def _delay(self, is_crowded: bool) -> float:
        """Any part of a time that doubles, so that clients that were cut off together do not return together."""
        longest = self._timings.longest_delay
        if is_crowded:
            return longest * (1 + random.random()) / 2
        self._failures += 1
        return min(longest, self._timings.first_delay * 2.0 ** min(self._failures - 1, 64)) * random.random()

    def _converse(self, connection: _Connection, token: Optional[str]) -> Iterator[RealtimeMessage]:
        timings = self._timings
        connection.socket = self._socket = web_socket = self._caller.open_socket("/v2/realtime", timings.response)
        if self._closing.is_set():
            return
        web_socket.send(json.dumps({"type": "auth", "token": f"Bearer {token}" if token else ""}))
        is_asked = True
        while True:
            text = web_socket.receive(timings.response if is_asked else timings.ping)
            if text is None and is_asked:
                raise WebSocketClosed(GONE, "the server does not respond")
            # A connection that is half open receives nothing, without an error.
            is_asked = text is None
            if text is None:
                web_socket.send('{"type":"ping"}')
                continue
            message = _message_of(text)
            if message.get("type") == "auth.ok":
                connection.was_open = True
                self._enter("open")
                self._ask(web_socket, list(self._places))
            elif message.get("type") == "error" and "channel" not in message:
                connection.error = fields_of(message.get("error"))
            else:
                yield from self._received(message, web_socket)

    def _ask(self, web_socket: WebSocket, names: List[str]) -> None:
        since = {name: self._places[name].position() for name in names if self._places[name].seqs is not None}
        web_socket.send(json.dumps({"type": "subscribe", "channels": names, "since": since}))

    def _received(self, message: Dict[str, Any], web_socket: WebSocket) -> Iterator[RealtimeMessage]:
        name, kind = str(message.get("channel")), message.get("type")
        place = self._places.get(name)
        if place is None:
            return
        if kind == "subscribed":
            # The server can read its log.
            self._failures = 0
            yield place.greeted(message.get("seq", 0))
        elif kind == "error":
            fault = fields_of(message.get("error"))
            reason, code = str(fault.get("message")), str(fault.get("code"))
            if code in _PASSING:
                raise WebSocketClosed(GONE, reason)
            if fields_of(fault.get("details")).get("field") != "since":
                raise RealtimeError(reason, code=code, channel=name, request_id=fault.get("request_id"))
            # The log is shorter than it was, for example after a backup was restored.
            place.seqs, place.has_resumed = None, False
            self._ask(web_socket, [name])
        else:
            yield place.passed(message)


class _Connection:
    """What is known of one connection."""

    def __init__(self) -> None:
        self.socket: Optional[WebSocket] = None
        #: Whether the server accepted the credential.
        self.was_open = False
        #: The last error of the server that was not about a channel.
        self.error: Dict[str, Any] = {}

    def error_of(self, fault: Exception) -> TaskboardApiError:
        if isinstance(fault, TaskboardApiError):
            return fault
        error = self.error
        return RealtimeError(
            error.get("message") or str(fault),
            status=fault.status if isinstance(fault, UpgradeRefused) else 0,
            code=error.get("code") or "CLOSED",
            close_code=fault.code if isinstance(fault, WebSocketClosed) else None,
            request_id=error.get("request_id"),
        )


def is_rejection(reason: TaskboardApiError) -> bool:
    """Whether the server refused the token."""
    return getattr(reason, "close_code", None) == _UNAUTHENTICATED and reason.code != "RATE_LIMIT_EXCEEDED"


def is_final(reason: TaskboardApiError, was_open: bool, was_refused: bool) -> bool:
    """Whether another connection would end in the same way."""
    if not isinstance(reason, RealtimeError):
        return is_refusal(reason)
    if reason.channel is not None or is_rejection(reason):
        return reason.channel is not None or (was_refused and not was_open)
    # The response to the handshake is that of another program, or of a path where the channel is not.
    is_elsewhere = 0 < reason.status < 500 and reason.status not in (408, 429)
    # Changed rights end a connection that was open, and the next one has the new ones.
    return is_elsewhere or reason.close_code in _CLIENT_FAULTS or (reason.close_code == _FORBIDDEN and not was_open)


def _message_of(text: str) -> Dict[str, Any]:
    """Empty for what is no message: later versions of the server may send some that mean nothing here."""
    try:
        return fields_of(json.loads(text))
    except (ValueError, RecursionError):
        raise WebSocketClosed(GONE, "the server sent what is no message") from None


class _Place:
    """Where a subscription is on one channel."""

    def __init__(self, name: str, position: Optional[Position]) -> None:
        self._name = name
        #: The last ``seq`` seen by workspace id; None before the first ``subscribed``.
        self.seqs = None if position is None else self._seqs_of(position)
        self.has_resumed = position is not None

    def position(self) -> Union[int, Dict[str, int]]:
        seqs = dict(self.seqs or {})
        first: int = next(iter(seqs.values()), 0)
        return seqs if self._name == "tasks" else first

    def greeted(self, position: Position) -> RealtimeMessage:
        if self.seqs is None:
            self.seqs = self._seqs_of(position)
        resumed, self.has_resumed = self.has_resumed, True
        seq = self.position()
        return {"type": "subscribed", "channel": self._name, "seq": seq, "resumed": resumed}

    def passed(self, message: Dict[str, Any]) -> RealtimeMessage:
        """Notes that the message has been read."""
        seq = message.get("to" if message.get("type") == "gap" else "seq")
        if self.seqs is not None and isinstance(seq, int):
            self.seqs[str(message.get("workspace_id"))] = seq
        return cast("RealtimeMessage", message)

    def _seqs_of(self, position: Position) -> Dict[str, int]:
        if isinstance(position, int):
            return {self._name.replace("workspace.", "", 1): position}
        return dict(position)
