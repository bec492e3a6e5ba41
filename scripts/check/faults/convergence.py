"""Several devices, each `tidemark task` and `tidemark sync` on a replica, under kill -9 of the server and of the syncs.

When all is quiet, every replica equals a drain by its user, every device's last edit of its own tasks is there, and
none was made twice. The arguments are the seed and the number of rounds.
"""

import contextlib
import json
import random
import sqlite3
import subprocess
import threading
import time

from check.replica import differences
from check.reporting import check, equal, seed_of
from harness import tidemark
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "convergence.db"
ROLES = ["owner", "member", "member", "scheduler", "viewer"]
SHARED = [f"shared-{number}" for number in range(6)]


def main(seed=None, rounds=12):
    generator = random.Random(seed_of(seed))
    server = Server(DATABASE)
    tokens = [tidemark.add_user(f"user-{number}", DATABASE) for number in range(len(ROLES))]
    server.start()
    project = server.new_project(tokens[0])
    for number, role in list(enumerate(ROLES))[1:]:
        tidemark.output(
            "member", "add", "--project", project.id, "--user", f"user-{number}", "--role", role, database=DATABASE)
    project.write(created=[{"id": id, "name": "Shared"} for id in SHARED])
    devices = [Device(n, project.by(token), generator.randrange(1 << 30)) for n, token in enumerate(tokens)]
    disturb(server, devices, generator, int(rounds))
    settle(devices)
    verify(devices)


def disturb(server, devices, generator, rounds):
    """The devices work all the time; the server is killed once a round."""
    for device in devices:
        device.start()
    for _ in range(rounds):
        time.sleep(generator.uniform(0.3, 1.5))
        server.kill()
        time.sleep(generator.uniform(0, 0.3))
        server.start()
    for device in devices:
        device.stops = True
    for device in devices:
        device.join(90)
    check("every device came to its end", not any(device.is_alive() for device in devices))
    check("every device worked to its end", not any(device.failure for device in devices), [d.failure for d in devices])


def settle(devices):
    """All send what they have; then all take what the others have sent."""
    for command in ["sync", "pull"]:
        ends = [device.finish("pull" if device.is_reader else command) for device in devices]
        equal(f"over a sound network every {command} ends well", [end for end in ends if end], [])


def verify(devices):
    kills = sum(device.kills for device in devices)
    print(f"{sum(len(d.edits) for d in devices)} edits, {kills} syncs killed", flush=True)
    for device in devices:
        drain = device.project.drain(page_size=50)
        equal(f"device {device.number}: the drain breaks no promise", drain.problems, [])
        equal(f"device {device.number}: its replica equals it", differences(device.replica, drain.live())[:5], [])
    tasks = drain.tasks()
    for device in devices:
        lost = [id for id, text in device.last.items() if tasks.get(id, {}).get("notes") != text]
        equal(f"device {device.number}: its tasks are as it last wrote them", lost, [])
        equal(f"device {device.number}: what it removed is gone", [id for id in device.removed if id in tasks], [])
        doubled = [id for id in device.last if tasks[id]["server_version"] > device.count(id)] if not lost else []
        equal(f"device {device.number}: no edit of its own tasks was made twice", doubled, [])
        equal(f"device {device.number}: nothing was set aside", device.set_aside(), [])
    written = {text for device in devices for _, text in device.edits} | {"Shared"}
    equal("shared tasks are as somebody wrote them", [t for t in SHARED if tasks[t]["name"] not in written], [])


class Device(threading.Thread):
    """Edits and syncs in turn; some syncs are killed. It edits tasks of its own, and the shared ones."""

    def __init__(self, number, project, seed):
        super().__init__(daemon=True)
        self.number, self.project, self.generator = number, project, random.Random(seed)
        self.replica = TEMP / f"device-{number}.replica"
        self.connection = [
            project.server.origin, "--project", project.id, "--token", project.token, "--replica", self.replica]
        self.is_reader = ROLES[number] == "viewer"
        self.stops, self.kills, self.failure = False, 0, None
        # Own tasks: the last text of each, and those that were removed; all edits as (task, text).
        self.last, self.removed, self.edits = {}, set(), []

    def run(self):
        try:
            while not self.stops and self.finish("pull") is not None:
                time.sleep(0.05)
            while not self.stops:
                for _ in range(self.generator.randrange(4)):
                    if not self.is_reader:
                        self.edit()
                self.sync()
        except Exception as error:
            self.failure = repr(error)

    def edit(self):
        text, choice = f"d{self.number}-{len(self.edits)}", self.generator.random()
        if choice < 0.35 or not self.last:
            id = self.task("add", "--name", text, "--id", text, f"notes={text}")
        elif choice < 0.75:
            id = self.generator.choice(sorted(self.last))
            self.task("set", id, f"notes={text}")
        elif choice < 0.9:
            id = self.generator.choice(SHARED)
            self.task("set", id, f"name={text}")
        else:
            id = self.generator.choice(sorted(self.last))
            self.task("rm", id)
            del self.last[id]
            self.removed.add(id)
        self.edits.append((id, text))
        if id not in SHARED and id not in self.removed:
            self.last[id] = text

    def task(self, verb, *arguments):
        return tidemark.output("task", verb, *arguments, "--replica", self.replica)

    def sync(self):
        page_size = str(self.generator.choice([1, 3, 50]))
        command = "pull" if self.is_reader else "sync"
        process = tidemark.start(command, *self.connection, "--page-size", page_size)
        patience = self.generator.uniform(0.02, 0.4) if self.generator.random() < 0.5 else 60
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.kills += 1

    def finish(self, command):
        """None if it ended well, else what it said."""
        done = tidemark.run(command, *self.connection)
        return None if done.returncode == 0 else done.stderr

    def count(self, id):
        return sum(task == id for task, _ in self.edits)

    def set_aside(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.replica}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT id, reason, row FROM _set_aside").fetchall()
        return [(id, reason, json.loads(row).get("notes")) for id, reason, row in rows]
