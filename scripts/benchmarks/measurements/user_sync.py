"""All projects of a user in one drain, beside the drain of one project, while others write elsewhere."""

import time
import uuid

from benchmarks import wrk
from benchmarks.beside import Beside
from benchmarks.clients import ADAPTER
from benchmarks.figures import Line, Series, Target, at_least, at_most, side_by_side
from benchmarks.measurements.many_projects import ManyProjects
from harness.client import Client
from harness.project import ProjectClient
from harness.sample import SampleServer, page_cache

TITLE = "All projects of a user"
PATH = "/api/v1/sync/"
FEW, MANY = 20, 2000


def measure(bench):
    many = 400 if bench.quick else MANY
    lines = [_empty(bench, FEW, 0.8), _empty(bench, many, 0.5), _changed(bench, many), _cold(bench)]
    return lines + [_disturbed(bench)], [
        "Deltas are the adapter's. While they are measured, another user writes 100 batches a second to a project of "
        "their own. The projects are copies of one that `load prepare` made."
    ]


class Neighbour(Beside):
    """Somebody who writes a task now and then to a project that only they have."""

    def __init__(self, server, per_second):
        super().__init__(per_second, self._write)
        self._client = Client(server.port, server.project.tokens[1])
        name = {"name": "Next door", "start_date": "2026-01-05"}
        project = self._client.request("POST", "/api/v1/projects/", name).json["id"]
        self._path = f"/api/v1/projects/{project}/sync/"

    def _write(self):
        task = {"id": str(uuid.uuid4()), "name": "A task"}
        changes = {"tasks": {"created": [task], "updated": [], "deleted": []}}
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": changes}
        answer = self._client.request("POST", self._path, batch)
        if answer.status != 200:
            raise RuntimeError(f"a write next door: {answer}")


def _server(projects, rows=200, settings=None):
    project = ManyProjects(rows, projects, users=2)
    return SampleServer(project, settings, patience=600)


def watermark(server, path):
    client = Client(server.port, server.project.token)
    return int(client.request("GET", path + ADAPTER.query(0, page_size=1)).headers["Tidemark-Head"])


def _empty(bench, projects, bound):
    with _server(projects) as server, Neighbour(server, 100):
        request = ADAPTER.headers(server.project.token)
        sides = {
            side: lambda url=server.origin + path + ADAPTER.query(watermark(server, path)): wrk.load(
                url, 32, bench.seconds, request).rate
            for side, path in {"ours": PATH, "one": server.project.path}.items()
        }
        seen = side_by_side(bench.rounds, **sides)
    return Line(
        f"empty delta of a user with {projects:,} projects; of one project", Series(seen["ours"], "requests/s"),
        Series(seen["one"], "requests/s"), at_least(bound))


def _changed(bench, projects):
    with _server(projects) as server:
        project = ProjectClient(server, server.project.id, server.project.token, is_kept=True)
        client = Client(server.port, server.project.token)
        task = {"id": str(uuid.uuid4()), "name": "A task"}
        project.write(created=[task])

        def delta(path):
            since, spent = watermark(server, path), 0
            for number in range(200):
                project.write(updated=[task | {"notes": str(number) + path}])
                started = time.perf_counter()
                answer = client.request("GET", path + ADAPTER.query(since))
                spent += time.perf_counter() - started
                since = answer.json["timestamp"]
                if len(answer.json["changes"]["tasks"]["updated"]) != 1:
                    raise RuntimeError(f"a delta of one task: {answer}")
            return spent / 200 * 1e3

        seen = side_by_side(bench.rounds, ours=lambda: delta(PATH), one=lambda: delta(server.project.path))
    return Line(
        f"a delta of one task in one of {projects:,} projects; in one project", Series(seen["ours"], "ms"),
        Series(seen["one"], "ms"), at_most(1.3))


def _cold(bench):
    with _server(50, settings=page_cache(0)) as ours, SampleServer(
            bench.project(10_000), page_cache(0)) as one:
        seen = side_by_side(
            bench.rounds, ours=lambda: _drain(ours, PATH, 50 * 200), one=lambda: _drain(one, one.project.path, 10_000))
    return Line(
        "a first pull of 50 × 200 rows, no page cache; of one project of 10,000", Series(seen["ours"], "s"),
        Series(seen["one"], "s"), at_most(1.4))


def _drain(server, path, rows):
    client, cursor, seen = Client(server.port, server.project.token), None, 0
    started = time.perf_counter()
    while True:
        page = client.request("GET", path + ADAPTER.query(0, cursor=cursor)).json
        seen, cursor = page["progress"]["rows"], page["next_cursor"]
        if cursor is None:
            break
    # Some of the rows are other users' own.
    if seen < 0.9 * rows:
        raise RuntimeError(f"{seen} rows instead of {rows}")
    return time.perf_counter() - started


def _disturbed(bench):
    """The 99th percentile of deltas of a user while somebody else's project takes 200 batches a second."""
    with _server(FEW) as server:
        request = ADAPTER.headers(server.project.token)
        url = server.origin + PATH + ADAPTER.query(watermark(server, PATH))
        neighbour = Neighbour(server, 200)

        def busy():
            with neighbour:
                return wrk.load(url, 4, bench.seconds, request).p99

        def still():
            return wrk.load(url, 4, bench.seconds, request).p99

        seen = side_by_side(1, still=still)
        seen |= side_by_side(1, busy=busy)
    added = [busy - still for busy, still in zip(seen["busy"], seen["still"])]
    return Line(
        "99th percentile of empty deltas that 200 batches/s next door add", Series(added, "ms"),
        target=Target("≤", 2, "figure", "ms"))
