"""Reads the SQLite file that `tidemark pull` writes."""

import contextlib
import json
import sqlite3


def differences(path, live):
    """How the replica's tables differ from the rows of a drain, in words; empty when they are equal."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        tables = [name for name in names if not name.startswith(("_", "sqlite_"))]
        missing = [f"no table {name}" for name in live if name not in tables]
        return missing + [line for name in tables for line in _table(db, name, live.get(name, {}))]


def count(path, table):
    """0 as well while the table is not there yet."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
            return db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def _table(db, name, rows):
    stored = {row["id"]: dict(row) for row in db.execute(f'SELECT * FROM "{name}"')}
    lines = [f"{name} {id} is on one side only" for id in stored.keys() ^ rows.keys()]
    for id in stored.keys() & rows.keys():
        lines += [
            f"{name} {id} {field}: {stored[id].get(field)!r} instead of {value!r}"
            for field, value in rows[id].items()
            # A replica of one project does not say in each row which.
            if field != "project_id" or field in stored[id]
            if field not in stored[id] or not _same(stored[id][field], value)
        ]
        if stored[id]["_status"] != "synced":
            lines.append(f"{name} {id} is {stored[id]['_status']}")
    return lines


def _same(stored, wire):
    if isinstance(wire, (list, dict)):
        return stored is not None and json.loads(stored) == wire
    return stored == wire and (stored is None) == (wire is None)
