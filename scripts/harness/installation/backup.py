"""Backups of a run's databases, and restores: copies of files, or `pg_dump` and `pg_restore`."""

import shutil

from harness import tidemark
from harness.installation import engine
from harness.postgresql import programs


def back_up(database, backup):
    """Copies the database into the file `backup`. Servers may be running."""
    backup.unlink(missing_ok=True)
    if engine.is_shared(database):
        with open(backup, "wb") as file:
            file.write(programs.dump(engine.address(database)))
    else:
        tidemark.output("backup", backup, database=database)


def restore(database, backup):
    """Puts a backup in the database's place. No server is running. The backup stays."""
    if engine.is_shared(database):
        engine.remake(database)
        programs.load(engine.address(database), backup)
        tidemark.output("restored", database=database)
        return
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    shutil.copy(backup, database)
