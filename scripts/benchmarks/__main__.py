"""Runs the measurements. See `scripts/bench`."""

import argparse
import importlib
import sys
import traceback

from benchmarks import against, machine
from benchmarks.bench import Bench
from benchmarks.report import Report, require_places, say
from harness.signals import end_on_signals

# In this order; each is a file of the same name in `measurements`, or a folder.
ALL = [
    "cold_page", "cached_page", "empty_delta", "uploads", "costly_uploads", "files", "storm", "growth", "user_sync",
    "filters", "lists", "events", "many_projects", "pulls", "postgresql", "kinto", "parts", "profiles",
]


def main():
    names = [name.replace("_", "-") for name in ALL]
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures Tidemark beside its references.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure; all without: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="10 k and 100 k rows, three short rounds")
    parser.add_argument("--rounds", type=int, help="rounds of each measurement; 5 at least for figures to publish")
    parser.add_argument("--update", action="store_true", help="write what was measured into docs/benchmarks.md")
    parser.add_argument(
        "--against", metavar="COMMIT", help="build that version beside this one, and compare their processor time")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(names)}")
    if options.update:
        require_places(options.names or names)
    end_on_signals()
    bench = Bench(options.quick, options.rounds or (3 if options.quick else 5), options.against)
    report, failed = Report(machine.describe()), []
    for name, value in report.machine.items():
        print(f"{name}: {value}", flush=True)
    chosen = options.names or ([] if options.against else names)
    for name in chosen:
        failed += [] if run(bench, report, name, measurement(name)) else [name]
    if options.against and not run(bench, report, "against", against):
        failed.append("against")
    finish(report, failed, options)


def measurement(name):
    return importlib.import_module("benchmarks.measurements." + name.replace("-", "_"))


def run(bench, report, name, module):
    """Whether the measurement came to its end. If not, the others go on."""
    say(f"== {module.TITLE}")
    try:
        report.add(name, module.TITLE, *module.measure(bench))
        return True
    except Exception:
        traceback.print_exc()
        return False


def finish(report, failed, options):
    print(f"Raw figures: {report.write_raw()}")
    if options.update:
        report.update_page()
    for line in report.unmet:
        print(f"NOT MET: {line}")
    for name in failed:
        print(f"FAILED: {name}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
