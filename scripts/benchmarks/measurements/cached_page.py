"""A page that the server has at hand, against nginx with the same bytes as a file; and how near the HTTP server below
Tidemark comes to that with a route that says always the same."""

from benchmarks import wrk
from benchmarks.clients import ADAPTER, ASKERS
from benchmarks.figures import Line, Series, at_least, side_by_side
from benchmarks.peers.nginx import Nginx
from benchmarks.peers.reference import Reference
from harness.sample import SampleServer
from harness.temporary import TEMP

TITLE = "A cached page"


def measure(bench):
    project, lines = bench.project(100_000), []
    with SampleServer(project) as server:
        lines += _lines(bench, server, "not compressed", ADAPTER, gzip=False)
        for asker in ASKERS:
            lines += _lines(bench, server, "gzip", asker, gzip=True)
    return lines, [
        "Asked with the parameters and headers of [`clients.py`](../scripts/benchmarks/clients.py). 32 connections. "
        "nginx: two workers, `sendfile`, open files cached, the same headers, no log."
    ]


def _lines(bench, server, name, asker, gzip):
    query, request = asker.query(0), asker.headers(server.project.token, gzip)
    answer = server.fetch(query, request)
    body = answer.body
    path = TEMP / f"page-{len(body)}"
    path.write_bytes(body)
    with Nginx(path, answer.headers) as nginx, Reference("bare", "--bytes", len(body)) as bare:
        urls = {"ours": server.url(query), "bare": bare.url(server.project, query), "nginx": nginx.url}
        sides = {side: _side(bench, url, request) for side, url in urls.items()}
        for url in urls.values():
            wrk.load(url, 32, 1, request)
        seen = side_by_side(bench.rounds, **sides)
    ours, bare, reference = (Series(seen[side], "requests/s") for side in urls)
    title = f"1000 rows, {name}, {len(body) / 1024:,.0f} KiB, as {asker.name} asks"
    return [
        Line(f"{title}; a bare route of Hummingbird with as many bytes", ours, bare, at_least(0.75)),
        Line("the same; nginx", ours, reference),
    ]


def _side(bench, url, request):
    return lambda: wrk.load(url, 32, bench.seconds, request).rate
