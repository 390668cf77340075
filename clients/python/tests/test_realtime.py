"""The realtime channel of both clients, against the demo."""

import asyncio
import random
import threading
import time
import unittest
from collections import defaultdict

from taskboard import AsyncClient, Client, RealtimeError, RealtimeTimings

from .cutting_proxy import CuttingProxy
from .demo import Demo, running_demo

demo: Demo
QUICK = RealtimeTimings(first_delay=0.002, longest_delay=0.004)


def setUpModule() -> None:
    global demo
    demo = running_demo()


def wait_until(is_so) -> None:
    ends_at = time.monotonic() + 20
    while not is_so() and time.monotonic() < ends_at:
        time.sleep(0.001)


class Reader:
    """What it received: the ``seq``s by channel, and the types of what has none."""

    def __init__(self, last_title: str) -> None:
        self._last_title = last_title
        self.seqs = defaultdict(list)
        self.others = []
        self._over = set()

    def takes(self, message, channels: int) -> bool:
        """Whether the last event has arrived on each channel."""
        if message["type"] in ("subscribed", "gap"):
            self.others.append(message)
        elif "seq" in message:
            self.seqs[message["channel"]].append(message["seq"])
        if message["type"] == "task.created" and message["data"]["title"] == self._last_title:
            self._over.add(message["channel"])
        return len(self._over) == channels


class Cuts(unittest.TestCase):
    def test_200_cuts_lose_and_repeat_nothing_for_both_clients(self) -> None:
        numbers = random.Random(7)
        proxy = CuttingProxy(demo.url)
        self.addCleanup(proxy.close)
        channel = f"workspace.{demo.workspace_id}"
        steady, slow, awaited = Reader("the last"), Reader("the last"), Reader("the last")
        greeted = threading.Semaphore(0)

        def read(reader: Reader, channels: list, pause: float) -> None:
            client = Client(proxy.url, key=demo.key, realtime=QUICK)
            with client, client.realtime.subscribe(channels) as messages:
                for message in messages:
                    if message["type"] == "subscribed":
                        greeted.release()
                    time.sleep(pause)
                    if reader.takes(message, len(channels)):
                        return

        async def read_awaited() -> None:
            async with AsyncClient(proxy.url, key=demo.key, realtime=QUICK) as client:
                async for message in client.realtime.subscribe(channel):
                    if message["type"] == "subscribed":
                        greeted.release()
                    if awaited.takes(message, 1):
                        return

        threads = [
            threading.Thread(target=read, args=(steady, ["tasks", channel], 0.0), daemon=True),
            threading.Thread(target=read, args=(slow, [channel], 0.002), daemon=True),
            threading.Thread(target=lambda: asyncio.run(read_awaited()), daemon=True),
        ]
        for thread in threads:
            thread.start()
        for _ in range(4):
            self.assertTrue(greeted.acquire(timeout=20))
        writer = Client(demo.url, key=demo.key)
        for number in range(200):
            passed = proxy.passed
            many = numbers.randint(1, 6)
            writer.tasks.create_many(tasks=[{"title": f"{number}: {each}"} for each in range(many)])
            time.sleep(numbers.random() * 0.02)
            proxy.cut()
            # Every other cut meets a connection that has just been made, and the others one that has resumed.
            seen = len(steady.others)
            wait_until(lambda: proxy.passed > passed and (number % 2 == 0 or len(steady.others) > seen))
        writer.tasks.create(title="the last")
        for thread in threads:
            thread.join(30)
        self.assertEqual([thread.is_alive() for thread in threads], [False, False, False])

        events = steady.seqs[channel]
        self.assertGreater(len(events), 400)
        # Nothing but the creations has been written, so the log has no other number.
        self.assertEqual(events, list(range(events[0], events[0] + len(events))))
        for received in (steady.seqs["tasks"], slow.seqs[channel], awaited.seqs[channel]):
            self.assertEqual(received, events)
        for reader in (steady, slow, awaited):
            self.assertNotIn("gap", [each["type"] for each in reader.others])
            by_channel = defaultdict(list)
            for each in reader.others:
                by_channel[each["channel"]].append(each["resumed"])
            for resumed in by_channel.values():
                self.assertEqual(resumed, [False] + [True] * (len(resumed) - 1))
        self.assertGreater(len(steady.others), 100)


class Subscriptions(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(demo.url, key=demo.key, realtime=QUICK)
        self.channel = f"workspace.{demo.workspace_id}"

    def test_begin_with_the_present_or_after_a_place(self) -> None:
        states = []
        with self.client.realtime.subscribe(self.channel, on_state=lambda state, _: states.append(state)) as messages:
            first = next(messages)
            self.assertEqual((first["type"], first["resumed"]), ("subscribed", False))
            task = self.client.tasks.create(title="Plan")
            created = next(messages)
            self.assertEqual((created["type"], created["data"]["task_id"]), ("task.created", task["id"]))
            self.assertEqual(created["seq"], first["seq"] + 1)
        self.assertEqual(states, ["connecting", "open", "closed"])
        self.assertEqual(list(messages), [])
        again = self.client.realtime.subscribe(["tasks"], since={"tasks": {demo.workspace_id: first["seq"]}})
        self.assertEqual([next(again)["resumed"], next(again)["seq"]], [True, created["seq"]])
        again.close()

    def test_begin_with_the_present_when_their_place_is_ahead_of_the_log(self) -> None:
        with self.client.realtime.subscribe(self.channel, since={self.channel: 10**9}) as messages:
            first = next(messages)
        self.assertFalse(first["resumed"])
        self.assertLess(first["seq"], 10**9)

    def test_end_with_what_another_connection_cannot_help(self) -> None:
        wrong = "workspace.ws_00000000000000000000000000"
        with self.assertRaises(RealtimeError) as raised:
            next(self.client.realtime.subscribe(wrong))
        self.assertEqual((raised.exception.code, raised.exception.channel), ("RESOURCE_NOT_FOUND", wrong))
        for options in ({"key": "tb_wrong"}, {}):
            with self.assertRaises(RealtimeError) as raised:
                next(Client(demo.url, realtime=QUICK, **options).realtime.subscribe("tasks"))
            self.assertEqual((raised.exception.code, raised.exception.close_code), ("AUTHENTICATION_FAILED", 4401))
        with self.assertRaises(RealtimeError) as raised:
            next(Client(demo.url + "/elsewhere", key=demo.key, realtime=QUICK).realtime.subscribe("tasks"))
        self.assertEqual(raised.exception.status, 404)

    def test_end_when_their_key_is_revoked(self) -> None:
        owner = Client(demo.url, login=demo.owner)
        key = owner.api_keys.create(name="Reader", scopes=["tasks:read"])
        messages = Client(demo.url, key=key["key"], realtime=QUICK).realtime.subscribe("tasks")
        next(messages)
        owner.api_keys.revoke(key["id"])
        with self.assertRaises(RealtimeError) as raised:
            next(messages)
        self.assertEqual(raised.exception.close_code, 4401)

    def test_end_from_another_thread(self) -> None:
        messages = self.client.realtime.subscribe("tasks")
        next(messages)
        threading.Timer(0.1, self.client.close).start()
        started = time.monotonic()
        self.assertEqual(list(messages), [])
        self.assertLess(time.monotonic() - started, 5)

    def test_follow_a_login(self) -> None:
        client = Client(demo.url, login=demo.owner, realtime=QUICK)
        with client, client.realtime.subscribe("tasks") as messages:
            self.assertEqual(next(messages)["type"], "subscribed")


class Awaited(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.client = AsyncClient(demo.url, key=demo.key, realtime=QUICK)

    async def asyncTearDown(self) -> None:
        await self.client.close()

    async def test_a_wait_that_is_cancelled_loses_no_message(self) -> None:
        async with self.client.realtime.subscribe("tasks") as messages:
            self.assertEqual((await messages.__anext__())["type"], "subscribed")
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(messages.__anext__(), 0.05)
            await self.client.tasks.create(title="Plan")
            created = await asyncio.wait_for(messages.__anext__(), 10)
            self.assertEqual(created["data"]["title"], "Plan")
        self.assertEqual([message async for message in messages], [])

    async def test_an_end_reaches_the_loop(self) -> None:
        states = []
        messages = self.client.realtime.subscribe("workspace.ws_0", on_state=lambda state, _: states.append(state))
        with self.assertRaises(RealtimeError):
            await messages.__anext__()
        self.assertEqual([message async for message in messages], [])
        self.assertEqual(states, ["connecting", "open", "closed"])

    async def test_one_that_nobody_holds_ends(self) -> None:
        messages = self.client.realtime.subscribe("tasks")
        await messages.__anext__()
        del messages
        ends_at = time.monotonic() + 5
        while any(thread.name == "taskboard-realtime" for thread in threading.enumerate()):
            self.assertLess(time.monotonic(), ends_at)
            await asyncio.sleep(0.01)
