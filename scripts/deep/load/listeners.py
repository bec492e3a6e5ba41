"""Ten thousand event streams, some of them cut each minute, and uploads: no poke is lost, and nothing grows."""

import itertools
import resource
import threading
import time
import uuid

from harness.client import Client
from deep.clients.herd import PER_USER, Herd
from harness.process_stats import ProcessStats, descriptors, mebibytes
from harness.sample import SampleProject, SampleServer

STREAMS, MINUTES, SHARE, WAITING = 10_000, 60, 0.05, 20
# Each of the four readers opens the database when it is first needed, with its log and its index.
DATABASE_FILES = 12
# Of memory, from the second quarter of the time to the last.
GROWTH = 1.1
SETTINGS = {"TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT": 0, "TIDEMARK_SYNC_UPLOAD_RATE_PER_USER": 0}


def check(part, chance):
    streams = min(STREAMS // part, resource.getrlimit(resource.RLIMIT_NOFILE)[1] // 2 - 500)
    project = SampleProject(1000, 2 + -(-streams // PER_USER))
    with SampleServer(project, SETTINGS) as server:
        files = descriptors(server)
        herd = Herd(server.port, project.tokens[2:], streams)
        herd.open_all()
        waiting = [Waiting(server, project.tokens[1], index) for index in range(WAITING)]
        writer = Writer(server, project.tokens[0])
        with ProcessStats(server) as stats:
            for thread in [writer, *waiting]:
                thread.start()
            for minute in range(max(1, MINUTES // part)):
                herd.cut(SHARE)
                herd.run(50)
                writer.rest()
                head = writer.head
                herd.wait(30, lambda client: client.heads.get(project.id, 0) >= head)
                if ahead := max(client.heads[project.id] for client in herd.clients) - head:
                    raise RuntimeError(f"a poke is {ahead} commits ahead of the head")
                writer.go_on()
                memory, files_now, _ = stats.samples[-1]
                print(f"  minute {minute + 1}: {mebibytes(memory)}, {files_now} files", flush=True)
        herd.close()
        for thread in [writer, *waiting]:
            thread.end()
        for thread in [writer, *waiting]:
            thread.join()
        require_nothing_left(server, files)
    (memory, later), _ = stats.medians()
    if later > memory * GROWTH:
        raise RuntimeError(f"memory grew from {mebibytes(memory)} to {mebibytes(later)}")
    return (
        f"{streams:,} streams, {writer.count:,} uploads, {herd.ends.get('cut', 0):,} streams cut, {herd.ends} ends, "
        f"{sum(thread.count for thread in waiting):,} waiting pulls; "
        f"memory {mebibytes(memory)}, then {mebibytes(later)}")


def require_nothing_left(server, files):
    """Streams, waiting pulls and descriptors are given back."""
    end = time.monotonic() + 30
    while True:
        metrics = server.get("/metrics").text.decode()
        gauges = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if not line.startswith("#"))
        left = {name: float(gauges[name]) for name in ("tidemark_event_streams", "tidemark_held_pulls")}
        others = descriptors(server) - int(float(gauges["tidemark_http_connections"]))
        left["descriptors"] = max(0, others - files - DATABASE_FILES)
        if not any(left.values()):
            return
        if time.monotonic() > end:
            raise RuntimeError(f"left over: {left}")
        time.sleep(0.5)


class Writer(threading.Thread):
    """Uploads a task every half second."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self._server, self._token = server, token
        self._ends, self._may_go_on, self._rests = threading.Event(), threading.Event(), threading.Event()
        self._may_go_on.set()
        self.head, self.count = 0, 0

    def run(self):
        project = self._server.connect(self._token)
        while not self._ends.wait(0.5):
            if not self._may_go_on.is_set():
                self._rests.set()
                self._may_go_on.wait()
                self._rests.clear()
            task = {"id": str(uuid.uuid4()), "name": "A task"}
            batch = {"client_batch_id": str(uuid.uuid4()),
                     "changes": {"tasks": {"created": [task], "updated": [], "deleted": []}}}
            self.head = project.required("POST", "", batch).json["timestamp"]
            self.count += 1

    def rest(self):
        self._may_go_on.clear()
        self._rests.wait()

    def go_on(self):
        self._may_go_on.set()

    def end(self):
        self._ends.set()
        self._may_go_on.set()


class Waiting(threading.Thread):
    """Pulls and waits, as a phone does."""

    def __init__(self, server, token, index):
        super().__init__(daemon=True)
        self._server, self._client = server, Client(server.port, token)
        self._index, self._ends, self.count = index, threading.Event(), 0

    def run(self):
        path, since, more = self._server.project.path if self._index % 2 else "/api/v1/sync/", 0, "&wait=25"
        for self.count in itertools.count():
            if self._ends.is_set():
                return
            answer = self._client.request("GET", f"{path}?since={since}&page_size=5000{more}")
            if answer.status != 200:
                # The server stops, because the check has failed or is over.
                return
            page = answer.json
            more = f"&cursor={page['next_cursor']}" if page["has_more"] else "&wait=25"
            if not page["has_more"]:
                since = page["timestamp"]

    def end(self):
        self._ends.set()
