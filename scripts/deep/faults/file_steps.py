"""What comes between the name of a file and the commit that records it: a sweep. A slow disk makes the time between
them long."""

import hashlib
import pathlib
import threading

from deep.clients.file_sender import path
from harness import tidemark
from harness.compiling import preloaded
from harness.sample import SampleProject, SampleServer
from harness.waiting import wait_until

SIZE = 1000


def check(part, chance):
    swept_meanwhile(SampleProject(20, 1).renamed("swept"), chance.randbytes(SIZE))
    return "between the name of a file and the commit that records it, a sweep leaves the file alone"


def slow(project):
    """A server whose folders of files are synced slowly, so that names come long before commits."""
    library = preloaded(pathlib.Path(__file__).with_name("no-sync.c"))
    return SampleServer(project, {"SLOW_SYNC": "*-files/??", "SLOW_MS": 2000}, library)


def wait_for_name(project):
    folder = pathlib.Path(f"{project.database}-files")
    wait_until(lambda: any(folder.glob("??/*")), 60, "no file got its name", pause=0.002)


def swept_meanwhile(project, content):
    digest = hashlib.sha256(content).hexdigest()
    place = path(project, f"files/{digest}/")
    answers = []
    with slow(project) as server:
        row = server.request(
            "POST", path(project, "attachments/"), project.token, {"id": "row", "name": "f", "file": digest})
        sending = threading.Thread(
            target=lambda: answers.append(server.request("PUT", place, project.token, content)), daemon=True)
        sending.start()
        wait_for_name(project)
        tidemark.output("purge", "--older-than", "0s", "--files-older-than", "0s", database=project.database)
        sending.join()
        read = server.request("GET", place, project.token)
    if (row.status, answers[0].status, read.status, read.body) != (201, 201, 200, content):
        raise RuntimeError(f"a sweep took a file that was being recorded: {answers[0]}, then {read}")
