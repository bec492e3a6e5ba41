"""Mistakes of clients of ours that can be planted: in a copy of the JavaScript files, a text in place of another; in a
replica of the Swift client, by SQL."""

import contextlib
import dataclasses
import functools
import shutil
import sqlite3

from consistency.workloads import FIELDS
from harness.environment import ROOT
from harness.temporary import TEMP

COPIED = [
    "clients/web", "clients/watermelondb", "clients/console/tests/support", "scripts/consistency/apps/clients",
]


@dataclasses.dataclass
class Patch:
    """By file, below `clients`: texts, and what is there instead."""

    kinds: list
    what: str
    changes: dict


_WEB = "web/lib/store"
PATCHES = {
    "app-rule-off": Patch(["web", "adapter"], "every drain counts for the web client and the adapter", {
        "watermelondb/lib/common/transport.js": [("(head === null ? isOnlyAnswer : head === timestamp)", "true")],
    }),
    "web-kept-twice": Patch(["web"], "kept pages are applied again with the next pull", {
        f"{_WEB}/kept.js": [
            ("const pages = await keptPages(unit);\n    await dropKept(unit);",
             "const pages = await keptPages(unit);\n    const former = keptOf(unit.state);"),
            ("    return receipts.sum(await unit.heads());\n}\n",
             "    const { step, since } = unit.state;\n"
             "    if (former) unit.state = { ...unit.state, kept: { ...former, step, since, drain: null } };\n"
             "    return receipts.sum(await unit.heads());\n}\n"),
        ],
    }),
    "web-push-clears": Patch(["web"], "an answer to an upload clears the watermark", {
        f"{_WEB}/settle.js": [("answers: answers + 1, yielded:", "answers: answers + 1, since: 0, yielded:")],
    }),
    "adapter-first-word": Patch(["adapter"], "of several rounds the first word on a row counts", {
        "watermelondb/lib/rounds.js": [
            ("KINDS.flatMap(kind => later[kind].map(idOf))", "KINDS.flatMap(kind => earlier[kind].map(idOf))"),
            ("[...earlier[kind].filter(entry => !ids.has(idOf(entry))), ...later[kind]]",
             "[...earlier[kind], ...later[kind].filter(entry => !ids.has(idOf(entry)))]"),
        ],
    }),
}


@functools.cache
def root_of(plant):
    """The folder that has the clients, with the mistake."""
    if plant not in PATCHES:
        return ROOT
    root = TEMP / plant
    for folder in COPIED:
        shutil.copytree(ROOT / folder, root / folder, symlinks=True)
    for name, changes in PATCHES[plant].changes.items():
        file = root / "clients" / name
        text = file.read_text()
        for old, new in changes:
            if text.count(old) != 1:
                raise RuntimeError(f"{plant}: {name} has {text.count(old)} times: {old}")
            text = text.replace(old, new)
        file.write_text(text)
    return root


class _Clearing:
    """An answer to an upload clears the watermark."""

    what = "an answer to an upload clears the watermark of the Swift client"

    def __init__(self):
        self._answers = 0

    def before(self, file):
        pass

    def after(self, file):
        with _replica(file) as database:
            answers = database.execute("SELECT answers FROM _replica").fetchone()[0]
            if answers > self._answers:
                database.execute("UPDATE _replica SET since = 0, step = step + 1")
            self._answers = answers


class _Forgetting:
    """What waits counts as sent."""

    what = "one sync in three of the Swift client forgets the edits that wait"

    def __init__(self):
        self._syncs = 0

    def before(self, file):
        self._syncs += 1
        if self._syncs % 3 or not file.exists():
            return
        with _replica(file) as database:
            tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "tasks" in tables:
                database.execute("UPDATE tasks SET _status = 'synced', _changed = '', _base = NULL")

    def after(self, file):
        pass


class _Overwriting:
    """A sync ends with what it knew of unsent edits when it began."""

    what = "what another process edits during a sync of the Swift client counts as sent"

    def before(self, file):
        self._known = self._unsent(file) if file.exists() else {}

    def after(self, file):
        new = self._unsent(file).items() - self._known.items()
        with _replica(file) as database:
            for (collection, id), _ in new:
                database.execute(f"UPDATE {collection} SET _status = 'synced', _changed = '' WHERE id = ?", [id])

    def _unsent(self, file):
        """By collection and id: what is unsent of a row."""
        with _replica(file) as database:
            names = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            return {(name, id): (status, changed) for name in names & FIELDS.keys()
                    for id, status, changed in database.execute(
                        f"SELECT id, _status, _changed FROM {name} WHERE _status <> 'synced'")}


@contextlib.contextmanager
def _replica(file):
    with contextlib.closing(sqlite3.connect(file, timeout=10)) as database, database:
        yield database


SWIFT = {
    "swift-push-clears": _Clearing, "swift-edit-lost": _Forgetting, "swift-edit-beside-lost": _Overwriting,
}
# By plant: the kinds of devices that have it, and what it is.
ALL = {name: (patch.kinds, patch.what) for name, patch in PATCHES.items()} | {
    name: (["swift"], plant.what) for name, plant in SWIFT.items()}
