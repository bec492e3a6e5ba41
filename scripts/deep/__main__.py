"""Runs the deep checks. See `scripts/check-deep`."""

import argparse
import importlib
import random
import sys
import traceback

from harness.requirements import Skipped
from harness.signals import end_on_signals

# In this order; each is a module that has a function `check`.
ALL = {
    "kill": "faults.kill", "files": "faults.files", "bucket": "faults.bucket", "tus": "uploads.tus",
    "urlsession": "uploads.sessions", "proxies": "uploads.proxies",
    "file-steps": "faults.file_steps", "power-cut": "faults.power_cut",
    "disk-full": "faults.disk_full", "flips": "faults.flips",
    "edge": "load.edge", "attack": "attack.attack", "batches": "load.batches", "clock": "faults.clock",
    "wal": "load.wal", "soak": "load.soak",
    "listeners": "load.listeners", "failover": "faults.failover", "promotions": "faults.promotions",
    "fuzz": "code.fuzz", "threads": "code.threads", "measurements": "code.measurements",
}


def main():
    names = list(ALL)
    parser = argparse.ArgumentParser(prog="scripts/check-deep", description="Tries to break Tidemark.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to try; all without: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of what is left to chance")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(names)}")
    end_on_signals()
    print(f"seed {options.seed}", flush=True)
    results = [run(name, options) for name in options.names or names]
    skipped = results.count("SKIPPED")
    if skipped:
        print(f"SKIPPED: {skipped} of {len(results)} parts were NOT checked; see above.")
    print(f"{results.count('passed')} passed, {results.count('FAILED')} failed, {skipped} skipped")
    sys.exit(1 if "FAILED" in results else 0)


def run(name, options):
    module = importlib.import_module("deep." + ALL[name])
    try:
        seen = module.check(10 if options.quick else 1, random.Random(f"{options.seed} {name}"))
        result = "passed"
    except Skipped as reason:
        seen, result = reason, "SKIPPED"
    except Exception as failure:
        traceback.print_exc()
        seen, result = failure, "FAILED"
    print(f"{result}: {name}: {seen}", flush=True)
    return result


if __name__ == "__main__":
    main()
