"""A server that answers as a test says."""

import http.server
import json
import threading
from typing import Any, Callable, NamedTuple, Optional


class Asked(NamedTuple):
    method: str
    path: str
    headers: Any
    body: Any


class Reply(NamedTuple):
    """``body``: what is sent as JSON, or bytes as they are; None for none. ``missing``: how many bytes do not arrive."""

    status: int = 200
    body: Any = None
    headers: Optional[dict] = None
    missing: int = 0


class ScriptedServer:
    """Answers each request as ``script`` says, and notes it in ``asked``."""

    def __init__(self, script: Callable[[Asked], Any]) -> None:
        self.asked = []
        self._lock = threading.Lock()
        scripted = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def _answer(self) -> None:
                text = self.rfile.read(int(self.headers.get("content-length") or 0))
                asked = Asked(self.command, self.path, self.headers, json.loads(text) if text else None)
                with scripted._lock:
                    scripted.asked.append(asked)
                reply = script(asked)
                if callable(reply):
                    reply(self)
                    return
                sent = reply.body if isinstance(reply.body, bytes) else b"" if reply.body is None else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                headers = {"content-type": "application/json", "content-length": str(len(sent) + reply.missing)}
                for name, value in {**headers, **(reply.headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_POST = do_PATCH = do_DELETE = _answer

            def log_message(self, *_args) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_args) -> None:
                """A client that gave up is no fault of the test."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def paths(self) -> list:
        return [asked.path for asked in self.asked]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
