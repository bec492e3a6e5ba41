"""A random search for the batch that keeps others waiting longest: many fields, rows, references, refusals, long texts
for patterns, and deep trees. Whoever writes one row meanwhile waits no longer than a second."""

import random
import time
import uuid

from deep.clients.background_task import BackgroundTask, end_all
from harness.process_stats import mebibytes
from harness.sample import SampleProject, SampleServer
from harness.tidemark import require_sound

SECONDS, ROWS, LONGEST_WAIT, LARGEST = 120, 2000, 1.0, 15 << 20
MODES = [
    {"on_error": error, "on_conflict": conflict, "encoding": encoding}
    for error in ("reject_batch", "reject_rows", "repair") for conflict in ("overwrite", "newest", "merge")
    for encoding in ("json", "watermelondb")]


def check(part, chance):
    project = SampleProject(ROWS, 2)
    with SampleServer(project) as server:
        waits = Waits(server)
        other = BackgroundTask(waits.write, 0.02)
        other.start()
        search = Search(server, waits, random.Random(chance.random()))
        end = time.monotonic() + max(10, SECONDS // part)
        while time.monotonic() < end:
            search.step()
        end_all([other])
        server.require_calm_log()
    require_sound(project.database)
    if search.worst > LONGEST_WAIT:
        raise RuntimeError(f"others waited {search.worst:.2f} s for {search.shape}")
    return (
        f"{search.count} batches; others waited at most {search.worst:.2f} s, for {search.shape}; the longest answer "
        f"had {mebibytes(search.longest)}")


class Waits:
    """Another user's writes of one row each, and how long the slowest one took."""

    def __init__(self, server):
        self._client, self.longest = server.connect(server.project.tokens[1]), 0.0

    def write(self):
        begun = time.monotonic()
        self._client.required("POST", "", body({"tasks": {"created": [{"id": str(uuid.uuid4()), "name": "x"}]}}))
        self.longest = max(self.longest, time.monotonic() - begun)


class Search:
    """Sends batches. One that cost more than all before is changed a little; otherwise a new one is drawn."""

    def __init__(self, server, waits, chance):
        self._client, self._waits, self._chance = server.connect(timeout=300), waits, chance
        self.count, self.worst, self.longest, self.shape = 0, 0.0, 0, None

    def step(self):
        if self.shape and self._chance.random() < 0.5:
            shape = self.shape | dict(self._chance.sample(list(self._draw().items()), 2))
        else:
            shape = self._draw()
        self._waits.longest = 0.0
        answer = self._client.request("POST", "", body(self._changes(shape), **shape["mode"]))
        if answer.status not in (200, 400, 403, 413):
            raise RuntimeError(f"{shape}: {answer!r}")
        time.sleep(0.05)
        self.count, self.longest = self.count + 1, max(self.longest, len(answer.body))
        if self._waits.longest > self.worst:
            self.worst, self.shape = self._waits.longest, shape

    def _draw(self):
        pick, below = self._chance.choice, self._chance.randrange
        return {
            "mode": pick(MODES), "rows": pick([1, 50, 500]), "fields": pick([0, 0, 3, 100, 2000, 20_000]),
            "collection": pick(["tasks", "tasks", "risks", "dependencies", "task_links", "sprint_retros"]),
            "bucket": pick(["created", "updated"]), "known": below(2), "wrong": below(2),
            "tree": pick(["none", "chain", "circle", "dead"]), "text": pick([0, 10, 3000, 1 << 20]),
            "references": pick([0, 10, 1000]), "again": below(2)}

    def _changes(self, shape):
        """The rows, as many as a body may have."""
        made, size, rows = f"b{0 if shape['again'] else self.count}", 0, []
        for number in range(shape["rows"]):
            row = self._row(shape, made, number)
            size += sum(len(name) + len(str(value)) + 8 for name, value in row.items())
            if size > LARGEST:
                break
            rows.append(row)
        return {shape["collection"]: {shape["bucket"]: rows}}

    def _row(self, shape, made, number):
        last, after = f"{made}-{number - 1}", f"{made}-{(number + 1) % shape['rows']}"
        parent = {"none": None, "chain": last if number else None, "circle": after, "dead": last if number else "never"}
        text = ("a" * shape["text"]) + "!"
        row = {
            "tasks": {"name": text[:512], "notes": text, "parent": parent[shape["tree"]]},
            "risks": {
                "title": "R", "probability": 1, "impact": 1, "description": text,
                "task_ids": [f"{made}-{each}" for each in range(shape["references"])]},
            "dependencies": {"predecessor": last, "successor": after},
            "task_links": {"task": last, "url": "https://" + text, "labels": ["x"] * shape["references"]},
            "sprint_retros": {"sprint": "s", "notes": text},
        }[shape["collection"]]
        row["id"] = f"{made}-{number}"
        row |= {f"f{each}": self.count for each in range(shape["fields"])}
        if shape["wrong"]:
            row |= {"status": [], "duration": "x", "modified_at": "soon", "impact": 99}
        if shape["known"]:
            row["_changed"] = ",".join(row)
        return row


def body(changes, **modes):
    return {"client_batch_id": str(uuid.uuid4()), "last_pulled_at": 0, "changes": changes} | modes
