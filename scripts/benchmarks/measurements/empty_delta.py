"""The poll that finds nothing new, against a route that says always the same."""

from benchmarks import wrk
from benchmarks.clients import ASKERS
from benchmarks.figures import Line, Series, at_least, figure_at_most, side_by_side
from benchmarks.peers.reference import Reference
from harness.sample import SampleServer

TITLE = "An empty delta"


def measure(bench):
    project = bench.project(100_000)
    with SampleServer(project) as server:
        lines = [line for asker in ASKERS for line in _lines(bench, server, asker)]
    return lines, ["32 connections. Parameters and headers: [`clients.py`](../scripts/benchmarks/clients.py)."]


def _lines(bench, server, asker):
    query, request = asker.query(server.head()), asker.headers(server.project.token)
    body = server.fetch(query, request).body
    with Reference("bare", "--bytes", len(body)) as bare:
        urls = {"ours": server.url(query), "bare": bare.url(server.project, query)}
        sides = {side: _side(bench, url, request) for side, url in urls.items()}
        for url in urls.values():
            wrk.load(url, 32, 1, request)
        seen = side_by_side(bench.rounds, **sides)
    return [
        Line(
            f"requests as {asker.name} sends them, {len(body)} bytes; a bare route of Hummingbird",
            Series([load.rate for load in seen["ours"]], "requests/s"),
            Series([load.rate for load in seen["bare"]], "requests/s"), at_least(0.6)),
        Line(
            "99th percentile; a bare route of Hummingbird", Series([load.p99 for load in seen["ours"]], "ms"),
            Series([load.p99 for load in seen["bare"]], "ms"), figure_at_most(5, "ms")),
    ]


def _side(bench, url, request):
    return lambda: wrk.load(url, 32, bench.seconds, request)
