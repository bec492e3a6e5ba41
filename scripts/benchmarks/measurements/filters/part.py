"""Filters, and requests with them."""

import datetime
import json
import time
import uuid

from benchmarks import wrk
from benchmarks.clients import ADAPTER
from harness.drain import pages
from harness.temporary import TEMP

# The first day of sample projects, whose tasks begin within 1,200 days.
FIRST_DAY = datetime.date(2026, 1, 5)
# What a filter must name besides, so that no more comes than what belongs to its tasks.
NOTHING_ELSE = {"sprints": [], "risks": []}


def of_tasks(*alternatives, **others):
    return json.dumps({"tasks": list(alternatives)} | others, separators=(",", ":"))


def window(day, days=30):
    """Tasks that begin within so many days from that day of the project on."""
    first = FIRST_DAY + datetime.timedelta(day)
    return {"planned_start": {"from": str(first), "until": str(first + datetime.timedelta(days - 1))}}


def query(since, part=None, was="same"):
    """Of a page; without a part that of a plain pull."""
    asked = {"filter": part, "filter_was": was if since else None, "left": "left"} if part else {}
    return ADAPTER.query(since, **asked)


def sprints(server):
    """The ids of all sprints of the project."""
    answers = server.connect().required("GET", "?since=0&collections=sprints")
    return [row["id"] for row in answers.json["changes"]["sprints"]["updated"]]


def poll(server, requests, connections, seconds, pause):
    """Requests in turn, each a token and a query. Each connection waits so many milliseconds between two."""
    file = TEMP / f"requests-{server.port}"
    file.write_text("".join(f"{token} {server.project.path}{query}\n" for token, query in requests))
    headers = ADAPTER.headers("")
    del headers["Authorization"]
    return wrk.load(server.url(), connections, seconds, headers, "turns.lua", [file, pause])


class Phone:
    """A client that drains, one request after the other. It notes how long it waited, and how many bytes its paths and
    the answers had."""

    def __init__(self, server, token=None):
        self.project = server.connect(token)
        self._headers = ADAPTER.headers(self.project.token)
        self.seconds, self.bytes = 0, 0

    def drain(self, query):
        """The answers of all pages."""
        return list(pages(lambda cursor: self._ask(query + (f"&cursor={cursor}" if cursor else ""))))

    def _ask(self, query):
        started = time.perf_counter()
        page = self.project.required("GET", query, headers=self._headers)
        self.seconds += time.perf_counter() - started
        self.bytes += len(self.project.path + query) + len(page.body)
        return page

    def milliseconds(self, queries, seconds):
        """Of a drain, on average over so many seconds."""
        drains, self.seconds = 0, 0
        while self.seconds < seconds:
            self.drain(queries[drains % len(queries)])
            drains += 1
        return self.seconds / drains * 1e3


def tasks(drain, kind="updated"):
    """The tasks of a drain, or the ids of those that left."""
    return [row for page in drain for row in page.json["changes"].get("tasks", {}).get(kind, [])]


def upload(project, kind, collection, rows):
    """A batch of rows that are "created" or "updated", none of which is refused."""
    changes = {collection: {"created": [], "updated": [], "deleted": []} | {kind: rows}}
    answer = project.required("POST", "", {"client_batch_id": str(uuid.uuid4()), "changes": changes})
    if any(answer.json["skipped"].values()):
        raise RuntimeError(f"an upload was not applied: {answer}")
