"""A full disk, and a limit for the size of files: uploads are refused with a message, nothing is half-applied, and the
server goes on as soon as there is room."""

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

# Large enough that the room made later is enough to move the log, of up to 17 MB by then, into the database.
MEGABYTES, WRITERS = 64, 4


def check(part, chance):
    require_root("a tmpfs")
    with MemoryDisk(MEGABYTES) as disk:
        project = disk.project(WRITERS)
        seen = _refusals(
            project, chance, lambda server: disk.fill(), lambda server: disk.free(),
            lambda server: _failing_backup(disk, project))
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
        tidemark.require_sound(project.database)
    ledger.require_no_fault()
    refusals = [refusal for writer in writers for refusal in writer.refusals]
    if odd := [refusal for refusal in refusals if refusal[:2] != (503, "busy") or refusal[2] is None]:
        raise RuntimeError(f"refused with {odd[0]}")
    return (
        f"{len(refusals):,} uploads refused with 503, {rows:,} rows still read, {ledger.batches:,} batches taken in "
        "all")


def _limit(server, size):
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _failing_backup(disk, project):
    target = disk.folder / "backup.db"
    done = tidemark.run("backup", target, database=project.database)
    left = [file.name for file in disk.folder.iterdir() if "backup" in file.name]
    if done.returncode != 1 or not done.stderr.strip() or left:
        raise RuntimeError(f"a backup on a full disk: status {done.returncode}, {done.stderr!r}, left {left}")
