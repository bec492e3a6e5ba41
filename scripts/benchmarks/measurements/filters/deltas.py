"""Deltas of a part, beside deltas of everything that look at as many rows."""

import uuid

from benchmarks.figures import Line, Series, at_most, side_by_side
from benchmarks.measurements.filters.part import Phone, of_tasks, query, tasks, upload, window
from harness.sample import SampleServer, page_cache

ROWS = 500


def lines(bench):
    with SampleServer(bench.fresh_project(bench.sizes[0], 2), page_cache(0)) as server:
        case = Case(bench, server)
        return [
            case.line("an empty delta of a part", case.part),
            case.line("a delta of one edited task, in the part", case.part, count=1, notes="Wet."),
            case.line(f"a delta of {ROWS} edited tasks, all in the part", case.part, notes="Dry by now."),
            case.line(
                f"a delta of {ROWS} edited tasks, none in the part", case.other_part, notes="Dry since yesterday."),
            case.line(f"a delta of {ROWS} tasks that leave the part, as ids", case.part, sprint=None),
            case.line(f"a delta of {ROWS} tasks that come into the part", case.part, sprint=case.sprint),
        ]


class Case:
    """A phone that has the tasks of a sprint, and somebody else who edits all of them."""

    def __init__(self, bench, server):
        self._bench, self._phone = bench, Phone(server)
        self._other = server.connect(server.project.tokens[1])
        self.sprint, self._ids = str(uuid.uuid4()), [str(uuid.uuid4()) for _ in range(ROWS)]
        dates = {"start_date": "2026-03-02", "finish_date": "2026-03-13"}
        upload(self._other, "created", "sprints", [{"id": self.sprint, "name": "Next"} | dates])
        upload(self._other, "created", "tasks", [
            {"id": id, "name": "Inspect the wiring, section B", "sprint": self.sprint} for id in self._ids])
        mine = [{"assignee": "@me"}, window(100)]
        self.part, self.other_part = of_tasks({"sprint": [self.sprint]}, *mine), of_tasks(*mine)

    def line(self, name, part, count=ROWS, **edit):
        """After the edit of so many tasks, if there is one, a delta of the part and a plain one."""
        since = self._phone.project.head()
        if edit:
            upload(self._other, "updated", "tasks", [{"id": id} | edit for id in self._ids[:count]])
        ours, plain = query(since, part), query(since)
        self._check(self._phone.drain(ours), edit if part == self.part else {}, count)
        seen = side_by_side(self._bench.rounds, ours=lambda: self._ask(ours), plain=lambda: self._ask(plain))
        return Line(f"{name}; without a filter", Series(seen["ours"], "ms"), Series(seen["plain"], "ms"), at_most(1.5))

    def _ask(self, query):
        return self._phone.milliseconds([query], self._bench.seconds)

    @staticmethod
    def _check(drain, edit, count):
        """The edit, if it was of rows that are in the part or were."""
        leaves = "sprint" in edit and edit["sprint"] is None
        wanted = [0, count] if leaves else [count, 0] if edit else [0, 0]
        if (seen := [len(tasks(drain)), len(tasks(drain, "left"))]) != wanted:
            raise RuntimeError(f"tasks that a delta has, and that leave: {seen} instead of {wanted}")
