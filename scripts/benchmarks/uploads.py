"""Uploads: each durable before it is answered, against a route that stores nothing, and on a slow disk."""

import tidemark
import wrk
from figures import Line, Series, at_least, figure_at_least, side_by_side

TITLE = "Uploads"
CLIENTS = 64
# About what an upload of one row is answered with.
ANSWER_BYTES = 300


def measure(bench):
    return [_against_discarding(bench), _on_a_slow_disk(bench), _large_batches(bench)], [
        "The reference authenticates, parses the same body as the server does, and stores nothing. The slow disk is a "
        "preloaded library that lets each `fsync` and `fdatasync` take 5 ms longer."
    ]


def post(url, project, connections, seconds, rows=1):
    return wrk.load(url, connections, seconds, script="upload.lua", arguments=[rows, *project.tokens])


def _against_discarding(bench):
    project = bench.fresh_project(1000, CLIENTS)
    reference = ["--database", project.database, "--bytes", ANSWER_BYTES]
    with tidemark.Server(project) as server, tidemark.Reference("discard", *reference) as discard:
        for url in (server.url(), discard.url(project)):
            post(url, project, CLIENTS, 1)
        seen = side_by_side(
            bench.rounds, ours=lambda: post(server.url(), project, CLIENTS, bench.seconds).rate,
            discard=lambda: post(discard.url(project), project, CLIENTS, bench.seconds).rate)
    return Line(
        "one row a batch, 64 clients; nothing stored", Series(seen["ours"], "requests/s"),
        Series(seen["discard"], "requests/s"), at_least(0.4))


def _on_a_slow_disk(bench):
    shim = bench.program("slow-sync.c", "-shared", "-fPIC", "-ldl")
    grouped, single = (bench.fresh_project(1000, CLIENTS) for _ in range(2))
    with tidemark.Server(grouped, preload=shim) as with_groups, tidemark.Server(
        single, tidemark.group_commit(False), preload=shim
    ) as without:
        seen = side_by_side(
            bench.rounds, ours=lambda: post(with_groups.url(), grouped, CLIENTS, bench.seconds).rate,
            single=lambda: post(without.url(), single, CLIENTS, bench.seconds).rate)
    return Line(
        "the same on a slow disk; without group commit", Series(seen["ours"], "requests/s"),
        Series(seen["single"], "requests/s"), at_least(3))


def _large_batches(bench):
    project = bench.fresh_project(1000)
    with tidemark.Server(project) as server:
        post(server.url(), project, 4, 1, rows=500)
        seen = [post(server.url(), project, 4, bench.seconds, rows=500).rate * 500 for _ in range(bench.rounds)]
    return Line(
        "500 rows a batch, 4 clients", Series(seen, "rows/s", 0), target=figure_at_least(20_000, "rows/s"))
