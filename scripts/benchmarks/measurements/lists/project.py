"""Projects with inspections, each of which is for some members."""

import json
import shutil
import uuid

from benchmarks.measurements.filters.part import upload
from harness.environment import ROOT
from harness.sample import SampleProject, SampleServer
from harness.temporary import TEMP

BATCH = 500
# The fields that list members, each with how many it can hold: 64 together, the most that a row may have.
LISTS = {"assignee": 1, "reviewers": 50, "watchers": 13}


class ListedProject(SampleProject):
    """So many inspections for each of its members, and little else."""

    def __init__(self, name, members, each, is_listed=True):
        """`each` may be a list with the number of each member. Unless they are listed, every member sees all."""
        counts = each if isinstance(each, list) else [each] * members
        # Members, and the few rows that `load prepare` can't do without.
        super().__init__(members + 4, members, TEMP / f"{name}.db", schemas=_schemas(is_listed))
        with SampleServer(self) as server:
            project = server.connect()
            users = user_ids(server)
            turns = [[user] for turn in range(max(counts)) for user, count in zip(users, counts) if turn < count]
            for start in range(0, len(turns), BATCH):
                upload(project, "created", "inspections", [inspection(listed) for listed in turns[start:start + BATCH]])


def user_ids(server):
    """The members in the order of their tokens."""
    answer = server.connect().required("GET", "?since=0&collections=memberships")
    rows = answer.json["changes"]["memberships"]["updated"]
    if len(rows) != len(server.project.tokens):
        raise RuntimeError(f"{len(rows)} members instead of {len(server.project.tokens)}")
    return sorted(row["user"] for row in rows)


def inspection(users):
    """A new one for these members."""
    return {
        "id": str(uuid.uuid4()), "title": "Inspect the wiring, section B", "due": "2026-03-02", "status": "OPEN",
        "notes": "Ask the surveyor for the final height first.", "assignee": users[0], "reviewers": users[1:51],
        "watchers": users[51:],
    }


def _schemas(is_listed):
    """The built-in collections, and one with lists."""
    folder = TEMP / ("listed-schemas" if is_listed else "plain-schemas")
    if not folder.exists():
        shutil.copytree(ROOT / "Schemas/collections", folder)
        sight = {"x-visibility": {"listed": list(LISTS), "role": "ADMIN"}} if is_listed else {}
        (folder / "inspections.json").write_text(json.dumps(_inspections() | sight))
    return folder


def _inspections():
    """The schema, without who sees the rows."""
    user = {"type": ["integer", "null"], "x-user": {"on-leave": "clear"}}
    lists = {
        name: {"type": "array", "items": {"type": "integer"}, "maxItems": most, "default": [],
               "x-user": {"on-leave": "clear"}}
        for name, most in LISTS.items() if most > 1
    }
    return {
        "$schema": "urn:tidemark:meta-schema", "title": "inspections", "type": "object", "x-uploadable": True,
        "x-roles": {"create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"}, "required": ["title"],
        "properties": {
            "title": {"type": "string", "maxLength": 200}, "notes": {"type": "string", "default": ""},
            "due": {"type": ["string", "null"], "format": "date"},
            "status": {"type": "string", "enum": ["OPEN", "CLOSED"], "default": "OPEN"}, "assignee": user,
        } | lists,
    }
