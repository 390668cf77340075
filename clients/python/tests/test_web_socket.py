"""The WebSocket of the client, against servers that write frames as a test says."""

import base64
import hashlib
import socket
import ssl
import struct
import threading
import unittest

from taskboard.web_socket import UpgradeRefused, WebSocket, WebSocketClosed

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def frame(opcode: int, payload: bytes, is_last: bool = True) -> bytes:
    length = len(payload)
    if length < 126:
        size = bytes([length])
    elif length < 65_536:
        size = struct.pack("!BH", 126, length)
    else:
        size = struct.pack("!BQ", 127, length)
    return bytes([(0x80 if is_last else 0) | opcode]) + size + payload


class Frames(unittest.TestCase):
    def open(self, sent: bytes = b"", accept=None, status: str = "101 Switching Protocols", stays: bool = True) -> WebSocket:
        """Connects to a server that answers the handshake and writes ``sent`` after it, in one piece."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def serve() -> None:
            self.peer, _ = server.accept()
            self.addCleanup(self.peer.close)
            self.head = b""
            while b"\r\n\r\n" not in self.head:
                self.head += self.peer.recv(4_096)
            key = next(line.split(b": ")[1] for line in self.head.split(b"\r\n") if line.startswith(b"sec-websocket-key"))
            accepted = accept or base64.b64encode(hashlib.sha1(key + MAGIC).digest()).decode()
            lines = f"HTTP/1.1 {status}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accepted}\r\n\r\n"
            self.peer.sendall(lines.encode() + sent)
            if not stays:
                self.peer.shutdown(socket.SHUT_WR)

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/v2/realtime"
        try:
            opened = WebSocket(address, ssl.create_default_context(), {"user-agent": "test"}, 5)
        finally:
            serving.join(5)
        self.addCleanup(opened.close)
        return opened

    def heard(self) -> tuple:
        """The next frame of the client, which must be masked: its opcode and its payload."""
        self.peer.settimeout(5)
        first, second = self.exactly(2)
        self.assertTrue(second & 0x80, "a client masks its frames")
        length = second & 127
        if length >= 126:
            (length,) = struct.unpack("!H" if length == 126 else "!Q", self.exactly(2 if length == 126 else 8))
        mask, payload = self.exactly(4), self.exactly(length)
        return first, bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.peer.recv(count - len(data))
            self.assertTrue(part, "the client has closed the connection")
            data += part
        return data

    def test_sends_masked_text_of_every_length(self) -> None:
        opened = self.open()
        self.assertIn(b"GET /v2/realtime HTTP/1.1\r\n", self.head)
        for length in (0, 125, 126, 65_535, 65_536):
            opened.send("é" * (length // 2) + "x" * (length % 2))
            first, payload = self.heard()
            self.assertEqual((first, len(payload)), (0x81, length))
            payload.decode()

    def test_receives_text_of_every_length_and_in_parts(self) -> None:
        texts = ["", "x" * 125, "y" * 126, "z" * 65_536]
        parts = frame(1, b"\xc3", False) + frame(9, b"how") + frame(0, b"", False) + frame(0, b"\xa9")
        # The first frames come with the response to the handshake.
        opened = self.open(b"".join(frame(1, text.encode()) for text in texts) + frame(10, b"late") + parts)
        for text in [*texts, "é"]:
            self.assertEqual(opened.receive(5), text)
        self.assertEqual(self.heard(), (0x8A, b"how"))

    def test_waits_no_longer_than_it_is_told(self) -> None:
        opened = self.open(frame(1, b"half")[:3])
        self.assertIsNone(opened.receive(0.05))
        self.peer.sendall(frame(1, b"half")[3:])
        self.assertEqual(opened.receive(5), "half")

    def test_ends_with_the_code_of_the_server_and_returns_it(self) -> None:
        for payload, code, reason in ((b"\x11\x31gone", 4401, "gone"), (b"", 1005, "")):
            opened = self.open(frame(8, payload))
            with self.assertRaises(WebSocketClosed) as raised:
                opened.receive(5)
            self.assertEqual((raised.exception.code, raised.exception.reason), (code, reason))
            self.assertEqual(self.heard(), (0x88, payload[:2]))

    def test_says_goodbye(self) -> None:
        self.open().close()
        self.assertEqual(self.heard(), (0x88, struct.pack("!H", 1000)))

    def test_ends_when_the_server_is_gone(self) -> None:
        opened = self.open(frame(1, b"last"), stays=False)
        self.assertEqual(opened.receive(5), "last")
        with self.assertRaises(WebSocketClosed) as raised:
            opened.receive(5)
        self.assertEqual(raised.exception.code, 1006)

    def test_refuses_what_no_server_may_send(self) -> None:
        wrong = {
            1002: [
                b"\xc1\x00",  # a reserved bit
                b"\x81\x80\x00\x00\x00\x00",  # a mask
                b"\x09\x00",  # a part of a ping
                frame(9, b"x" * 126),
                frame(8, b"x"),
                frame(0, b"x"),
                frame(1, b"x", False) + frame(1, b"y"),
            ],
            1003: [frame(2, b"x")],
            1007: [frame(1, b"\xff")],
            1009: [struct.pack("!BBQ", 0x81, 127, 2**24 + 1), struct.pack("!BBQ", 0x81, 127, 2**63)],
        }
        for code, all_sent in wrong.items():
            for sent in all_sent:
                with self.subTest(code=code, sent=sent[:12]):
                    opened = self.open(sent)
                    with self.assertRaises(WebSocketClosed) as raised:
                        opened.receive(5)
                    self.assertEqual(raised.exception.code, code)
                    self.assertEqual(self.heard(), (0x88, struct.pack("!H", code)))

    def test_refuses_other_servers(self) -> None:
        with self.assertRaises(WebSocketClosed):
            self.open(accept="c29tZXRoaW5nIGVsc2U=")
        with self.assertRaises(UpgradeRefused) as raised:
            self.open(status="404 Not Found")
        self.assertEqual(raised.exception.status, 404)
        with self.assertRaises(WebSocketClosed):
            WebSocket("http://127.0.0.1:1/", ssl.create_default_context(), {}, 1)
