"""Passes connections on to a server, and cuts them on request."""

import random
import socket
import struct
import threading
import urllib.parse


class CuttingProxy:
    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self._target = (parts.hostname, parts.port)
        self._lock = threading.Lock()
        self._sockets = set()
        #: How many connections it has passed on.
        self.passed = 0
        self._server = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Resets all connections, wherever they are in a message."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for each in sockets:
            try:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()

    def close(self) -> None:
        self._server.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
                server = socket.create_connection(self._target)
            except OSError:
                return
            with self._lock:
                self._sockets |= {client, server}
                self.passed += 1
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while True:
                # Small parts, so that cuts go through frames.
                data = source.recv(random.randint(1, 400))
                if not data:
                    break
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
