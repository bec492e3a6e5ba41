"""Pulls by the Swift client, from the start of its process to its end. A first pull of many rows, from a server that
has the pages at hand, or was just started; and what settled states cost, while nobody writes and while somebody does,
beside a client of a version that knows none."""

import random
import re
import time
import uuid

from benchmarks.beside import Beside
from benchmarks.figures import Line, Series, figure_at_most, side_by_side
from benchmarks.versions import built
from harness import tidemark
from harness.sample import SampleServer
from harness.temporary import TEMP

TITLE = "Pulls, and settling"
MANY = 50_000
ROWS = 5_000
CHANGED = 1_500
# The last version whose clients take any drain for the end.
FORMER = "a6c6269c2626504a484d141669998d16a4fb2a44"
# Batches of one row a second in the same project.
RATES = [0, 2, 50]


def measure(bench):
    former = bench.against or FORMER
    clients, lines = [tidemark.BINARY, built(former)], _first_pulls(bench)
    with SampleServer(bench.fresh_project(ROWS)) as server:
        for rate in RATES:
            with writer(server, rate):
                lines += _lines(f"a first sync of {ROWS:,} rows", rate, bench, clients, Device(server).pull)
                lines += _lines(f"a delta of {CHANGED:,} rows", rate, bench, clients, Device(server).pull_delta)
    return lines, [
        "`tidemark pull`, gzip, 1000 rows a page. Of 5,000 rows: this version, and that of "
        f"{former[:8]}, which ends after one drain whatever it got, from the same server. Client, server and writer "
        "are on the same two cores."
    ]


def _first_pulls(bench):
    project, cold, warm = bench.project(MANY), [], []
    for _ in range(bench.rounds):
        with SampleServer(project) as server:
            cold.append(Device(server).pull(tidemark.BINARY).time)
            warm.append(Device(server).pull(tidemark.BINARY).time)
    return [
        Line(f"{MANY:,} rows, pages at hand", Series(warm, "s"), target=figure_at_most(1.0, "s")),
        Line("the same of a server just started", Series(cold, "s")),
    ]


def _lines(name, rate, bench, clients, pull):
    beside = f"{rate} writes a second" if rate else "nobody writes"
    ours, former = side_by_side(
        bench.rounds, ours=lambda: pull(clients[0]), former=lambda: pull(clients[1])).values()

    def line(what, unit, digits):
        sides = [Series([getattr(seen, what) for seen in side], unit, digits) for side in (ours, former)]
        return Line(f"{name}, {beside}: {what}", *sides)

    return [line("time", "s", 2), line("requests", "requests", 0)]


class Pulled:
    def __init__(self, time, requests):
        self.time, self.requests = time, requests


class Device:
    """A client's process and its replica."""

    def __init__(self, server):
        self._server, self._replica = server, TEMP / "settling.replica"

    def pull(self, binary):
        """A first sync."""
        for part in TEMP.glob(self._replica.name + "*"):
            part.unlink()
        return self._pull(binary)

    def pull_delta(self, binary):
        """A pull after rows have changed."""
        self.pull(binary)
        project = self._server.connect()
        tasks = list(project.drain().tasks())
        for start in range(0, CHANGED, 500):
            rename(project, tasks[start:min(start + 500, CHANGED)])
        return self._pull(binary)

    def _pull(self, binary):
        before, started = self._requests(), time.monotonic()
        with tidemark.version(binary):
            tidemark.output(
                "pull", self._server.origin, "--project", self._server.project.id, "--token",
                self._server.project.token, "--replica", self._replica)
        return Pulled(time.monotonic() - started, self._requests() - before)

    def _requests(self):
        """How many pulls the server has answered."""
        pattern = r'^tidemark_http_requests_total\{[^}]*route="[^"]*/sync/"[^}]*method="GET"[^}]*\} (\d+)'
        found = re.findall(pattern, self._server.get("/metrics").text.decode(), re.MULTILINE)
        return sum(map(int, found))


def writer(server, per_second):
    """Somebody who edits a row of the project so many times a second."""
    project = server.connect()
    tasks = list(project.drain().tasks())
    return Beside(per_second, lambda: rename(project, [random.choice(tasks)]))


def rename(project, tasks):
    """One batch in which these tasks get another name."""
    project.write(updated=[{"id": task, "name": f"Task {uuid.uuid4()}", "_changed": "name"} for task in tasks])
