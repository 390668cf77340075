"""The client of one task board, for ``asyncio``."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, AsyncIterator, Callable, Iterable, Mapping, Optional, Tuple, TypeVar, Union

from .async_methods import AsyncMethods
from .binding import bind
from .calls import CANCELLED, Retry
from .client import Client
from .operation import Operation
from .realtime import OnState, Position, Realtime, RealtimeTimings, Subscription
from .wire import RealtimeMessage

_Result = TypeVar("_Result")
#: How many messages may wait for the loop. Then those that follow wait at the server.
_WAITING = 100


class AsyncClient(AsyncMethods):
    """``Client`` for ``asyncio``: the same methods and options, to be awaited, and ``async for`` over ``list_all`` and its like.

    Its calls run in up to ``threads`` threads of its own. A call that is cancelled is not sent again. ``token`` is called in these threads. Close it,
    or use it in ``async with``.
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
        threads: int = 32,
    ) -> None:
        self._client = Client(base_url, key=key, login=login, token=token, retry=retry, paths=paths, realtime=realtime)
        self._threads = ThreadPoolExecutor(threads, "taskboard")
        #: The realtime channel: ``async for message in client.realtime.subscribe("tasks")``.
        self.realtime = AsyncRealtime(self._client.realtime)
        bind(self, self._method, AsyncIterator)

    async def graphql(
        self,
        query: str,
        variables: Optional[Mapping[str, Any]] = None,
        *,
        idempotency_key: Optional[str] = None,
        retry_policy: Optional[Retry] = None,
    ) -> Any:
        """Sends one document and returns its data. See ``Client.graphql``."""
        send = partial(self._client.graphql, query, variables)
        return await self._run(partial(send, idempotency_key=idempotency_key, retry_policy=retry_policy))

    async def close(self) -> None:
        """Ends the subscriptions and the threads of the client."""
        self._client.close()
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_error: Any) -> None:
        await self.close()

    def _method(self, name: str, operation: Operation) -> Callable[..., Any]:
        call: Any = self._client
        for part in name.split("."):
            call = getattr(call, part)

        async def method(*ids: str, **fields: Any) -> Any:
            return await self._run(partial(call, *ids, **fields))

        async def read(*ids: str, retry_policy: Optional[Retry] = None, **fields: Any) -> AsyncIterator[Any]:
            pages = self._client.pages(operation, ids, fields, retry_policy)
            while True:
                page = await self._run(lambda: next(pages, None))
                if page is None:
                    return
                for entry in page:
                    yield entry

        if operation.is_paged:
            return read
        return method

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        cancelled = threading.Event()
        context = contextvars.copy_context()
        context.run(CANCELLED.set, cancelled)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: context.run(work))
        except asyncio.CancelledError:
            cancelled.set()
            raise


class AsyncRealtime:
    """``client.realtime`` of an ``AsyncClient``."""

    def __init__(self, realtime: Realtime) -> None:
        self._realtime = realtime

    def subscribe(
        self,
        channels: Union[str, Iterable[str]],
        *,
        since: Optional[Mapping[str, Position]] = None,
        on_state: Optional[OnState] = None,
    ) -> AsyncSubscription:
        """See ``Realtime.subscribe``. ``on_state`` is called by the event loop, which logs what it raises."""
        return AsyncSubscription(self._realtime, channels, since, on_state)


class AsyncSubscription(AsyncIterator[RealtimeMessage]):
    """A ``Subscription`` that a thread of its own reads for the event loop. A wait that is cancelled loses no message."""

    def __init__(
        self,
        realtime: Realtime,
        channels: Union[str, Iterable[str]],
        since: Optional[Mapping[str, Position]],
        on_state: Optional[OnState],
    ) -> None:
        self._subscribe = partial(realtime.subscribe, channels, since=since)
        self._on_state = on_state
        self._room = threading.Semaphore(_WAITING)
        self._arrived: Optional[asyncio.Queue[Union[RealtimeMessage, BaseException]]] = None
        self._subscription: Optional[Subscription] = None
        self._is_closed = False

    async def __anext__(self) -> RealtimeMessage:
        if self._is_closed:
            raise StopAsyncIteration
        arrived = self._arrived or self._started()
        item = await arrived.get()
        self._room.release()
        if isinstance(item, BaseException):
            self._is_closed = True
            raise item
        return item

    async def __aenter__(self) -> AsyncSubscription:
        return self

    async def __aexit__(self, *_error: Any) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends it: the loop ends without an error."""
        self._is_closed = True
        self._end()

    def __del__(self) -> None:
        self._end()

    def _end(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
            self._room.release()

    def _started(self) -> asyncio.Queue[Union[RealtimeMessage, BaseException]]:
        loop = asyncio.get_running_loop()
        on_state = self._on_state

        def tell(state: str, reason: Optional[Exception]) -> None:
            if on_state is not None:
                loop.call_soon_threadsafe(on_state, state, reason)

        arrived: asyncio.Queue[Union[RealtimeMessage, BaseException]] = asyncio.Queue()
        self._arrived = arrived
        self._subscription = subscription = self._subscribe(on_state=tell)

        def put(item: Union[RealtimeMessage, BaseException]) -> None:
            loop.call_soon_threadsafe(arrived.put_nowait, item)

        # A daemon without a reference to this object, so that a subscription that nobody closes holds up no exit.
        reading = (subscription, self._room, put)
        threading.Thread(target=_read, args=reading, name="taskboard-realtime", daemon=True).start()
        return arrived


def _read(subscription: Subscription, room: threading.Semaphore, put: Callable[[Union[RealtimeMessage, BaseException]], None]) -> None:
    end: BaseException = StopAsyncIteration()
    try:
        for message in subscription:
            room.acquire()
            put(message)
    except BaseException as error:
        end = error
    subscription.close()
    try:
        put(end)
    except RuntimeError:  # The event loop is closed.
        pass
