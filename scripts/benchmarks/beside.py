"""Work that goes on while something else is measured."""

import threading


class Beside:
    """Does something so many times a second, until it is left; 0 is never. Can be entered several times."""

    def __init__(self, per_second, work):
        self._per_second, self._work = per_second, work

    def __enter__(self):
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True) if self._per_second else None
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        if self._thread:
            self._thread.join()

    def _repeat(self):
        while not self._ends.wait(1 / self._per_second):
            self._work()
