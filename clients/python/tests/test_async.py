"""The client for ``asyncio``."""

import asyncio
import inspect
import threading
import time
import unittest

from taskboard import AsyncClient, Client, NotFoundError, Retry, TaskboardApiError
from taskboard.operations import OPERATIONS

from .demo import Demo, running_demo
from .scripted import Reply, ScriptedServer

demo: Demo


def setUpModule() -> None:
    global demo
    demo = running_demo()


class Calls(unittest.IsolatedAsyncioTestCase):
    async def test_creates_lists_and_fails_as_the_other_client(self) -> None:
        async with AsyncClient(demo.url, key=demo.key) as client:
            created = await asyncio.gather(*(client.tasks.create(title=f"{number}", tags=["many"]) for number in range(7)))
            listed = [task["id"] async for task in client.tasks.list_all(tag="many", limit=2)]
            self.assertEqual(sorted(listed), sorted(task["id"] for task in created))
            self.assertEqual((await client.tasks.get(task_id=listed[0]))["tags"], ["many"])
            with self.assertRaises(NotFoundError):
                await client.tasks.get("task_0")
            self.assertEqual(await client.graphql("{ __typename }"), {"__typename": "Query"})
            with self.assertRaises(TaskboardApiError):
                await client.graphql("{ nothing }")

    async def test_logs_in_and_out(self) -> None:
        async with AsyncClient(demo.url, login=demo.owner) as client:
            self.assertIsNone(await client.auth.logout())
            self.assertEqual((await client.account.get())["caller"]["kind"], "user")
            await client.auth.logout()

    async def test_has_every_method_of_the_other_client(self) -> None:
        client, twin = AsyncClient(demo.url), Client(demo.url)
        for name, operation in OPERATIONS.items():
            method, other = client, twin
            for part in name.split("."):
                method, other = getattr(method, part), getattr(other, part)
            is_right = inspect.isasyncgenfunction if operation.is_paged else inspect.iscoroutinefunction
            self.assertTrue(is_right(method), name)
            if name != "auth.logout":  # It is a method that is written.
                self.assertEqual(*(list(inspect.signature(each).parameters) for each in (method, other)), name)
        await client.close()

    async def test_does_not_hold_up_the_loop(self) -> None:
        server = ScriptedServer(lambda _asked: time.sleep(0.3) or Reply(body={}))
        self.addCleanup(server.close)
        async with AsyncClient(server.url, key="tb_key") as client:
            calls = [asyncio.create_task(client.account.get()) for _ in range(5)]
            turns = 0
            while not all(call.done() for call in calls):
                await asyncio.sleep(0.01)
                turns += 1
        self.assertGreater(turns, 5)

    async def test_a_call_that_is_cancelled_is_not_sent_again(self) -> None:
        asked = threading.Event()
        server = ScriptedServer(lambda _asked: asked.set() or Reply(503, {}))
        self.addCleanup(server.close)
        patient = Retry(base_delay=0.4, max_delay=0.4)
        async with AsyncClient(server.url, key="tb_key", retry=patient) as client:
            call = asyncio.create_task(client.account.get())
            while not asked.is_set():
                await asyncio.sleep(0.005)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            count = len(server.asked)
            await asyncio.sleep(1.5)
            self.assertEqual(len(server.asked), count)
