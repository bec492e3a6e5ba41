"""Two servers behind nginx are stopped and started again in turn, and no client has a request that fails.

nginx has the configurations of docs/postgresql.md; only its ports, and the folder of its files, are replaced. A client
may get `503` with `Retry-After`. A row over REST may get nginx's `502`: nginx sends a `PATCH` once, and the connection
on which it sends it may be closed at that moment. These are counted. The argument is how often each server is started
again.
"""

import collections
import re
import threading
import time
import uuid

from check.reporting import equal
from harness import tidemark
from harness.client import NO_ANSWER, Client
from harness.environment import ROOT
from harness.installation import engine
from harness.installation.balancer import Balancer
from harness.listeners.stream import Stream
from harness.server import Server

ROUNDS = 5


def main(rounds=ROUNDS):
    for name in ("nginx.conf", "by-project.conf"):
        roll(name, int(rounds))


def roll(configuration, rounds):
    database = engine.new_database("rolling")
    token = tidemark.add_user("alice", database)
    with Server(database) as one, Server(database) as other, balancer(configuration, (one, other)) as proxy:
        clients = start_clients(proxy.port, one.new_project(token))
        for server in (one, other) * rounds:
            time.sleep(1)
            server.stop()
            time.sleep(0.5)
            server.start()
        time.sleep(1)
        # Uploads come first among them, and end what waits.
        for client in reversed(clients):
            client.end()
        equal(f"{configuration}: every client came to its end", [c for c in clients if c.is_alive()], [])
        report(configuration, rounds, clients)
        stored = one.project(clients[0].project, token).drain().require_no_problem().tasks()
        sent = {id for client in clients for id in client.sent}
        equal(f"{configuration}: what was acknowledged is there, and nothing else", sent ^ set(stored), set())


def balancer(name, servers):
    """nginx with a configuration file of the docs."""
    page = (ROOT / "docs/postgresql.md").read_text()
    text = re.search(rf"cat >{re.escape(name)} <<'END'\n(.*?)^END$", page, re.S | re.M)[1]
    for port, server in zip(("8081", "8082"), servers):
        text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{server.port}")
    block = text[text.index("http {") + len("http {"): text.rindex("}")]
    block = "\n".join(line for line in block.splitlines() if "_temp_path" not in line and "access_log" not in line)
    return Balancer("rolling", lambda port: block.replace("127.0.0.1:8080", f"127.0.0.1:{port}"))


def start_clients(port, project):
    path = project.path
    kinds = [
        ("uploads", 4, lambda client: client.upload(path)),
        ("pulls", 4, lambda client: client.get(f"{path}?since=0&page_size=100")),
        ("pulls that wait", 4, lambda client: client.wait(path)),
        ("rows over REST", 2, lambda client: client.patch(f"/api/v1/tasks/{client.row}/")),
    ]
    row = str(uuid.uuid4())
    project.write(created=[{"id": row, "name": "Edited"}])
    clients = [Repeater(name, port, project, row, act) for name, count, act in kinds for _ in range(count)]
    clients += [Listener(port, project) for _ in range(4)]
    clients[0].sent.add(row)
    for client in clients:
        client.start()
    return clients


def report(what, rounds, clients):
    for name in dict.fromkeys(client.name_of_kind for client in clients):
        some = [client for client in clients if client.name_of_kind == name]
        told = sum((client.told for client in some), collections.Counter())
        failed = sum((client.failed for client in some), collections.Counter())
        equal(f"{what}: {2 * rounds} restarts, {name}: {dict(told)}", dict(failed), {})


class Repeater(threading.Thread):
    """Sends one request after the other on a connection that is kept."""

    def __init__(self, kind, port, project, row, act):
        super().__init__(daemon=True)
        self.name_of_kind, self.project, self.row, self._act = kind, project.id, row, act
        self._client, self._ends = Client(port, project.token), threading.Event()
        self._since = 0
        # Tasks; how often each answer came; what went wrong.
        self.sent, self.told, self.failed = set(), collections.Counter(), collections.Counter()

    def run(self):
        while not self._ends.wait(0.005):
            self._act(self)

    def end(self):
        self._ends.set()
        self.join(60)

    def get(self, path):
        return self._ask("GET", path)

    def wait(self, path):
        page = self.get(f"{path}?since={self._since}&page_size=1000&wait=25")
        self._since = page["timestamp"] if page and not page["has_more"] else self._since

    def patch(self, path):
        self._ask("PATCH", path, {"notes": str(uuid.uuid4())})

    def upload(self, path):
        """One batch, under its id until it is taken."""
        task = str(uuid.uuid4())
        body = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": [{"id": task, "name": "T"}]}}}
        while self._ask("POST", path, body) is None:
            pass
        self.sent.add(task)

    def _ask(self, method, path, body=None):
        """The answer's JSON; None if there is none."""
        try:
            answer = self._client.request(method, path, body)
        except NO_ANSWER as failure:
            self.failed[repr(failure)] += 1
            return None
        if answer.status == 200:
            self.told[200] += 1
            return answer.json
        pause = answer.headers.get("Retry-After")
        if answer.status == 503 and pause:
            self.told["503 with Retry-After"] += 1
            self._ends.wait(int(pause))
        elif answer.status == 502 and method == "PATCH":
            self.told["502 of nginx"] += 1
        else:
            self.failed[repr(answer)[:200]] += 1
        return None


class Listener(threading.Thread):
    """Holds a stream, and opens the next one when the server says so."""

    name_of_kind = "streams"

    def __init__(self, port, project):
        super().__init__(daemon=True)
        self._port, self._token, self._ends = port, project.token, threading.Event()
        self.sent, self.told, self.failed = set(), collections.Counter(), collections.Counter()

    def run(self):
        while not self._ends.is_set():
            try:
                self._hold(Stream(self, self._token))
            except (RuntimeError, *NO_ANSWER) as failure:
                self.failed[repr(failure)[:200]] += 1
                time.sleep(0.2)

    @property
    def port(self):
        return self._port

    def _hold(self, stream):
        self.told["opened"] += 1
        while stream.is_alive() and not self._ends.is_set():
            stream.join(0.05)
        if self._ends.is_set():
            return stream.close()
        if stream.bye is None:
            self.failed["ended without a bye"] += 1
            return
        self.told[f"bye {stream.bye['reason']}"] += 1
        self._ends.wait(stream.bye["retry_ms"] / 1000)

    def end(self):
        self._ends.set()
        self.join(60)
