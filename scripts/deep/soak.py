"""Everything at once, for a while: nothing may fail, and nothing may grow."""

import random
import subprocess
import time

import account
import tidemark
from chore import Chore, end_all
from digest import require_digest
from errands import Errands
from ledger import Ledger, drain, require_equal, require_sound
from phone import Phone
from probe import Probe
from repeater import Repeater
from vitals import Vitals, mebibytes, require_calm_log
from workplace import ENVIRONMENT, TEMP

SECONDS, WRITERS, PHONES, ROWS = 600, 3, 2, 20_000
# Of memory; and how many connections more may be open by chance.
GROWTH, CHANCE = 1.15, 2
SETTINGS = {"TIDEMARK_SYNC_STREAM_STALL_SECONDS": 5, "TIDEMARK_AUTH_LOGINS_PER_ADDRESS": 0,
            "TIDEMARK_AUTH_LOGINS_PER_ACCOUNT": 0, "TIDEMARK_AUTH_REFRESHES_PER_ADDRESS": 0}
# Small, so that it is full when memory is first looked at.
CACHE = tidemark.page_cache(32)


def check(part, chance):
    project, ledger = tidemark.Project(ROWS, WRITERS + PHONES), Ledger()
    account.add(project, "alice")
    account.add(project, "root", "--superuser")
    with tidemark.Server(project, SETTINGS | CACHE) as server, Vitals(server) as vitals:
        clients = [
            Repeater(ledger, project, random.Random(chance.random()), lambda: server.port, token, pause=0.03)
            for token in project.tokens[:WRITERS]
        ]
        clients += [Phone(project, lambda: server.port, token) for token in project.tokens[WRITERS:]]
        errands, probe = Errands(server), Probe(server)
        probe.start()
        every = 60 / (4 if part > 1 else 1)
        chores = errands.chores() + [
            Chore(Purge(project).work, every / 4), Chore(Backup(project).work, every)]
        for client in clients + chores:
            client.start()
        time.sleep(SECONDS / part)
        (early, early_work), (late, late_work) = probe.end()
        end_all(chores)
        for client in clients:
            client.end()
        rows = drain(server)
        require_equal(ledger.snapshot(), rows)
        require_digest(server, rows)
        for phone in clients[WRITERS:]:
            if phone.rows != rows:
                raise RuntimeError("a phone does not hold what is there")
        warnings = require_calm_log(server)
    ledger.require_no_fault()
    require_sound(project.database)
    (memory, later_memory), (files, later_files) = vitals.medians()
    figures = (
        f"{SECONDS // part} s, {ledger.batches:,} batches, {sum(chore.count for chore in chores):,} errands, phones "
        f"sent back to 0 {sum(phone.told.get('since_expired', 0) for phone in clients[WRITERS:])} times. Second and "
        f"last quarter: memory {mebibytes(memory)} and {mebibytes(later_memory)}, {files:.0f} and {later_files:.0f} "
        f"descriptors, empty delta {early:.1f} and {late:.1f} ms, {early_work:.1f} and {late_work:.1f} above a bare "
        f"answer. At most {mebibytes(vitals.longest_log())} of log, {warnings} warnings")
    if later_memory > GROWTH * memory or later_files > files + CHANCE or late_work > 2 * early_work + 3:
        raise RuntimeError(f"it grows: {figures}")
    return figures


class Purge:
    """Removes all tombstones, so that phones are sent back to 0."""

    def __init__(self, project):
        self._project = project

    def work(self):
        command("purge", "--older-than", "0s", "--database", self._project.database)


class Backup:
    """A backup, looked through and removed."""

    def __init__(self, project):
        self._project, self._number = project, 0

    def work(self):
        self._number += 1
        file = TEMP / f"backup-{self._number}.db"
        command("backup", file, "--database", self._project.database)
        require_sound(file)
        for left in TEMP.glob(file.name + "*"):
            left.unlink()


def command(*words):
    words = [str(word) for word in (tidemark.BINARY, *words)]
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        raise RuntimeError(f"{words[1]}: {done.stderr[-500:]}")
