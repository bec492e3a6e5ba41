"""Uploads: each durable before it is answered, against a route that stores nothing, and on a slow disk."""

import shutil
import struct

from benchmarks import wrk
from benchmarks.bench import library, program
from benchmarks.figures import Line, Series, at_least, figure_at_least, side_by_side
from benchmarks.measurements.parts import batch
from benchmarks.peers.reference import Reference
from harness.processes import output
from harness.sample import SampleServer, group_commit
from harness.temporary import TEMP

TITLE = "Uploads"
CLIENTS = 64
# Eleven rows about each task; the first one has no dependency.
MIXED_ROWS = 45 * 11 - 1
# What 64 clients' batches come to: half of them wait while the other half is stored.
GROUP = 32


def measure(bench):
    return [
        *_against_discarding(bench), _in_sqlite(bench, 1, CLIENTS), *_on_a_slow_disk(bench), _alone(bench),
        _large_batches(bench, "random", figure_at_least(20_000, "rows/s")), _in_sqlite(bench, 500, 4),
        _large_batches(bench, "rising"), _mixed(bench),
    ], [
        "The slow disk is a preloaded library that lets each `fsync` and `fdatasync` take 5 ms longer. The rows that "
        "are stored are counted at the end. SQLite alone: [`store.c`](../scripts/benchmarks/c/store.c). In SQLite, as "
        "timed there by another library: the calls of the one writer, waiting for the disk included "
        "([`sqlite-time.c`](../scripts/benchmarks/c/sqlite-time.c))."
    ]


def post(url, project, connections, seconds, rows=1, ids="random"):
    """`rows` of a mixed batch are one less than a multiple of 11."""
    rows = rows + 1 if ids == "mixed" else rows
    return wrk.load(url, connections, seconds, script="upload.lua", arguments=[ids, rows, *project.tokens])


class Uploader:
    """A server that is sent batches, and held to have stored them."""

    def __init__(self, bench, server, rows=1, connections=CLIENTS, ids="random"):
        self.server, self.rows, self.connections, self.seconds = server, rows, connections, bench.seconds
        self.ids = ids
        # A drain's total does not count rows that only their owner sees, such as time entries.
        self.counted = rows - MIXED_ROWS // 11 - 1 if ids == "mixed" else rows
        self.sent, self.before = 0, server.rows()

    def run(self):
        load = post(self.server.url(), self.server.project, self.connections, self.seconds, self.rows, self.ids)
        self.sent += load.requests * self.counted
        return load

    def check(self):
        """What was under way when a run ended may be stored too."""
        if (stored := self.server.rows() - self.before) < self.sent:
            raise RuntimeError(f"{self.sent} rows were acknowledged, and {stored} are there")


def _against_discarding(bench):
    project = bench.fresh_project(1000, CLIENTS)
    with SampleServer(project) as server:
        answer = server.upload(batch(1)).body
        with Reference("discard", "--database", project.database, "--bytes", len(answer)) as discard:
            ours = Uploader(bench, server)
            ours.run()
            post(discard.url(project), project, CLIENTS, 1)
            copy = _copy(project, "one-row")
            floor = _floor(bench, copy, 1, GROUP)
            seen = side_by_side(
                bench.rounds, ours=lambda: ours.run().rate,
                discard=lambda: post(discard.url(project), project, CLIENTS, bench.seconds).rate, floor=floor)
        ours.check()
    rate = Series(seen["ours"], "requests/s")
    return [
        Line("one row a batch, 64 clients; nothing stored", rate, Series(seen["discard"], "requests/s"), at_least(0.4)),
        Line(
            f"the same; SQLite alone, {GROUP} batches a commit", rate, Series(seen["floor"], "requests/s")),
    ]


def _in_sqlite(bench, rows, connections):
    """Of the time from one row to the next, what the writer spends in SQLite."""
    spent = TEMP / "time-in-sqlite"
    project = bench.fresh_project(1000, CLIENTS)
    shim = library("sqlite-time.c")
    with SampleServer(project, {"SQLITE_TIME": spent}, shim) as server:
        ours = Uploader(bench, server, rows=rows, connections=connections)
        ours.run()
        seen = [_timed(ours, spent) for _ in range(bench.rounds)]
        ours.check()
    inside, between = zip(*seen)
    return Line(
        "the same, of the writer's time for a row SQLite's; all of it", Series(inside, "µs", 1),
        Series(between, "µs", 1))


def _timed(uploader, spent):
    before = _nanoseconds(spent)
    load = uploader.run()
    return (_nanoseconds(spent) - before) / load.requests / uploader.rows / 1000, 1e6 / load.rate / uploader.rows


def _nanoseconds(file):
    return struct.unpack("q", file.read_bytes())[0]


def _copy(project, name):
    """Of the database as it is."""
    copy = TEMP / f"{name}.db"
    for part in TEMP.glob(project.database.name + "*"):
        shutil.copy(part, part.with_name(part.name.replace(project.database.name, copy.name)))
    return copy


def _floor(bench, database, rows, members, ids="random"):
    store = program("store.c", "-lsqlite3")
    return lambda: float(output(store, database, rows, members, bench.seconds, ids))


def _on_a_slow_disk(bench):
    shim = library("slow-sync.c")
    seen = _with_and_without_groups(bench, CLIENTS, shim)
    return [
        Line(
            "the same on a slow disk; without group commit", Series([load.rate for load in seen["ours"]], "requests/s"),
            Series([load.rate for load in seen["single"]], "requests/s"), at_least(3)),
    ]


def _alone(bench):
    seen = _with_and_without_groups(bench, 1)
    return Line(
        "one row a batch, one client, median latency; without group commit",
        Series([load.p50 for load in seen["ours"]], "ms"), Series([load.p50 for load in seen["single"]], "ms"))


def _with_and_without_groups(bench, connections, preload=None):
    grouped, single = (bench.fresh_project(1000, CLIENTS) for _ in range(2))
    with SampleServer(grouped, preload=preload) as with_groups, SampleServer(
        single, group_commit(False), preload
    ) as without:
        ours, theirs = (Uploader(bench, server, connections=connections) for server in (with_groups, without))
        seen = side_by_side(bench.rounds, ours=ours.run, single=theirs.run)
        ours.check()
        theirs.check()
    return seen


def _large_batches(bench, ids, target=None):
    """Both sides begin with a file that has had a second of uploads, and let it grow."""
    project = bench.fresh_project(1000)
    with SampleServer(project) as server:
        post(server.url(), project, 4, 1, 500, ids)
    copy = _copy(project, ids)
    with SampleServer(project) as server:
        ours = Uploader(bench, server, rows=500, connections=4, ids=ids)
        seen = side_by_side(
            bench.rounds, ours=lambda: ours.run().rate * 500, floor=_floor(bench, copy, 500, 1, ids))
        ours.check()
    return Line(
        f"500 rows a batch under {ids} ids, 4 clients; SQLite alone", Series(seen["ours"], "rows/s", 0),
        Series(seen["floor"], "rows/s", 0), target)


def _mixed(bench):
    """Rows of a whole app, which refer to each other, against as many tasks."""
    mixed, tasks = (bench.fresh_project(1000) for _ in range(2))
    with SampleServer(mixed) as one, SampleServer(tasks) as other:
        ours = Uploader(bench, one, rows=MIXED_ROWS, connections=4, ids="mixed")
        theirs = Uploader(bench, other, rows=MIXED_ROWS, connections=4)
        seen = side_by_side(
            bench.rounds, ours=lambda: ours.run().rate * MIXED_ROWS, tasks=lambda: theirs.run().rate * MIXED_ROWS)
        ours.check()
        theirs.check()
    return Line(
        f"{MIXED_ROWS} rows a batch over all collections, 4 clients; as many tasks", Series(seen["ours"], "rows/s", 0),
        Series(seen["tasks"], "rows/s", 0), at_least(1 / 1.5))
