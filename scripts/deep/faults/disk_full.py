"""A full disk, and a limit for the size of files: uploads are refused with a message, nothing is half-applied, people
log in, `tidemark purge` works, and the server is well again as soon as there is room."""

import random
import resource
import signal
import time

from deep.clients.ledger import Ledger, live_tasks, require_equal
from deep.clients.writer import Writer
from harness.faults.disk import MemoryDisk
from harness import tidemark
from harness.requirements import require_root
from harness.sample import SampleProject, SampleServer
from harness.waiting import wait_until

# Room for the reserve, 32 MB, and for the log, of up to 17 MB when the disk is full.
MEGABYTES, WRITERS = 128, 4
PASSWORD = "a password for a full disk"


def check(part, chance):
    require_root("a tmpfs")
    with MemoryDisk(MEGABYTES) as disk:
        project = disk.project(WRITERS)
        tidemark.output("user", "add", "chief", "--password-stdin", database=project.database, input=PASSWORD)
        seen = _refusals(
            project, chance, lambda server: disk.fill(), lambda server: disk.free(),
            lambda server: _while_full(disk, project, server))
    project = SampleProject(100, WRITERS)
    limited = _refusals(
        project, chance, lambda server: _limit(server, 2 << 20), lambda server: _limit(server, resource.RLIM_INFINITY))
    return f"a full disk: {seen}; a limit for files: {limited}"


def _refusals(project, chance, fill, free, while_full=lambda server: None):
    """Uploads until the disk is full, looks, makes room, and has the same batches taken."""
    ledger = Ledger()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # Inherited: a write fails instead.
    with SampleServer(project) as server:
        writers = [
            Writer(server, token, ledger, random.Random(chance.random()), largest=200) for token in project.tokens
        ]
        for writer in writers:
            writer.start()
        time.sleep(0.2)
        fill(server)
        wait_until(lambda: all(writer.refusals for writer in writers), 60, "no upload was refused")
        before = ledger.batches
        while_full(server)
        rows = len(live_tasks(server))
        free(server)
        wait_until(lambda: ledger.batches > before + 20, 60, "no upload was taken again")
        for writer in writers:
            writer.end()
        require_equal(ledger.snapshot(), live_tasks(server))
        wait_until(lambda: not _causes(server), 60, "the server still has a cause")
        tidemark.require_sound(project.database)
    ledger.require_no_fault()
    refusals = [refusal for writer in writers for refusal in writer.refusals]
    if odd := [refusal for refusal in refusals if refusal[:2] != (503, "disk_full") or refusal[2] is None]:
        raise RuntimeError(f"{len(odd)} of {len(refusals)} refused with {odd[0]}")
    return (
        f"{len(refusals):,} uploads refused with 503, {rows:,} rows still read, {ledger.batches:,} batches taken in "
        "all")


def _causes(server):
    """What stops the server. A disk this small is low all the time."""
    return [cause["cause"] for cause in server.get("/ready/").json["causes"] if cause["stops"]]


def _while_full(disk, project, server):
    """What an operator does meanwhile."""
    if _causes(server) != ["disk_full"]:
        raise RuntimeError(f"the causes are {_causes(server)}")
    tokens = server.request("POST", "/api/v1/auth/token/", body={"username": "chief", "password": PASSWORD})
    if tokens.status != 200:
        raise RuntimeError(f"nobody can log in: {tokens.status} {tokens.json}")
    purged = tidemark.run("purge", "--older-than", "0s", database=project.database)
    refused = tidemark.run("user", "add", "newcomer", database=project.database)
    if purged.returncode != 0 or refused.returncode != 1 or "disk is full" not in refused.stderr:
        raise RuntimeError(f"commands on a full disk: {purged}, {refused}")
    _failing_backup(disk, project)


def _limit(server, size):
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _failing_backup(disk, project):
    target = disk.folder / "backup.db"
    done = tidemark.run("backup", target, database=project.database)
    left = [file.name for file in disk.folder.iterdir() if "backup" in file.name]
    if done.returncode != 1 or not done.stderr.strip() or left:
        raise RuntimeError(f"a backup on a full disk: status {done.returncode}, {done.stderr!r}, left {left}")
