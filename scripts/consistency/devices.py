"""Devices: each has a copy, and sends what it writes. Those of other kinds have the same methods."""

import uuid

from consistency.checker import Commit, Look
from consistency.network import Network
from consistency.readers import PageCopy
from consistency.workloads import collection_of

MOST_PAGES = 400


class PageDevice:
    """A device that reads pages, and whose writes go to the server at once. A batch without an answer is sent again
    before any other."""

    # Whether it looks only after an event.
    waits = False

    def __init__(self, number, run):
        form = run.history.devices[number]
        self.number, self._run, self._plant = number, run, run.plant
        self._network = Network(run.port_of(number), run.token_of(number), form.loses_header, run.plant)
        self.copy = PageCopy(self._network, run.path, form, run.workload.collections, run.plant)
        self._waiting, self._count = None, 0
        # What was answered and is not in the copy: by id, the commit's number and the fields, None of a deleted row.
        self._own = {}

    def page(self, _):
        if self.copy.page(self._run.now()):
            self._look()

    def sync(self, _):
        """Whether the copy settled."""
        for _ in range(MOST_PAGES):
            is_settled = self.copy.page(self._run.now())
            if is_settled is None:
                return False
            if is_settled:
                self._look()
                return True
        return False

    def cut(self, _):
        self.copy.die()

    def other(self, _):
        if self.copy.move(self._run.now()):
            self._look()

    def lose(self, _):
        """The next answer gets lost."""
        self._network.loses_next = True

    def write(self, picks):
        if not self.send():
            return
        rows = self._rows() if self.copy.settled is not None else {}
        self._count += 1
        if edits := self._run.workload.edit(self.number, rows, picks, self._count):
            batch = {"client_batch_id": str(uuid.uuid4()), "device_id": f"device-{self.number}",
                     "last_pulled_at": self.copy.settled or 0, "on_conflict": self._run.workload.on_conflict,
                     "changes": self._changes(edits, rows)}
            self._waiting = edits, batch
            self.send()

    def send(self):
        """Whether no batch waits any more."""
        if self._waiting is None:
            return True
        edits, batch = self._waiting
        answer = self._network.push(self._run.path, batch)
        if answer is None:
            return False
        self._waiting = None
        if answer.status == 200:
            self._acknowledged(edits, answer.json)
        elif answer.json["code"] == "since_ahead":
            self.copy.void()
        elif answer.json["code"] != "conflict":
            self._run.log.problems.append(f"device {self.number}: an upload was refused: {answer}")
        return True

    def lost(self):
        """What it wrote that is nowhere in the end. It has told of every answer already."""
        return []

    def end(self):
        self._network.close()

    def _rows(self):
        """The copy with the device's own edits on top."""
        heads, homes = self._heads(), self._run.workload.homes
        self._own = {id: own for id, own in self._own.items() if heads.get(homes[id], own[0]) < own[0]}
        rows = self.copy.rows | {id: self.copy.rows.get(id, {}) | (own[1] or {}) for id, own in self._own.items()}
        return {id: row for id, row in rows.items() if id not in self._own or self._own[id][1] is not None}

    def _heads(self):
        return self.copy.heads if self._run.history.is_user_wide else {self._run.projects[0]: self.copy.settled}

    def _changes(self, edits, rows):
        changes = {}
        for id, fields in edits.items():
            buckets = changes.setdefault(collection_of(id), {"created": [], "updated": [], "deleted": []})
            if fields is None:
                buckets["deleted"].append(id)
            elif id in rows:
                known = {"base_version": rows[id]["server_version"], "_changed": ",".join(fields)}
                buckets["updated"].append({"id": id} | known | fields)
            else:
                buckets["created"].append({"id": id} | self._run.home_of(id) | fields)
        return changes

    def _acknowledged(self, edits, answer):
        buckets = [bucket for changes in answer["applied"].values() for bucket in changes.values()]
        applied = {row if isinstance(row, str) else row["id"]: row for bucket in buckets for row in bucket}
        # A row may have been deleted already.
        if applied.keys() - edits.keys() or any(edits[id] is not None for id in edits.keys() - applied.keys()):
            self._run.log.problems.append(f"device {self.number}: of {list(edits)} were applied {list(applied)}")
        commit = self._run.committed(self.number, edits, answer)
        for id in edits.keys() & applied.keys():
            before, row = self._own.get(id, (0, {}))[1] or {}, None
            if edits[id] is not None:
                row = before | edits[id] | {"server_version": applied[id]["server_version"]}
            self._own[id] = commit.numbers[self._run.workload.homes[id]], row
        if self._plant == "adopted-answer" and answer["timestamp"]:
            self.copy.watermark = answer["timestamp"]
        if self._plant == "cleared-watermark":
            self.copy.clear_watermark()

    def _look(self):
        copy = self.copy
        rows = {id: {"project_id": self._run.projects[0]} | row for id, row in copy.rows.items()}
        self._run.log.looks.append(Look(self.number, copy.asked, dict(self._heads()), rows))


def commit_of(device, edits, homes, answer, now):
    """The commit that an answer tells of."""
    writes = {}
    for id, fields in edits.items():
        writes.setdefault(homes[id], {})[id] = fields
    numbers = answer.get("timestamps") or {project: answer["timestamp"] for project in writes}
    return Commit(device, writes, {project: numbers[project] for project in writes}, now)
