"""Runs the checks. See `scripts/check-blackbox`."""

import importlib
import subprocess
import sys

from check import reporting
from harness.environment import ROOT

# In this order. Each is a module whose `main` gets the words after the name.
ALL = {
    "plans": "plans.imports", "interchange": "plans.interchange", "errors": "http.errors",
    "exactly-once": "sync.exactly_once", "edits": "sync.edits", "collections": "sync.collections",
    "all-projects": "sync.all_projects",
    "resume": "faults.resume", "crashes": "faults.crashes",
    "histories": "faults.histories", "convergence": "faults.convergence", "snippet": "apps.snippet",
    "watermelondb": "apps.watermelondb", "stream": "sync.stream", "first-pull": "sync.first_pull",
    "proxies": "http.proxies", "events": "http.events",
}
# These have a script of their own: scripts/check-api and scripts/check-client.
ALONE = {"api": "http.api", "client": "apps.client"}


def main():
    if len(sys.argv) == 1:
        sys.exit(run_all())
    name, *words = sys.argv[1:]
    module = (ALL | ALONE).get(name)
    if not module:
        sys.exit(f"There is no check {name}. There are: {', '.join(ALL)}")
    reporting.run(name, importlib.import_module("check." + module).main, words)


def run_all():
    """Each in a process of its own. The exit status."""
    failed = []
    for name in ALL:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-B", "-m", "check", name], cwd=ROOT).returncode != 0:
            failed.append(name)
    print(f"FAILED: {' '.join(failed)}" if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    main()
