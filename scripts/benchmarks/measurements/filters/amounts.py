"""How many bytes a phone with a part needs."""

import random

from benchmarks.figures import Line, Series
from benchmarks.measurements.filters.part import NOTHING_ELSE, Phone, of_tasks, query, tasks, upload, window
from harness.sample import SampleServer

WINDOW, EDITS, BATCH = 30, 20, 500


def lines(bench):
    rows, days = bench.sizes[-2], 60 if bench.quick else 365
    with SampleServer(bench.fresh_project(rows, 2)) as server:
        phone = Amounts(server)
        return [_rolled(phone, rows, days), _moved_by_others(phone, rows // 10)]


def _rolled(phone, rows, days):
    """Each day some tasks are edited by others, some of them moved to another day."""
    ids, chance = phone.tasks(), random.Random(1)
    part = of_tasks(window(0, WINDOW), **NOTHING_ELSE)
    _, since = phone.pull(0, part)
    rolled = fresh = 0
    for day in range(1, days + 1):
        phone.others_edit([_edit(id, chance) for id in chance.sample(ids, EDITS)])
        part, was = of_tasks(window(day, WINDOW), **NOTHING_ELSE), part
        taken, since = phone.pull(since, part, was)
        rolled, fresh = rolled + taken, fresh + phone.pull(0, part)[0]
    return Line(
        f"a window of {WINDOW} days of {rows:,} rows, rolled daily for {days} days; fetched anew each day",
        Series([rolled / 1e6], "MB"), Series([fresh / 1e6], "MB"))


def _edit(id, chance):
    dates = {"planned_start": window(chance.randrange(1200))["planned_start"]["from"]}
    return {"id": id, "notes": "Asked again."} | (dates if chance.random() < 0.25 else {})


def _moved_by_others(phone, count):
    """What the phone is told of tasks that were never in its part."""
    part = of_tasks({"assignee": "@me"}, **NOTHING_ELSE)
    mine = set(phone.tasks(part))
    others = [id for id in phone.tasks() if id not in mine][:count]
    since = phone.head()
    for start in range(0, count, BATCH):
        phone.others_edit([{"id": id, "status": "ON_HOLD"} for id in others[start:start + BATCH]])
    (ours, _), (plain, _) = phone.pull(since, part), phone.pull(since)
    return Line(
        f"a phone's delta after others moved {count:,} tasks of theirs; without a filter", Series([ours / 1e3], "kB"),
        Series([plain / 1e3], "kB"))


class Amounts:
    """Of a phone. Somebody else edits."""

    def __init__(self, server):
        self._phone, self._others = Phone(server), server.connect(server.project.tokens[1])

    def head(self):
        return self._phone.project.head()

    def pull(self, since, part=None, was="same"):
        """The bytes of a drain, and the next watermark."""
        before = self._phone.bytes
        drain = self._phone.drain(query(since, part, was))
        return self._phone.bytes - before, drain[-1].json["timestamp"]

    def tasks(self, part=None):
        """The ids of all tasks, or of those in the part."""
        return [task["id"] for task in tasks(self._phone.drain(query(0, part)))]

    def others_edit(self, rows):
        upload(self._others, "updated", "tasks", rows)
