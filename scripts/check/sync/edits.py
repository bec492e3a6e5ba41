"""Edits next to hot rows and between pages: nothing is lost, and no id comes twice in a drain."""

import random

from check.reporting import check, equal
from harness import tidemark
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "edits.db"


def main():
    token = tidemark.add_user("alice", DATABASE)
    server = Server(DATABASE).start()
    check_hot_and_cold(server.new_project(token, "Hot"))
    for page_size in (1, 2, 7):
        check_between_pages(server.new_project(token, f"Between {page_size}"), page_size)
    check_busy_writer(server.new_project(token, "Busy"))


def check_hot_and_cold(project):
    project.write(created=[{"id": name, "name": name} for name in ("hot", "cold", "other")])
    start = project.drain().timestamp
    for number in range(6):
        project.write(updated=[{"id": "hot", "name": f"hot {number}"}])
    middle = project.drain(since=start)
    equal(
        "a row edited six times comes once, at version 7",
        [row["server_version"] for row in middle.tasks().values()],
        [7],
    )
    project.write(created=[{"id": "new", "name": "new"}])
    project.write(updated=[{"id": "cold", "name": "cold 1"}])
    delta = project.drain(since=middle.timestamp)
    seen = {id: row["server_version"] for id, row in delta.tasks().items()}
    equal("then a new row and a cold edit: both arrive, and nothing else", seen, {"new": 1, "cold": 2})
    quiet = project.drain(since=delta.timestamp)
    equal(
        "an unchanged project: an empty delta and an equal timestamp",
        (quiet.seen, quiet.timestamp),
        (set(), delta.timestamp),
    )


def check_between_pages(project, page_size):
    """A task is edited while the drain is before the tasks, the rest in the middle of them, a membership after it."""
    what, user = f"page size {page_size}", f"bob{page_size}"
    # Ids are taken for the whole server, so each project gets its own.
    ids = {number: f"p{page_size}-{number:02}" for number in (*range(20), 99)}
    tidemark.run("user", "add", user, database=DATABASE)
    project.write(created=[{"id": ids[n], "name": "T"} for n in range(20)])
    edited = []

    def between(drain):
        if drain.pages == 1:
            # In a collection that is still to come.
            project.write(updated=[{"id": ids[10], "name": "coming"}])
        if edited or len(drain.tasks()) < 2:
            return
        edited.append(sorted(drain.tasks()))
        # In a collection that the cursor has passed; then tasks served and to come, a new one, and a delete of each.
        tidemark.output("member", "add", "--project", project.id, "--user", user, "--role", "viewer", database=DATABASE)
        project.write(updated=[{"id": ids[0], "name": "served"}, {"id": ids[15], "name": "unserved"}])
        project.write(created=[{"id": ids[99], "name": "new"}], deleted=[ids[1], ids[16]])

    first = project.drain(page_size=page_size, between=between)
    check(f"{what}: the edits happened in the middle of the tasks", edited and len(edited[0]) < 20, edited)
    equal(f"{what}: no id twice, one timestamp under writes between pages", first.problems, [])
    equal(
        f"{what}: what was written meanwhile waits for the next drain",
        {number for number in (10, 15, 16, 99) if ids[number] in first.tasks()},
        set(),
    )
    second = project.drain(since=first.timestamp, page_size=page_size)
    seen = set(second.tasks()), second.deleted.get("tasks"), len(second.rows.get("memberships", {}))
    equal(
        f"{what}: the next drain carries the edits in passed and coming parts",
        seen,
        ({ids[0], ids[10], ids[15], ids[99]}, {ids[1], ids[16]}, 1),
    )
    check_replica(project, what, [first, second])


def check_replica(project, what, drains):
    replica = {}
    for drain in drains:
        drain.apply_to(replica)
    fresh = project.drain().live()
    check(
        f"{what}: the client's rows equal a fresh drain",
        {name: rows for name, rows in replica.items() if rows} == fresh,
    )


def check_busy_writer(project):
    """A write before every page, over five drains: they end, and the client has everything after a quiet one."""
    generator = random.Random(1)
    project.write(created=[{"id": f"s{n:02}", "name": "T"} for n in range(30)])
    writes, added, since, drains = 0, [], 0, []

    def write(drain=None):
        nonlocal writes
        writes += 1
        added.append(f"n{writes}")
        gone = [added.pop(generator.randrange(len(added) - 1))] if len(added) > 3 else []
        edit = {"id": f"s{generator.randrange(30):02}", "name": f"{writes}"}
        project.write(created=[{"id": f"n{writes}", "name": "T"}], updated=[edit], deleted=gone)

    for number in range(6):
        if number < 5:
            write()
        drains.append(project.drain(since=since, page_size=3, between=write if number < 5 else None))
        since = drains[-1].timestamp
    equal(
        f"a write before each page, {writes} in all: drains end without an id twice",
        [p for d in drains for p in d.problems],
        [],
    )
    check_replica(project, "a busy writer", drains)
