"""The same three things asked of Kinto, by one client on one connection."""

import json
import re
import time
import urllib.parse
import uuid

from benchmarks import wrk
from benchmarks.clients import ADAPTER
from benchmarks.figures import Line, Series, at_least, side_by_side
from benchmarks.measurements import parts
from benchmarks.peers.kinto_server import RECORDS, VERSION, Kinto
from benchmarks.peers.postgresql import PostgreSQL
from benchmarks.peers.reference import Reference
from harness.drain import pages
from harness.sample import SampleServer

TITLE = "Kinto on PostgreSQL"
ROWS = 10_000
BATCH = 500


def measure(bench):
    project = bench.fresh_project(ROWS)
    with SampleServer(project) as server, PostgreSQL("kinto") as postgresql, Kinto(postgresql.url) as kinto:
        ours = Ours(server)
        theirs = Theirs(kinto, ours.rows())
        pull = side_by_side(bench.rounds, ours=ours.pull, theirs=theirs.pull)
        with Reference("bare", "--bytes", ours.empty_bytes()) as bare:
            poll = side_by_side(
                bench.rounds, ours=lambda: ours.poll(bench), theirs=lambda: theirs.poll(bench),
                bare=lambda: wrk.load(bare.url(project), 1, bench.seconds).rate)
        write = side_by_side(bench.rounds, ours=ours.upload, theirs=theirs.upload)
    return [
        _line("full pull, 1000 rows a page; Kinto", pull, "rows/s", 10),
        _line("empty delta; Kinto", poll, "requests/s", 50),
        Line(
            "its limit, a bare route of Hummingbird; Kinto", Series(poll["bare"], "requests/s"),
            Series(poll["theirs"], "requests/s")),
        _line(f"upload, {BATCH} rows a batch; Kinto", write, "rows/s", 50),
    ], [
        f"Kinto {VERSION}, served by waitress, cache in memory, basic authentication; {ROWS:,} records with the values "
        "of our rows. One client, one connection, no compression, bodies not parsed."
    ]


def _line(name, seen, unit, bound):
    return Line(name, Series(seen["ours"], unit), Series(seen["theirs"], unit), at_least(bound))


class Ours:
    """Opens a connection for each use: the server closes one that is idle for as long as Kinto takes to be filled."""

    def __init__(self, server):
        self.server, self.project = server, server.project

    def _pages(self):
        client = self.server.connect()
        return pages(lambda cursor: client.required("GET", ADAPTER.query(0, cursor=cursor)), _next_cursor)

    def rows(self):
        """All live rows, of whatever collection."""
        buckets = [bucket for page in self._pages() for bucket in page.json["changes"].values()]
        return [row for bucket in buckets for row in bucket["updated"] + bucket["created"]]

    def pull(self):
        started = time.perf_counter()
        for _ in self._pages():
            pass
        return self.project.rows / (time.perf_counter() - started)

    def _empty_delta(self):
        return ADAPTER.query(self.server.head())

    def empty_bytes(self):
        return len(self.server.fetch(self._empty_delta(), ADAPTER.headers(self.project.token)).body)

    def poll(self, bench):
        url, headers = self.server.url(self._empty_delta()), ADAPTER.headers(self.project.token)
        return wrk.load(url, 1, bench.seconds, headers).rate

    def upload(self, batches=4):
        client, bodies = self.server.connect(), [json.dumps(parts.batch(BATCH)) for _ in range(batches)]
        started = time.perf_counter()
        for body in bodies:
            client.required("POST", "", body)
        return BATCH * batches / (time.perf_counter() - started)


def _next_cursor(answer):
    """Without a look at the rest of the body."""
    found = re.search(rb'"next_cursor":"([^"]*)"', answer.body[-1000:])
    return found and found[1].decode()


class Theirs:
    def __init__(self, kinto, rows):
        """`rows` are ours; their ids are those of the records."""
        self.kinto, self.rows = kinto, [row | {"id": str(uuid.uuid4())} for row in rows]
        kinto.fill(self.rows)

    def pull(self):
        started, path = time.perf_counter(), f"{RECORDS}?_limit=1000"
        while path:
            following = self.kinto.request("GET", path).headers.get("Next-Page")
            path = following and following[following.index("/v1/") :]
        return len(self.rows) / (time.perf_counter() - started)

    def poll(self, bench):
        since = urllib.parse.quote(self.kinto.request("GET", f"{RECORDS}?_limit=1").headers["ETag"])
        url = f"http://127.0.0.1:{self.kinto.port}{RECORDS}?_since={since}"
        return wrk.load(url, 1, bench.seconds, self.kinto.headers).rate

    def upload(self):
        body = self.kinto.batch(parts.batch(BATCH)["changes"]["tasks"]["created"])
        started = time.perf_counter()
        self.kinto.request("POST", "/v1/batch", body)
        return BATCH / (time.perf_counter() - started)
