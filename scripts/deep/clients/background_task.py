"""Something that is done again and again, and must not fail."""

import threading


class BackgroundTask(threading.Thread):
    """Does `work` until it ends, with a pause in seconds. What `work` raises is a fault."""

    def __init__(self, work, pause):
        super().__init__(daemon=True)
        self._work, self._pause, self._ends = work, pause, threading.Event()
        self.count, self.faults = 0, []

    def run(self):
        while not self._ends.is_set():
            try:
                self._work()
                self.count += 1
            except Exception as failure:
                self.faults.append(f"{self._work}: {failure!r}")
            self._ends.wait(self._pause)

    def end(self):
        self._ends.set()


def end_all(tasks):
    """Raises if one failed."""
    for task in tasks:
        task.end()
    for task in tasks:
        task.join(120)
    if faults := [fault for task in tasks for fault in task.faults]:
        raise RuntimeError(f"{len(faults)} faults, first: {faults[0]}")
