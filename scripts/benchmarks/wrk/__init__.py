"""wrk: many connections in a closed loop."""

import json
import pathlib

from harness.processes import output

SCRIPTS = pathlib.Path(__file__).parent


class Load:
    """What one run of wrk saw. Any answer but 2xx and 3xx, and any broken connection, fails the run."""

    def __init__(self, seen):
        if seen["errors"] or not seen["requests"]:
            raise RuntimeError(f"wrk saw errors: {seen}")
        self.requests = seen["requests"]
        self.rate = seen["requests"] / seen["seconds"]
        self.p50, self.p99 = seen["p50_us"] / 1000, seen["p99_us"] / 1000


def load(url, connections=32, seconds=3, headers=None, script="get.lua", arguments=()):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", SCRIPTS / script]
    for name, value in (headers or {}).items():
        command += ["-H", f"{name}: {value}"]
    text = output(*command, url, "--", *arguments, cwd=SCRIPTS)
    return Load(json.loads(text[text.rindex("{") :]))
