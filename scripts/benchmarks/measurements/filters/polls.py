"""Uploads while thousands of phones poll, each with a filter of its own, or each without one."""

import concurrent.futures
import time

from benchmarks import wrk
from benchmarks.figures import Line, Series, at_least, side_by_side
from benchmarks.measurements.filters.part import of_tasks, poll, query, sprints, window
from harness.sample import SampleServer
from harness.temporary import TEMP

USERS, WRITERS, HOT_TASKS = 20, 4, 50
# Each connection is that of 50 phones, one after the other; so a phone polls every 30 s.
PHONES, PAUSE = 50, 600


class Round:
    """What was seen of the uploads and of the polls beside them."""

    def __init__(self, uploads, polls=None):
        self.uploads, self.polls = uploads, polls


def lines(bench):
    clients, seconds = (1000, 4) if bench.quick else (10_000, 30)
    with SampleServer(bench.fresh_project(bench.sizes[-2], USERS)) as server:
        crowd = Crowd(server, clients, seconds)
        crowd.run(None)
        seen = side_by_side(
            bench.rounds, filtered=lambda: crowd.run(crowd.parts), plain=lambda: crowd.run([None] * clients),
            none=lambda: crowd.run(None))
    return _lines(f"{clients:,}", **seen)


def _lines(clients, filtered, plain, none):
    uploads, without, alone = (
        Series([each.uploads.rate for each in side], "batches/s") for side in (filtered, plain, none))
    rates, medians = (
        [Series([read(each.polls) for each in side], unit) for side in (filtered, plain)]
        for read, unit in ((lambda polls: polls.rate, "polls/s"), (lambda polls: polls.p50, "ms")))
    return [
        Line(
            f"uploads of one edit by {WRITERS} writers while {clients} filters are polled every 30 s; as many plain "
            "pulls",
            uploads, without, at_least(0.95)),
        Line("the same; nobody polls", uploads, alone),
        Line(f"polls beside them, of {clients} filters; plain", *rates),
        Line("their median time; plain", *medians),
    ]


class Crowd:
    """Phones that poll a project, in which writers edit some tasks again and again."""

    def __init__(self, server, clients, seconds):
        self._server, self._clients, self._seconds = server, clients, seconds
        self._tasks = TEMP / "hot-tasks"
        tasks = server.fetch(f"?since=0&collections=tasks&page_size={HOT_TASKS}").json["changes"]["tasks"]["updated"]
        self._tasks.write_text("".join(task["id"] + "\n" for task in tasks))

    @property
    def parts(self):
        """A filter for each phone, no two alike for the same user."""
        ids = sprints(self._server)
        return [_part(number, ids) for number in range(self._clients)]

    def run(self, parts):
        """`parts` has None for a plain pull, and is None if nobody polls."""
        if parts is None:
            return Round(self._upload())
        since, tokens = self._server.head(), self._server.project.tokens
        requests = [(tokens[index % USERS], query(since, part)) for index, part in enumerate(parts)]
        with concurrent.futures.ThreadPoolExecutor() as threads:
            polls = threads.submit(poll, self._server, requests, self._clients // PHONES, self._seconds + 2, PAUSE)
            time.sleep(1)
            uploads = self._upload()
            return Round(uploads, polls.result())

    def _upload(self):
        arguments = [self._tasks, "mixed", 1, *self._server.project.tokens]
        return wrk.load(self._server.url(), WRITERS, self._seconds, script="edit.lua", arguments=arguments)


def _part(number, ids):
    mine = {"assignee": "@me"}
    two = {"sprint": [ids[number % len(ids)], ids[(number + 1 + number // len(ids)) % len(ids)]]}
    dates = window(number % 1170, 15 + number // 1170)
    return of_tasks(*[[mine, two], [dates], [mine, two, dates]][number % 3])
