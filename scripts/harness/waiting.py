"""Waiting for what has to come."""

import time


def wait_until(condition, seconds, complaint):
    """Returns how long it took. `complaint`, a text or a function, is raised when it takes longer."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise RuntimeError(complaint() if callable(complaint) else complaint)
        time.sleep(0.05)
    return time.monotonic() - begun
