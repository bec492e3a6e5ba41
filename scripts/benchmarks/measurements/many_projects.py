"""Ten million rows in ten thousand projects, and ten thousand rows in one: what grows with the file, and what must
not."""

import json
import sqlite3
import time
import uuid

from benchmarks import wrk
from benchmarks.clients import ADAPTER
from benchmarks.figures import Line, Series, figure_at_least, side_by_side
from benchmarks.measurements.cold_page import ours as page_nanoseconds
from benchmarks.measurements.uploads import post
from benchmarks.report import say
from harness import tidemark
from harness.environment import ROOT
from harness.process_stats import memory
from harness.sample import SampleProject, SampleServer
from harness.temporary import TEMP

TITLE = "Ten thousand projects"
ROWS, PROJECTS, FEW = 1000, 10_000, 10_000
# `LayoutVersion`: any number below the present one makes the server derive everything again.
OLDER_LAYOUT = "5"


def measure(bench):
    started = time.monotonic()
    large, small = ManyProjects(ROWS, PROJECTS // 10 if bench.quick else PROJECTS), bench.fresh_project(FEW)
    say(f"made in {time.monotonic() - started:.0f} s: {large.database.stat().st_size / 1e9:.1f} GB")
    both = {"large": large, "small": small}
    # First, since it makes what the copied rows lack.
    lines = [_pair("migration of a layout, until it takes connections", both, _migrate, "s")]
    lines += _checked(both)
    lines += _asked(bench, both) + _started(bench, both)
    lines += [_pair("purge, 500 rows deleted before", both, _purge, "s")]
    return lines, [
        f"{large.rows:,} rows in {large.projects:,} projects, {large.database.stat().st_size / 1e9:.1f} GB; beside it "
        f"{small.rows:,} rows in one project. The projects are one of `load prepare` copied under other ids "
        "([`many_projects.py`](../scripts/benchmarks/measurements/many_projects.py)); what is derived from rows, the "
        "migration made."
    ]


class ManyProjects(SampleProject):
    """A sample project, and copies of it under other ids. To make each as a client would takes 100 µs of processor a
    row; `tidemark check` says whether what comes out is what that would have made."""

    def __init__(self, rows, projects, users=1):
        super().__init__(rows, users)
        self.renamed(f"{projects}-projects")
        self.projects = projects
        self._copy()
        self.rows *= projects

    @property
    def drained(self):
        return self.rows // self.projects

    def _copy(self):
        database = sqlite3.connect(self.database, isolation_level=None)
        for pragma in ("journal_mode = DELETE", "journal_mode = OFF", "synchronous = OFF", "cache_size = -2000000"):
            database.execute(f"PRAGMA {pragma}").fetchall()
        database.create_function("other_id", 2, other_id, deterministic=True)
        database.create_function(
            "other_ids", 2, lambda ids, copy: json.dumps([other_id(one, copy) for one in json.loads(ids)]),
            deterministic=True)
        indexes = database.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name").fetchall()
        for name, _ in indexes:
            database.execute(f'DROP INDEX "{name}"')
        database.execute("BEGIN")
        for table, columns in self._tables(database):
            mapped = ", ".join(columns.values())
            database.execute(f'CREATE TEMP TABLE base AS SELECT * FROM main."{table}"')
            for copy in range(1, self.projects):
                database.execute(
                    f'INSERT INTO main."{table}" ({", ".join(columns)}) SELECT {mapped} FROM base', {"copy": copy})
            database.execute("DROP TABLE base")
        database.execute("COMMIT")
        for _, sql in indexes:
            database.execute(sql)
        database.close()

    @staticmethod
    def _tables(database):
        """Tables with rows of projects, and for each column what a copy has there."""
        schemas = [json.loads(path.read_text()) for path in (ROOT / "Schemas/collections").glob("*.json")]
        fields = {schema["title"]: schema["properties"] for schema in schemas}
        ids = {"tidemark_projects": {"id"}} | {
            f"tidemark_{table}": {"project_id"} for table in ("access", "row_counts", "numbers", "stints")}
        for table in [*ids, *sorted(fields)]:
            columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
            yield table, {
                f'"{name}"': _copied(name, fields.get(table, {}).get(name, {}), ids.get(table, {"id", "project_id"}))
                for name in columns
            }


def _copied(column, field, ids):
    if column in ids or field.get("x-value") == "project":
        return f'other_id("{column}", :copy)'
    if "x-ref" in field:
        kind = field["type"]
        return f'{"other_ids" if "array" in kind else "other_id"}("{column}", :copy)'
    return f'"{column}"'


def other_id(one, copy):
    """Another id for each copy, and no two alike; ids stay spread as chance spreads them."""
    return one and f"{int(one[:8], 16) ^ (copy * 0x9E3779B1 & 0xFFFFFFFF):08x}{one[8:]}"


def _pair(name, both, run, unit, rounds=1):
    seen = side_by_side(rounds, **{side: lambda project=project: run(project) for side, project in both.items()})
    return Line(f"{name}; of {FEW:,} rows", Series(seen["large"], unit), Series(seen["small"], unit))


def _migrate(project):
    database = sqlite3.connect(project.database)
    database.execute("UPDATE tidemark_settings SET value = ? WHERE name = 'layout'", (OLDER_LAYOUT,))
    database.commit()
    database.close()
    with SampleServer(project, patience=3600) as server:
        return server.start_seconds


def _checked(both):
    copy, rows = TEMP / "backup.db", both["large"].rows

    def back_up(project):
        copy.unlink(missing_ok=True)
        return _seconds(project, "backup", copy)

    def check(project):
        return _seconds(project, "check")

    backup = _pair("backup with its check", both, back_up, "s")
    size = both["large"].database.stat().st_size / 1e6
    look = _pair("check", both, check, "s")
    return [
        backup, Line("the same", Series([size / backup.ours.median], "MB/s"), target=figure_at_least(100, "MB/s")),
        look,
        Line("the same", Series([rows / look.ours.median], "rows/s", 0), target=figure_at_least(200_000, "rows/s")),
    ]


def _seconds(project, *command):
    started = time.monotonic()
    tidemark.output(*command, database=project.database, timeout=None)
    return time.monotonic() - started


def _asked(bench, both):
    def page(project):
        return page_nanoseconds(project) / 1e6

    lines = [_pair("a page of 1000 rows, in the process", both, page, "ms", bench.rounds)]
    with SampleServer(both["large"]) as large, SampleServer(both["small"]) as small:
        servers = {"large": large, "small": small}

        def deltas(server):
            query, headers = ADAPTER.query(server.head()), ADAPTER.headers(server.project.token)
            return wrk.load(server.url(query), 32, bench.seconds, headers).rate

        def uploads(server):
            return post(server.url(), server.project, 64, bench.seconds).rate

        lines.append(_pair("empty deltas, 32 connections", servers, deltas, "requests/s", bench.rounds))
        lines.append(_pair("uploads of one row, 64 connections", servers, uploads, "requests/s", bench.rounds))
    return lines


def _started(bench, both):
    resident = {}

    def start(project):
        with SampleServer(project) as server:
            server.fetch(ADAPTER.query(server.head()))
            time.sleep(2)
            resident.setdefault(project, []).append(memory(server) / 1e6)
            return server.start_seconds

    started = _pair("start, until it takes connections", both, start, "s", bench.rounds)
    large, small = (Series(resident[project], "MB", 1) for project in both.values())
    return [started, Line(f"memory at rest; of {FEW:,} rows", large, small)]


def _purge(project):
    """Of what one upload of deletes left."""
    with SampleServer(project) as server:
        page = server.fetch(ADAPTER.query(0, collections="time_entries,dependencies,tasks")).json
        ids = [row["id"] for row in page["changes"]["tasks"]["updated"]][-500:]
        deletes = {"tasks": {"created": [], "updated": [], "deleted": ids}}
        server.upload({"client_batch_id": str(uuid.uuid4()), "changes": deletes})
    return _seconds(project, "purge", "--older-than", "0s")
