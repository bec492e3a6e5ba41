"""A client that pulls all the time, and what it holds."""

import threading
import time

from harness.client import NO_ANSWER
from harness.drain import pages


class Phone(threading.Thread):
    """Pulls tasks again and again until it ends. It begins at its last watermark, at 0 if the server says so, and at
    page 1 if a change of its role made a cursor void."""

    def __init__(self, server, token, before=None, pause=0.1):
        """`before` is the phone with whose rows it goes on."""
        super().__init__(daemon=True)
        self._client, self._pause = server.connect(token, timeout=30), pause
        self._ends = threading.Event()
        self.rows, self.since = (dict(before.rows), before.since) if before else ({}, 0)
        # How often it was told to begin again, by the error's code; and what went wrong.
        self.told, self.faults = {}, []

    def end(self):
        """Pulls once more, and ends. Raises if something went wrong."""
        self._ends.set()
        self.join(60)
        if self.is_alive():
            raise RuntimeError("a pull does not end")
        if self.faults:
            raise RuntimeError(f"{len(self.faults)} faults of pulls, first: {self.faults[0]}")

    def run(self):
        try:
            while not self._ends.wait(self._pause):
                self._pull()
            while not self._pull():
                time.sleep(0.05)
        except Exception as failure:
            self.faults.append(f"a phone ended: {failure!r}")

    def _pull(self):
        """Whether it came to the end of a drain."""
        seen, gone, watermark = {}, set(), None
        try:
            for answer in pages(self._ask):
                if answer.status != 200:
                    self._take_refusal(answer.json)
                    return False
                page = answer.json
                self._take(page["changes"]["tasks"], seen, gone)
                if watermark not in (None, page["timestamp"]):
                    self.faults.append("the timestamp moved within a drain")
                watermark = page["timestamp"]
        except NO_ANSWER:
            return False
        self._adopt(seen, gone, watermark)
        return True

    def _ask(self, cursor):
        query = f"since={self.since}&collections=tasks&page_size=500"
        return self._client.pull(query + (f"&cursor={cursor}" if cursor else ""))

    def _take(self, changes, seen, gone):
        for row in changes["updated"]:
            self._require_once(row["id"], seen, gone)
            seen[row["id"]] = row
        for row_id in changes["deleted"]:
            self._require_once(row_id, seen, gone)
            gone.add(row_id)

    def _take_refusal(self, problem):
        code = problem["code"]
        if code not in ("since_ahead", "since_expired", "invalid_cursor"):
            return self.faults.append(str(problem))
        self.told[code] = self.told.get(code, 0) + 1
        if code != "invalid_cursor":
            self.since = 0

    def _require_once(self, row_id, seen, gone):
        if row_id in seen or row_id in gone:
            self.faults.append(f"{row_id} came twice in a drain")

    def _adopt(self, seen, gone, watermark):
        if watermark < self.since:
            self.faults.append(f"the watermark fell from {self.since} to {watermark}")
        if self.since == 0:
            self.rows = {}
        self.rows.update(seen)
        for row_id in gone:
            self.rows.pop(row_id, None)
        self.since = watermark
