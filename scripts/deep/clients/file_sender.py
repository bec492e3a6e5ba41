"""A client that sends files by uploads that go on, and remembers what the server acknowledged."""

import contextlib
import hashlib
import random
import threading
import time

from harness.client import NO_ANSWER

SIZES = [0, 10, 5000, 200_000, 3_000_000, 20_000_000]
MOST_FILES = 150


def path(project, rest):
    return f"/api/v1/projects/{project.id}/{rest}"


class FileSender(threading.Thread):
    """Sends one file after another, each with a row, until it is ended."""

    def __init__(self, server, token, seed, sizes=SIZES, deletes=False, names_first=False):
        """With `deletes`, some rows are deleted again. `names_first`: each row is there before its bytes, so that no
        sweep finds them without a name."""
        super().__init__(daemon=True)
        self.server, self.token, self.seed, self.chance = server, token, seed, random.Random(seed)
        self._sizes, self._deletes, self._names_first = sizes, deletes, names_first
        self._is_over, self.fault = threading.Event(), None
        # What was acknowledged: rows with their bytes, by id their digest; rows that were deleted; digests without a
        # row; the highest offset that was told of each upload, by its path.
        self.rows, self.gone, self.unnamed, self.offsets = {}, set(), set(), {}
        # The row and the bytes that are under way.
        self.current = None

    def seen(self):
        """What is acknowledged at this moment: rows, deleted ones, digests without a row, offsets, and what is under
        way."""
        return dict(self.rows), set(self.gone), set(self.unnamed), dict(self.offsets), self.current

    def end(self):
        """Waits for the file that is under way."""
        self._is_over.set()
        self.join()
        if self.fault:
            raise self.fault

    def run(self):
        try:
            number = 0
            while not self._is_over.is_set() and number < MOST_FILES:
                number += 1
                self.current = f"r{self.seed}-{number}", self.chance.randbytes(self.chance.choice(self._sizes))
                self.send(*self.current)
                if self._deletes and self.rows and self.chance.random() < 0.4:
                    self.delete(self.chance.choice(list(self.rows)))
        except Exception as fault:
            self.fault = fault

    def send(self, row, content):
        digest = hashlib.sha256(content).hexdigest()
        is_first = self._names_first or self.chance.random() < 0.5
        if is_first:
            self.name(row, digest)
        self.upload(digest, content)
        if not is_first:
            self.unnamed.add(digest)
            self.name(row, digest)
            self.unnamed.discard(digest)
        self.rows[row] = digest

    def name(self, row, digest):
        body = f'{{"id": "{row}", "name": "f", "file": "{digest}"}}'
        headers = {"Content-Type": "application/json", "Idempotency-Key": row}
        answer = self.repeated("POST", "attachments/", body, headers)
        if answer.status not in (200, 201):
            raise RuntimeError(f"{row}: {answer}")
        return answer

    def delete(self, row):
        """From now on nobody may expect the row, whether it is deleted already or not."""
        del self.rows[row]
        answer = self.server.request("DELETE", f"/api/v1/attachments/{row}/", self.token)
        if answer.status != 204:
            raise RuntimeError(f"{row} is not deleted: {answer}")
        self.gone.add(row)

    def upload(self, digest, content):
        begin = {"Upload-Complete": "?0", "Upload-Length": str(len(content))}
        place = None
        while True:
            if place is None:
                answer = self.repeated("PUT", f"files/{digest}/", b"", begin)
                if answer.status == 200:
                    return
                place = answer.headers["Location"].split("/projects/")[1].split("/", 1)[1].removeprefix("sync/")
            answer = self.repeated("HEAD", place, None, {})
            if answer.status == 404 and not self.offsets.get(place):
                self.offsets.pop(place, None)
                place = None
                continue
            offset = self._told(place, answer)
            if answer.headers["Upload-Complete"] == "?1":
                return
            end = len(content) if self.chance.random() < 0.6 else self.chance.randint(offset, len(content))
            headers = {
                "Content-Type": "application/partial-upload", "Upload-Offset": str(offset),
                "Upload-Complete": "?1" if end == len(content) else "?0"}
            with contextlib.suppress(*NO_ANSWER):
                answer = self.server.request(
                    "PATCH", path(self.server.project, place), self.token, content[offset:end], headers)
                if answer.status == 201:
                    self.offsets[place] = len(content)
                    return
                if answer.status == 204:
                    self._told(place, answer)

    def _told(self, place, answer):
        offset, known = int(answer.headers["Upload-Offset"]), self.offsets.get(place, 0)
        if offset < known:
            raise RuntimeError(f"an offset fell from {known} to {offset}")
        self.offsets[place] = offset
        return offset

    def repeated(self, method, rest, body, headers):
        """The answer, however often it takes."""
        while True:
            with contextlib.suppress(*NO_ANSWER):
                answer = self.server.request(method, path(self.server.project, rest), self.token, body, headers)
                if answer.status not in (429, 503, 500):
                    return answer
            time.sleep(0.05)
