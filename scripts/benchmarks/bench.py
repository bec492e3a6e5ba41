"""What the measurements share: how much is measured, and what is made once."""

import sqlite3

import tidemark
from workplace import HERE, TEMP, output


class Bench:
    def __init__(self, quick, rounds):
        self.quick, self.rounds = quick, rounds
        self.seconds = 1 if quick else 3
        self.sizes = [10_000, 100_000] if quick else [10_000, 100_000, 1_000_000]
        self._projects, self._programs = {}, {}

    def project(self, rows, users=1):
        """Made at the first call; for reading. Uploads get `fresh_project`."""
        if (rows, users) not in self._projects:
            self._projects[rows, users] = tidemark.Project(rows, users)
        return self._projects[rows, users]

    def fresh_project(self, rows, users=1):
        """A file that nobody else has."""
        project = tidemark.Project(rows, users)
        self._projects.pop((rows, users), None)
        return project.renamed(f"fresh-{len(list(TEMP.glob('fresh-*.db')))}")

    def program(self, source, *options):
        """Compiles one of the C programs beside this file."""
        if source not in self._programs:
            path = TEMP / source.removesuffix(".c")
            output("gcc", "-O2", "-Wall", "-Wextra", "-o", path, HERE / source, *options)
            self._programs[source] = path
        return self._programs[source]


def query_plan(database, sql):
    """The lines of SQLite's plan, joined."""
    connection = sqlite3.connect(database)
    try:
        return "; ".join(row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + sql, ("p", 1, "", 9)))
    finally:
        connection.close()
