"""Waiting for what has to come."""

import time


def wait_until(condition, seconds, complaint, pause=0.05):
    """Returns how long it took. `complaint`, a text or a function, is raised when it takes longer."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise RuntimeError(complaint() if callable(complaint) else complaint)
        time.sleep(pause)
    return time.monotonic() - begun
