"""Devices whose copy a client of ours keeps, in a process that can be killed or frozen at any moment. They have the
methods of `PageDevice`; what they write waits in the copy until they sync."""

import collections
import dataclasses
import signal
import threading

from consistency.apps.ledger import Ledger, Moment
from consistency.apps.programs import PATIENCE, Gone
from consistency.apps.recorder import Recorder
from consistency.checker import Look

# How often a device syncs until nothing is left to send or to read.
MOST_SYNCS = 6
# Requests of a sync among which it is disturbed, and steps of a tab or an app.
MOST_REQUESTS, MOST_STEPS = 8, 150
STAGES = ["asked", "answered", "given"]
# The longest time between an answer and a disturbance, in seconds.
MOST_DELAY = 0.02
# How often it is looked whether a sync has ended.
POLL = 0.005


@dataclasses.dataclass
class Copy:
    """What an app can read at one moment."""

    settled: int | None
    # How many rows it has yet to send.
    unsent: int
    # The ids of what was set aside or refused.
    aside: set
    # By id.
    rows: dict


@dataclasses.dataclass
class Own:
    """What a device wrote, when it was looked at."""

    ledger: Ledger
    homes: dict
    now: int

    def over(self, expected, seen, log, project, head):
        return self.ledger.over(expected, seen, self.homes, Moment(log, project, head, self.now))


class AppDevice:
    """A subclass has:

    - `_begin()`, which begins a sync; `_is_done()`; `_finish()`: whether it succeeded; raises `Gone` if it was killed
    - `_read()`: the `Copy`; None if it can't be read now
    - `_edit(edits)`, by id: whether each was made
    - `_kill()`, `_signal(number)`, and what `_begin_dying` and `_sync_beside` say
    """

    waits = False

    def __init__(self, number, run):
        self.number, self._run, self._form = number, run, run.history.devices[number]
        self.copy, self.ledger = Copy(None, 0, set(), {}), Ledger()
        self._recorder = Recorder(run, number, self._form.loses_header, self.ledger, run.plant)
        self._restores, self._count, self._is_frozen = 0, 0, False

    # What a history does.

    def page(self, picks):
        """A sync, which may be disturbed on its way."""
        self._thaw()
        fate = picks[0] % 8
        if fate < 3:
            return self._disturbed(picks, lambda: self._signal(signal.SIGKILL) if fate == 0 else self._freeze())
        if fate < 5:
            self._begin_dying(1 + picks[1] % MOST_STEPS)
        return self._sync()

    def sync(self, _):
        """Whether the copy settled, has sent everything, and has read what it sent."""
        self._thaw()
        for _ in range(MOST_SYNCS):
            uploads = self._recorder.uploads
            if not self._sync():
                return False
            if self.copy.settled is not None and not self.copy.unsent and uploads == self._recorder.uploads:
                return True
        return False

    def cut(self, _):
        self._thaw()
        self._kill()
        self._look()

    def other(self, _):
        self._thaw()
        self._succeeds(self._sync_beside)
        self._look()

    def lose(self, picks):
        self._recorder.loses_next = "half" if picks[0] % 2 else "whole"

    def write(self, picks):
        edits = self._next_edits(picks)
        if not edits:
            return
        made = {id: self._made(id, fields) for id, fields in edits.items()}
        self.copy.unsent = max(1, self.copy.unsent)
        for id, is_made in self._edit(edits, picks).items():
            if not is_made:
                self.ledger.drop(made[id])
        self._look()
        if picks[2] % 2:
            self._sync()

    def _next_edits(self, picks):
        """What it writes next, by id; nothing while its copy is not settled."""
        self._thaw()
        if not self._look() or self.copy.settled is None:
            return {}
        self._count += 1
        edits = self._run.workload.edit_of_app(self.number, self.copy.rows, picks, self._count)
        return {id: fields for id, fields in edits.items() if id in self.copy.rows or id[0] == "e"}

    def _made(self, id, fields):
        return self.ledger.made(id, fields, id not in self.copy.rows, self._run.now())

    def send(self):
        """Whether nothing is unsent."""
        self._thaw()
        if self.copy.unsent or not self.ledger.is_answered():
            self._sync()
        return self.copy.unsent == 0

    def end(self):
        self._signal(signal.SIGCONT)
        self._kill()
        self._recorder.close()

    # Syncs.

    def _sync(self):
        self._begin_anew_if_restored()
        self._begin()
        succeeded = self._succeeds(self._finish)
        self._look()
        return succeeded

    def _begin_anew_if_restored(self):
        """The server may have told it anything then."""
        restores = len(self._run.log.restores)
        if restores != self._restores:
            self._restores, self._recorder.goes_on = restores, False

    def _succeeds(self, work):
        """Whether it does. Otherwise the process was killed, or failed."""
        try:
            return work() is not False
        except Gone:
            return False
        except RuntimeError as failure:
            self._run.log.problems.append(f"device {self.number}: {failure}")
            return False

    def _disturbed(self, picks, disturb):
        """A sync at one of whose requests something happens."""
        happened = threading.Event()

        def action():
            disturb()
            happened.set()

        delay = MOST_DELAY * (picks[2] % 100) / 100
        self._recorder.interrupt(1 + picks[1] % MOST_REQUESTS, STAGES[picks[2] % 3], action, delay)
        self._begin_anew_if_restored()
        self._begin()
        for _ in range(int(PATIENCE / POLL)):
            if self._is_done() or happened.wait(POLL):
                break
        self._recorder.calm()
        if not self._is_frozen:
            self._succeeds(self._finish)
        self._look()

    def _freeze(self):
        self._is_frozen = True
        self._signal(signal.SIGSTOP)

    def _thaw(self):
        """What was frozen goes on, and ends."""
        if self._is_frozen:
            self._is_frozen = False
            self._signal(signal.SIGCONT)
            self._succeeds(self._finish)
            self._look()

    def _begin_dying(self, steps):
        """Lets the next sync die by itself after that many steps."""

    # Looks.

    def _look(self):
        """Whether the copy could be read."""
        now = self._run.now()
        copy = self._read()
        if copy is None:
            return False
        self.copy = copy
        if copy.unsent == 0:
            self.ledger.known(now)
        if copy.settled is not None:
            # Who is frozen may have been told to begin anew, and not have noted it yet.
            if not self._is_frozen:
                self._recorder.goes_on = self._restores == len(self._run.log.restores)
            self._note(copy, now)
        return True

    def _note(self, copy, now):
        log, homes = self._run.log, self._run.workload.homes
        known = self._recorder.of(copy.settled)
        if known is None:
            log.problems.append(f"device {self.number}: settled at {copy.settled}, which no answer had")
            return
        heads, asked = known
        rows = {id: row | {"project_id": homes.get(id, row.get("project_id"))} for id, row in copy.rows.items()}
        log.looks.append(Look(self.number, asked, heads, rows, Own(self.ledger, homes, now)))

    def lost(self):
        """What the device wrote that is nowhere in the end: the server has what was committed, whatever is shown."""
        heads, _ = self._recorder.of(self.copy.settled) or ({}, None)
        rows = {}
        for project, head in heads.items():
            rows |= self._run.log.state(project, head)
        for edit in self.ledger.lost(rows, self.copy.aside):
            yield f"device {self.number}: its edit {edit.id} {edit.fields} is lost"


def by_id(rows, problems):
    """Rows by id. One that is there twice is a problem."""
    for id, count in collections.Counter(row["id"] for row in rows).items():
        if count > 1:
            problems.append(f"{id} is there {count} times")
    return {row["id"]: row for row in rows}
