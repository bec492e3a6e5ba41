"""What every attack needs: a server, somebody who attacks, a viewer, and a bystander in a project of their own."""

import json
import shutil
import threading
import time
import uuid

from harness import tidemark
from harness.client import Client
from harness.environment import ROOT
from harness.installation import engine
from harness.process_stats import memory
from harness.server import Server
from harness.temporary import TEMP

# Milliseconds that somebody else's write of one row may take, whatever others send.
LONGEST_WRITE = 1000
MEMBER, VIEWER = 100, 1


class Scene:
    """A server on a new database. As long as it is entered, the bystander writes one row after the other."""

    def __init__(self, name, settings=None, schemas=None, options=()):
        self.database = TEMP / f"attack-{name}.db"
        tokens = {user: tidemark.add_user(user, self.database) for user in ("mallory", "vera", "bob")}
        self.mallory, self.vera, self.bob = tokens["mallory"], tokens["vera"], tokens["bob"]
        self._schemas = ["--schemas", schemas] if schemas else []
        self.server = Server(self.database, settings, options=[*options, *self._schemas])

    def __enter__(self):
        self.server.start()
        self.project = self.server.new_project(self.mallory, "Attacked")
        self.others = self.server.new_project(self.bob, "Of others")
        for user, role in (("vera", VIEWER), ("bob", MEMBER)):
            self.add_member(user, role)
        self.bystander = Bystander(self)
        self.bystander.start()
        return self

    def __exit__(self, *_):
        self.bystander.end()
        self.server.stop()

    def add_member(self, user, role):
        name = {MEMBER: "member", VIEWER: "viewer"}[role]
        tidemark.output(
            "member", "add", "--project", self.project.id, "--user", user, "--role", name, *self._schemas,
            database=self.database)

    def send(self, token, changes, **modes):
        """The answer to one batch."""
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": changes, **modes}
        client = Client(self.server.port, token, timeout=300)
        return client.request("POST", self.project.path, batch)

    def memory(self):
        return sum(memory(each) for each in self.server._members or [self.server])

    def database_bytes(self):
        """What the database takes on the disk, without the log."""
        if engine.is_shared(self.database):
            return engine.size(self.database)
        return self.database.stat().st_size


class Bystander(threading.Thread):
    """Writes one row at a time, and remembers how long each write took."""

    def __init__(self, scene):
        super().__init__(daemon=True)
        self._client = Client(scene.server.port, scene.bob, timeout=300)
        self._path = f"/api/v1/projects/{scene.others.id}/tasks/"
        self._ends, self._times, self.failure = threading.Event(), [], None

    def run(self):
        while not self._ends.wait(0.05):
            begun = time.monotonic()
            try:
                answer = self._client.request("POST", self._path, {"name": "Beside an attack"})
                if answer.status != 201:
                    raise RuntimeError(f"a bystander's write: {answer}")
            except Exception as failure:
                self.failure = failure
                return
            self._times.append((time.monotonic() - begun) * 1000)

    def end(self):
        self._ends.set()
        self.join()

    def longest(self, during):
        """Milliseconds of the longest write that was under way while `during()` ran; raises if one failed."""
        self._wait_for_one()
        first = len(self._times)
        result = during()
        self._wait_for_one()
        return max(self._times[first:]), result

    def _wait_for_one(self):
        count = len(self._times)
        while len(self._times) == count and self.is_alive():
            time.sleep(0.005)
        if self.failure:
            raise RuntimeError(f"a bystander: {self.failure!r}")


def schemas_with(name, collection, field, document):
    """The folder of the built-in schema files with one more field."""
    folder = TEMP / f"schemas-{name}"
    shutil.copytree(ROOT / "Schemas/collections", folder, dirs_exist_ok=True)
    file = folder / f"{collection}.json"
    schema = json.loads(file.read_text())
    schema["properties"][field] = document
    file.write_text(json.dumps(schema))
    return folder
