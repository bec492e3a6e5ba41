"""tuspy, a client from PyPI, through a proxy that cuts connections, killed on the way."""

import hashlib
import pathlib
import subprocess
import uuid

from deep.clients.file_sender import path
from harness.environment import ENVIRONMENT
from harness.faults.cutting_proxy import CuttingProxy
from harness.requirements import require_package
from harness.sample import SampleProject, SampleServer
from harness.temporary import TEMP
from harness.waiting import wait_until

MEGABYTES, QUICK_MEGABYTES = 200, 40
MOST = 1.05
KILLS = 3


def check(part, chance):
    python = require_package("tuspy>=1.1,<2") / "python3"
    size = (MEGABYTES if part == 1 else QUICK_MEGABYTES) * 1_000_000
    project = SampleProject(20, 1).renamed("tus")
    with SampleServer(project, {"TIDEMARK_FILES_MAX_MB": 300}) as server:
        content = chance.randbytes(size)
        digest = hashlib.sha256(content).hexdigest()
        file = TEMP / "tus.bin"
        file.write_bytes(content)
        with CuttingProxy(server.port, lambda: chance.randint(2_000_000, 6_000_000)) as proxy:
            send(python, proxy, project, file, digest, [size * number // (KILLS + 1) for number in range(1, KILLS + 1)])
        require_there(server, digest, content)
    return (
        f"{size // 1_000_000} MB by tuspy, in {proxy.cuts} pieces and by {KILLS + 1} processes: "
        f"{require_few(proxy.sent, size):.3f} times the bytes were sent")


def send(python, proxy, project, file, digest, kills):
    """Runs the client to its end. It is killed when so many bytes are sent."""
    command = [
        python, pathlib.Path(__file__).with_name("tus_client.py"), file,
        f"http://127.0.0.1:{proxy.port}{path(project, 'uploads/')}", project.token, digest, TEMP / "tus.json"]
    for limit in [*kills, None]:
        process = subprocess.Popen(
            [str(word) for word in command], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        try:
            if limit:
                wait_until(lambda: proxy.sent > limit or process.poll() is not None, 600, "tuspy does not send")
                process.kill()
            _, told = process.communicate(timeout=600)
        finally:
            process.kill()
        if process.returncode != (-9 if limit else 0):
            raise RuntimeError(f"tuspy ended with {process.returncode}: {told[-1000:]}")


def require_few(sent, size):
    """By how much more was sent than the file has. Raises if it is too much."""
    if sent > MOST * size:
        raise RuntimeError(f"{sent:,} bytes were sent for a file of {size:,}")
    return sent / size


def require_there(server, digest, content):
    """Raises unless a new row has these bytes."""
    project = server.project
    body = {"id": str(uuid.uuid4()), "name": "f", "file": digest}
    row = server.request("POST", path(project, "attachments/"), project.token, body)
    if row.status != 201 or row.json["state"] != "stored":
        raise RuntimeError(f"a row of a file that was sent: {row}")
    answer = server.request("GET", path(project, f"files/{digest}/"), project.token)
    if answer.status != 200 or answer.body != content:
        raise RuntimeError(f"a file that was sent: {answer.status}, {len(answer.body)} of {len(content)} bytes")
