"""Clients that upload, and remember what the server acknowledged; and what must then be on it."""

import http.client
import json
import subprocess
import threading
import time
import uuid

import tidemark
from workplace import ENVIRONMENT


class Ledger:
    """What was acknowledged. One for all writers."""

    def __init__(self):
        self._lock = threading.Lock()
        # Row id to (name, server_version); a deleted row has no name.
        self.rows = {}
        # Commit number to batch id.
        self.commits = {}
        self.batches = 0
        self.faults = []

    def take(self, batch, answer):
        with self._lock:
            self.batches += 1
            commit, applied = answer["timestamp"], answer["applied"]["tasks"]
            if self.commits.setdefault(commit, batch.id) != batch.id:
                self.faults.append(f"two batches got the number {commit}")
            for bucket in ("created", "updated"):
                versions = {row["id"]: row["server_version"] for row in applied[bucket]}
                for row in batch.rows[bucket]:
                    expected = self.rows.get(row["id"], (None, 0))[1] + 1
                    if versions.get(row["id"]) != expected:
                        self.faults.append(f"{row['id']} is at {versions.get(row['id'])}, should be at {expected}")
                    self.rows[row["id"]] = (row["name"], expected)
            for row_id in batch.rows["deleted"]:
                self.rows[row_id] = (None, self.rows[row_id][1] + 1)

    def snapshot(self):
        with self._lock:
            return dict(self.rows)

    def require_no_fault(self):
        if not self.batches:
            raise RuntimeError("no batch was acknowledged")
        if self.faults:
            raise RuntimeError(f"{len(self.faults)} faults, first: {self.faults[0]}")


class Batch:
    def __init__(self, rows):
        self.id = str(uuid.uuid4())
        self.rows = rows
        self.body = json.dumps({"client_batch_id": self.id, "changes": {"tasks": rows}})


class Writer(threading.Thread):
    """Sends batch after batch; one that is not answered is sent again, as it is, until it is."""

    def __init__(self, ledger, project, random, address, token, largest=5, deletes=True, pause=0):
        super().__init__(daemon=True)
        self._ledger, self._path, self._random, self._token = ledger, project.path, random, token
        # A function: the port can change with a restart.
        self._address, self._largest, self._deletes = address, largest, deletes
        # Seconds between two batches.
        self._pause = pause
        self._connection = None
        self._live, self._commit = {}, 0
        self._ends = threading.Event()
        self.refusals = []

    def end(self):
        """Lets the writer come to an end with what it is sending."""
        self._ends.set()
        self.join(60)
        if self.is_alive():
            raise RuntimeError("a batch was not answered within a minute")

    def run(self):
        try:
            self._work()
        except Exception as failure:
            self._ledger.faults.append(f"a writer ended: {failure!r}")

    def _work(self):
        while not self._ends.is_set():
            batch = self._next()
            answer = self._send(batch)
            while answer is None:
                time.sleep(0.003)
                answer = self._send(batch)
            self._ledger.take(batch, answer)
            if answer["timestamp"] <= self._commit:
                self._ledger.faults.append(f"{answer['timestamp']} came behind {self._commit}")
            self._commit = answer["timestamp"]
            self._ends.wait(self._pause)

    def _next(self):
        pick = self._random
        created = [{"id": str(uuid.uuid4()), "name": self._words()} for _ in range(pick.randint(1, self._largest))]
        changed = pick.sample(sorted(self._live), min(len(self._live), pick.randint(0, 4)))
        deleted = changed[:1] if self._deletes and pick.random() < 0.3 else []
        updated = [{"id": row_id, "name": self._words()} for row_id in changed[len(deleted):]]
        for row in created + updated:
            self._live[row["id"]] = row["name"]
        for row_id in deleted:
            del self._live[row_id]
        return Batch({"created": created, "updated": updated, "deleted": deleted})

    def _words(self):
        return f"Task {self._random.getrandbits(64):x}"

    def _send(self, batch):
        """The answer; None where there was none, or where it says to come again."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._address(), timeout=10)
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
            self._connection.request("POST", self._path, batch.body, headers)
            answer = self._connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            self._connection = None
            return None
        if answer.status == 200:
            return json.loads(body)
        self.refusals.append((answer.status, json.loads(body).get("code"), answer.headers.get("Retry-After")))
        if answer.status != 503:
            self._ledger.faults.append(f"{answer.status}: {body[:300]}")
        return None


def drain(server):
    """The live tasks of a drain from 0, by id. Raises where an id comes twice."""
    rows, cursor = {}, ""
    client = server.connect()
    while True:
        page = json.loads(client.request("GET", f"?since=0&collections=tasks{cursor}")[0])
        for row in page["changes"]["tasks"]["updated"] + page["changes"]["tasks"]["created"]:
            if row["id"] in rows:
                raise RuntimeError(f"{row['id']} came twice in a drain")
            rows[row["id"]] = row
        if not page["has_more"]:
            return rows
        cursor = f"&cursor={page['next_cursor']}"


def require_equal(expected, rows):
    """Holds a drain's rows to what was acknowledged, when nothing is under way."""
    for row_id, (name, version) in expected.items():
        row = rows.get(row_id)
        if (row["name"] if row else None) != name:
            raise RuntimeError(f"{row_id}: {name!r} was acknowledged, {row and row['name']!r} is there")
        if row and row["server_version"] != version:
            raise RuntimeError(f"{row_id} is at {row['server_version']}, should be at {version}")


def lost(expected, rows):
    """How many acknowledged states are not there. Nothing was deleted; more may have been written since."""
    return sum(row_id not in rows or rows[row_id]["server_version"] < version
               for row_id, (_, version) in expected.items())


def check_file(database):
    """What `tidemark check` finds; nothing where all is sound."""
    command = [str(tidemark.BINARY), "check", "--json", "--database", str(database)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"check ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)["findings"] if done.stdout else [done.stderr]


def require_sound(database):
    if findings := check_file(database):
        raise RuntimeError(f"check: {len(findings)} findings, first: {findings[0]}")
