"""Another version of Tidemark, in the same rounds: what a row and an answer cost each of them.

Processor time of the server, not answers a second, since both versions and the load generator share the machine."""

from benchmarks import wrk
from benchmarks.clients import ADAPTER
from benchmarks.figures import Line, Series, at_most, side_by_side
from benchmarks.measurements.uploads import CLIENTS, post
from benchmarks.versions import built
from harness import tidemark
from harness.process_stats import processor_seconds
from harness.sample import SampleProject, SampleServer, page_cache
from harness.temporary import TEMP

TITLE = "Against another version"
BOUND = 1.03


def measure(bench):
    binaries = {"ours": tidemark.BINARY, "theirs": built(bench.against)}
    lines = [
        _line(bench, binaries, "a row, one a batch, 64 clients", 1000, _uploads(1, CLIENTS)),
        _line(bench, binaries, "a row, 500 a batch, 4 clients", 1000, _uploads(500, 4)),
        _line(bench, binaries, "an empty delta as the adapter asks", 10_000, _answers(lambda server: server.head(), 1)),
        _line(bench, binaries, "a cached page of 1000 rows, gzip", 10_000, _answers(lambda _: 0, 1)),
        _line(
            bench, binaries, "a row of a cold page, not compressed", 10_000,
            _answers(lambda _: 0, 1000, gzip=False), page_cache(0)),
    ]
    return lines, [f"Beside {bench.against}. Processor time of the server for each, in turn on this machine."]


def _line(bench, binaries, name, rows, load, settings=None):
    """`load` puts load on a server, and returns how many there were."""
    servers = {side: _server(side, binary, name, rows, settings) for side, binary in binaries.items()}
    try:
        for server in servers.values():
            server.start()
            load(server, 1)
        seen = side_by_side(
            bench.rounds, **{side: _cost(server, load, bench.seconds) for side, server in servers.items()})
    finally:
        for server in servers.values():
            server.stop()
    return Line(f"{name}; the other version", *(Series(seen[side], "µs", 1) for side in binaries), at_most(BOUND))


def _server(side, binary, name, rows, settings):
    """On a database that the version has made itself, without the limits that it knows."""
    with tidemark.version(binary):
        known = tidemark.output("serve", "--print-config")

        class VersionServer(SampleServer):
            DEFAULTS = {name: value for name, value in SampleServer.DEFAULTS.items() if name in known}

        database = TEMP / f"{side}-{''.join(filter(str.isalnum, name))}.db"
        return VersionServer(SampleProject(rows, CLIENTS, database), settings)


def _cost(server, load, seconds):
    """Microseconds of processor for each."""

    def measured():
        before = processor_seconds(server)
        count = load(server, seconds)
        return (processor_seconds(server) - before) / count * 1e6

    return measured


def _uploads(rows, connections):
    return lambda server, seconds: post(server.url(), server.project, connections, seconds, rows).requests * rows


def _answers(since, rows, gzip=True):
    def load(server, seconds):
        headers = ADAPTER.headers(server.project.token, gzip)
        return wrk.load(server.url(ADAPTER.query(since(server))), 32, seconds, headers).requests * rows

    return load
