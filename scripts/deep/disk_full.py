"""A full disk, and a limit for the size of files: refused with a message, nothing half-applied, and better by itself."""

import random
import resource
import signal
import subprocess
import time

import tidemark
from ledger import Ledger, Writer, drain, require_equal, require_sound
from power_cut import Disk
from skip import Skipped, require_root
from workplace import ENVIRONMENT, TEMP, output

# So large that the room which is made again is enough to move the log, of up to 17 MB by then, into the database.
MEGABYTES, WRITERS = 64, 4


def check(part, chance):
    require_root("a tmpfs")
    with Memory() as disk:
        project = disk.project()
        filler = disk.folder / "filler"
        seen = _refusals(
            project, chance, lambda server: _fill(filler),
            lambda server: filler.unlink(), lambda server: _failing_backup(disk, project))
    project = tidemark.Project(100, WRITERS)
    limited = _refusals(
        project, chance, lambda server: _limit(server, 2 << 20), lambda server: _limit(server, resource.RLIM_INFINITY))
    return f"a full disk: {seen}; a limit for files: {limited}"


def _refusals(project, chance, fill, free, while_full=lambda server: None):
    """Uploads until the disk is full, looks, makes room, and has the same batches taken."""
    ledger = Ledger()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # inherited, so that a write fails instead
    with tidemark.Server(project) as server:
        writers = [
            Writer(ledger, project, random.Random(chance.random()), lambda: server.port, token, largest=200)
            for token in project.tokens
        ]
        for writer in writers:
            writer.start()
        time.sleep(0.2)
        fill(server)
        _wait(lambda: all(writer.refusals for writer in writers), "no upload was refused")
        before = ledger.batches
        live = sum(name is not None for name, _ in ledger.snapshot().values())
        while_full(server)
        rows = len(drain(server))
        free(server)
        _wait(lambda: ledger.batches > before + 20, "no upload was taken again")
        for writer in writers:
            writer.end()
        require_equal(ledger.snapshot(), drain(server))
        require_sound(project.database)
    ledger.require_no_fault()
    refusals = [refusal for writer in writers for refusal in writer.refusals]
    if odd := [refusal for refusal in refusals if refusal[:2] != (503, "busy") or refusal[2] is None]:
        raise RuntimeError(f"refused with {odd[0]}")
    return f"{len(refusals):,} uploads refused with 503, {rows:,} rows still read, {ledger.batches:,} batches taken in all"


def _wait(condition, complaint):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(complaint)
        time.sleep(0.01)


def _limit(server, size):
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _fill(filler):
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass  # There is no room left: as it should be.


def _failing_backup(disk, project):
    target = disk.folder / "backup.db"
    command = [str(tidemark.BINARY), "backup", str(target), "--database", str(project.database)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    left = [file.name for file in disk.folder.iterdir() if "backup" in file.name]
    if done.returncode != 1 or not done.stderr.strip() or left:
        raise RuntimeError(f"a backup on a full disk: status {done.returncode}, {done.stderr!r}, left {left}")


class Memory(Disk):
    """A small tmpfs."""

    def __init__(self):
        self.folder = TEMP / "small"
        self.folder.mkdir()

    def __enter__(self):
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(self.folder)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped(f"no tmpfs: {done.stderr.strip()}")
        return self

    def __exit__(self, *_):
        output("umount", self.folder)
