"""Sends batches again, at once, changed and mended: each is applied once or not at all."""

import threading
import uuid

from check.reporting import check, equal
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user

DATABASE = TEMP / "exactly-once.db"


def main():
    token = add_user("alice", DATABASE)
    server = Server(DATABASE).start()
    project = server.new_project(token)
    check_twice(project)
    check_other_body(project)
    for number in range(5):
        check_at_once(project, number)
    check_mended(project)


def is_replay(answer):
    return answer.headers["Idempotent-Replayed"] == "true"


def check_twice(project):
    batch, rows = str(uuid.uuid4()), [{"id": f"twice-{n}", "name": f"Task {n}"} for n in range(3)]
    first = project.upload(batch, created=rows)
    equal("a batch: 200, no replay", (first.status, is_replay(first)), (200, False))
    head = project.head()
    # A later edit must survive the replay of the older batch.
    project.upload(updated=[{"id": "twice-0", "name": "Renamed"}])
    second = project.upload(batch, created=rows)
    equal(
        "posted twice: the same bytes, marked as replayed",
        (second.status, second.body, is_replay(second)),
        (200, first.body, True),
    )
    project.server.kill()
    project.server.start()
    third = project.upload(batch.upper(), created=rows)
    equal(
        "posted again after kill -9: the same bytes",
        (third.status, third.body, is_replay(third)),
        (200, first.body, True),
    )
    tasks = project.drain().tasks()
    equal(
        "applied once: versions and the later edit",
        [(tasks[row["id"]]["server_version"], tasks[row["id"]]["name"]) for row in rows],
        [(2, "Renamed"), (1, "Task 1"), (1, "Task 2")],
    )
    equal("a batch draws one commit number, a replay none", project.head(), head + 1)


def check_other_body(project):
    batch = str(uuid.uuid4())
    project.upload(batch, created=[{"id": "other-1", "name": "First"}])
    answer = project.upload(batch, created=[{"id": "other-1", "name": "Second"}])
    equal("the same id with another body: 422", (answer.status, answer.json.get("code")), (422, "batch_id_reused"))
    equal("… and nothing of it is applied", project.drain().tasks()["other-1"]["name"], "First")


def check_at_once(project, number):
    batch, head = str(uuid.uuid4()), project.head()
    rows = [{"id": f"once-{number}-{n}", "name": "At once"} for n in range(20)]
    barrier, answers = threading.Barrier(8), []

    def post():
        sender = project.by(project.token)
        barrier.wait()
        answers.append(sender.upload(batch, created=rows))

    threads = [threading.Thread(target=post) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(f"eight at once, round {number + 1}: all 200", [answer.status for answer in answers], [200] * 8)
    check("… identical answers", len({answer.body for answer in answers}) == 1)
    equal("… seven of them replays", sum(map(is_replay, answers)), 7)
    equal("… one commit", project.head(), head + 1)
    tasks = project.drain().tasks()
    versions = [tasks.get(row["id"], {}).get("server_version") for row in rows]
    equal("… every row once, at version 1", versions, [1] * 20)


def check_mended(project):
    before = project.drain()
    batch = str(uuid.uuid4())
    rows = [{"id": f"mend-{n}", "name": "Good"} for n in range(4)]
    bad = rows[:2] + [rows[2] | {"status": "NEVER"}] + rows[3:]
    answer = project.upload(
        batch, created=bad, updated=[{"id": "twice-0", "name": "Not yet"}], deleted=["twice-1"])
    pointers = [error["pointer"] for error in answer.json.get("errors", [])]
    equal("one bad row: 400 with its pointer", (answer.status, pointers), (400, ["/changes/tasks/created/2/status"]))
    after = project.drain()
    check(
        "… nothing is applied",
        (after.rows, after.deleted, after.timestamp) == (before.rows, before.deleted, before.timestamp),
    )
    mended = project.upload(
        batch, created=rows, updated=[{"id": "twice-0", "name": "Now"}], deleted=["twice-1"])
    equal("… the same batch id works after the fix", (mended.status, is_replay(mended)), (200, False))
    delta = project.drain(since=before.timestamp)
    equal(
        "… and is applied whole",
        (set(delta.tasks()), delta.deleted.get("tasks")),
        ({row["id"] for row in rows} | {"twice-0"}, {"twice-1"}),
    )
