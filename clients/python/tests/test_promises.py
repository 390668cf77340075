"""What the client promises about a network and a server that do what they should not."""

import inspect
import ssl
import threading
import time
import traceback
import unittest
from datetime import datetime, timedelta, timezone
from unittest import mock

import taskboard
from taskboard import Client, Retry, TaskboardApiError
from taskboard.operations import OPERATIONS
from taskboard.worker import Worker

from .demo import ROOT
from .scripted import Reply, ScriptedServer

EMPTY = Reply(200, {"tasks": [], "next_cursor": None})


class Scripted(unittest.TestCase):
    def serve(self, *replies) -> ScriptedServer:
        """Gives the replies in turn, and the last one from then on; a function gets each request."""
        left = list(replies)

        def script(asked):
            if callable(left[0]):
                return left[0](asked)
            return left.pop(0) if len(left) > 1 else left[0]

        server = ScriptedServer(script)
        self.addCleanup(server.close)
        return server

    def client(self, server: ScriptedServer, **options) -> Client:
        credential = {} if {"login", "token"} & options.keys() else {"key": "tb_secret"}
        return Client(server.url, **{"retry": Retry(base_delay=0.001), **credential, **options})

    def failure(self, call) -> TaskboardApiError:
        with self.assertRaises(TaskboardApiError) as refused:
            call()
        return refused.exception


class Answers(Scripted):
    def test_what_is_not_from_a_task_board_is_an_error(self) -> None:
        html = {"content-type": "text/html"}
        for reply in (
            Reply(200, b"{"),
            Reply(200, b""),
            Reply(200, b"null"),
            Reply(200, b"7"),
            Reply(200, b"[" * 100_000),
            Reply(200, b"<h1>proxy</h1>", html),
        ):
            error = self.failure(self.client(self.serve(reply)).tasks.list)
            self.assertEqual((error.status, error.code), (200, "INVALID_ANSWER"))
        error = self.failure(lambda: self.client(self.serve(Reply(200, b"<p>", html))).tasks.get("reference"))
        self.assertEqual(error.code, "INVALID_ANSWER")
        self.assertEqual(self.client(self.serve(Reply(200, b"<p>", html))).reference(), "<p>")

    def test_errors_in_other_forms_are_read(self) -> None:
        for body in (b"", b"{", b"[]", b'{"error": 7}', b'{"error": {"details": "none", "message": 7}}', b'{"error": null}'):
            error = self.failure(self.client(self.serve(Reply(400, body))).tasks.list)
            self.assertEqual((error.status, error.code), (400, "INVALID_ANSWER"))
        errors = [{"message": "no such field", "extensions": {"code": "INVALID_REQUEST", "request_id": "r1"}}]
        error = self.failure(lambda: self.client(self.serve(Reply(400, {"errors": errors}))).graphql("{ a }"))
        self.assertEqual((error.code, error.errors, error.request_id), ("INVALID_REQUEST", errors, "r1"))

    def test_an_answer_that_breaks_off_is_asked_for_again(self) -> None:
        server = self.serve(Reply(200, b'{"tasks"', missing=5), Reply(502, b"<h1>", {"content-type": "text/html"}), EMPTY)
        self.assertEqual(self.client(server).tasks.list()["tasks"], [])
        self.assertEqual(len(server.asked), 3)

    def test_a_delete_of_nothing_fails_unless_its_first_answer_was_lost(self) -> None:
        missing = Reply(404, {"error": {"code": "RESOURCE_NOT_FOUND", "message": "no such task"}})
        error = self.failure(lambda: self.client(self.serve(missing)).tasks.delete("task_1"))
        self.assertEqual(error.status, 404)
        self.assertIsNone(self.client(self.serve(Reply(502), missing)).tasks.delete("task_1"))

    def test_large_numbers_stay_exact(self) -> None:
        large = 2**80 + 1
        server = self.serve(Reply(200, {"size": large}))
        self.assertEqual(self.client(server).tasks.get("t")["size"], large)
        self.client(server).tasks.output("t", size=large)
        self.assertEqual(server.asked[-1].body["size"], large)
        with self.assertRaises(ValueError):
            self.client(server).tasks.usage("t", cost=float("nan"))

    def test_a_redirect_is_refused_and_nothing_reaches_the_other_address(self) -> None:
        other = self.serve(EMPTY)
        for status in (301, 302, 303, 307, 308):
            server = self.serve(Reply(status, b"", {"location": other.url + "/v2/tasks"}))
            error = self.failure(lambda: self.client(server).tasks.create(title="x"))
            self.assertEqual((error.status, error.code), (status, "INVALID_ANSWER"))
            self.assertIn("base_url must be", str(error))
        self.assertEqual(other.asked, [])

    def test_ids_are_encoded_and_paths_are_those_of_the_host(self) -> None:
        server = self.serve(Reply(200, {}))
        client = self.client(server, paths={"board": "/board", "webhooks": "/hooks", "v2": "/tasks"})
        client.tasks.get("a/b?c d")
        client.board.done(limit=1)
        client.board.register_webhook(url="https://x.example", events=[])
        self.assertEqual(server.paths(), ["/tasks/tasks/a%2Fb%3Fc%20d", "/board?action=done&limit=1", "/hooks"])
        with self.assertRaises(TypeError):
            self.client(server, paths={"enterprise": "/"})


class Requests(Scripted):
    def test_an_id_can_be_named(self) -> None:
        server = self.serve(Reply(200, {}))
        client = self.client(server)
        client.tasks.get(task_id="task_1")
        client.tasks.update(task_id="task_1", title="x")
        self.assertEqual(server.paths(), ["/v2/tasks/task_1"] * 2)
        self.assertEqual(server.asked[1].body, {"title": "x"})
        for call in (lambda: client.tasks.get(), lambda: client.tasks.get(task_id=""), lambda: client.tasks.get(id="a")):
            with self.assertRaises(TypeError):
                call()

    def test_times_are_sent_in_utc(self) -> None:
        server = self.serve(Reply(200, {}))
        client = self.client(server)
        noon = datetime(2026, 11, 24, 12, tzinfo=timezone(timedelta(hours=2)))
        client.tasks.create(title="x", deadline=noon)
        client.tasks.create_many(tasks=[{"title": "x", "not_before": noon}])
        client.analytics.tasks(from_=noon.date())
        sent = "2026-11-24T10:00:00.000Z"
        self.assertEqual([server.asked[0].body["deadline"], server.asked[1].body["tasks"][0]["not_before"]], [sent, sent])
        self.assertEqual(server.paths()[2], "/v2/analytics/tasks?from=2026-11-24")
        with self.assertRaises(ValueError):
            client.tasks.create(title="x", deadline=datetime(2026, 11, 24))

    def test_the_client_names_itself(self) -> None:
        server = self.serve(EMPTY)
        self.client(server).tasks.list()
        self.assertEqual(server.asked[0].headers["user-agent"], f"taskboard-python/{taskboard.__version__}")
        project = (ROOT / "clients" / "python" / "pyproject.toml").read_text()
        self.assertIn(f'version = "{taskboard.__version__}"', project)

    def test_an_error_is_of_the_class_of_its_status(self) -> None:
        classes = {
            400: taskboard.InvalidRequestError,
            401: taskboard.AuthenticationError,
            403: taskboard.AuthorizationError,
            404: taskboard.NotFoundError,
            409: taskboard.ConflictError,
            429: taskboard.RateLimitError,
            503: taskboard.ServerError,
            418: TaskboardApiError,
        }
        for status, expected in classes.items():
            client = self.client(self.serve(Reply(status)), retry=Retry(attempts=1))
            self.assertIs(type(self.failure(lambda: client.tasks.get("task_1"))), expected)
        away = Client("http://127.0.0.1:1", retry=Retry(attempts=1))
        self.assertIs(type(self.failure(away.tasks.list)), taskboard.NetworkError)


class Times(Scripted):
    def test_retry_after_can_be_anything(self) -> None:
        for text, waits in (("-5", True), ("soon", True), ("nan", True), ("Sun, 22 Nov 2020 10:00:00 GMT", True), ("1e400", False), ("31", False)):
            server = self.serve(Reply(429, b"", {"retry-after": text}), EMPTY)
            if waits:
                self.client(server).tasks.list()
            else:
                self.assertEqual(self.failure(self.client(server).tasks.list).status, 429)
            self.assertEqual(len(server.asked), 2 if waits else 1, text)

    def test_what_is_sent_again_is_logged(self) -> None:
        server = self.serve(Reply(503, {"error": "busy", "code": "SERVICE_UNAVAILABLE"}), EMPTY)
        with self.assertLogs("taskboard", "INFO") as logs:
            self.client(server).tasks.list()
        # A client of an earlier test may still log.
        self.assertRegex("\n".join(logs.output), r"GET /v2/tasks: 503 busy; it is sent again in \d")

    def test_attempts_without_an_answer_end_as_a_timeout(self) -> None:
        server = self.serve(lambda asked: lambda handler: time.sleep(1))
        retry = Retry(attempts=2, attempt_timeout=0.05, base_delay=0.001)
        error = self.failure(self.client(server, retry=retry).tasks.list)
        self.assertEqual((error.status, error.code, len(server.asked)), (0, "TIMEOUT", 2))

    def test_an_answer_that_comes_in_drops_is_given_up(self) -> None:
        stop = threading.Event()
        self.addCleanup(stop.set)

        def drip(handler) -> None:
            handler.send_response(200)
            handler.send_header("content-type", "application/json")
            handler.end_headers()
            while not stop.wait(0.05):
                handler.wfile.write(b" ")

        server = self.serve(lambda asked: drip)
        # Each drop is within the timeout of the socket.
        client = self.client(server, retry=Retry(attempts=1, attempt_timeout=0.4))
        self.assertEqual(self.failure(client.tasks.list).code, "TIMEOUT")

    def test_a_chat_waits_for_its_reply(self) -> None:
        def late(handler) -> None:
            time.sleep(0.3)
            handler.send_response(200)
            handler.send_header("content-type", "application/json")
            handler.end_headers()
            handler.wfile.write(b'{"reply": "hello"}')

        client = self.client(self.serve(lambda asked: late), retry=Retry(attempt_timeout=0.1))
        self.assertEqual(client.chat.send(message="hello")["reply"], "hello")
        self.assertEqual(client.board.chat(message="hello")["reply"], "hello")

    def test_what_is_out_of_time_is_not_sent(self) -> None:
        server = self.serve(EMPTY)
        client = self.client(server)
        error = self.failure(lambda: client.tasks.create(title="x", retry_policy=Retry(deadline=0)))
        self.assertEqual((error.code, server.asked), ("TIMEOUT", []))

    def test_waits_have_a_limit_after_any_number_of_failures(self) -> None:
        left = [Reply(503)] * 1_100
        server = self.serve(lambda asked: left.pop() if left else EMPTY)
        with mock.patch("time.sleep"):
            self.client(server, retry=Retry(deadline=600)).tasks.list()
        self.assertEqual(len(server.asked), 1_101)


class Secrets(Scripted):
    def test_a_key_that_no_header_can_have_is_refused_at_once_and_not_shown(self) -> None:
        server = self.serve(EMPTY)
        for secret in ("tb_sec\nret", "tb_sec…ret"):
            for credential in ({"key": secret}, {"token": lambda rejected: secret}):
                try:
                    Client(server.url, **credential).tasks.list()
                except TaskboardApiError as error:
                    self.assertEqual((error.status, error.code), (401, "AUTHENTICATION_FAILED"))
                    shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
                    self.assertNotIn("tb_sec", shown)
                else:
                    self.fail("it was sent")
        self.assertEqual(server.asked, [])

    def test_a_key_can_end_with_the_end_of_the_line_of_its_file(self) -> None:
        server = self.serve(EMPTY)
        Client(server.url, key="tb_secret\r\n").tasks.list()
        self.assertEqual(server.asked[0].headers["authorization"], "Bearer tb_secret")

    def test_a_base_url_that_cannot_work_is_refused_and_not_shown(self) -> None:
        for url in (
            "localhost:3000",
            "app.example",
            "/kanban",
            "",
            None,
            "file:///etc",
            "http://",
            "https://app.example/?a=1",
            "https://app.example/#b",
            "https://ada:secret@app.example",
            "https://app.example:secret",
            "https://app exa.mple",
        ):
            with self.assertRaises(ValueError, msg=url) as refused:
                Client(url, key="k")
            self.assertNotIn("secret", str(refused.exception))
        server = self.serve(EMPTY)
        Client(f" {server.url}/a/b// ", key="k").tasks.list()
        self.assertEqual(server.paths(), ["/a/b/v2/tasks"])

    def test_an_idempotency_key_that_the_server_would_refuse_is_not_sent(self) -> None:
        server = self.serve(EMPTY)
        for key in ("", "with space", "käse", "a\nb", "x" * 256):
            with self.assertRaises(ValueError):
                self.client(server).tasks.create(title="x", idempotency_key=key)
        self.assertEqual(server.asked, [])

    def test_the_key_of_a_call_is_that_of_all_its_attempts(self) -> None:
        server = self.serve(Reply(503), Reply(401), Reply(429), Reply(200, {}))
        client = self.client(server, token=lambda rejected: "stale" if rejected is None else "fresh")
        client.tasks.create(title="x")
        client.tasks.create(title="x")
        keys = [asked.headers["idempotency-key"] for asked in server.asked]
        self.assertEqual((len(keys), len(set(keys[:4])), len(set(keys))), (5, 1, 2))

    def test_certificates_are_verified_also_where_the_program_switches_that_off_for_urllib(self) -> None:
        contexts = []
        connect = ssl.SSLContext.wrap_socket

        def noted(context, *args, **options):
            contexts.append((context.verify_mode, context.check_hostname))
            return connect(context, *args, **options)

        server = self.serve(EMPTY)
        url = server.url.replace("http", "https")
        switched_off = mock.patch.object(ssl, "_create_default_https_context", ssl._create_unverified_context)
        with switched_off, mock.patch.object(ssl.SSLContext, "wrap_socket", noted):
            client = Client(url, key="k", retry=Retry(attempts=1))
            self.assertEqual(self.failure(client.tasks.list).code, "NETWORK_ERROR")
        self.assertEqual(contexts, [(ssl.CERT_REQUIRED, True)])


class Sessions(Scripted):
    def calls(self, client: Client, count: int = 50) -> list:
        """The statuses of calls of many threads at once; None for one that succeeded."""
        seen = []

        def call() -> None:
            try:
                client.account.get()
                seen.append(None)
            except TaskboardApiError as error:
                seen.append(error.status)

        threads = [threading.Thread(target=call) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return seen

    def test_fifty_threads_log_in_once_and_share_a_failure(self) -> None:
        begun = threading.Event()
        status = [200]

        def script(asked):
            if not asked.path.startswith("/v2/auth"):
                return Reply(200, {"id": "acc"})
            # Until all threads wait.
            begun.wait(0.5)
            return Reply(status[0], {"access_token": "a", "refresh_token": "r", "expires_in": 0})

        server = self.serve(script)
        client = self.client(server, login=("ada@acme.example", "password"))

        def auth() -> list:
            return [path for path in server.paths() if path.startswith("/v2/auth")]

        status[0] = 500
        self.assertEqual(self.calls(client), [500] * 50)
        self.assertEqual(auth(), ["/v2/auth/login"])
        status[0] = 200
        self.assertEqual(self.calls(client), [None] * 50)
        self.assertEqual(auth(), ["/v2/auth/login"] * 2)
        # The token is stale at once.
        status[0] = 500
        self.assertEqual(self.calls(client), [500] * 50)
        self.assertEqual(auth(), ["/v2/auth/login"] * 2 + ["/v2/auth/refresh"])

    def test_a_call_waits_for_the_login_no_longer_than_its_deadline(self) -> None:
        server = self.serve(lambda asked: lambda handler: time.sleep(1))
        client = self.client(server, login=("a", "b"))
        error = self.failure(lambda: client.account.get(retry_policy=Retry(deadline=0.05)))
        self.assertEqual(error.code, "TIMEOUT")

    def test_a_logout_during_a_refresh_keeps_the_next_session(self) -> None:
        refuse = threading.Event()
        self.addCleanup(refuse.set)
        logins = []

        def script(asked):
            if asked.path == "/v2/auth/refresh":
                refuse.wait(10)
                return Reply(401)
            if asked.path == "/v2/auth/logout":
                return Reply(204)
            if asked.path == "/v2/auth/login":
                logins.append(asked)
                life = 0 if len(logins) == 1 else 900
                return Reply(200, {"access_token": f"a{len(logins)}", "refresh_token": "r", "expires_in": life})
            return Reply(200, {"id": "acc"})

        server = self.serve(script)
        client = self.client(server, login=("a", "b"))
        client.account.get()
        waiting = threading.Thread(target=client.account.get)
        waiting.start()
        while "/v2/auth/refresh" not in server.paths():
            time.sleep(0.001)
        client.auth.logout()
        client.account.get()
        refuse.set()
        waiting.join()
        client.account.get()
        # The first one, that after the logout, and that of the call that waited.
        self.assertEqual(len(logins), 3)

    def test_a_session_that_ends_while_it_is_renewed_stays_ended(self) -> None:
        renew = threading.Event()
        self.addCleanup(renew.set)
        logins = []

        def script(asked):
            if asked.path == "/v2/auth/refresh":
                renew.wait(10)
                return Reply(200, {"access_token": "renewed", "refresh_token": "r", "expires_in": 900})
            if asked.path == "/v2/auth/logout":
                return Reply(204)
            if asked.path == "/v2/auth/login":
                logins.append(asked)
                return Reply(200, {"access_token": f"a{len(logins)}", "refresh_token": "r", "expires_in": 0 if len(logins) == 1 else 900})
            return Reply(200, {"id": "acc"})

        server = self.serve(script)
        client = self.client(server, login=("a", "b"))
        client.account.get()
        waiting = threading.Thread(target=client.account.get)
        waiting.start()
        while "/v2/auth/refresh" not in server.paths():
            time.sleep(0.001)
        client.auth.logout()
        renew.set()
        waiting.join()
        client.account.get()
        self.assertEqual(len(logins), 2)
        self.assertEqual(server.asked[-1].headers["authorization"], "Bearer a2")

    def test_a_token_function_ends_its_session_by_logout(self) -> None:
        server = self.serve(Reply(204))
        self.client(server, token=lambda rejected: "mine").auth.logout()
        self.assertEqual((server.paths(), server.asked[0].headers["authorization"]), (["/v2/auth/logout"], "Bearer mine"))


class Board:
    """A client with one task. ``faults`` raise what calls raise, by their names."""

    def __init__(self, **faults) -> None:
        self.writes = []
        self.released = []
        self.waiting = [{"id": "task_1", "title": "One", "fencing_token": 1, "attempts": 1, "depends_on": [], "answer": None}]
        self._faults = faults
        self.tasks = self.agents = self.realtime = self

    def subscribe(self, *_channels, **_options):
        return (message for message in ())

    def _called(self, name: str):
        self.writes.append(name)
        fault = self._faults.get(name, lambda: None)()
        if fault is not None:
            raise fault

    def get(self, *_ids, **_options):
        self._called("agent")
        return {"id": "agent_1", "workspace_id": "ws_1"}

    def claim(self, **_options):
        self._called("claim")
        return {"task": self.waiting.pop() if self.waiting else None}

    def all_comments(self, *_ids, **_options):
        return []

    def heartbeat(self, *_ids, **_options):
        self._called("heartbeat")

    def complete(self, *_ids, **_options):
        self._called("complete")

    def fail(self, *_ids, **_options):
        self._called("fail")

    def release(self, *_ids, **options):
        self.released.append(options.get("fencing_token"))
        self._called("release")


def until(is_so) -> None:
    ends_at = time.monotonic() + 15
    while not is_so():
        if time.monotonic() > ends_at:
            raise AssertionError("it did not happen in time")
        time.sleep(0.005)


class Workers(unittest.TestCase):
    def setUp(self) -> None:
        ended = []
        patched = mock.patch("threading.excepthook", ended.append)
        patched.start()
        self.addCleanup(patched.stop)
        # No thread of a worker ends by an exception. Cleanups run after the test.
        self.addCleanup(lambda: self.assertEqual(ended, []))

    def start(self, board: Board, run=lambda task, context: "done", **options) -> Worker:
        worker = Worker(board, "agent_1", run, **options)
        self.addCleanup(worker.stop, 0)
        return worker

    def test_polls_as_often_after_a_long_time_without_a_task(self) -> None:
        board = Board()
        board.waiting.clear()
        errors = []
        worker = self.start(board, poll=0.0, on_error=lambda error, task_id: errors.append(error))
        until(lambda: len(board.writes) > 1_200 or errors)
        worker.stop(0)
        self.assertEqual(errors, [])

    def test_goes_on_when_its_on_error_raises(self) -> None:
        away = TaskboardApiError("away")
        beats = []

        def beat():
            beats.append(None)
            return away if len(beats) <= 3 else None

        claims = []

        def claim():
            claims.append(None)
            return away if len(claims) == 1 else None

        def on_error(error, task_id):
            raise RuntimeError("the log is full")

        board = Board(heartbeat=beat, claim=claim)
        self.start(board, lambda task, context: until(lambda: len(beats) > 4), lease=1.2, poll=0.01, on_error=on_error)
        until(lambda: "complete" in board.writes)
        self.assertGreater(len(beats), 4)

    def test_does_not_hurry_a_server_that_asks_for_a_very_long_wait(self) -> None:
        board = Board(claim=lambda: TaskboardApiError("busy", status=429, retry_after=float("inf")))
        errors = []
        worker = self.start(board, on_error=lambda error, task_id: errors.append(error))
        until(lambda: errors)
        worker.stop(0)
        worker.wait()
        self.assertEqual(board.writes.count("claim"), 1)

    def test_drains_without_an_end(self) -> None:
        board = Board()
        began, end = threading.Event(), threading.Event()

        def run(task, context):
            began.set()
            end.wait(15)

        worker = self.start(board, run)
        self.assertTrue(began.wait(15))
        stopping = threading.Thread(target=worker.stop, args=(float("inf"),))
        stopping.start()
        until(worker._stopping.is_set)
        end.set()
        stopping.join(15)
        self.assertEqual([name for name in board.writes if name in ("complete", "release")], ["complete"])

    def test_awaits_the_earlier_run_of_a_task_that_it_claims_again(self) -> None:
        beats = []

        def beat():
            beats.append(None)
            return TaskboardApiError("lost", status=409, code="CONFLICT") if len(beats) == 1 else None

        board = Board(heartbeat=beat)
        steps = []
        second = dict(board.waiting[0], fencing_token=2)
        lost, end = threading.Event(), threading.Event()

        def run(task, context):
            steps.append(f"begin {task['fencing_token']}")
            if task["fencing_token"] == 1:
                context.signal.wait(15)
                board.waiting.append(second)
                lost.set()
                end.wait(15)
            steps.append(f"end {task['fencing_token']}")

        board.attempts = lambda *_ids, **_options: {"attempts": []}
        worker = self.start(board, run, concurrency=2, lease=1.2, poll=0.01)
        self.assertTrue(lost.wait(15))
        until(lambda: not board.waiting and len(worker._runs) == 1 and worker._runs["task_1"].task is second)
        # Heartbeats of the second run: it is claimed, and would have begun.
        until(lambda: len(beats) > 2)
        self.assertEqual(steps, ["begin 1"])
        end.set()
        until(lambda: "complete" in board.writes)
        self.assertEqual(steps, ["begin 1", "end 1", "begin 2", "end 2"])

    def test_hands_back_only_what_it_still_holds(self) -> None:
        lost = TaskboardApiError("lost", status=409, code="CONFLICT")
        began, end = threading.Event(), threading.Event()
        self.addCleanup(end.set)
        board = Board(release=lambda: lost)

        def run(task, context):
            began.set()
            end.wait(15)

        worker = self.start(board, run, lease=600)
        self.assertTrue(began.wait(15))
        worker.stop(0)
        # One write under its token: a task that a person took after another one would go back to TODO.
        self.assertEqual((board.released, [name for name in board.writes if name != "agent"]), ([1], ["claim", "release"]))

    def test_reports_the_refusal_that_ends_it(self) -> None:
        refusal = TaskboardApiError("no", status=401, code="AUTHENTICATION_FAILED")
        errors = []
        worker = self.start(Board(agent=lambda: refusal), on_error=lambda *error: errors.append(error))
        with self.assertRaises(TaskboardApiError):
            worker.wait(15)
        self.assertEqual(errors, [(refusal, None)])

    def test_refuses_options_with_which_it_would_never_work(self) -> None:
        for arguments in (("", print), (None, print), ("agent_1", None), ("agent_1", print, 0)):
            with self.assertRaises(ValueError):
                Worker(Board(), *arguments)


class Methods(unittest.TestCase):
    def test_have_a_doc_string_and_a_signature(self) -> None:
        client = Client("http://board.example", key="k")
        for name, operation in OPERATIONS.items():
            if name == "auth.logout":
                continue
            method = client
            for part in name.split("."):
                method = getattr(method, part)
            self.assertIn(operation.path, method.__doc__)
            self.assertIn("TaskboardApiError", method.__doc__)
        signature = inspect.signature(client.tasks.comment)
        self.assertEqual(list(signature.parameters), ["task_id", "idempotency_key", "retry_policy", "fields"])
        self.assertEqual(list(inspect.signature(client.tasks.list_all).parameters), ["retry_policy", "fields"])


if __name__ == "__main__":
    unittest.main()
