"""A page that the server has at hand, against nginx with the same bytes as a file."""

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
            lines.append(_line(bench, server, name, extra, body, headers))
    return lines, ["32 connections. nginx: two workers, `sendfile`, open files cached, the same headers, no log."]


def _line(bench, server, name, extra, body, headers):
    path = TEMP / f"page-{len(body)}"
    path.write_bytes(body)
    request = wrk.bearer(server.project.token) | extra
    with Nginx(path, headers) as nginx:
        wrk.load(server.url(QUERY), 32, 1, request)
        wrk.load(nginx.url, 32, 1, request)
        seen = side_by_side(
            bench.rounds,
            ours=lambda: wrk.load(server.url(QUERY), 32, bench.seconds, request).rate,
            nginx=lambda: wrk.load(nginx.url, 32, bench.seconds, request).rate)
    return Line(
        f"1000 rows, {name}, {len(body) / 1024:,.0f} KiB; nginx", Series(seen["ours"], "requests/s"),
        Series(seen["nginx"], "requests/s"), at_least(0.7))
