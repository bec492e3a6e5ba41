"""One line a check: PASS, FAIL or SKIPPED."""

import random
import sys
import time
import traceback

from harness.signals import end_on_signals

_failures = []


def check(what, ok, seen=""):
    """Prints the line of one check; `seen` says what was there instead."""
    print(
        f"{'PASS' if ok else 'FAIL'} {what}" + ("" if ok or seen == "" else f"\n     seen: {str(seen)[:600]}"),
        flush=True)
    if not ok:
        _failures.append(what)
    return ok


def equal(what, seen, expected):
    return check(what, seen == expected, f"{seen!r}, expected {expected!r}")


def skip(what, why):
    print(f"SKIPPED {what}: {why}", flush=True)


def seed_of(word):
    """The seed that was asked for, else a random one. It is printed: with it a run can be repeated."""
    seed = int(word) if word else random.randrange(1_000_000)
    print(f"seed {seed}", flush=True)
    return seed


def run(name, main, words):
    """Runs the checks of one module and ends the process, with 1 after any FAIL."""
    started = time.monotonic()
    end_on_signals()
    try:
        main(*words)
    except Exception:
        traceback.print_exc()
        check("the script ran to its end", False)
    print(f"{name}: {len(_failures)} failed, {time.monotonic() - started:.1f} s", flush=True)
    sys.exit(1 if _failures else 0)
