"""Batches within the limits that were found to cost the server much. `load.batches` searches for others."""

import dataclasses
import string

ROWS, BODY = 500, 15 << 20


@dataclasses.dataclass
class Shape:
    """What a batch is made of."""

    rows: int = ROWS
    unknown_fields: int = 0
    long_text: int = 0
    text: str = "x"
    references: int = 0
    depth: int = 0
    links: int = 0
    parents: bool = False
    bucket: str = "created"
    on_error: str = "reject_rows"
    on_conflict: str = "overwrite"
    by_viewer: bool = False
    wrong_values: bool = False
    is_sent_again: bool = False

    def fitting(self):
        """The same with fewer rows, if the body would be too large."""
        row = 120 + 14 * self.unknown_fields + 6 * self.long_text + 12 * self.references + 8 * self.depth
        return dataclasses.replace(self, rows=max(1, min(self.rows, BODY // row)))


# What trials have found costly.
KNOWN = [
    Shape(unknown_fields=2000), Shape(rows=1, unknown_fields=10_000, by_viewer=True, is_sent_again=True),
    Shape(rows=1, long_text=2_000_000, by_viewer=True), Shape(references=500), Shape(links=ROWS, parents=True),
    Shape(wrong_values=True, on_error="repair", unknown_fields=64), Shape(depth=30, unknown_fields=64),
    Shape(bucket="updated", on_conflict="merge", unknown_fields=65, wrong_values=True, is_sent_again=True),
]


def sent(scene, shape, prefix, chance):
    """The answer to a batch of this shape, from who is to send it and as often as it says."""
    token = scene.vera if shape.by_viewer else scene.mallory
    modes = {"on_error": shape.on_error, "on_conflict": shape.on_conflict}
    if shape.on_conflict == "merge":
        modes["last_pulled_at"] = scene.project.head()
    for _ in range(2 if shape.is_sent_again else 1):
        answer = scene.send(token, changes(shape, prefix, chance), **modes)
    return answer


def changes(shape, prefix, chance):
    """The `changes` of a batch of this shape. Ids begin with the prefix, so the same one sends the same rows again."""
    tasks = [row(shape, prefix, number, chance) for number in range(shape.rows)]
    found = {"tasks": {shape.bucket: tasks}}
    room = ROWS - shape.rows
    if shape.links and room > 0:
        links = [link(prefix, number, shape.rows) for number in range(min(room, shape.links))]
        found["dependencies"] = {"created": links}
    if shape.references and room > 0:
        ids = [f"{prefix}-{number % shape.rows}" for number in range(shape.references)]
        risk = {"id": f"{prefix}-r", "title": "Risk", "probability": 2, "impact": 3, "task_ids": ids}
        found["risks"] = {"created": [risk]}
    return found


def row(shape, prefix, number, chance):
    task = {"id": f"{prefix}-{number}", "name": f"Task {number}"}
    if shape.bucket == "updated":
        task["base_version"] = 1
    for field in range(shape.unknown_fields):
        task[f"u{field}"] = chance.randrange(10)
    if shape.unknown_fields and shape.depth:
        task["deep"] = nested(shape.depth)
    if shape.long_text:
        task["notes"] = (shape.text * shape.long_text)[:shape.long_text]
    if shape.parents and number:
        task["parent"] = f"{prefix}-{number // 2}"
    if shape.wrong_values:
        task |= {"status": chance.choice(string.ascii_letters), "duration": 10 ** 9, "planned_start": "2026-02-31",
                 "assignee": chance.randrange(10 ** 6), "name": "n" * 600}
    return task


def link(prefix, number, rows):
    return {"id": f"{prefix}-l{number}", "predecessor": f"{prefix}-{number % rows}",
            "successor": f"{prefix}-{(number * 7 + 1) % rows}"}


def nested(depth):
    value = 1
    for _ in range(depth - 4):
        value = [value]
    return value
