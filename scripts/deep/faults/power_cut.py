"""Power cuts: the server is stopped by a signal, and what its disk holds at that moment is copied and looked at. First
under uploads of rows, then under those of files."""

import pathlib
import random
import time

from deep.clients.ledger import Ledger, live_tasks, lost
from deep.clients.writer import Writer
from deep.faults import file_cuts
from harness.compiling import preloaded
from harness.faults.disk import ImageDisk
from harness.processes import stopped
from harness.requirements import require_command, require_root
from harness.sample import SampleServer
from harness.tidemark import findings, require_sound

CUTS, WRITERS = 20, 4


def check(part, chance):
    require_root("a loop mount")
    require_command("mkfs.ext4")
    return f"{of_rows(part, chance)}. {file_cuts.check(part, chance)}"


def of_rows(part, chance):
    cuts = max(4, CUTS // part)
    acknowledged, gone = run(cuts, chance)
    if gone:
        raise RuntimeError(f"{gone} of {acknowledged} acknowledged states were lost")
    blind, seen = run(cuts, chance, preloaded(pathlib.Path(__file__).with_name("no-sync.c")))
    if not seen:
        raise RuntimeError("nothing was lost though the log was not synced: the check sees nothing")
    return (
        f"{cuts} cuts: none of {acknowledged:,} acknowledged states lost, each check sound. Without the sync of the "
        f"log, as at synchronous=NORMAL, {seen:,} of {blind:,}")


def run(cuts, chance, preload=None):
    """Acknowledged states at all cuts, and how many of them were lost."""
    acknowledged = gone = 0
    for number in range(cuts):
        with ImageDisk(f"cut-{number}") as disk:
            project, ledger = disk.project(WRITERS), Ledger()
            with SampleServer(project, {"NO_SYNC": "*-wal"}, preload) as server:
                writers = [
                    Writer(server, token, ledger, random.Random(chance.random()), deletes=False)
                    for token in project.tokens
                ]
                for writer in writers:
                    writer.start()
                time.sleep(chance.uniform(0.3, 1.5))
                expected = ledger.snapshot()
                with stopped([server.process]):
                    image = disk.copied()
                for writer in writers:
                    writer.end()
            ledger.require_no_fault()
            acknowledged += len(expected)
            gone += losses(project, image, expected, isSynced=preload is None)
    return acknowledged, gone


def losses(project, image, expected, isSynced):
    with ImageDisk("copy", image) as disk:
        here = disk.moved(project)
        if isSynced:
            require_sound(here.database)
        elif not here.database.exists() or findings(here.database):
            return len(expected)
        with SampleServer(here) as server:
            return lost(expected, live_tasks(server))
