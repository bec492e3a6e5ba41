"""Power cuts under uploads of files: what the disk holds is copied while the server, and what runs beside it, is
stopped. Rows are deleted meanwhile, and files swept, backed up or restored."""

import collections
import hashlib
import pathlib
import shutil
import time

from deep.clients.file_sender import FileSender, path
from deep.clients.repeated_command import Backups, Nothing, Restores, Sweeps
from deep.faults.stored_files import leftover, stored_rows
from harness import tidemark
from harness.compiling import preloaded
from harness.faults.disk import ImageDisk
from harness.processes import stopped
from harness.sample import SampleServer
from harness.waiting import wait_until

CUTS, SENDERS, SIZE = 40, 3, "1G"
SIZES = [0, 10, 5000, 200_000, 1_000_000, 3_000_000, 18_000_000]
BESIDE = [Nothing, Sweeps, Backups, Restores]
# What is planted: what runs beside, whether it or the server is careless, and what is not synced.
PLANTED = {
    "without the sync of files": (Nothing, False, "*-files/*"),
    "without the sync of a backup": (Backups, True, "*/backups*"),
    "without the sync of a restore": (Restores, True, "*/restored-*"),
}
# What is synced slowly, in turn, so that many cuts come before it: the name of a file, nothing, the bytes of a file,
# the log with which a commit ends, what the command beside writes.
SLOW = ["*-files/??", "", "*-files/uploads*", "*-wal"]
SLOW_BESIDE = {Backups: ["*/backups*"], Restores: ["*/restored-*"]}
TRIES = 8


def check(part, chance):
    cuts, sums = max(len(BESIDE), CUTS // part), collections.Counter()
    for number in range(cuts):
        turn, beside = number // len(BESIDE), BESIDE[number % len(BESIDE)]
        slow = SLOW + SLOW_BESIDE.get(beside, [])
        if faults := Cut(beside, chance, sums, slow=slow[turn % len(slow)]).faults():
            raise RuntimeError(f"{len(faults)} faults of files, first: {faults[0]}")
    for name, planted in PLANTED.items():
        if not any(Cut(planted[0], chance, collections.Counter(), planted).faults() for _ in range(TRIES)):
            raise RuntimeError(f"nothing was lost {name}: the check sees nothing")
    if not sums["gone"]:
        raise RuntimeError("no row was deleted")
    return (
        f"{cuts} cuts under uploads of files: none of {sums['rows']} rows with their bytes lost, none of "
        f"{sums['gone']} deleted ones back, none of {sums['offsets']} offsets fell, {sums['unnamed']} files got their "
        f"rows afterwards, {sums['under way']} uploads went on, {sums['backups']} backups and {sums['restores']} "
        "restores sound, nothing left over. Bytes, backups and restores are lost where nothing syncs them")


class Cut:
    """One power cut, and what is on the disk after it."""

    def __init__(self, beside, chance, sums, planted=(None, False, ""), slow=""):
        self._chance, self._sums, self._faults = chance, sums, []
        library = preloaded(pathlib.Path(__file__).with_name("no-sync.c"))
        _, is_beside, pattern = planted
        slow = {"LD_PRELOAD": str(library), "SLOW_SYNC": slow}
        careless = slow | {"NO_SYNC": pattern}
        self._settings = slow if is_beside else careless
        with ImageDisk("files", size=SIZE) as disk:
            self._project = disk.project(SENDERS)
            self._beside = beside(self._project, careless if is_beside else slow)
            self._image = self._run(disk)

    def _run(self, disk):
        with SampleServer(self._project, self._settings) as server, self._beside:
            is_swept = isinstance(self._beside, Sweeps)
            senders = [
                FileSender(server, token, self._chance.randrange(1 << 32), SIZES, True, is_swept)
                for token in self._project.tokens]
            for sender in senders:
                sender.start()
            self._wait()
            with self._beside.lock:
                self._seen = [sender.seen() for sender in senders]
                self._count, self._newest = self._beside.count, getattr(self._beside, "newest", None)
                with stopped([server.process, *self._beside.processes]):
                    image = disk.copied()
                    # Rows that are being deleted meanwhile may be there or not.
                    self._rows = [
                        seen[0].items() & dict(sender.rows).items() for seen, sender in zip(self._seen, senders)]
            for thread in (*senders, self._beside):
                thread.end()
        return image

    def _wait(self):
        """Until some moment, in which a command is under way where one is wanted."""
        time.sleep(self._chance.uniform(0.3, 2))
        if not isinstance(self._beside, Nothing):
            wait_until(lambda: self._beside.processes or self._beside.fault, 60, "no command runs", pause=0.001)
            time.sleep(self._chance.uniform(0, 0.25))

    def faults(self):
        """What is wrong with the copy of the disk."""
        with ImageDisk("copy", self._image) as disk:
            self._sound("the database", disk.moved(self._project).database)
            with SampleServer(disk.moved(self._project)) as server:
                self._look(server)
            self._look_beside(disk.folder)
            if not self._faults and (fault := leftover(disk.moved(self._project))):
                self._faults.append(fault)
        return self._faults

    def _require(self, is_sound, fault):
        if not is_sound:
            self._faults.append(fault)
        return is_sound

    def _sound(self, name, database):
        found = tidemark.findings(database, "--bytes")
        self._require(not found, f"{name}: {found}")

    def _look(self, server):
        stored = stored_rows(server)
        for digest in set(stored.values()):
            answer = server.request("GET", path(server.project, f"files/{digest}/"), server.project.token)
            is_whole = answer.status == 200 and hashlib.sha256(answer.body).hexdigest() == digest
            self._require(is_whole, f"a row says `stored`, and its bytes are not there: {answer.status}")
        for seen, rows, token in zip(self._seen, self._rows, server.project.tokens):
            for row, digest in rows:
                self._require(stored.get(row) == digest, f"{row} was acknowledged and is not stored")
            self._require(not seen[1] & stored.keys(), "a row that was deleted is there again")
            self._sums.update(rows=len(rows), gone=len(seen[1]))
            self._look_at_uploads(FileSender(server, token, self._chance.randrange(1 << 32)), *seen[2:])

    def _look_at_uploads(self, sender, unnamed, offsets, current):
        """By a client that knows of nothing but what is named here."""
        for place, offset in offsets.items():
            answer = sender.repeated("HEAD", place, None, {})
            told = int(answer.headers["Upload-Offset"]) if answer.status == 204 else -1
            self._require(told >= offset, f"an offset fell from {offset} to {told}: {answer.status}")
        for digest in unnamed:
            state = sender.name(f"late-{digest[:20]}", digest).json["state"]
            self._require(state == "stored", f"the bytes of {digest} were acknowledged, and a row is {state}")
        if current and not self._faults:
            sender.send(*current)
            self._sums["under way"] += 1
        self._sums["offsets"] += len(offsets)
        self._sums["unnamed"] += len(unnamed)

    def _look_beside(self, folder):
        if isinstance(self._beside, Backups):
            made = {file.name: file for file in (folder / "backups").glob("*.db")}
            self._require(self._newest is None or self._newest in made, f"the backup {self._newest} is gone")
            for name, file in made.items():
                self._restore(file, folder / "again.db")
                self._sums["backups"] += 1
        if isinstance(self._beside, Restores):
            for number in range(max(1, self._count - 1), self._count):
                self._require((folder / f"restored-{number}.db").exists(), f"the restore {number} is gone")
            for number in range(max(1, self._count - 1), self._count + 1):
                self._restore(folder / "one.db", folder / f"restored-{number}.db")
                self._sums["restores"] += 1

    def _restore(self, backup, database):
        """Restores unless that is done, looks, and removes it again."""
        if not database.exists():
            done = tidemark.run("restore", backup, database=database)
            if not self._require(done.returncode == 0, f"a restore of {backup.name}: {done.stderr}"):
                return
        self._sound(f"{database.name} of {backup.name}", database)
        database.unlink(missing_ok=True)
        shutil.rmtree(f"{database}-files", ignore_errors=True)
