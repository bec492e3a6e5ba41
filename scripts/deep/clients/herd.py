"""Thousands of clients of event streams, in one thread."""

import json
import random
import select
import socket
import time

PER_USER = 20
# The server takes a thousand new streams a second.
OPENED_A_SECOND = 900


class _Client:
    def __init__(self, token):
        self.token, self.socket, self.text = token, None, b""
        self.is_open, self.refusals, self.last_id = False, 0, None
        # The greatest head of each project that the client was told.
        self.heads = {}


class Herd:
    """Clients that open a stream again when theirs ends, when they are asked to."""

    def __init__(self, port, tokens, count):
        self._port, self._poll = port, select.epoll()
        self.clients = [_Client(tokens[index // PER_USER % len(tokens)]) for index in range(count)]
        self._by_file = {}
        # When each client that has no stream opens the next one.
        self._due = {}
        # Why streams ended, and how often.
        self.ends = {}

    def open_all(self):
        now = time.monotonic()
        self._due = {client: now + index / OPENED_A_SECOND for index, client in enumerate(self.clients)}
        self.wait(len(self.clients) / OPENED_A_SECOND + 30)

    def wait(self, seconds, done=lambda client: client.is_open):
        """Goes on until this holds of all clients. Fails after so many seconds."""
        end = time.monotonic() + seconds
        while left := [client for client in self.clients if not done(client)]:
            if time.monotonic() > end:
                raise RuntimeError(
                    f"{len(left)} of {len(self.clients)} streams are not there after {seconds:.0f} s, one of them: "
                    f"open {left[0].is_open}, heads {left[0].heads}, last {left[0].last_id}, {left[0].text[:300]}")
            self.run(0.2)

    def run(self, seconds):
        """Reads what comes, and opens what is due."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            for client in [client for client, due in self._due.items() if due <= now][:100]:
                del self._due[client]
                self._open(client)
            for number, _ in self._poll.poll(0.01, 1000):
                self._read(self._by_file[number])

    def all_ended(self):
        """To be called when the server was stopped: nobody has a stream any more."""
        for client in self.clients:
            client.is_open = False

    def cut(self, share):
        """Closes some streams. Their clients open the next ones within five seconds."""
        for client in random.sample(self.clients, int(len(self.clients) * share)):
            if client.socket:
                self._drop(client, random.uniform(0, 5), "cut")

    def close(self):
        for client in self.clients:
            if client.socket:
                client.socket.close()

    def _open(self, client):
        client.text = b""
        try:
            made = socket.create_connection(("127.0.0.1", self._port), timeout=5)
        except OSError:
            self._due[client] = time.monotonic() + 1
            return
        known = f"Last-Event-ID: {client.last_id}\r\n" if client.last_id else ""
        made.sendall(
            f"GET /api/v1/events/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {client.token}\r\n{known}\r\n".encode())
        made.setblocking(False)
        client.socket, self._by_file[made.fileno()] = made, client
        self._poll.register(made, select.EPOLLIN)

    def _read(self, client):
        try:
            read = client.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            read = b""
        client.text += read
        # Too many at once; or the server has not noticed yet that this user's last stream was cut.
        if client.text.startswith((b"HTTP/1.1 503", b"HTTP/1.1 429")):
            client.refusals += 1
            seconds = float(client.text.split(b"Retry-After: ")[1].split(b"\r")[0])
            return self._drop(client, seconds, "refused")
        while b"\n\n" in client.text:
            event, _, client.text = client.text.partition(b"\n\n")
            if (seconds := self._take(client, event.decode())) is not None:
                return self._drop(client, seconds, "bye")
        if not read:
            self._drop(client, 1, "closed")

    def _take(self, client, event):
        """Returns after how many seconds the client is to come back, if this is the last event."""
        fields = dict(line.split(": ", 1) for line in event.splitlines() if ": " in line)
        client.last_id = fields.get("id", client.last_id)
        data = json.loads(fields["data"]) if "data" in fields else {}
        match fields.get("event"):
            case "hello":
                client.is_open = True
                client.last_id = client.last_id or str(data["head"])
            case "poke":
                for project, head in data.items():
                    client.heads[project] = max(client.heads.get(project, 0), head)
            case "bye":
                return data["retry_ms"] / 1000
        return None

    def _drop(self, client, seconds, why):
        self.ends[why] = self.ends.get(why, 0) + 1
        client.is_open = False
        self._poll.unregister(client.socket)
        del self._by_file[client.socket.fileno()]
        client.socket.close()
        client.socket = None
        self._due[client] = time.monotonic() + seconds
