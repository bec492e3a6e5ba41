"""Kinto on PostgreSQL, with the permissions of a fresh bucket."""

import base64
import json

from benchmarks.report import KEPT, say
from harness.client import Client
from harness.environment import ENVIRONMENT
from harness.processes import Daemon, free_port, output
from harness.temporary import TEMP

VERSION = "26.5.0"
CONFIGURATION = """
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.postgresql
kinto.storage_url = {url}
kinto.permission_backend = kinto.core.permission.postgresql
kinto.permission_url = {url}
kinto.cache_backend = kinto.core.cache.memory
kinto.userid_hmac_secret = measured
multiauth.policies = basicauth
kinto.bucket_create_principals = system.Authenticated
kinto.batch_max_requests = 500
kinto.paginate_by = 1000
kinto.http_scheme = http
[server:main]
use = egg:waitress
host = 127.0.0.1
port = {port}
threads = 4
[loggers]
keys = root
[handlers]
keys =
[formatters]
keys =
[logger_root]
level = ERROR
handlers =
"""
RECORDS = "/v1/buckets/measured/collections/tasks/records"


def programs():
    """The folder of Kinto's programs; installed from PyPI once."""
    folder = KEPT / f"kinto-{VERSION}"
    if not (folder / "complete").exists():
        say("Installing Kinto from PyPI")
        output("python3", "-m", "venv", "--clear", folder)
        output(
            folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", f"kinto[postgresql]=={VERSION}",
            "waitress")
        (folder / "complete").touch()
    return folder / "bin"


class Kinto(Daemon):
    def __init__(self, database_url):
        port, path = free_port(), TEMP / "kinto.ini"
        path.write_text(CONFIGURATION.format(url=database_url, port=port))
        output(programs() / "kinto", "migrate", "--ini", path, env=ENVIRONMENT, cwd=TEMP)
        super().__init__("kinto", [programs() / "kinto", "start", "--ini", path, "--port", port], port)
        self.headers = {"Authorization": "Basic " + base64.b64encode(b"measured:measured").decode()}
        self._client = Client(port, headers=self.headers, timeout=120)

    def start(self):
        super().start()
        for path in ("/v1/buckets/measured", "/v1/buckets/measured/collections/tasks"):
            self.request("PUT", path)
        return self

    def request(self, method, path, body=None):
        """The answer, over one connection that is kept."""
        answer = self._client.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        if answer.status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {answer}")
        return answer

    def batch(self, rows):
        """The body of one batch of writes."""
        requests = [{"path": f"{RECORDS}/{row['id']}", "body": {"data": row}} for row in rows]
        return json.dumps({"defaults": {"method": "PUT"}, "requests": requests})

    def fill(self, rows):
        for start in range(0, len(rows), 500):
            self.request("POST", "/v1/batch", self.batch(rows[start : start + 500]))
