"""A proxy that passes bytes on as they are, and cuts connections."""

import contextlib
import re
import socket
import socketserver
import threading
import time

_PIECE = 64 << 10
# How many seconds the server has to close its side of a connection that is cut.
_PATIENCE = 5
_INTERIM = re.compile(rb"HTTP/1\.1 104 .*?\r\n\r\n", re.S)


class CuttingProxy:
    """Forwards connections from a port of 127.0.0.1 to another one.

    After so many bytes of clients as `cut()` says, the connection that brought the last of them is cut, and so on;
    without `cut` none is. The server gets what came before, and no answer gets through after it. The client hears of
    the cut when the server has closed its side. With `eats_interim`, answers 104 don't get through."""

    def __init__(self, port, cut=None, eats_interim=False, pace=30_000_000):
        """`pace` is how many bytes a second a connection takes."""
        self.target, self.eats_interim, self.pace = port, eats_interim, pace
        # Bytes that clients have sent, and connections that were cut.
        self.sent, self.cuts = 0, 0
        self._cut, self._lock = cut, threading.Lock()
        self._left = cut() if cut else None
        self._server = _Listener(("127.0.0.1", 0), _Forwarding)
        self._server.proxy, self.port = self, self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def _takes(self, count):
        """Whether the connection with these bytes goes on."""
        with self._lock:
            self.sent += count
            if self._left is None:
                return True
            self._left -= count
            if self._left > 0:
                return True
            self._left, self.cuts = self._cut(), self.cuts + 1
            return False


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A connection that breaks is no news."""


class _Forwarding(socketserver.BaseRequestHandler):
    """One connection of a client, with one to the server."""

    def handle(self):
        self._proxy, self._is_cut = self.server.proxy, threading.Event()
        with socket.create_connection(("127.0.0.1", self._proxy.target)) as self._upstream:
            answers = threading.Thread(target=self._pass_answers, daemon=True)
            answers.start()
            with contextlib.suppress(OSError):
                self._pass_requests()
            answers.join()

    def _pass_requests(self):
        while data := self.request.recv(_PIECE):
            self._upstream.sendall(data)
            if not self._proxy._takes(len(data)):
                self._is_cut.set()
                self._upstream.settimeout(_PATIENCE)
                break
            time.sleep(len(data) / self._proxy.pace)
        self._upstream.shutdown(socket.SHUT_WR)

    def _pass_answers(self):
        with contextlib.suppress(OSError):
            while data := self._upstream.recv(_PIECE):
                if self._proxy.eats_interim:
                    data = _INTERIM.sub(b"", data)
                if not self._is_cut.is_set():
                    self.request.sendall(data)
        for connection in (self.request, self._upstream):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
