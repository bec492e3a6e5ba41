"""Everything at once, for a while: nothing may fail, and nothing may grow."""

import itertools
import random
import time

from deep.clients import account
from deep.clients.background_task import BackgroundTask, end_all
from deep.clients.digest import require_digest
from deep.clients.ledger import Ledger, live_tasks, require_equal
from deep.clients.phone import Phone
from deep.clients.writer import RepeatingWriter
from deep.load.probe import Probe
from deep.load.side_traffic import SideTraffic
from harness import tidemark
from harness.process_stats import ProcessStats, mebibytes
from harness.sample import SampleProject, SampleServer, page_cache
from harness.temporary import TEMP

SECONDS, WRITERS, PHONES, ROWS = 600, 3, 2, 20_000
# Of memory; and how many connections more may be open by chance.
GROWTH, CHANCE = 1.15, 2
SETTINGS = {"TIDEMARK_SYNC_STREAM_STALL_SECONDS": 5, "TIDEMARK_AUTH_LOGINS_PER_ADDRESS": 0,
            "TIDEMARK_AUTH_LOGINS_PER_ACCOUNT": 0, "TIDEMARK_AUTH_REFRESHES_PER_ADDRESS": 0}
# Small: it must be full when memory is first looked at.
CACHE = page_cache(32)


def check(part, chance):
    project, ledger = SampleProject(ROWS, WRITERS + PHONES), Ledger()
    account.add(project, "alice")
    account.add(project, "root", "--superuser")
    with SampleServer(project, SETTINGS | CACHE) as server, ProcessStats(server) as stats:
        clients = [
            RepeatingWriter(server, token, ledger, random.Random(chance.random()), pause=0.03)
            for token in project.tokens[:WRITERS]
        ]
        clients += [Phone(server, token) for token in project.tokens[WRITERS:]]
        probe = Probe(server)
        probe.start()
        every = 60 / (4 if part > 1 else 1)
        tasks = SideTraffic(server).tasks() + [
            BackgroundTask(lambda: purge(project), every / 4), BackgroundTask(lambda: back_up(project), every)]
        for client in clients + tasks:
            client.start()
        time.sleep(SECONDS / part)
        (early, early_work), (late, late_work) = probe.end()
        end_all(tasks)
        for client in clients:
            client.end()
        rows = live_tasks(server)
        require_equal(ledger.snapshot(), rows)
        require_digest(server, rows)
        for phone in clients[WRITERS:]:
            if phone.rows != rows:
                raise RuntimeError("a phone does not hold what is there")
        warnings = server.require_calm_log()
    ledger.require_no_fault()
    tidemark.require_sound(project.database)
    (memory, later_memory), (files, later_files) = stats.medians()
    figures = (
        f"{SECONDS // part} s, {ledger.batches:,} batches, {sum(task.count for task in tasks):,} other tasks, phones "
        f"sent back to 0 {sum(phone.told.get('since_expired', 0) for phone in clients[WRITERS:])} times. Second and "
        f"last quarter: memory {mebibytes(memory)} and {mebibytes(later_memory)}, {files:.0f} and {later_files:.0f} "
        f"descriptors, empty delta {early:.1f} and {late:.1f} ms, {early_work:.1f} and {late_work:.1f} above a bare "
        f"answer. At most {mebibytes(stats.longest_log())} of log, {warnings} warnings")
    if later_memory > GROWTH * memory or later_files > files + CHANCE or late_work > 2 * early_work + 3:
        raise RuntimeError(f"it grows: {figures}")
    return figures


def purge(project):
    """Removes all tombstones, which sends phones back to 0."""
    tidemark.output("purge", "--older-than", "0s", database=project.database)


def back_up(project, numbers=itertools.count()):
    """A backup, checked and removed."""
    file = TEMP / f"backup-{next(numbers)}.db"
    tidemark.output("backup", file, database=project.database)
    tidemark.require_sound(file)
    for left in TEMP.glob(file.name + "*"):
        left.unlink()
