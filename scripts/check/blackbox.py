"""What the checks share: the binary, a server on a free port, HTTP, drains, and one line per check."""

import atexit
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

from drain import Drain

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMP = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-check-"))
# A TIDEMARK_ variable of the caller must not change what is checked; serve refuses those that it does not know.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("TIDEMARK")}
_failures = []
_servers = []


def check(what, ok, seen=""):
    """Prints the line of one check; `seen` says what was there instead."""
    print(
        f"{'PASS' if ok else 'FAIL'} {what}" + ("" if ok or seen == "" else f"\n     seen: {str(seen)[:600]}"),
        flush=True,
    )
    if not ok:
        _failures.append(what)
    return ok


def equal(what, seen, expected):
    return check(what, seen == expected, f"{seen!r}, expected {expected!r}")


def skip(what, why):
    print(f"SKIPPED {what}: {why}", flush=True)


def run(main):
    """Runs the checks of one script and ends the process: 1 after any FAIL."""
    started = time.monotonic()
    signal.signal(signal.SIGTERM, _terminated)
    try:
        main()
    except Exception:
        traceback.print_exc()
        check("the script ran to its end", False)
    name = pathlib.Path(sys.argv[0]).name
    print(f"{name}: {len(_failures)} failed, {time.monotonic() - started:.1f} s", flush=True)
    sys.exit(1 if _failures else 0)


def _terminated(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)  # so that `atexit` cleans up


@atexit.register
def _clean_up():
    for server in _servers:
        server.kill()
    shutil.rmtree(TEMP, ignore_errors=True)


def binary():
    path = pathlib.Path(os.environ.get("TIDEMARK") or ROOT / ".build/release/tidemark")
    if not path.exists() and "TIDEMARK" not in os.environ:
        subprocess.run(["swift", "build", "-c", "release", "--product", "tidemark"], cwd=ROOT, stdout=2, check=True)
    return str(path)


def tidemark(*arguments, database=None):
    """Runs a command; the finished process with `returncode`, `stdout` and `stderr`."""
    command = [binary(), *map(str, arguments)] + (["--database", str(database)] if database else [])
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=ENVIRONMENT, cwd=TEMP)


def output(*arguments, database=None):
    """The stdout of a command that must succeed."""
    done = tidemark(*arguments, database=database)
    if done.returncode != 0:
        raise RuntimeError(f"tidemark {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr}")
    return done.stdout.strip()


def add_user(name, database, *options):
    """A user with a token, which is returned."""
    output("user", "add", name, database=database)
    return output("token", "create", "--user", name, *options, database=database)


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Server:
    """`tidemark serve` on a port that stays the same over restarts."""

    def __init__(self, database, **settings):
        self.database, self.process = database, None
        unlimited = {"TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT": 0, "TIDEMARK_SYNC_UPLOAD_RATE_PER_USER": 0}
        self.environment = ENVIRONMENT | {key: str(value) for key, value in (unlimited | settings).items()}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        _servers.append(self)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        command = [binary(), "serve", "--database", str(self.database), "--port", str(self.port)]
        with open(TEMP / f"server-{self.port}.log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
        deadline = time.monotonic() + 20
        while True:
            try:
                if self.get("/health/").status == 200:
                    return self
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("no server: " + (TEMP / f"server-{self.port}.log").read_text()[-2000:])
            time.sleep(0.02)

    def kill(self):
        """kill -9."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def request(self, method, path, token=None, body=None, headers=None):
        """One request on a connection of its own; `body` is bytes, or what becomes JSON."""
        headers = {"Authorization": f"Bearer {token}"} | (headers or {}) if token else headers or {}
        if body is not None and not isinstance(body, bytes):
            body, headers = json.dumps(body).encode(), {"Content-Type": "application/json"} | headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, token=None):
        return self.request("GET", path, token)

    def sync(self, project, token, query="since=0"):
        return self.get(f"/api/v1/projects/{project}/sync/?{query}", token)

    def head(self, project, token):
        return int(self.sync(project, token, "since=0&page_size=1").headers["Tidemark-Head"])

    def new_project(self, token, name="Checked"):
        answer = self.request("POST", "/api/v1/projects/", token, {"name": name, "start_date": "2026-01-05"})
        if answer.status != 201:
            raise RuntimeError(f"no project: {answer}")
        return answer.json["id"]

    def upload(self, project, token, batch=None, created=(), updated=(), deleted=()):
        """A batch of task changes, under a fresh id where none is given."""
        tasks = {"created": list(created), "updated": list(updated), "deleted": list(deleted)}
        body = {"client_batch_id": batch or str(uuid.uuid4()), "changes": {"tasks": tasks}}
        return self.request("POST", f"/api/v1/projects/{project}/sync/", token, body)

    def write(self, project, token, **rows):
        """A batch that must be applied whole."""
        answer = self.upload(project, token, **rows)
        if answer.status != 200 or any(answer.json["skipped"].values()):
            raise RuntimeError(f"a batch was not applied: {answer}")

    def drain(self, project, token, since=0, page_size=None, between=None):
        return Drain(self, project, token, since, page_size, between)
