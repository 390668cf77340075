"""The client's side of a WebSocket, as RFC 6455 has it: text messages, no extensions."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import struct
import time
import urllib.parse
import urllib.request
from http.client import HTTPConnection, HTTPException, HTTPSConnection, parse_headers
from io import BytesIO
from typing import Dict, List, NamedTuple, NoReturn, Optional

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUED, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
#: How much a message, and the head of the response to the handshake, can have.
_MESSAGE_BYTES = 2**24
_HEAD_BYTES = 65_536

NORMAL, GONE = 1000, 1006


class WebSocketClosed(Exception):
    """The connection has ended. ``code``: that of the close frame; 1006 without one."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason or f"the connection ended with {code}")
        self.code = code
        self.reason = reason


class UpgradeRefused(Exception):
    """The server refused the handshake with a status other than 101."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the server refused the WebSocket handshake with {status}")
        self.status = status


class _Frame(NamedTuple):
    is_last: bool
    opcode: int
    payload: bytes


class WebSocket:
    """One connection. One thread sends and receives; others may only ``interrupt``."""

    def __init__(self, address: str, tls: ssl.SSLContext, headers: Dict[str, str], timeout: float) -> None:
        """Connects to an http or https ``address``. Raises ``WebSocketClosed`` or ``UpgradeRefused``."""
        self._parts: List[bytes] = []
        self._timeout = timeout
        try:
            self._socket = _connected(urllib.parse.urlsplit(address), tls, timeout)
        except (OSError, HTTPException) as error:
            raise WebSocketClosed(GONE, f"the server cannot be reached: {error}") from error
        self._received = bytearray()
        try:
            self._shake_hands(urllib.parse.urlsplit(address), headers, time.monotonic() + timeout)
        except BaseException:
            self._socket.close()
            raise

    def send(self, text: str) -> None:
        self._send(_TEXT, text.encode())

    def receive(self, timeout: float) -> Optional[str]:
        """The next message; None when there is none for so long. Responds to pings. Raises ``WebSocketClosed``."""
        ends_at = time.monotonic() + timeout
        while True:
            frame = self._next_frame()
            if frame is None:
                if not self._fill(ends_at):
                    return None
            elif frame.opcode == _PING:
                self._send(_PONG, frame.payload)
            elif frame.opcode == _CLOSE:
                self._end(frame.payload)
            elif frame.opcode != _PONG:
                text = self._joined(frame)
                if text is not None:
                    return text

    def close(self) -> None:
        """Says goodbye without waiting for the response. A second time it does nothing."""
        try:
            self._timeout = min(self._timeout, 1.0)
            self._send(_CLOSE, struct.pack("!H", NORMAL))
        except WebSocketClosed:
            pass
        self._socket.close()

    def interrupt(self) -> None:
        """Ends it for a thread that waits in ``receive``."""
        try:
            # Not that of SSLSocket, which is not for two threads.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass

    def _shake_hands(self, parts: urllib.parse.SplitResult, headers: Dict[str, str], ends_at: float) -> None:
        key = base64.b64encode(os.urandom(16))
        asked = {
            "host": parts.netloc,
            "connection": "Upgrade",
            "upgrade": "websocket",
            "sec-websocket-version": "13",
            "sec-websocket-key": key.decode(),
            **headers,
        }
        lines = [f"GET {parts.path or '/'} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items())]
        self._write("\r\n".join([*lines, "", ""]).encode())
        end = -1
        while end < 0:
            if len(self._received) > _HEAD_BYTES or not self._fill(ends_at):
                raise WebSocketClosed(GONE, "the server does not respond to the WebSocket handshake")
            end = self._received.find(b"\r\n\r\n")
        status, _, rest = bytes(self._received[: end + 4]).partition(b"\r\n")
        del self._received[: end + 4]
        code = status.split(b" ")[1:2]
        if code != [b"101"]:
            raise UpgradeRefused(int(code[0]) if code and code[0].isdigit() else 0)
        accepted = parse_headers(BytesIO(rest)).get("sec-websocket-accept", "").strip()
        if accepted != base64.b64encode(hashlib.sha1(key + _MAGIC).digest()).decode():
            raise WebSocketClosed(GONE, "the response to the WebSocket handshake is not from a WebSocket server")

    def _next_frame(self) -> Optional[_Frame]:
        """The first frame of what has been received, if it is whole."""
        received = self._received
        if len(received) < 2:
            return None
        first, length = received[0], received[1] & 127
        start = 2
        if length >= 126:
            form, size = ("!H", 2) if length == 126 else ("!Q", 8)
            start += size
            if len(received) < start:
                return None
            (length,) = struct.unpack_from(form, received, 2)
        opcode = first & 15
        is_control = opcode >= _CLOSE
        if first & 0x70 or received[1] & 0x80 or (is_control and (length > 125 or not first & 0x80)):
            self._fail(1002, "the server sent a wrong frame")
        if length + sum(map(len, self._parts)) > _MESSAGE_BYTES:
            self._fail(1009, "the server sent a message that is too long")
        if len(received) < start + length:
            return None
        payload = bytes(received[start : start + length])
        del received[: start + length]
        return _Frame(bool(first & 0x80), opcode, payload)

    def _joined(self, frame: _Frame) -> Optional[str]:
        """The message that the frame ends; None when more of it follows."""
        if frame.opcode == _BINARY:
            self._fail(1003, "the server sent a binary message")
        if frame.opcode != (_CONTINUED if self._parts else _TEXT):
            self._fail(1002, "the server sent a wrong frame")
        self._parts.append(frame.payload)
        if not frame.is_last:
            return None
        whole, self._parts = b"".join(self._parts), []
        try:
            return whole.decode()
        except UnicodeDecodeError:
            self._fail(1007, "the server sent text that is not UTF-8")

    def _end(self, payload: bytes) -> NoReturn:
        """The server's close frame has a code and a reason, or nothing. The client returns the code."""
        if len(payload) == 1:
            self._fail(1002, "the server sent a wrong frame")
        code = struct.unpack("!H", payload[:2])[0] if payload else 1005
        try:
            self._send(_CLOSE, payload[:2])
        finally:
            self._socket.close()
        raise WebSocketClosed(code, payload[2:].decode("utf-8", "replace"))

    def _fail(self, code: int, reason: str) -> NoReturn:
        try:
            self._send(_CLOSE, struct.pack("!H", code))
        finally:
            self._socket.close()
        raise WebSocketClosed(code, reason)

    def _send(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65_536:
            head += struct.pack("!BH", 0x80 | 126, length)
        else:
            head += struct.pack("!BQ", 0x80 | 127, length)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        self._write(head + mask + masked)

    def _write(self, data: bytes) -> None:
        try:
            self._socket.settimeout(self._timeout)
            self._socket.sendall(data)
        except (OSError, ValueError) as error:
            raise WebSocketClosed(GONE, f"the connection was lost: {error}") from error

    def _fill(self, ends_at: float) -> bool:
        """Reads what has arrived; False when nothing does in time."""
        left = ends_at - time.monotonic()
        if left <= 0:
            return False
        try:
            self._socket.settimeout(left)
            data = self._socket.recv(65_536)
        except socket.timeout:
            return False
        except (OSError, ValueError) as error:
            raise WebSocketClosed(GONE, f"the connection was lost: {error}") from error
        if not data:
            raise WebSocketClosed(GONE, "the connection was lost")
        self._received += data
        return True


def _connected(parts: urllib.parse.SplitResult, tls: ssl.SSLContext, timeout: float) -> socket.socket:
    """Through the proxy of the environment, if it names one."""
    host = parts.hostname or ""
    proxy = None if urllib.request.proxy_bypass(host) else urllib.request.getproxies().get(parts.scheme)
    via = urllib.parse.urlsplit(f"//{proxy.split('://')[-1]}" if proxy else f"//{parts.netloc}")
    to, port = via.hostname or "", via.port
    connection: HTTPConnection
    if parts.scheme == "https":
        connection = HTTPSConnection(to, port, timeout=timeout, context=tls)
    else:
        connection = HTTPConnection(to, port, timeout=timeout)
    if proxy:
        name, password = (urllib.parse.unquote(part or "") for part in (via.username, via.password))
        login = base64.b64encode(f"{name}:{password}".encode()).decode()
        connection.set_tunnel(host, parts.port, {"proxy-authorization": f"Basic {login}"} if name else {})
    connection.connect()
    return connection.sock
