"""Clients that upload, and enter into a ledger what the server acknowledged."""

import json
import threading
import time
import uuid

from harness.client import NO_ANSWER


class Batch:
    def __init__(self, rows):
        self.id = str(uuid.uuid4())
        self.rows = rows
        self.body = json.dumps({"client_batch_id": self.id, "changes": {"tasks": rows}})


class Writer(threading.Thread):
    """Sends batch after batch. One that is not answered is sent again, as it is, until it is."""

    def __init__(self, server, token, ledger, random, largest=5, deletes=True, pause=0):
        """`largest` is the most rows that a batch creates; `pause` is in seconds, between two batches."""
        super().__init__(daemon=True)
        self._client, self._ledger, self._random = server.connect(token, timeout=10), ledger, random
        self._largest, self._deletes, self._pause = largest, deletes, pause
        self._live, self._commit = {}, 0
        self._ends = threading.Event()
        # Status, code and Retry-After of each.
        self.refusals = []

    def end(self):
        """Lets the writer finish the batch that it is sending."""
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
                self._ledger.faults.append(f"{answer['timestamp']} came after {self._commit}")
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
        """The answer; None if there was none, or if it says to come again."""
        try:
            answer = self._client.request("POST", "", batch.body)
        except NO_ANSWER:
            return None
        if answer.status == 200:
            return answer.json
        self.refusals.append((answer.status, answer.json.get("code"), answer.headers.get("Retry-After")))
        if answer.status != 503:
            self._ledger.faults.append(repr(answer))
        return None


class RepeatingWriter(Writer):
    """Sends some batches twice."""

    def _send(self, batch):
        answer = super()._send(batch)
        if answer is not None and self._random.random() < 0.1:
            again = super()._send(batch)
            if again is not None and again != answer:
                self._ledger.faults.append(f"batch {batch.id} was answered otherwise the second time")
        return answer
