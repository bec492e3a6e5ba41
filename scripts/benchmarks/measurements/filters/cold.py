"""A first pull of some tasks of a large project, beside one of a project that has just these."""

import statistics

from benchmarks.clients import SWIFT
from benchmarks.figures import Line, Series, at_most, side_by_side
from benchmarks.measurements.filters.part import NOTHING_ELSE, Phone, of_tasks, query, sprints, tasks, upload
from harness import tidemark
from harness.sample import SampleProject, SampleServer, page_cache
from harness.server import Server
from harness.temporary import TEMP

SPRINTS = 50
COLLECTIONS = "tasks", "dependencies", "time_entries"
# Fields that clients can't write.
SERVERS = {"project_id", "server_version", "project", "short_id", "user", "created_at"}


def lines(bench):
    with SampleServer(bench.project(bench.sizes[-1]), page_cache(0)) as large:
        phone, ids = Phone(large), sprints(large)[:SPRINTS]
        counts = {id: len(tasks(phone.drain(query(0, _part(id))))) for id in ids}
        mean = statistics.mean(counts.values())
        with _alone(phone, min(ids, key=lambda id: abs(counts[id] - mean))) as small:
            alone = Phone(small)
            count = len(tasks(alone.drain(query(0))))
            seen = side_by_side(
                bench.rounds, part=lambda: phone.milliseconds([query(0, _part(id)) for id in ids], bench.seconds),
                alone=lambda: alone.milliseconds([query(0)], bench.seconds))
    return [
        Line(
            f"a cold pull of a sprint's {mean:.0f} tasks out of {bench.sizes[-1]:,} rows; of a project with {count}",
            Series(seen["part"], "ms"), Series(seen["alone"], "ms"), at_most(2))]


def _part(sprint):
    """The sprint's tasks, and what follows them."""
    return of_tasks({"sprint": sprint}, **NOTHING_ELSE)


class Alone(SampleProject):
    """A database with one project, which has these rows by collection."""

    def __init__(self, changes):
        self.database, self.options = TEMP / "alone.db", []
        self.tokens = [tidemark.add_user("alone", self.database)]
        with Server(self.database) as server:
            project = server.new_project(self.token)
            self.id = project.id
            for name, rows in changes.items():
                upload(project, "created", name, rows)


def _alone(phone, sprint):
    """A server with the rows of the part, and the sprint. What leads out of the part is turned round within it."""
    drain = [page.json["changes"] for page in phone.drain(SWIFT.query(0, filter=_part(sprint)))]
    rows = {name: [_sent(row) for page in drain for row in page[name]["updated"]] for name in COLLECTIONS}
    for task in rows["tasks"]:
        task["parent"] = None
    followers = {row["successor"] for row in rows["dependencies"]}
    first = next(task["id"] for task in rows["tasks"] if task["id"] not in followers)
    for row in rows["dependencies"]:
        row["predecessor"] = first
    own = {"id": sprint, "name": "Sprint", "start_date": "2026-03-02", "finish_date": "2026-03-13"}
    return SampleServer(Alone({"sprints": [own]} | rows), page_cache(0))


def _sent(row):
    """What a client may write of it."""
    return {name: value for name, value in row.items() if name not in SERVERS}
