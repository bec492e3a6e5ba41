"""kill -9 at random moments of uploads that go on, with files in a folder, or in a bucket of moto's server.

No offset falls, no acknowledged byte is lost, a row that says `stored` has its bytes, and nothing is left over.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time

from deep.clients.file_sender import FileSender, path
from deep.faults.stored_files import leftover
from harness import tidemark
from harness.processes import free_port
from harness.requirements import require_package
from harness.sample import SampleProject, SampleServer

SECONDS, SENDERS = 120, 3


def check(part, chance):
    project = SampleProject(20, SENDERS).renamed("folder")
    seen = kills(part, chance, project, {})
    if fault := leftover(project):
        raise RuntimeError(fault)
    return f"{seen}, and nothing left over"


def check_bucket(part, chance):
    with bucket() as (settings, service):
        return kills(part, chance, SampleProject(20, SENDERS).renamed("bucket"), settings, service)


def kills(part, chance, project, settings, service=None):
    with SampleServer(project, settings) as server:
        senders = [FileSender(server, token, chance.randrange(1 << 32)) for token in project.tokens]
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
        files = [(digest, sender.token) for sender in senders for digest in sender.rows.values()]
        rows = server.request("GET", path(project, "attachments/?limit=500"), project.token).json["results"]
        for digest, token in files:
            answer = server.request("GET", path(project, f"files/{digest}/"), token)
            if answer.status != 200 or hashlib.sha256(answer.body).hexdigest() != digest:
                raise RuntimeError(f"the bytes of {digest} are gone: {answer.status}")
        pending = [row["id"] for row in rows if row["state"] != "stored"]
    done = subprocess.run(
        [tidemark.BINARY, "check", "--bytes", "--database", project.database], capture_output=True, text=True,
        env=os.environ | settings)
    if done.returncode != 0:
        raise RuntimeError(f"tidemark check: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    if pending:
        raise RuntimeError(f"{len(pending)} rows of {len(files)} files stay pending")
    return f"{count} kills, {len(files)} files acknowledged: none lost, no offset fell, the check of all bytes sound"


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
    return require_package("moto[server,s3]>=5,<6") / "moto_server"
