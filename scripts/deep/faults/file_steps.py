"""What comes between the name of a file and the commit that records it: a sweep, or kill -9. A slow disk makes the time
between them long."""

import contextlib
import hashlib
import pathlib
import threading

from deep.clients.file_sender import path
from harness import tidemark
from harness.client import NO_ANSWER
from harness.compiling import preloaded
from harness.sample import SampleProject, SampleServer
from harness.waiting import wait_until

# The first bytes of an upload are recorded after 16 MiB.
SMALL, LARGE, RECORDED = 1000, 18_000_000, 16 << 20


def check(part, chance):
    swept_meanwhile(SampleProject(20, 1).renamed("swept"), chance.randbytes(SMALL))
    offset = killed_meanwhile(SampleProject(20, 1).renamed("killed"), chance.randbytes(LARGE))
    return (
        "between the name of a file and the commit that records it, a sweep leaves the file alone, and after kill -9 "
        f"the upload goes on at {offset:,} of {LARGE:,} bytes")


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


def killed_meanwhile(project, content):
    """Where the upload goes on. Raises if that is before what was recorded."""
    digest = hashlib.sha256(content).hexdigest()
    with slow(project) as server:
        begun = server.request(
            "PUT", path(project, f"files/{digest}/"), project.token, b"",
            {"Upload-Complete": "?0", "Upload-Length": str(len(content))})
        place = begun.headers["Location"]

        def send():
            with contextlib.suppress(*NO_ANSWER):
                server.request("PATCH", place, project.token, content, {
                    "Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1"})

        sending = threading.Thread(target=send, daemon=True)
        sending.start()
        wait_for_name(project)
        server.kill()
        sending.join()
        server.start()
        state = server.request("HEAD", place, project.token)
        offset = int(state.headers["Upload-Offset"] or -1)
        if offset < RECORDED:
            raise RuntimeError(f"{RECORDED:,} bytes were recorded, and after kill -9 an upload is at {offset}: {state}")
        return offset
