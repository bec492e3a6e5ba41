"""One run: a history, done to a server."""

import itertools
import threading
import uuid

from consistency import workloads
from consistency.checker import Log, judge
from consistency.devices import commit_of
from consistency.kinds import device_of
from consistency.workloads import collection_of
from deep.clients.digest import fnv1a
from harness.client import Client

# How often a device tries to settle at the end, when nobody writes.
MOST_TRIES = 20
FREEZE_SECONDS = 0.3


class Run:
    def __init__(self, history, installation, plant=None):
        self.history, self.plant, self._installation = history, plant, installation
        self.log, self._clock = Log(), itertools.count(1)
        self.port, name = installation.port, uuid.uuid4().hex[:12]
        self.projects = [f"p{number}-{name}" for number in range(history.projects)]
        self.workload = workloads.ALL[history.workload](history, self.projects, name)
        self.workload.log = self.log
        self._tokens = [installation.add_user() for _ in range(self.workload.users)]
        self.path = "/sync/" if history.is_user_wide else f"/projects/{self.projects[0]}/sync/"
        # The heads that the backup of this run has; None if there is none.
        self._backed_up = None
        self._prepare()
        self.devices = [device_of(number, self) for number in range(len(history.devices))]

    def now(self):
        return next(self._clock)

    def problems(self):
        """Does the history, lets everything heal, and says what was wrong."""
        try:
            for moment in self.history.moments:
                self._perform(moment)
            self._heal()
        finally:
            for device in self.devices:
                device.end()
        return judge(self.log, self.workload)

    def committed(self, device, edits, answer):
        commit = commit_of(device, edits, self.workload.homes, answer, self.now())
        self.log.commits.append(commit)
        return commit

    def token_of(self, device):
        return self._tokens[self.workload.user_of(device)]

    def home_of(self, id):
        """What a new row says of its project."""
        return {"project_id": self.workload.homes[id]} if self.history.is_user_wide else {}

    def require(self, method, path, *body, user=0):
        """The answer to a request that must succeed."""
        client = Client(self.port, self._tokens[user])
        try:
            answer = client.request(method, f"/api/v1{path}", *body)
        finally:
            client.close()
        if answer.status not in (200, 201, 204):
            raise RuntimeError(f"{method} {path}: {answer}")
        return answer

    def _prepare(self):
        for id in self.projects:
            self.require("POST", "/projects/", {"id": id, "name": id, "start_date": "2026-01-05"})
        changes = {}
        for id, fields in self.workload.rows.items():
            row = {"id": id} | self.home_of(id) | fields
            changes.setdefault(collection_of(id), {"created": []})["created"].append(row)
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": changes}
        self.committed(None, self.workload.rows, self.require("POST", self.path, batch).json)
        self.workload.prepare(self)

    def _perform(self, moment):
        """Its operations at the same time."""
        threads = [threading.Thread(target=self._do, args=[operation]) for operation in moment]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _do(self, operation):
        try:
            if operation.device is None:
                self._disturb(operation)
            else:
                getattr(self.devices[operation.device], operation.kind)(operation.picks)
        except Exception as failure:
            self.log.problems.append(f"{operation}: {failure!r}")

    def _disturb(self, operation):
        if operation.kind == "kill":
            self._installation.kill(operation.picks[0])
        elif operation.kind == "freeze":
            self._installation.freeze(operation.picks[0], FREEZE_SECONDS * (operation.picks[1] % 100) / 100)
        else:
            self._send_all()
            getattr(self, f"_{operation.kind}")(operation.picks)

    def _grant(self, picks):
        self.workload.grant(self, picks)

    def _backup(self, _):
        self._installation.back_up()
        self._backed_up = self._heads()
        self.workload.back_up()

    def _restore(self, _):
        if self._backed_up is None:
            return
        self._installation.restore()
        heads = {project: (self._backed_up[project], head) for project, head in self._heads().items()}
        self.log.restores.append(heads)
        self.workload.restored()

    def _heads(self):
        return {project: self.head(project) for project in self.projects}

    def head(self, project):
        answer = self.require("GET", f"/projects/{project}/sync/?collections=tasks&page_size=1")
        return int(answer.headers["Tidemark-Head"])

    def _send_all(self):
        for device in self.devices:
            if not any(device.send() for _ in range(MOST_TRIES)):
                self.log.problems.append(f"device {device.number} gets no answer to its batch")

    def _heal(self):
        """Nobody writes any more: all batches are answered, all devices settle, and hold what the server has."""
        self._send_all()
        self.workload.heal(self)
        for device in self.devices:
            if not any(device.sync(None) for _ in range(MOST_TRIES)):
                self.log.problems.append(f"device {device.number} stalls")
            self._compare(device)
            self.log.problems += device.lost()

    def _compare(self, device):
        """The server's digests must be those of the device's rows."""
        query = f"{self.path}digest/?collections={','.join(self.workload.collections)}"
        said = self.require("GET", query, user=self.workload.user_of(device.number)).json["digest"]
        for project, digests in (said if self.history.is_user_wide else {self.projects[0]: said}).items():
            for collection, digest in digests.items():
                rows = [row for id, row in device.copy.rows.items()
                        if self.workload.homes[id] == project and collection_of(id) == collection]
                if digest != {"count": len(rows), "digest": digest_of(rows)}:
                    self.log.problems.append(
                        f"device {device.number}: the server's digest of {collection} in {project} is another one")


def digest_of(rows):
    value = 0
    for row in rows:
        value ^= fnv1a(f"{row['id']}\0{row['server_version']}".encode())
    return f"{value:016x}"
