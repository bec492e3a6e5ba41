"""Runs the checks. See `scripts/check-blackbox`."""

import argparse
import importlib
import os
import subprocess
import sys

from check import reporting
from harness.installation import engine
from harness.environment import ROOT

# In this order. Each is a module whose `main` gets the words after the name.
ALL = {
    "plans": "plans.imports", "interchange": "plans.interchange", "errors": "http.errors",
    "exactly-once": "sync.exactly_once", "edits": "sync.edits", "collections": "sync.collections",
    "all-projects": "sync.all_projects",
    "resume": "faults.resume", "crashes": "faults.crashes",
    "histories": "faults.histories", "convergence": "faults.convergence", "snippet": "apps.snippet",
    "watermelondb": "apps.watermelondb", "stream": "sync.stream", "first-pull": "sync.first_pull",
    "proxies": "http.proxies", "events": "http.events", "two-servers": "servers.two_servers",
    "rolling-upgrade": "servers.rolling_upgrade",
}
# These have a script of their own: scripts/check-api and scripts/check-client.
ALONE = {"api": "http.api", "client": "apps.client"}


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-blackbox", description="Checks the release binary.")
    parser.add_argument(
        "--database", choices=engine.NAMES, default="sqlite",
        help="the engine; with postgresql each server is two, which get the requests in turn")
    parser.add_argument("name", nargs="?", help=f"one check; all without: {', '.join(ALL)}")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="what the check takes")
    options = parser.parse_args()
    os.environ[engine.VARIABLE] = options.database
    if not options.name:
        sys.exit(run_all(options.database))
    if options.name not in ALL | ALONE:
        parser.error(f"there is no check {options.name}. There are: {', '.join(ALL)}")
    if engine.is_postgresql() and options.name in ALONE:
        return reporting.skip(options.name, "it needs `tidemark serve --demo`, which makes a file")
    module = importlib.import_module("check." + (ALL | ALONE)[options.name])
    reporting.run(options.name, module.main, options.words)


def run_all(database):
    """Each in a process of its own. The exit status."""
    failed = []
    for name in ALL:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-B", "-m", "check", "--database", database, name]
        if subprocess.run(command, cwd=ROOT).returncode != 0:
            failed.append(name)
    print(f"FAILED: {' '.join(failed)}" if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    main()
