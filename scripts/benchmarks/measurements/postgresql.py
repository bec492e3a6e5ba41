"""PostgreSQL as the engine, beside SQLite in the same rounds, and two servers on one database beside one."""

import concurrent.futures
import contextlib
import statistics

from benchmarks import wrk
from benchmarks.bench import library
from benchmarks.clients import ADAPTER
from benchmarks.figures import Line, Series, Target, at_least, figure_at_least, side_by_side
from benchmarks.measurements.uploads import CLIENTS, Uploader
from benchmarks.measurements.user_sync import PATH, Neighbour, watermark
from benchmarks.peers.postgresql import PostgreSQL
from harness.listeners.stream import delays_after
from harness.sample import SampleProject, SampleServer, page_cache
from harness.temporary import TEMP

TITLE = "PostgreSQL"
# The time that a slow disk takes for a sync, in milliseconds.
SLOW = 3
FEW, MANY, POKES = 20, 2000, 60


def measure(bench):
    lines = [
        *_reads(bench), *_uploads(bench), *_uploads(bench, is_slow=True), _user_wide(bench, FEW, 0.8),
        _user_wide(bench, 400 if bench.quick else MANY, 0.5), *_pokes(bench),
    ]
    return lines, [
        "One PostgreSQL server with checksums and the settings of `initdb`, reached over TCP on this machine, without "
        "a standby. Of a slow disk each `fsync` and `fdatasync` takes 3 ms longer, on both sides: a preloaded library "
        "([`slow-sync.c`](../scripts/benchmarks/c/slow-sync.c)). With two servers there are two load generators, one "
        "for each, and the same connections in all; everything shares two cores, so a second server can't bring more "
        "processor time, and the figure shows only what sharing a database costs."
    ]


class Both:
    """The same project in PostgreSQL and in a file, with a server each. `peer` is a second server on PostgreSQL."""

    def __init__(self, rows, users=1, projects=1, settings=None, preload=None, variables=None):
        self._postgresql = PostgreSQL("tidemark", preload, variables)
        self._made, self._settings, self._preload = (rows, users, projects), settings or {}, preload
        self._variables = variables or {}

    def __enter__(self):
        rows, users, projects = self._made
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._postgresql)
            shared = SampleProject(rows, users, self._postgresql.url, projects)
            # A name of its own: other measurements still read from the sample project of this size.
            alone = SampleProject(rows, users, TEMP / f"beside-postgresql-{rows}-{projects}.db", projects)
            self.ours, self.peer = (stack.enter_context(SampleServer(shared, self._settings)) for _ in range(2))
            self.file = stack.enter_context(
                SampleServer(alone, self._settings | self._variables, self._preload))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()
        for part in self.file.database.parent.glob(self.file.database.name + "*"):
            part.unlink()


def at_once(*calls):
    """The results of functions that run at the same time."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


# MARK: Reads

def _reads(bench):
    with Both(100_000, settings=page_cache(0)) as both:
        pages = _measured(bench, both, 8, ADAPTER.query(0, collections="tasks"), gzip=False)
    with Both(10_000) as both:
        polls = _measured(bench, both, 32, None, gzip=True)
    return [
        _line("cold pages of 1000 tasks, 8 connections", pages, "ours", "file", "rows/s", at_least(0.45), 1000),
        _line("the same through two servers; one", pages, "two", "split", "rows/s", None, 1000),
        _line("empty deltas, 32 connections", polls, "ours", "file", "requests/s", at_least(0.6)),
        Line(
            "what PostgreSQL adds to their 99th percentile",
            Series([a.p99 - b.p99 for a, b in zip(polls["ours"], polls["file"])], "ms"),
            target=Target("≤", 1, "figure", "ms")),
        _line("the same through two servers; one", polls, "two", "split", "requests/s"),
    ]


def _measured(bench, both, connections, query, gzip):
    """Loads by side. `split` is one server with two load generators; `query` None asks for what is new."""
    def load(server, share=1):
        asked, headers = query or ADAPTER.query(server.head()), ADAPTER.headers(server.project.token, gzip)
        return lambda: wrk.load(server.url(asked), connections // share, bench.seconds, headers)

    for server in (both.ours, both.peer, both.file):
        load(server)()
    return side_by_side(
        bench.rounds, ours=load(both.ours), file=load(both.file),
        two=lambda: at_once(load(both.ours, 2), load(both.peer, 2)),
        split=lambda: at_once(load(both.ours, 2), load(both.ours, 2)))


def _line(name, seen, ours, other, unit, target=None, factor=1):
    def rates(side):
        loads = [load if isinstance(load, list) else [load] for load in seen[side]]
        return Series([sum(part.rate for part in load) * factor for load in loads], unit, 0)

    return Line(name if ";" in name else f"{name}; SQLite", rates(ours), rates(other), target)


# MARK: Uploads

def _uploads(bench, is_slow=False):
    """One row a batch, to one project."""
    disk = {"preload": library("slow-sync.c"), "variables": {"SLOW_SYNC_MS": str(SLOW)}} if is_slow else {}
    with Both(1000, CLIENTS, **disk) as both:
        one, file = Uploader(bench, both.ours), Uploader(bench, both.file)
        halves = [Uploader(bench, server, connections=CLIENTS // 2) for server in (both.ours, both.peer)]
        for side in (one, file):
            side.run()
        seen = side_by_side(
            bench.rounds, ours=one.run, file=file.run, two=lambda: at_once(*(half.run for half in halves)))
        file.check()
        # What two servers were sent is in one project.
        one.sent += sum(half.sent for half in halves)
        one.check()
    where = f"on a disk of {SLOW} ms more" if is_slow else "on this disk"
    target = figure_at_least(1000, "batches/s") if is_slow else None
    return [
        _line(
            f"one row a batch to one project, {CLIENTS} clients, {where}", seen, "ours", "file", "batches/s", target),
        _line("the same through two servers; one", seen, "two", "ours", "batches/s"),
    ]


# MARK: All projects of a user, and events

def _user_wide(bench, projects, bound):
    """While somebody writes next door."""
    with Both(20, 2, projects) as both, Neighbour(both.ours, 100):
        headers = ADAPTER.headers(both.ours.project.token)

        def load(path):
            url = both.ours.origin + path + ADAPTER.query(watermark(both.ours, path))
            return lambda: wrk.load(url, 32, bench.seconds, headers)

        seen = side_by_side(bench.rounds, ours=load(PATH), one=load(both.ours.project.path))
    return _line(
        f"empty delta of a user with {projects:,} projects; of one project, both on PostgreSQL", seen, "ours", "one",
        "requests/s", at_least(bound))


def _pokes(bench):
    with Both(1000) as both:
        ours, file = (server.connect() for server in (both.ours, both.file))
        rounds = [delays_after(ours, (both.ours, both.peer), POKES) for _ in range(bench.rounds)]
        files = [delays_after(file, [both.file], POKES)[0] for _ in range(bench.rounds)]

    def series(of, of_round):
        return Series([of(sorted(delays)) * 1000 for delays in of_round], "ms")

    def late(delays):
        return delays[int(len(delays) * 0.99) - 1]

    return [
        Line(
            f"from an upload's answer to the event on the {where}, {name}; SQLite's own",
            series(of, [delays[number] for delays in rounds]), series(of, files))
        for number, where in enumerate(("same server", "other server"))
        for of, name in ((statistics.median, "median"), (late, "99th percentile"))
    ]
