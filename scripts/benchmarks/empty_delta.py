"""The poll that finds nothing new, against a route that says always the same."""

import tidemark
import wrk
from figures import Line, Series, at_least, figure_at_most, side_by_side

TITLE = "An empty delta"


def measure(bench):
    project = bench.project(100_000)
    request = wrk.bearer(project.token)
    with tidemark.Server(project) as server:
        query = f"?since={server.head()}"
        body, _ = server.get(query)
        with tidemark.Reference("bare", "--bytes", len(body)) as bare:
            for url in (server.url(query), bare.url(project)):
                wrk.load(url, 32, 1, request)
            seen = side_by_side(
                bench.rounds, ours=lambda: wrk.load(server.url(query), 32, bench.seconds, request),
                bare=lambda: wrk.load(bare.url(project), 32, bench.seconds, request))
    return [
        Line(
            f"requests, {len(body)} bytes; a bare route of Hummingbird",
            Series([load.rate for load in seen["ours"]], "requests/s"),
            Series([load.rate for load in seen["bare"]], "requests/s"), at_least(0.6)),
        Line(
            "99th percentile; a bare route of Hummingbird", Series([load.p99 for load in seen["ours"]], "ms"),
            Series([load.p99 for load in seen["bare"]], "ms"), figure_at_most(5, "ms")),
    ], ["32 connections."]
