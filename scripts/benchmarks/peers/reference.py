"""`tidemark-bench`: parts of the server to time, and routes that it is compared with."""

import json
import os
import pathlib

from harness.environment import ENVIRONMENT, ROOT
from harness.processes import Daemon, free_port, output
from harness.temporary import TEMP

BINARY = pathlib.Path(os.environ.get("TIDEMARK_BENCH") or ROOT / ".build/release/tidemark-bench").absolute()


def parts(*arguments):
    """What the program printed."""
    return json.loads(output(BINARY, *arguments, cwd=TEMP, env=ENVIRONMENT))


class Reference(Daemon):
    """One of its routes: `bare` or `discard`."""

    def __init__(self, name, *arguments):
        port = free_port()
        super().__init__(f"tidemark-{name}", [BINARY, name, "--port", port, *arguments], port)

    def url(self, project, query=""):
        return f"http://127.0.0.1:{self.port}{project.path}{query}"
