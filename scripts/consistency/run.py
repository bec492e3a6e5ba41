"""One run: a history, done to a server."""

import itertools
import threading
import time
import uuid

from consistency import workloads
from consistency.checker import Log, judge
from consistency.devices import commit_of
from consistency.faults import Faults
from consistency.kinds import device_of
from consistency.workloads import collection_of
from deep.clients.digest import fnv1a
from harness.client import Client

# How long it may take until all is well after the last fault.
HEAL_SECONDS = 30
PAUSE_SECONDS = 0.02


class Run:
    def __init__(self, history, installation, plant=None):
        self.history, self.plant, self._installation = history, plant, installation
        self.log, self._clock = Log(), itertools.count(1)
        self._port, name = installation.port, uuid.uuid4().hex[:12]
        self.faults = Faults(installation, len(history.devices))
        self.projects = [f"p{number}-{name}" for number in range(history.projects)]
        self.workload = workloads.ALL[history.workload](history, self.projects, name)
        self.workload.log = self.log
        self._tokens = [installation.add_user() for _ in range(self.workload.users)]
        self.path = "/sync/" if history.is_user_wide else f"/projects/{self.projects[0]}/sync/"
        # The seconds until all was well after the last fault; None before.
        self.healed = None
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
        except Exception as failure:
            self.log.problems.append(f"in the end: {failure!r}")
        finally:
            self.faults.end()
            for device in self.devices:
                device.end()
        self.log.problems += self.faults.problems
        return judge(self.log, self.workload)

    def committed(self, device, edits, answer):
        commit = commit_of(device, edits, self.workload.homes, answer, self.now())
        self.log.commits.append(commit)
        return commit

    def port_of(self, device):
        """Where a device finds the server."""
        return self._installation.relay_of(device).port

    def environment_of(self, device):
        """The variables that a process of a device needs, so that its clock can jump."""
        clock = self._installation.clock_of(device)
        return clock.environment if clock else {}

    def token_of(self, device):
        return self._tokens[self.workload.user_of(device)]

    def home_of(self, id):
        """What a new row says of its project."""
        return {"project_id": self.workload.homes[id]} if self.history.is_user_wide else {}

    def require(self, method, path, *body, user=0):
        """The answer to a request that must succeed. A server may have to find its database again."""
        client, deadline = Client(self._port, self._tokens[user]), time.monotonic() + HEAL_SECONDS
        try:
            while (answer := client.request(method, f"/api/v1{path}", *body)).status == 503:
                if time.monotonic() > deadline:
                    break
                time.sleep(PAUSE_SECONDS)
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
        alone = {"grant": self._grant, "backup": self._backup, "restore": self._restore}.get(operation.kind)
        if alone is None:
            return self.faults.begin(operation)
        self.faults.end()
        self._send_all()
        alone(operation.picks)

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
        deadline = time.monotonic() + HEAL_SECONDS
        for device in self.devices:
            if not comes_true(device.send, deadline):
                self.log.problems.append(f"device {device.number} gets no answer to its batch")

    def _heal(self):
        """There are no faults any more, and nobody writes: all batches are answered, all devices settle in time, and
        hold what the server has."""
        self.faults.end()
        began = time.monotonic()
        deadline = began + HEAL_SECONDS
        self._send_all()
        self.workload.heal(self)
        for device in self.devices:
            if not comes_true(lambda: self._is_well(device), deadline):
                self.log.problems.append(f"device {device.number} stalls")
            self.log.problems += self._differences(device)
            self.log.problems += device.lost()
        self.healed = time.monotonic() - began
        if self.healed > HEAL_SECONDS:
            self.log.problems.append(f"it took {self.healed:.0f} s until all was well")

    def _is_well(self, device):
        """A device that waits for events may not have heard of the last one yet."""
        return device.sync(None) and not (device.waits and any(self._differences(device)))

    def _differences(self, device):
        """The server's digests must be those of the device's rows."""
        query = f"{self.path}digest/?collections={','.join(self.workload.collections)}"
        said = self.require("GET", query, user=self.workload.user_of(device.number)).json["digest"]
        for project, digests in (said if self.history.is_user_wide else {self.projects[0]: said}).items():
            for collection, digest in digests.items():
                rows = [row for id, row in device.copy.rows.items()
                        if self.workload.homes[id] == project and collection_of(id) == collection]
                if digest != {"count": len(rows), "digest": digest_of(rows)}:
                    yield f"device {device.number}: the server's digest of {collection} in {project} is another one"


def comes_true(condition, deadline):
    """Whether a condition holds before a time of the monotonic clock. It is asked at least once."""
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE_SECONDS)
    return True


def digest_of(rows):
    value = 0
    for row in rows:
        value ^= fnv1a(f"{row['id']}\0{row['server_version']}".encode())
    return f"{value:016x}"
