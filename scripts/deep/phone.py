"""A client that pulls all the time, and what it holds."""

import http.client
import json
import threading
import time


class Phone(threading.Thread):
    """Pulls tasks again and again, from its last watermark, until it ends: from 0 where the server says so, and from
    page 1 where a change of its role made a cursor void."""

    def __init__(self, project, address, token, before=None, pause=0.1):
        """`before` is the phone with whose rows it goes on."""
        super().__init__(daemon=True)
        self._path, self._address, self._token, self._pause = project.path, address, token, pause
        self._ends, self._connection = threading.Event(), None
        self.rows, self.since = (dict(before.rows), before.since) if before else ({}, 0)
        # How often it was told to begin anew, by the error's code; and what went wrong.
        self.told, self.faults = {}, []

    def end(self):
        """Pulls once more, and ends. Raises where something went wrong."""
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
        seen, gone, cursor, watermark = {}, set(), "", None
        while True:
            status, page = self._get(f"?since={self.since}&collections=tasks&page_size=500{cursor}")
            if status != 200:
                if status:
                    self._take_refusal(page)
                return False
            for row in page["changes"]["tasks"]["updated"]:
                self._require_once(row["id"], seen, gone)
                seen[row["id"]] = row
            for row_id in page["changes"]["tasks"]["deleted"]:
                self._require_once(row_id, seen, gone)
                gone.add(row_id)
            if watermark not in (None, page["timestamp"]):
                self.faults.append("the timestamp moved within a drain")
            watermark = page["timestamp"]
            if not page["has_more"]:
                break
            cursor = f"&cursor={page['next_cursor']}"
        self._adopt(seen, gone, watermark)
        return True

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

    def _get(self, query):
        """Status and document; (None, None) where there was no answer."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._address(), timeout=30)
            self._connection.request("GET", self._path + query, headers={"Authorization": f"Bearer {self._token}"})
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            self._connection = None
            return None, None
