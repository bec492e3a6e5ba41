"""A page that no cache has: the page's work against a C program, and rows a second over HTTP."""

import json
import sqlite3
import statistics

from benchmarks import wrk
from benchmarks.bench import program
from benchmarks.clients import ADAPTER
from benchmarks.figures import Line, Series, at_most, figure_at_least, side_by_side
from benchmarks.peers import reference
from harness.environment import ROOT
from harness.processes import output
from harness.sample import SampleServer, page_cache
from harness.temporary import TEMP

TITLE = "A cold page"
SYSTEM_COLUMNS = (
    "id, server_version, is_deleted, sync_seq, created_seq, is_gated, gate_seq, project_id, content_seq, inserted_by, "
    "inserted_at, gate_changes"
)
FORMS = {"string": "t", "integer": "i", "number": "d", "boolean": "b", "array": "j", "object": "j"}


def measure(bench):
    project = bench.project(100_000)
    floor, plan = Floor(project), query_plan(project.database, Floor.sql())
    floor.check(project)
    seen = side_by_side(bench.rounds, ours=lambda: ours(project, "--collections", "tasks"), floor=floor.run)
    over_http = [http_rows(project, bench.seconds) for _ in range(bench.rounds)]
    everything = [ours(project) for _ in range(bench.rounds)]
    lines = [
        Line(
            "1000 rows of tasks, in the process; the C program", _milliseconds(seen["ours"]),
            _milliseconds(seen["floor"]), at_most(1.5)),
        Line("the same of all collections", _milliseconds(everything)),
        Line(
            "over HTTP, 8 connections, not compressed", Series(over_http, "rows/s", 0),
            target=figure_at_least(300_000, "rows/s")),
    ]
    return lines, [f"The rows of both are equal, byte for byte, on every page. Plan: `{plan}`."]


def _milliseconds(values):
    return Series([value / 1e6 for value in values], "ms")


def ours(project, *options):
    """Nanoseconds a page: the median of as many whole drains as make a few hundred pages."""
    seen = reference.parts(
        "page", "--database", project.database, "--project", project.id, "--token", project.token,
        "--rounds", drains(project), *options
    )
    return statistics.median(seen["ns_per_page"])


def drains(project):
    return max(1, 300_000 // project.drained)


def http_rows(project, seconds):
    """Rows a second of the first page of tasks."""
    with SampleServer(project, page_cache(0)) as server:
        url, headers = server.url(ADAPTER.query(0, collections="tasks")), ADAPTER.headers(project.token, gzip=False)
        wrk.load(url, 8, 1, headers)
        return wrk.load(url, 8, seconds, headers).rate * 1000


class Floor:
    """`c/floor.c` on the tasks of a project."""

    def __init__(self, project):
        self.project = project
        self.program = program("floor.c", "-lsqlite3")

    @staticmethod
    def _fields():
        """In the order of the columns."""
        schema = json.loads((ROOT / "Schemas/collections/tasks.json").read_text())
        return sorted(schema["properties"].items())

    @staticmethod
    def sql():
        """As `PageQuery` has it."""
        columns = ", ".join([SYSTEM_COLUMNS] + [f'"{name}"' for name, _ in Floor._fields()])
        return (
            f'SELECT {columns} FROM "tasks" WHERE project_id = ?1 AND (sync_seq, id) > (?2, ?3) AND sync_seq <= ?4 '
            "ORDER BY sync_seq, id"
        )

    @staticmethod
    def _columns():
        kinds = ((name, field["type"]) for name, field in Floor._fields())
        return ",".join(f"{FORMS[kind if isinstance(kind, str) else kind[0]]}:{name}" for name, kind in kinds)

    def run(self, rows_file="-"):
        """As `ours`."""
        seen = output(
            self.program, self.project.database, self.sql(), self._columns(), self.project.id, 1000,
            drains(self.project), rows_file)
        return statistics.median(json.loads(seen)["ns_per_page"])

    def check(self, project):
        """Raises if a page's rows are not those of the server."""
        bodies, rows = TEMP / "bodies", TEMP / "rows"
        ours(project, "--collections", "tasks", "--output", bodies)
        self.run(rows)
        pages = rows.read_bytes().split(b"\n")[:-1]
        head, tail = b'{"changes":{"tasks":{"updated":[', b'],"created":[],"deleted":[]}}'
        expected = b"".join(head + page + tail for page in pages)
        if without_trailers(bodies.read_bytes()) != expected:
            raise RuntimeError("the C program's rows are not the server's")


def query_plan(database, sql):
    """The lines of SQLite's plan, joined."""
    connection = sqlite3.connect(database)
    try:
        return "; ".join(row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + sql, ("p", 1, "", 9)))
    finally:
        connection.close()


def without_trailers(bodies):
    """The bodies of a drain without what follows `changes`."""
    parts = bodies.split(b'{"changes":')
    return b"".join(b'{"changes":' + part[: part.rindex(b"]}}") + 3] for part in parts[1:])
