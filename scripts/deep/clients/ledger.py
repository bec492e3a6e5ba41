"""What the server acknowledged, and what must then be on it."""

import threading


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


def live_tasks(server):
    """The live tasks of a drain from 0, by id. Raises if the drain breaks a promise."""
    client = server.connect()
    try:
        return client.drain(collections="tasks").require_no_problem().tasks()
    finally:
        client.close()


def require_equal(expected, rows):
    """Compares a drain's rows with what was acknowledged, when nothing is under way."""
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
