"""The engine that a run's databases have: files, or databases of a PostgreSQL server that is started for the run.

Checks name files. With `TIDEMARK_CHECK_DATABASE=postgresql` each name stands for a database of its own, and each
`Server` is two servers on it."""

import atexit
import functools
import os
import pathlib

from harness.postgresql.cluster import Cluster
from harness.temporary import TEMP

NAMES = ("sqlite", "postgresql")
VARIABLE = "TIDEMARK_CHECK_DATABASE"
_made = {}
_used = []


def is_postgresql():
    return os.environ.get(VARIABLE) == "postgresql"


def is_shared(database):
    """Whether a `Server` on it is two."""
    return is_postgresql() and _is_file(database)


def address(database):
    """What `--database` takes: the file, or the URL of the database that stands for it."""
    if not is_shared(database):
        return database
    if database not in _made:
        _made[database] = new_database(database.stem)
    return _made[database]


def remake(database):
    """Puts an empty database in the place of the one that stands for a file."""
    new_database(database.stem)


def new_database(name):
    """The URL of an empty database of the run's PostgreSQL server. A former one of this name is gone."""
    name = name.replace("-", "_")
    _cluster().query(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    _cluster().query(f"CREATE DATABASE {name} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
    return _cluster().database_url(name)


def size(database):
    """What the database that stands for a file takes on the disk, in bytes."""
    name = database.stem.replace("-", "_")
    return int(_cluster().query(f"SELECT pg_database_size('{name}')"))


def _is_file(database):
    return isinstance(database, pathlib.Path) and TEMP in database.parents


def use(cluster):
    """New databases are of this server, not of one that is started for the run. It has `query` and `database_url`."""
    _used.append(cluster)


def _cluster():
    return _used[-1] if _used else _own_cluster()


@functools.cache
def _own_cluster():
    cluster = Cluster().start(is_fast=True)
    atexit.register(cluster.stop)
    return cluster
