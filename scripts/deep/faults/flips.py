"""Flipped bits in the database file."""

import sqlite3

from harness import tidemark
from harness.sample import SampleProject
from harness.temporary import TEMP

FLIPS = 300


def check(part, chance):
    project = SampleProject(1000)
    whole = TEMP / "whole.db"  # one file, without a log
    tidemark.output("backup", whole, database=project.database)
    tidemark.require_sound(whole)
    sound, rows = whole.read_bytes(), content(whole)
    copy, changed, missed = TEMP / "flipped.db", 0, []
    for _ in range(FLIPS // part):
        place, bit = chance.randrange(len(sound)), chance.randrange(8)
        for file in TEMP.glob("flipped.db*"):
            file.unlink()
        copy.write_bytes(sound[:place] + bytes([sound[place] ^ 1 << bit]) + sound[place + 1:])
        if content(copy) == rows:
            continue
        changed += 1
        if not tidemark.findings(copy):
            missed.append(place)
    if missed:
        raise RuntimeError(f"{len(missed)} of {changed} flips were not seen, first at byte {missed[0]}")
    return f"{FLIPS // part} flips, {changed} changed what a row says or made it unreadable; check saw them all"


def content(database):
    """All rows of all collections; None if they can't be read."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.text_factory = bytes
    try:
        names = [name for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'tidemark%' "
            "AND name NOT LIKE 'sqlite%' ORDER BY name")]
        return [connection.execute(f'SELECT * FROM "{name.decode()}" NOT INDEXED ORDER BY rowid').fetchall()
                for name in names]
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return None
    finally:
        connection.close()
