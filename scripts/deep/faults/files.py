"""kill -9 at random moments of uploads that go on, with files in a folder, or in a bucket of moto's server.

No offset falls, no acknowledged byte is lost, a row that says `stored` has its bytes, and nothing is left over.
"""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

from harness import tidemark
from harness.client import NO_ANSWER
from harness.processes import free_port
from harness.sample import SampleProject, SampleServer
from harness.temporary import TEMP

SECONDS, SENDERS = 120, 3
SIZES = [0, 10, 5000, 200_000, 3_000_000, 20_000_000]


def check(part, chance):
    return kills(part, chance, SampleProject(20, SENDERS).renamed("folder"), {})


def check_bucket(part, chance):
    with bucket() as (settings, service):
        return kills(part, chance, SampleProject(20, SENDERS).renamed("bucket"), settings, service)


def kills(part, chance, project, settings, service=None):
    with SampleServer(project, settings) as server:
        senders = [Sender(server, token, chance.randrange(1 << 32)) for token in project.tokens]
        for sender in senders:
            sender.start()
        count, end = 0, time.monotonic() + SECONDS / part
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.1, 1.5))
            if service and chance.random() < 0.3:
                hold(service, chance.uniform(0.1, 2))
                continue
            server.kill()
            server.start()
            count += 1
        for sender in senders:
            sender.end()
        files = [file for sender in senders for file in sender.acknowledged]
        rows = server.request("GET", path(project, "attachments/?limit=500"), project.token).json["results"]
        for digest, token in files:
            answer = server.request("GET", path(project, f"files/{digest}/"), token)
            if answer.status != 200 or hashlib.sha256(answer.body).hexdigest() != digest:
                raise RuntimeError(f"the bytes of {digest} are gone: {answer.status}")
        pending = [row["id"] for row in rows if row["state"] != "stored"]
    environment = dict(os.environ) | settings
    done = subprocess.run(
        [tidemark.BINARY, "check", "--bytes", "--database", project.database], capture_output=True, text=True,
        env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"tidemark check: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    if pending:
        raise RuntimeError(f"{len(pending)} rows of {len(files)} files stay pending")
    return f"{count} kills, {len(files)} files acknowledged: none lost, no offset fell, the check of all bytes sound"


def path(project, rest):
    return f"/api/v1/projects/{project.id}/{rest}"


class Sender(threading.Thread):
    """Sends one file after another, each with a row, until it is ended."""

    def __init__(self, server, token, seed):
        super().__init__(daemon=True)
        self.server, self.token, self.seed, self.chance = server, token, seed, random.Random(seed)
        self.acknowledged, self.fault, self._is_over = [], None, threading.Event()

    def end(self):
        """Waits for the file that is under way."""
        self._is_over.set()
        self.join()
        if self.fault:
            raise self.fault

    def run(self):
        try:
            number = 0
            while not self._is_over.is_set() and number < 150:
                number += 1
                self.send(f"r{self.seed}-{number}", self.chance.randbytes(self.chance.choice(SIZES)))
        except Exception as fault:
            self.fault = fault

    def send(self, row, content):
        digest = hashlib.sha256(content).hexdigest()
        is_first = self.chance.random() < 0.5
        if is_first:
            self.name(row, digest)
        self.upload(digest, content)
        if not is_first:
            self.name(row, digest)
        self.acknowledged.append((digest, self.token))

    def name(self, row, digest):
        body = f'{{"id": "{row}", "name": "f", "file": "{digest}"}}'
        headers = {"Content-Type": "application/json", "Idempotency-Key": row}
        answer = self.repeated("POST", "attachments/", body, headers)
        if answer.status not in (200, 201):
            raise RuntimeError(f"{row}: {answer}")

    def upload(self, digest, content):
        begin = {"Upload-Complete": "?0", "Upload-Length": str(len(content))}
        known, place = 0, None
        while True:
            if place is None:
                answer = self.repeated("PUT", f"files/{digest}/", b"", begin)
                if answer.status == 200:
                    return
                place = answer.headers["Location"].split("/projects/")[1].split("/", 1)[1].removeprefix("sync/")
            answer = self.repeated("HEAD", place, None, {})
            if answer.status == 404 and known == 0:
                place = None
                continue
            offset = int(answer.headers["Upload-Offset"])
            if offset < known:
                raise RuntimeError(f"an offset fell from {known} to {offset}")
            known = offset
            if answer.headers["Upload-Complete"] == "?1":
                return
            end = len(content) if self.chance.random() < 0.6 else self.chance.randint(offset, len(content))
            headers = {
                "Content-Type": "application/partial-upload", "Upload-Offset": str(offset),
                "Upload-Complete": "?1" if end == len(content) else "?0"}
            with contextlib.suppress(*NO_ANSWER):
                answer = self.server.request(
                    "PATCH", path(self.server.project, place), self.token, content[offset:end], headers)
                if answer.status == 201:
                    return
                if answer.status == 204:
                    known = int(answer.headers["Upload-Offset"])

    def repeated(self, method, rest, body, headers):
        """The answer, however often it takes."""
        while True:
            with contextlib.suppress(*NO_ANSWER):
                answer = self.server.request(method, path(self.server.project, rest), self.token, body, headers)
                if answer.status not in (429, 503, 500):
                    return answer
            time.sleep(0.05)


def hold(service, seconds):
    """The service does not answer for a while."""
    service.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    service.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def bucket():
    """The settings for a bucket of moto's server, from PyPI, and its process."""
    port = free_port()
    service = subprocess.Popen(
        [moto(), "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        make = f"import urllib.request as r; r.urlopen(r.Request('{address}/files', method='PUT'))"
        for _ in range(100):
            if subprocess.run([sys.executable, "-c", make], capture_output=True).returncode == 0:
                break
            time.sleep(0.2)
        else:
            raise RuntimeError("moto's server does not start")
        yield {
            "TIDEMARK_FILES_STORE": "s3://files/deep", "AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret"}, service
    finally:
        service.kill()
        service.wait()


def moto():
    """The program; from PyPI if $MOTO_SERVER names none."""
    if named := os.environ.get("MOTO_SERVER"):
        return named
    folder = TEMP / "moto"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run(
        [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "moto[server,s3]>=5,<6"], check=True)
    return folder / "bin/moto_server"
