"""Power cuts: the server is stopped by a signal, and what its disk holds at that moment is copied and looked at."""

import copy
import pathlib
import random
import shutil
import signal
import subprocess
import time

import tidemark
from ledger import Ledger, Writer, check_file, drain, lost, require_sound
from skip import Skipped, require_command, require_root
from workplace import TEMP, output

CUTS, WRITERS = 20, 4


def check(part, chance):
    require_root("a loop mount")
    require_command("mkfs.ext4")
    cuts = max(4, CUTS // part)
    acknowledged, gone = run(cuts, chance)
    if gone:
        raise RuntimeError(f"{gone} of {acknowledged} acknowledged states were lost")
    shim = pathlib.Path(__file__).with_name("no-log-sync.c")
    output("gcc", "-O2", "-shared", "-fPIC", "-o", TEMP / "no-log-sync.so", shim, "-ldl")
    blind, seen = run(cuts, chance, TEMP / "no-log-sync.so")
    if not seen:
        raise RuntimeError("nothing was lost where the log is not synced either: the check sees nothing")
    return (
        f"{cuts} cuts: none of {acknowledged:,} acknowledged states lost, each check sound. Without the sync of the log, "
        f"as at synchronous=NORMAL, {seen:,} of {blind:,}")


def run(cuts, chance, preload=None):
    """Acknowledged states at all cuts, and how many of them were lost."""
    acknowledged = gone = 0
    for number in range(cuts):
        with Disk(f"cut-{number}") as disk:
            project, ledger = disk.project(), Ledger()
            with tidemark.Server(project, preload=preload) as server:
                writers = [
                    Writer(ledger, project, random.Random(chance.random()), lambda: server.port, token, deletes=False)
                    for token in project.tokens
                ]
                for writer in writers:
                    writer.start()
                time.sleep(chance.uniform(0.3, 1.5))
                expected = ledger.snapshot()
                server.process.send_signal(signal.SIGSTOP)
                image = disk.copy()
                server.process.send_signal(signal.SIGCONT)
                for writer in writers:
                    writer.end()
            ledger.require_no_fault()
            acknowledged += len(expected)
            gone += losses(project, image, expected, isSynced=preload is None)
    return acknowledged, gone


def losses(project, image, expected, isSynced):
    with Disk("copy", image) as disk:
        here = disk.moved(project)
        if isSynced:
            require_sound(here.database)
        elif not here.database.exists() or check_file(here.database):
            return len(expected)
        with tidemark.Server(here) as server:
            return lost(expected, drain(server))


class Disk:
    """An ext4 file system in a file."""

    def __init__(self, name, image=None):
        self.image, self.folder = image or TEMP / f"{name}.img", TEMP / f"{name}.mnt"
        if image is None:
            output("truncate", "-s", "128M", self.image)
            output("mkfs.ext4", "-q", "-F", self.image)
        self.folder.mkdir(exist_ok=True)

    def __enter__(self):
        done = subprocess.run(["mount", "-o", "loop", str(self.image), str(self.folder)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped(f"no loop mount: {done.stderr.strip()}")
        return self

    def __exit__(self, *_):
        output("umount", self.folder)
        self.image.unlink()

    def project(self):
        made = tidemark.Project(100, WRITERS)
        for file in TEMP.glob(made.database.name + "*"):
            shutil.move(file, self.folder / file.name)
        output("sync", "-f", self.folder)
        return self.moved(made)

    def moved(self, project):
        """The same project as it is on this disk."""
        here = copy.copy(project)
        here.database = self.folder / project.database.name
        return here

    def copy(self):
        image = self.image.with_suffix(".cut")
        output("cp", "--sparse=always", self.image, image)
        return image
