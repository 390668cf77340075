"""The client and its workers against the demo."""

import http.server
import re
import threading
import time
import unittest
import urllib.request

from taskboard import Client, Retry, RunEnded, TaskboardApiError, TaskFailure
from taskboard.operations import OPERATIONS

from .demo import Demo

demo: Demo


def setUpModule() -> None:
    global demo
    demo = Demo()


def tearDownModule() -> None:
    demo.close()


def until(is_so, timeout: float = 15.0):
    """Waits for a value that is true."""
    ends_at = time.monotonic() + timeout
    while time.monotonic() < ends_at:
        value = is_so()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("it did not happen in time")


class FaultyProxy:
    """Passes requests on, and answers as ``faults`` say: a status instead of passing on, or ``lost`` after it."""

    def __init__(self, target: str) -> None:
        self.faults = []
        self.passed = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                fault = proxy.faults.pop(0) if proxy.faults else None
                if isinstance(fault, int):
                    self.send_response(fault)
                    self.send_header("retry-after", "0")
                    self.end_headers()
                    return
                names = ("authorization", "content-type", "idempotency-key")
                headers = {name: self.headers[name] for name in names if self.headers[name]}
                status, answer = post(target + self.path, body, headers)
                proxy.passed.append(headers.get("idempotency-key"))
                if fault == "lost":
                    self.connection.close()
                    return
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_args) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def post(url, body, headers):
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        return answer.status, answer.read()


class Operations(unittest.TestCase):
    def test_every_operation_has_a_method(self) -> None:
        document = Client(demo.url).openapi()
        documented = {
            operation["operationId"]: (method.upper(), path)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in ("get", "post", "patch", "delete", "put")
        }
        declared = {
            operation.id: (operation.method, operation.path.split("?")[0]) for operation in OPERATIONS.values()
        }
        # GraphQL has the method `graphql`.
        known = {name: place for name, place in documented.items() if place[1] != "/v2/graphql"}
        self.assertEqual(declared, known)
        self.assertGreater(len(declared), 75)
        client = Client(demo.url, key=demo.key)
        for name in OPERATIONS:
            method = client
            for part in name.split("."):
                method = getattr(method, part)
            self.assertTrue(callable(method), name)

    def test_names_and_traits_follow_from_the_document(self) -> None:
        documented = {}
        for methods in Client(demo.url).openapi()["paths"].values():
            for operation in methods.values():
                of_client = operation.get("x-taskboard", {})
                for client in of_client.get("actions", {"": of_client}).values():
                    for is_paged, name in ((False, client.get("client")), (True, client.get("all"))):
                        if name is not None:
                            snake = re.sub("[A-Z]", lambda found: "_" + found.group().lower(), name)
                            documented[snake] = (operation["operationId"], is_paged, client["repeatable"], "requestBody" in operation)
        declared = {
            name: (operation.id, operation.is_paged, "repeatable" in operation.traits, "body" in operation.traits)
            for name, operation in OPERATIONS.items()
        }
        self.assertEqual(declared, documented)


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(demo.url, key=demo.key)

    def test_creates_changes_lists_and_deletes(self) -> None:
        tasks = self.client.tasks
        ids = {tasks.create(title=f"Offer {number}", tags=["python"], not_before="2999-01-01T00:00:00Z")["id"] for number in range(3)}
        self.assertEqual({task["id"] for task in tasks.list_all(tag="python", limit=1)}, ids)
        self.assertEqual(len(tasks.list(tag="python", limit=2)["tasks"]), 2)
        for task_id in ids:
            self.assertEqual(tasks.update(task_id, title="Offer")["title"], "Offer")
            self.assertIsNone(tasks.delete(task_id))
        self.assertEqual(list(tasks.list_all(tag="python")), [])
        data = self.client.graphql("query ($id: ID!) { workspace(id: $id) { id } }", {"id": demo.workspace_id})
        self.assertEqual(data["workspace"]["id"], demo.workspace_id)
        self.assertEqual(self.client.board.todo()["success"], True)

    def test_completes_a_task_as_a_person(self) -> None:
        tasks = self.client.tasks
        task_id = tasks.create(title="By hand", not_before="2999-01-01T00:00:00Z")["id"]
        self.assertEqual(tasks.complete(task_id, result="mended")["status"], "completed")
        task = tasks.get(task_id)
        self.assertEqual((task["result"], task["taken_by"]["kind"]), ("mended", "api_key"))
        with self.assertRaises(TaskboardApiError) as refused:
            tasks.complete(task_id, result="again", take_over=True)
        self.assertEqual(refused.exception.code, "CONFLICT")
        tasks.delete(task_id)

    def test_errors_name_the_code_and_the_field(self) -> None:
        with self.assertRaises(TaskboardApiError) as refused:
            self.client.tasks.create(title="")
        error = refused.exception
        self.assertEqual((error.status, error.code, error.field), (400, "INVALID_REQUEST", "title"))
        self.assertTrue(error.request_id)
        self.assertNotIn(demo.key, str(error))
        with self.assertRaises(TaskboardApiError) as missing:
            self.client.tasks.get("task_00000000000000000000000000")
        self.assertEqual(missing.exception.code, "RESOURCE_NOT_FOUND")
        with self.assertRaises(TypeError):
            self.client.tasks.get("..")

    def test_a_lost_answer_creates_one_task(self) -> None:
        proxy = FaultyProxy(demo.url)
        self.addCleanup(proxy.close)
        client = Client(proxy.url, key=demo.key, retry=Retry(base_delay=0.01))
        proxy.faults = [503, "lost", 429, 503]
        created = client.tasks.create(title="Once", tags=["once"], not_before="2999-01-01T00:00:00Z")
        self.assertEqual([task["id"] for task in self.client.tasks.list_all(tag="once")], [created["id"]])
        self.assertEqual(len(set(proxy.passed)), 1)
        # Nothing makes a repeat of these known to the server.
        proxy.faults = [503]
        with self.assertRaises(TaskboardApiError) as refused:
            client.chat.send(message="hello")
        self.assertEqual(refused.exception.status, 503)

    def test_logs_in_and_asks_a_token_function_again(self) -> None:
        client = Client(demo.url, login=demo.owner)
        self.assertEqual(client.account.get()["name"], "Demo")
        client.auth.logout()
        self.assertEqual(client.account.get()["name"], "Demo")
        asked = []

        def token(rejected):
            asked.append(rejected)
            return "tb_wrong" if rejected is None else demo.key

        self.assertEqual(Client(demo.url, token=token).account.get()["name"], "Demo")
        self.assertEqual(asked, [None, "tb_wrong"])
        with self.assertRaises(TaskboardApiError) as refused:
            Client(demo.url, login=(demo.owner[0], "wrong")).account.get()
        self.assertEqual(refused.exception.code, "AUTHENTICATION_FAILED")


class Workers(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(demo.url, key=demo.key)
        self.errors = []
        self.agent_id = self.client.agents.create(name="Python", type=f"python-{time.monotonic_ns()}")["id"]

    def add(self, title: str, **fields) -> str:
        return self.client.tasks.create(title=title, assigned_to=self.agent_id, **fields)["id"]

    def work(self, run, **options):
        worker = self.client.worker(
            self.agent_id, run, lease=3, poll=0.2, on_error=lambda *error: self.errors.append(error), **options
        )
        self.addCleanup(worker.stop, 0)
        return worker

    def task_when(self, task_id: str, status: str) -> dict:
        return until(lambda: next((t for t in [self.client.tasks.get(task_id)] if t["status"] == status), None))

    def test_works_asks_and_returns_a_result(self) -> None:
        task_id = self.add("Paint the door")
        self.client.tasks.comment(task_id, body="the front one")
        claims = []

        def run(task, context):
            claims.append(context.claim)
            context.progress(39.6)
            context.log("half way", "warn")
            context.output(type="link", name="draft", url="https://files.example/draft")
            context.usage(model="m", input_tokens=1, output_tokens=2)
            answer = context.claim.answer or context.ask("Which colour?")
            return {"colour": answer["body"]}

        self.work(run)
        self.task_when(task_id, "blocked")
        # The key of the worker cannot answer what it asked.
        with self.assertRaises(TaskboardApiError) as refused:
            self.client.tasks.answer(task_id, body="green")
        self.assertEqual(refused.exception.status, 403)
        Client(demo.url, login=demo.owner).tasks.answer(task_id, body="green")
        task = self.task_when(task_id, "completed")
        self.assertEqual((task["result"], task["attempts"]), ('{"colour": "green"}', 1))
        self.assertEqual([line["message"] for line in task["logs"]], ["half way", "half way"])
        self.assertEqual(claims[0].comments[0]["body"], "the front one")
        self.assertEqual([claim.attempt for claim in claims], [1, 1])
        self.assertGreater(claims[1].fencing_token, claims[0].fencing_token)

    def test_splits_and_asks_for_approval(self) -> None:
        task_id = self.add("Write the newsletter")
        other = Client(demo.url, login=demo.owner)

        def run(task, context):
            if task["parent_id"] is not None:
                return f"the {task['title']}"
            if not context.claim.dependencies:
                parts = [{"title": title, "assigned_to": self.agent_id} for title in ("text", "layout")]
                context.delegate(parts, wait=True)
            approval = context.approval("send", "Send it", {"to": "all"})
            return approval["decision"] + ": " + " and ".join(part["result"] for part in context.claim.dependencies)

        self.work(run, concurrency=2)
        approval = until(lambda: next(iter(other.approvals.list(task_id=task_id, status="pending")["approvals"]), None))
        other.approvals.decide(approval["id"], decision="approved")
        self.assertEqual(self.task_when(task_id, "completed")["result"], "approved: the text and the layout")

    def test_postpones_a_task_that_it_cannot_work_on_now(self) -> None:
        task_id = self.add("Translate")

        class Down(Exception):
            retry = "later"
            retry_after = 90

        def run(task, context):
            raise Down("the model is down")

        self.work(run)
        ended = until(lambda: [a for a in self.client.tasks.attempts(task_id)["attempts"] if a["outcome"]])
        self.assertEqual([(a["outcome"], a["reason"]) for a in ended], [("postponed", "the model is down")])
        task = self.client.tasks.get(task_id)
        self.assertEqual((task["status"], task["attempts"]), ("pending", 0))
        self.assertIsNotNone(task["not_before"])

    def test_ends_a_cancelled_run_and_fails_for_good(self) -> None:
        task_id = self.add("Cancelled")
        ended = threading.Event()
        began = threading.Event()

        def run(task, context):
            if task["title"] == "Refused":
                raise TaskFailure("it refuses")
            began.set()
            try:
                context.sleep(60)
            except RunEnded:
                ended.set()
                raise

        self.work(run)
        self.assertTrue(began.wait(15))
        self.client.tasks.cancel(task_id)
        self.assertTrue(ended.wait(15))
        refused = self.task_when(self.add("Refused"), "failed")
        self.assertEqual(refused["hold"]["message"], "it refuses")

    def test_learns_from_messages_what_there_is_to_do(self) -> None:
        task_id = self.add("Cancelled")
        began, ended = threading.Event(), threading.Event()

        def run(task, context):
            if task["title"] == "Cancelled":
                began.set()
                self.assertTrue(context.signal.wait(60))
                ended.set()

        worker = self.client.worker(self.agent_id, run, lease=600, poll=600, on_error=lambda *error: self.errors.append(error))
        self.addCleanup(worker.stop, 0)
        self.assertTrue(began.wait(15))
        self.client.tasks.cancel(task_id)
        self.assertTrue(ended.wait(15))
        # By now it waits for up to ten minutes.
        time.sleep(0.5)
        self.task_when(self.add("Next"), "completed")
        self.assertEqual(self.errors, [])
        worker.stop()
        until(lambda: not [each for each in threading.enumerate() if each.name == "taskboard-realtime"])

    def test_gives_tasks_back_when_it_stops(self) -> None:
        task_id = self.add("Slow")
        began = threading.Event()

        def run(task, context):
            began.set()
            context.sleep(60)

        worker = self.work(run)
        self.assertTrue(began.wait(15))
        worker.stop(drain_timeout=0.1)
        worker.wait()
        task = self.client.tasks.get(task_id)
        self.assertEqual((task["status"], task["attempts"]), ("pending", 0))
        self.assertEqual(self.errors, [])

    def test_ends_when_it_is_refused(self) -> None:
        worker = Client(demo.url, key="tb_wrong").worker(self.agent_id, lambda task, context: "")
        with self.assertRaises(TaskboardApiError) as refused:
            worker.wait(15)
        self.assertEqual(refused.exception.status, 401)


if __name__ == "__main__":
    unittest.main()
