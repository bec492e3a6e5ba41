"""Projects of a given size, and servers with one of them."""

import json

from harness import tidemark
from harness.project import ProjectClient
from harness.server import Server
from harness.temporary import TEMP


class SampleProject:
    """A database with one project, made by `tidemark load prepare`."""

    def __init__(self, rows, users=1, database=None, projects=1, schemas=None):
        """`database` is an address, a file of its own if there is none. Of several projects this is the first one.
        `schemas` is a folder of schema files, instead of the built-in ones."""
        name = f"{rows}-rows-{users}-users" + (f"-{projects}-projects" if projects > 1 else "")
        name += f"-{schemas.name}" if schemas else ""
        self.database = database or TEMP / f"{name}.db"
        # Older versions, which `bench --against` measures, know no `--projects`.
        several = ["--projects", projects] if projects > 1 else []
        self.options = ["--schemas", schemas] if schemas else []
        seen = tidemark.output(
            "load", "prepare", "--rows", rows, "--users", users, *several, *self.options, database=self.database,
            timeout=None)
        self.made = made = json.loads(seen)
        self.id, self.tokens, self.rows, self.head = made["project"], made["tokens"], made["rows"], made["head"]

    def renamed(self, name):
        """Moves the file out of the way of another project of the same size."""
        database = TEMP / f"{name}.db"
        for part in TEMP.glob(self.database.name + "*"):
            part.rename(TEMP / part.name.replace(self.database.name, database.name))
        self.database = database
        return self

    @property
    def drained(self):
        """Rows that a drain has."""
        return self.rows

    @property
    def path(self):
        return f"/api/v1/projects/{self.id}/sync/"

    @property
    def token(self):
        return self.tokens[0]


class SampleServer(Server):
    """A server with a sample project. Requests go to its sync route, by its first user."""

    def __init__(self, project, settings=None, preload=None, patience=60):
        super().__init__(project.database, settings, preload, patience, project.options)
        self.project = project

    def url(self, query=""):
        return f"{self.origin}{self.project.path}{query}"

    def connect(self, token=None, timeout=60):
        """One connection, which is kept."""
        headers = {"Content-Type": "application/json"}
        return ProjectClient(self, self.project.id, token or self.project.token, headers, True, timeout)

    def fetch(self, suffix, headers=None):
        """The answer to a GET, which must be 200."""
        return self.connect().required("GET", suffix, headers=headers)

    def upload(self, batch):
        """The answer, which must be 200."""
        return self.connect().required("POST", "", batch)

    def head(self):
        return self.connect().head()

    def rows(self):
        """All that a drain would have."""
        return self.fetch("?since=0&page_size=1").json["progress"]["total"]


def page_cache(megabytes):
    return {"TIDEMARK_SYNC_PAGE_CACHE_MB": megabytes}


def group_commit(is_on):
    return {"TIDEMARK_SYNC_GROUP_COMMIT": "true" if is_on else "false"}
