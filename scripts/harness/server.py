"""A server that is checked or measured."""

import pathlib
import re

from harness import tidemark
from harness.installation import engine
from harness.installation.balancer import Balancer, in_turn
from harness.client import Client
from harness.environment import ENVIRONMENT
from harness.processes import Daemon, free_port
from harness.project import ProjectClient
from harness.temporary import TEMP

UNLIMITED = {"TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT": 0, "TIDEMARK_SYNC_UPLOAD_RATE_PER_USER": 0,
             "TIDEMARK_SYNC_WRITE_RATE_PER_PROJECT": 0, "TIDEMARK_SYNC_WRITE_RATE_PER_USER": 0}


class Server(Daemon):
    """`tidemark serve` on a database. Its port stays the same when it is started again.

    On a database that is shared (`harness.installation.engine`) it is two servers, behind an nginx that gives them the
    requests in turn."""

    DEFAULTS = UNLIMITED

    def __init__(self, database, settings=None, preload=None, patience=60, options=()):
        """`settings` are variables; `preload` is a library for LD_PRELOAD; `options` go to `serve`."""
        self.database, self._members = database, []
        environment = ENVIRONMENT | {name: str(value) for name, value in (self.DEFAULTS | (settings or {})).items()}
        if preload:
            environment["LD_PRELOAD"] = str(preload)
        command = [tidemark.BINARY, "serve", "--database", engine.address(database), *options]

        def member(port):
            return "tidemark", [*command, "--port", port], port, environment

        if not engine.is_shared(database):
            return super().__init__(*member(free_port()), patience=patience)
        self._members = [Daemon(*member(free_port()), patience=patience) for _ in range(2)]
        balancer = Balancer("both", in_turn([each.port for each in self._members]))
        super().__init__("both", balancer.command, balancer.port)

    def start(self):
        for each in self._members:
            each.start()
        return super().start()

    def stop(self):
        super().stop()
        for each in self._members:
            each.stop()

    def kill(self):
        super().kill()
        for each in self._members:
            each.kill()

    @property
    def members(self):
        """The servers: itself, or those behind it."""
        return self._members or [self]

    @property
    def logs(self):
        """What the servers have logged."""
        return "".join(each.log.read_text() for each in self.members if each.log.exists())

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def request(self, method, path, token=None, body=None, headers=None):
        """One request on a connection of its own."""
        client = Client(self.port, token)
        try:
            return client.request(method, path, body, headers)
        finally:
            client.close()

    def get(self, path, token=None):
        return self.request("GET", path, token)

    def project(self, id, token):
        return ProjectClient(self, id, token)

    def new_project(self, token, name="Checked"):
        """A project that the token's user owns."""
        answer = self.request("POST", "/api/v1/projects/", token, {"name": name, "start_date": "2026-01-05"})
        if answer.status != 201:
            raise RuntimeError(f"no project: {answer}")
        return self.project(answer.json["id"], token)

    def logged(self, *levels):
        """The lines of the log that have one of these levels, without those that tell causes: a trial makes these."""
        lines = [line for line in self.logs.splitlines() if re.match(r"\d{4}-", line) and " cause=" not in line]
        return [line for line in lines if line.split(" ", 2)[1] in levels]

    def require_calm_log(self):
        """Raises if the server logged an error. Returns the number of warnings."""
        if errors := self.logged("error", "critical"):
            raise RuntimeError(f"{len(errors)} errors in the log, first: {errors[0]}")
        return len(self.logged("warning"))


class DemoServer(Server):
    """`tidemark serve --demo`, with its own rate limits and the project `demo-project`."""

    DEFAULTS = {}

    def __init__(self):
        super().__init__(TEMP / "demo.db", options=["--demo"])

    @property
    def token(self):
        return pathlib.Path(f"{self.database}-demo-token").read_text().strip()
