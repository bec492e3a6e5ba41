"""HTTP/1.1 by the byte, with the interim answers that other clients drop."""

import dataclasses
import select
import socket
import ssl
import time

# In seconds, without a byte in either direction. Nothing that works takes so long.
PATIENCE = 20
_WAITS = BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError


class Broken(Exception):
    """The connection broke before there was a final answer."""


@dataclasses.dataclass
class Head:
    """An answer. Names of headers are in lower case."""

    status: int
    headers: dict
    body: bytes = b""


class Exchange:
    """One connection, on which requests follow each other."""

    def __init__(self, port, tls=None):
        """`tls` is the context and the name of the server."""
        try:
            plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
            self._socket = tls[0].wrap_socket(plain, server_hostname=tls[1]) if tls else plain
        except OSError as failure:
            raise Broken(str(failure)) from None
        self._socket.setblocking(False)
        self._received, self._is_over = bytearray(), False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def ask(self, method, path, headers, body=None, on_interim=lambda answer: None, protocol="HTTP/1.1"):
        """The final answer. Raises `Broken`, and `TimeoutError` where nothing moves."""
        lines = [f"{method} {path} {protocol}", *(f"{name}: {value}" for name, value in headers.items())]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        rest = memoryview("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""))
        end = time.monotonic() + PATIENCE
        while not (answer := self._next(method)):
            if self._is_over:
                raise Broken("the connection was closed")
            if count := self._move(rest):
                rest, end = rest[max(count, 0):], time.monotonic() + PATIENCE
            elif time.monotonic() > end:
                raise TimeoutError(f"{method} {path}: nothing for {PATIENCE} s, {len(rest)} bytes are not sent")
            while answer := self._interim():
                on_interim(answer)
        return answer

    def _move(self, rest):
        """Sends and receives what can be. Returns how many bytes were sent; -1 if some were only received."""
        reads, writes, _ = select.select([self._socket], [self._socket] if rest else [], [], 1)
        moved = 0
        if reads:
            moved = -1 if self._receive() else 0
        if writes and not self._is_over:
            try:
                return self._socket.send(rest[:1 << 16])
            except _WAITS:
                pass
            except OSError:
                # The answer may have come before.
                while self._receive():
                    pass
                self._is_over = True
        return moved

    def _receive(self):
        try:
            data = self._socket.recv(1 << 16)
        except _WAITS:
            return False
        except OSError:
            data = b""
        self._received += data
        self._is_over = self._is_over or not data
        return bool(data)

    def _interim(self):
        head = self._head()
        if head and head[0].status < 200:
            del self._received[:head[1]]
            return head[0]
        return None

    def _next(self, method):
        """The final answer if it is here; what comes before it is not for it."""
        head = self._head()
        if not head or head[0].status < 200:
            return None
        answer, start = head
        has_none = method == "HEAD" or answer.status in (204, 304)
        length = 0 if has_none else int(answer.headers.get("content-length", 0))
        if len(self._received) < start + length:
            return None
        answer.body = bytes(self._received[start:start + length])
        del self._received[:start + length]
        return answer

    def _head(self):
        """The first head of what was received, and where it ends."""
        text, found, _ = bytes(self._received[:1 << 16]).partition(b"\r\n\r\n")
        if not found:
            return None
        first, *lines = text.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Head(int(first.split()[1]), headers), len(text) + 4
