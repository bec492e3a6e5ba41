"""Events: how soon a commit is told of, beside a bare Hummingbird route; what idle, many and frozen streams cost."""

import json
import resource
import socket
import subprocess
import time

from benchmarks.bench import program
from benchmarks.figures import Line, Series, Target, at_least, at_most, side_by_side
from benchmarks.measurements.parts import batch
from benchmarks.measurements.uploads import post
from benchmarks.peers.reference import Reference
from deep.clients.herd import Herd
from harness.client import Client
from harness.process_stats import memory
from harness.sample import SampleServer

TITLE = "Events"
PER_USER = 20
NO_LIMITS = {"TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT": 0, "TIDEMARK_SYNC_UPLOAD_RATE_PER_USER": 0}
# Longer than the pause between two pokes of a stream.
PAUSE = 150


def measure(bench):
    many = 2000 if bench.quick else 10_000
    return [
        *_delays(bench, 100), *_delays(bench, 1000), _memory(bench, many), _uploads(bench, many),
        *_restart(bench, many), _frozen(bench),
    ], [
        "Each stream listens to one project, in which one task is uploaded. From commit to event: from the sending of "
        "the upload to the event, without the median of the same upload where nobody listens. The bare route stores "
        "the upload with the same code and tells its streams directly; it knows no members, numbers or reconnects. "
        f"The generator ([`listen.c`](../scripts/benchmarks/c/listen.c)) takes its part of the same processors. "
        f"{many:,} streams, because this machine lets a process open {_descriptors():,} files."
    ]


def _descriptors():
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def _listen(port, project, streams, rounds):
    """A run of the generator. Returns what it measured."""
    command = [program("listen.c"), port, streams, rounds, PAUSE, project.path]
    tokens = "\n".join(project.tokens) + "\n"
    done = subprocess.run([str(word) for word in command], input=tokens, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"listen: {done.stderr}")
    seen = json.loads(done.stdout.splitlines()[-1])
    if seen["missing"] or seen["closed"]:
        raise RuntimeError(f"listen: {seen}")
    return seen


class Held:
    """Streams that are open and idle."""

    def __init__(self, port, project, streams):
        command = [program("listen.c"), port, streams, 0, 0, "-"]
        self._process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._process.stdin.write("\n".join(project.tokens) + "\n\n")
        self._process.stdin.flush()
        if self._process.stdout.readline().strip() != "ready":
            raise RuntimeError("The streams could not be opened.")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        closed = json.loads(self._process.communicate()[0])["closed"]
        if closed:
            raise RuntimeError(f"{closed} idle streams were closed")


def _users(streams):
    return 1 + -(-streams // PER_USER)


def _delays(bench, streams):
    rounds = 20 if bench.quick else 60
    project, other = (bench.fresh_project(1000, _users(streams)) for _ in range(2))
    with SampleServer(project, NO_LIMITS) as server, Reference("events", "--database", other.database) as bare:
        def ours():
            return _listen(server.port, project, streams, rounds)

        def theirs():
            return _listen(bare.port, other, streams, rounds)

        alone = _listen(server.port, project, 1, rounds)["answer_p50"]
        seen = side_by_side(bench.rounds, ours=ours, theirs=theirs)
    return [
        Line(
            f"commit to event, {streams:,} streams, {name}; a bare route told at once",
            Series([run[key] - alone for run in seen["ours"]], "ms"),
            Series([run[key] - alone for run in seen["theirs"]], "ms"), at_most(1.3))
        for key, name in [("p50", "median"), ("p99", "99th percentile")]
    ]


def _memory(bench, streams):
    project, other = (bench.fresh_project(1000, _users(streams)) for _ in range(2))
    with SampleServer(project, NO_LIMITS) as server, Reference("events", "--database", other.database) as bare:
        def grown(process, of):
            before = memory(process)
            with Held(process.port, of, streams):
                return (memory(process) - before) / streams / 1000

        ours, theirs = grown(server, project), grown(bare, other)
    return Line(
        f"memory of an idle stream, {streams:,} open; of the bare route", Series([ours], "kB"), Series([theirs], "kB"),
        Target("≤", 20, "figure", "kB"))


class Quiet:
    """A project that none of the listeners is a member of, and somebody who uploads to it."""

    def __init__(self, server):
        self.tokens = [server.project.token]
        body = {"name": "Quiet", "start_date": "2026-01-05"}
        made = Client(server.port, server.project.token).request("POST", "/api/v1/projects/", body)
        self.path = f"/api/v1/projects/{made.json['id']}/sync/"


def _uploads(bench, streams):
    servers = [SampleServer(bench.fresh_project(1000, _users(streams)), NO_LIMITS) for _ in range(2)]
    with servers[0] as busy, servers[1] as still:
        def rate(server):
            quiet = Quiet(server)
            return lambda: post(server.origin + quiet.path, quiet, 64, bench.seconds).rate

        with Held(busy.port, busy.project, streams):
            seen = side_by_side(bench.rounds, ours=rate(busy), alone=rate(still))
    return Line(
        f"uploads with {streams:,} idle streams; without", Series(seen["ours"], "requests/s"),
        Series(seen["alone"], "requests/s"), at_least(0.9))


def _restart(bench, streams):
    project = bench.fresh_project(1000, _users(streams))
    with SampleServer(project, NO_LIMITS | {"TIDEMARK_SERVER_SHUTDOWN_SECONDS": 30}) as server:
        herd = Herd(server.port, project.tokens[1:], streams)
        herd.open_all()
        started = time.monotonic()
        server.stop()
        herd.all_ended()
        server.start()
        herd.wait(60)
        took = time.monotonic() - started
    return [
        Line(
            f"restart with {streams:,} streams, until all are back", Series([took], "s"),
            target=Target("≤", 30, "figure", "s")),
        Line(
            "the most refusals of one of them", Series([max(client.refusals for client in herd.clients)], "", 0),
            target=Target("≤", 1, "figure", "")),
    ]


def _frozen(bench):
    """Clients that open a stream and read nothing, while tasks are uploaded all the time."""
    streams, project = 200, bench.fresh_project(1000, _users(200))
    with SampleServer(project, NO_LIMITS) as server:
        before, sockets = memory(server), []
        for index in range(streams):
            made = socket.socket()
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            made.connect(("127.0.0.1", server.port))
            token = project.tokens[1 + index // PER_USER]
            made.sendall(
                f"GET /api/v1/events/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            sockets.append(made)
        client, end, most = server.connect(), time.monotonic() + 20, 0
        while time.monotonic() < end:
            client.required("POST", "", batch(1))
            most = max(most, memory(server))
            time.sleep(0.02)
    return Line(
        "memory of a stream whose client reads nothing, at most, within 20 s of uploads",
        Series([(most - before) / streams / 1000], "kB"), target=Target("≤", 64, "figure", "kB"))
