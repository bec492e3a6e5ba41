"""Devices with the Swift client: `tidemark sync` and `tidemark row`, each call a process; what an app would see is read
by SQL."""

import contextlib
import signal
import sqlite3
import subprocess
import threading
import time
import uuid

from consistency.apps.device import AppDevice, Copy, by_id
from consistency.apps.plants import SWIFT
from consistency.apps.programs import PATIENCE, Gone
from consistency.workloads import collection_of
from harness import tidemark
from harness.environment import ENVIRONMENT
from harness.temporary import TEMP

# The exit status of a sync of which the server did not take all edits.
REFUSED = 3
# How often a file is read that another process may have for itself.
MOST_READS = 50
# By which the numbers of an operation give several edits.
SHIFTS = (0, 7, 14)


class SwiftDevice(AppDevice):
    def __init__(self, number, run):
        super().__init__(number, run)
        self.file = TEMP / f"app-{uuid.uuid4().hex}.replica"
        self._environment = ENVIRONMENT | run.environment_of(number) | {"TIDEMARK_TOKEN": run.token_of(number)}
        self._plant = SWIFT[run.plant]() if run.plant in SWIFT else None
        self._process = None

    def page(self, picks):
        """A sync. In a quarter of them, another process edits meanwhile."""
        if picks[0] % 8 in (3, 4):
            return self._edited_beside(picks)
        return super().page(picks)

    def _edited_beside(self, picks):
        """While a sync runs, processes edit the same file; whoever works may be killed at any step."""
        edits = [self._next_edits([pick >> shift for pick in picks]) for shift in SHIFTS]
        return self._disturbed(picks, lambda: self._edit_beside(edits, picks))

    def _edit_beside(self, edits, picks):
        """One in four of the syncs is killed meanwhile, and in one in four an edit."""
        moment, victim = picks[2] % 100, picks[2] // 100 % 4
        killing = threading.Timer(moment / 1000, self._kill if victim == 0 else lambda: None)
        killing.start()
        for number, (id, fields) in enumerate(edit for each in edits for edit in each.items()):
            edit = self._made(id, fields)
            if not self._edited(id, fields, victim == 1 and number == picks[0] % len(SHIFTS), moment):
                self.ledger.drop(edit)
        killing.cancel()
        killing.join()

    def _begin(self):
        if self._plant:
            self._plant.before(self.file)
        self._process = self._start_sync()

    def _is_done(self):
        return self._process is None or self._process.poll() is not None

    def _finish(self):
        process, self._process = self._process, None
        if process is None:
            raise Gone
        succeeded = self._ended(process)
        if self._plant:
            self._plant.after(self.file)
        return succeeded

    def _sync_beside(self):
        """Two processes sync the same file."""
        both = [self._start_sync(), self._start_sync()]
        return all([self._ended(process) for process in both])

    def _start_sync(self):
        scope = ["--all"] if self._run.history.is_user_wide else ["--project", self._run.projects[0]]
        return self._start("sync", self._recorder.url, *scope, "--page-size", self._form.page_size, "--json")

    def _start(self, *words):
        command = [str(word) for word in (tidemark.BINARY, *words, "--replica", self.file)]
        return subprocess.Popen(
            command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=TEMP, text=True)

    def _ended(self, process):
        """Whether it succeeded. A sync without an answer, or without a project any more, does not."""
        try:
            _, words = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise RuntimeError(f"{process.args[1:3]} takes longer than {PATIENCE} s") from None
        if process.returncode == -signal.SIGKILL:
            raise Gone
        if process.returncode < 0:
            raise RuntimeError(f"{process.args[1:3]} ended by signal {-process.returncode}: {words[-1000:]}")
        return process.returncode in (0, REFUSED)

    def _edit(self, edits, picks):
        return {id: self._edited(id, fields, picks[1] % 6 == 0, picks[2] % 100) for id, fields in edits.items()}

    def _edited(self, id, fields, is_killed, moment):
        process = self._start("row", *self._words(id, fields))
        if is_killed:
            time.sleep(moment / 1000)
            process.kill()
        try:
            return self._ended(process)
        except Gone:
            # It may have been made before.
            copies = (self._read() for _ in range(MOST_READS))
            row = next(copy for copy in copies if copy).rows.get(id)
            return row is None if fields is None else bool(row) and fields.items() <= row.items()

    def _words(self, id, fields):
        collection = collection_of(id)
        if fields is None:
            return ["rm", collection, id]
        values = [f"{name}={value}" for name, value in fields.items()]
        if id in self.copy.rows:
            return ["set", collection, id, *values]
        home = self._run.home_of(id)
        return ["add", collection, "--id", id, *(["--project", home["project_id"]] if home else []), *values]

    def _read(self):
        """Also while a sync is frozen."""
        if not self.file.exists():
            return Copy(None, 0, set(), {})
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=0.2)) as database:
                database.row_factory = sqlite3.Row
                database.execute("BEGIN")
                return self._copy(database)
        except sqlite3.OperationalError as error:
            # A process was killed or frozen while it made the file, or while it had it for itself.
            if "locked" in str(error) or "no such table" in str(error) or "unable to open" in str(error):
                return None
            raise

    def _copy(self, database):
        rows, unsent = [], 0
        tables = {name for name, in database.execute("SELECT name FROM sqlite_master")}
        for name in self._run.workload.collections:
            if name in tables:
                rows += map(dict, database.execute(f"SELECT * FROM {name} WHERE _status <> 'deleted'"))
                unsent += database.execute(UNSENT.format(name)).fetchone()[0]
        aside = {id for id, in database.execute("SELECT id FROM _set_aside UNION SELECT id FROM _refused")}
        return Copy(_settled(database), unsent, aside, by_id(rows, self._run.log.problems))

    def _kill(self):
        if self._process:
            self._process.kill()

    def _signal(self, number):
        process = self._process
        if process:
            process.send_signal(number)


# Deletions that are answered, and what was refused, do not wait.
UNSENT = """
    SELECT count(*) FROM {0} AS own WHERE _status <> 'synced'
    AND NOT EXISTS (SELECT 1 FROM _refused WHERE collection = '{0}' AND id = own.id)
    AND NOT (_status = 'deleted' AND EXISTS (
        SELECT 1 FROM _batch_row JOIN _batch ON _batch.number = batch
        WHERE collection = '{0}' AND _batch_row.id = own.id AND bucket = 'deleted' AND timestamp IS NOT NULL))
"""


def _settled(database):
    """As `KeptPages.load` in the client has it."""
    state = database.execute("SELECT step, since, cursor FROM _replica").fetchone()
    mark = database.execute("SELECT step, number FROM _settled").fetchone()
    if mark and mark["step"] == state["step"]:
        return mark["number"]
    return state["since"] or None if state["cursor"] is None else None
