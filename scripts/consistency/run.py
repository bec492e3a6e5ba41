"""One run: a history, done to a server."""

import itertools
import threading
import uuid

from consistency import workloads
from consistency.checker import Log, judge
from consistency.devices import PageDevice, commit_of
from deep.clients.digest import fnv1a
from harness.client import Client

# How often a device tries to settle at the end, when nobody writes.
MOST_TRIES = 20
FREEZE_SECONDS = 0.3


class Run:
    def __init__(self, history, installation, plant=None):
        self.history, self.plant, self._installation = history, plant, installation
        self.log, self._clock, self._lock = Log(), itertools.count(1), threading.Lock()
        self.port, self.token = installation.port, installation.add_user()
        self._client = Client(self.port, self.token)
        name = uuid.uuid4().hex[:12]
        self.projects = [f"p{number}-{name}" for number in range(history.projects)]
        tasks = [f"t{number}-{name}" for number in range(history.tasks)]
        self.workload = workloads.ALL[history.workload](tasks, len(history.devices))
        # The project of each task.
        self.homes = {id: self.projects[number % len(self.projects)] for number, id in enumerate(tasks)}
        self.path = "/sync/" if history.is_user_wide else f"/projects/{self.projects[0]}/sync/"
        self._prepare(tasks)
        self.devices = [PageDevice(number, self) for number in range(len(history.devices))]

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
        commit = commit_of(device, edits, self.homes, answer, self.now())
        self.log.commits.append(commit)
        return commit

    def _prepare(self, tasks):
        for id in self.projects:
            self._require(201, "POST", "/projects/", {"id": id, "name": id, "start_date": "2026-01-05"})
        fields = {id: self.workload.fields(position) for position, id in enumerate(tasks)}
        rows = [{"id": id} | fields[id] for id in tasks]
        if self.history.is_user_wide:
            rows = [row | {"project_id": self.homes[row["id"]]} for row in rows]
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": rows}}}
        self.committed(None, fields, self._require(200, "POST", self.path, batch).json)

    def _require(self, status, *request):
        method, path, *body = request
        answer = self._client.request(method, f"/api/v1{path}", *body)
        self._client.close()
        if answer.status != status:
            raise RuntimeError(f"{method} {path}: {answer}")
        return answer

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
            self._installation.kill()
        else:
            self._installation.freeze(FREEZE_SECONDS * (operation.picks[0] % 100) / 100)

    def _heal(self):
        """Nobody writes any more: all batches are answered, all devices settle, and hold what the server has."""
        for device in self.devices:
            if not any(device.send() for _ in range(MOST_TRIES)):
                self.log.problems.append(f"device {device.number} gets no answer to its batch")
        for device in self.devices:
            if not any(device.sync(None) for _ in range(MOST_TRIES)):
                self.log.problems.append(f"device {device.number} stalls")
            self._compare(device)

    def _compare(self, device):
        """The server's digest must be that of the device's rows."""
        said = self._require(200, "GET", f"{self.path}digest/?collections=tasks").json["digest"]
        for project, digests in (said if self.history.is_user_wide else {self.projects[0]: said}).items():
            rows = [row for id, row in device.copy.rows.items() if self.homes[id] == project]
            value = 0
            for row in rows:
                value ^= fnv1a(f"{row['id']}\0{row['server_version']}".encode())
            if digests["tasks"] != {"count": len(rows), "digest": f"{value:016x}"}:
                self.log.problems.append(f"device {device.number}: the server's digest of {project} is another one")
