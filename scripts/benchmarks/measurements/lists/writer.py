"""Somebody who uploads inspections."""

import json
import random
import time
import uuid

from benchmarks.measurements.lists.project import inspection, user_ids
from harness.drain import pages


class Writer:
    """An owner, who sees all inspections. What it sends is timed, in milliseconds until the answer."""

    def __init__(self, server):
        self._project, self.users = server.connect(), user_ids(server)
        self._rows, self._chance, self._batches = self._pulled(), random.Random(1), 0

    def some(self, count):
        """So many members, or all if there are fewer."""
        return self._chance.sample(self.users, min(count, len(self.users)))

    def add(self, count, users):
        """So many rows, each for one of these members. Returns the milliseconds."""
        return self._send("created", [inspection([users[index % len(users)]]) for index in range(count)])

    def new(self, count, users):
        """So many rows, each for so many members. Returns their ids."""
        rows = [inspection(self.some(users)) for _ in range(count)]
        self._send("created", rows)
        return [row["id"] for row in rows]

    def edit(self, count, users):
        """So many of the rows that these members had at first. Returns the milliseconds."""
        of_each = count // len(users)
        return self.edit_rows([id for user in users for id in self._chance.sample(self._rows[user], of_each)])

    def edit_rows(self, ids):
        self._batches += 1
        notes = f"The surveyor has come, and leaves the final height, number {self._batches}."
        return self._send("updated", [{"id": id, "notes": notes} for id in ids])

    def _send(self, kind, rows):
        changes = {"inspections": {"created": [], "updated": [], "deleted": []} | {kind: rows}}
        batch = json.dumps({"client_batch_id": str(uuid.uuid4()), "changes": changes})
        started = time.perf_counter()
        answer = self._project.required("POST", "", batch)
        spent = (time.perf_counter() - started) * 1e3
        if len(answer.json["applied"]["inspections"][kind]) != len(rows):
            raise RuntimeError(f"an upload was not applied: {answer}")
        return spent

    def _pulled(self):
        """The ids of the rows of each member."""
        rows, query = {user: [] for user in self.users}, "?since=0&collections=inspections&page_size=1000"

        def ask(cursor):
            return self._project.required("GET", query + (f"&cursor={cursor}" if cursor else ""))

        for page in pages(ask):
            for row in page.json["changes"]["inspections"]["updated"]:
                rows[row["assignee"]].append(row["id"])
        return rows
