"""A page that the server has at hand, against nginx with the same bytes as a file; and how near the HTTP server below
Tidemark comes to that with a route that says always the same."""

import tidemark
import wrk
from figures import Line, Series, at_least, side_by_side
from nginx import Nginx
from workplace import TEMP

TITLE = "A cached page"
QUERY = "?since=0"


def measure(bench):
    project, lines = bench.project(100_000), []
    with tidemark.Server(project) as server:
        for name, extra in [("not compressed", {}), ("gzip", {"Accept-Encoding": "gzip"})]:
            body, headers = server.get(QUERY, extra)
            lines += _lines(bench, server, name, extra, body, headers)
    return lines, ["32 connections. nginx: two workers, `sendfile`, open files cached, the same headers, no log."]


def _lines(bench, server, name, extra, body, headers):
    path = TEMP / f"page-{len(body)}"
    path.write_bytes(body)
    request = wrk.bearer(server.project.token) | extra
    with Nginx(path, headers) as nginx, tidemark.Reference("bare", "--bytes", len(body)) as bare:
        urls = {"ours": server.url(QUERY), "bare": bare.url(server.project), "nginx": nginx.url}
        sides = {side: _side(bench, url, request) for side, url in urls.items()}
        for url in urls.values():
            wrk.load(url, 32, 1, request)
        seen = side_by_side(bench.rounds, **sides)
    ours, bare, reference = (Series(seen[side], "requests/s") for side in urls)
    return [
        Line(f"1000 rows, {name}, {len(body) / 1024:,.0f} KiB; nginx", ours, reference, at_least(0.7)),
        Line("its limit, a bare route of Hummingbird with as many bytes; nginx", bare, reference),
    ]


def _side(bench, url, request):
    return lambda: wrk.load(url, 32, bench.seconds, request).rate
