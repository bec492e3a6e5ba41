"""The server that is measured, and the projects on it."""

import http.client
import json
import os
import pathlib

from workplace import ENVIRONMENT, ROOT, TEMP, Daemon, free_port, output

BINARY = pathlib.Path(os.environ.get("TIDEMARK") or ROOT / ".build/release/tidemark")
PARTS = pathlib.Path(os.environ.get("TIDEMARK_BENCH") or ROOT / ".build/release/tidemark-bench")
UNLIMITED = {"TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT": 0, "TIDEMARK_SYNC_UPLOAD_RATE_PER_USER": 0}


class Project:
    """A database file with one project, made by `tidemark load prepare`."""

    def __init__(self, rows, users=1):
        self.database = TEMP / f"{rows}-rows-{users}-users.db"
        seen = output(
            BINARY, "load", "prepare", "--database", self.database, "--rows", rows, "--users", users,
            cwd=TEMP, env=ENVIRONMENT,
        )
        self.tokens_file = self.database.with_suffix(".json")
        self.tokens_file.write_text(seen)
        made = json.loads(seen)
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


class Server(Daemon):
    """`tidemark serve` on a project's file."""

    def __init__(self, project, settings=None, preload=None, patience=60):
        self.project = project
        port = free_port()
        environment = ENVIRONMENT | {key: str(value) for key, value in (UNLIMITED | (settings or {})).items()}
        if preload:
            environment["LD_PRELOAD"] = str(preload)
        command = [BINARY, "serve", "--database", project.database, "--port", port]
        super().__init__("tidemark", command, port, environment, patience=patience)

    def url(self, query=""):
        return f"http://127.0.0.1:{self.port}{self.project.path}{query}"

    def get(self, query, headers=None):
        """Body and headers of one answer."""
        return self.connect().request("GET", query, headers=headers)

    def upload(self, batch):
        """The body of the answer."""
        return self.connect().request("POST", "", json.dumps(batch))[0]

    def connect(self):
        return Client(self)

    def head(self):
        return int(self.get("?since=0&page_size=1")[1]["Tidemark-Head"])

    def rows(self):
        """All that a drain would have."""
        return json.loads(self.get("?since=0&page_size=1")[0])["progress"]["total"]


class Client:
    """One connection, which is kept, and the project's first token."""

    def __init__(self, server):
        self.project = server.project
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.headers = {"Authorization": f"Bearer {self.project.token}", "Content-Type": "application/json"}

    def request(self, method, query, body=None, headers=None):
        """Body and headers of an answer that must be 200."""
        self.connection.request(method, self.project.path + query, body, self.headers | (headers or {}))
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {query}: {answer.status} {text[:500]}")
        return text, answer.headers


def page_cache(megabytes):
    return {"TIDEMARK_SYNC_PAGE_CACHE_MB": megabytes}


def group_commit(enabled):
    return {"TIDEMARK_SYNC_GROUP_COMMIT": "true" if enabled else "false"}


def parts(*arguments):
    """What `tidemark-bench` printed."""
    return json.loads(output(PARTS, *arguments, cwd=TEMP, env=ENVIRONMENT))


class Reference(Daemon):
    """A route of `tidemark-bench`: `bare` or `discard`."""

    def __init__(self, name, *arguments):
        port = free_port()
        super().__init__(f"tidemark-{name}", [PARTS, name, "--port", port, *arguments], port)

    def url(self, project, query=""):
        return f"http://127.0.0.1:{self.port}{project.path}{query}"
