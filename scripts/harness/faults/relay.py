"""A proxy that can be told to be a bad one."""

import contextlib
import http.client
import http.server
import threading
import time

from harness.client import NO_ANSWER

# Between two proxies; not for the next one.
_OWN_HEADERS = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_READS = {"GET", "HEAD", "OPTIONS"}
_PIECE = 512
# In seconds: how long a write may take, and the silence of anything else. A server that was killed while its wire was
# cut may never say so.
_WRITE_PATIENCE, _PATIENCE = 20, 120


class Relay:
    """Forwards requests from a port of 127.0.0.1. An answer goes on as it comes, unless this is changed:

    - `holds_requests`, `holds_answers`: nothing gets through in this direction until `heal`;
    - `buffers`: an answer waits until it is whole;
    - `pace`: at most so many bytes a second are passed on of each answer."""

    def __init__(self, host, port):
        self.target = host, port
        self._server = _Listener(("127.0.0.1", 0), _Forwarding)
        self._server.relay, self.port = self, self._server.server_address[1]
        self._changed, self._writes = threading.Condition(), 0
        self._reset()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _reset(self):
        self.holds_requests = self.holds_answers = self.buffers = False
        self.pace = None

    def heal(self):
        with self._changed:
            self._reset()
            self._changed.notify_all()

    def end(self):
        self.heal()
        self._server.shutdown()
        self._server.server_close()

    def wait_for_writes(self, seconds):
        """Whether all writes that clients have sent are answered by the server or failed, also those whose clients have
        gone."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._writes, seconds)

    @contextlib.contextmanager
    def _counted(self, is_write):
        self._count(is_write)
        try:
            yield
        finally:
            self._count(-is_write)

    def _count(self, change):
        with self._changed:
            self._writes += change
            self._changed.notify_all()

    def _wait(self, name):
        """Waits until the direction is open."""
        with self._changed:
            self._changed.wait_for(lambda: not getattr(self, name))


class _Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A connection that breaks is no news."""


class _Forwarding(http.server.BaseHTTPRequestHandler):
    """One connection of a client, with one to the server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self._relay = self.server.relay
        self._upstream = http.client.HTTPConnection(*self._relay.target, timeout=_PATIENCE)

    def finish(self):
        self._upstream.close()
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *_):
        """Is not needed."""

    def _forward(self):
        try:
            self._answer(self._ask(self._body()))
        except NO_ANSWER:
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _forward

    def _body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunk(self):
        size = int(self.rfile.readline().split(b";")[0], 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def _ask(self, body):
        with self._relay._counted(self.command not in _READS):
            self._relay._wait("holds_requests")
            self._upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _OWN_HEADERS:
                    self._upstream.putheader(name, value)
            if body or self.command in ("POST", "PUT", "PATCH"):
                self._upstream.putheader("Content-Length", str(len(body)))
            self._upstream.endheaders(body)
            is_write = self.command not in _READS
            self._upstream.sock.settimeout(_WRITE_PATIENCE if is_write else _PATIENCE)
            return self._upstream.getresponse()

    def _answer(self, answer):
        length = answer.headers["Content-Length"]
        is_chunked = length is None and answer.status not in (204, 304) and self.command != "HEAD"
        outlet = _Outlet(self._relay, self.connection)
        try:
            outlet.pass_on(self._head(answer, length, is_chunked))
            while data := answer.read1(65536):
                outlet.pass_on(b"%x\r\n%b\r\n" % (len(data), data) if is_chunked else data)
            if answer.length:
                raise ConnectionError("the server broke off")
            answer.close()
            outlet.pass_on(b"0\r\n\r\n" if is_chunked else b"")
        finally:
            outlet.end()

    def _head(self, answer, length, is_chunked):
        lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items() if name.lower() not in _OWN_HEADERS]
        lines += [f"Content-Length: {length}"] if length is not None else []
        lines += ["Transfer-Encoding: chunked"] if is_chunked else []
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class _Outlet:
    """What a client gets of one answer. A thread of its own sends it, so that it can be sent late."""

    def __init__(self, relay, connection):
        self._relay, self._connection = relay, connection
        self._waiting, self._is_whole, self._failure = bytearray(), False, None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def pass_on(self, data):
        """Raises if the client has gone."""
        with self._relay._changed:
            self._waiting += data
            self._relay._changed.notify_all()
        if self._failure:
            raise self._failure

    def end(self):
        """Returns when all is sent."""
        with self._relay._changed:
            self._is_whole = True
            self._relay._changed.notify_all()
        self._thread.join()
        if self._failure:
            raise self._failure

    def _run(self):
        try:
            while data := self._next():
                self._send(data)
        except OSError as failure:
            self._failure = failure

    def _next(self):
        """What may be sent now; nothing at the end."""
        with self._relay._changed:
            self._relay._changed.wait_for(self._may_send)
            data = bytes(self._waiting)
            self._waiting.clear()
            return data

    def _may_send(self):
        if self._relay.holds_answers or (self._relay.buffers and not self._is_whole):
            return False
        return self._waiting or self._is_whole

    def _send(self, data):
        while data:
            pace = self._relay.pace
            piece = data[:_PIECE] if pace else data
            self._connection.sendall(piece)
            data = data[len(piece):]
            if pace:
                time.sleep(len(piece) / pace)
