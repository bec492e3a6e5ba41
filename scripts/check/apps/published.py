"""Runs code that others published, unmodified, on Node against a server with a small plan."""

import json
import pathlib
import random
import shutil
import subprocess

from check.plans.mspdi import write_small_plan
from check.reporting import check, skip
from harness import tidemark
from harness.environment import ENVIRONMENT, ROOT
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "published.db"


def run_published(what, page, runner, seed):
    """Runs the code of a page with the Node script `runner`, which prints a line a check."""
    page = pathlib.Path(page).absolute()
    if not page.exists():
        return skip(what, f"there is no {page}")
    if not shutil.which("node"):
        return skip(what, "there is no node on the PATH")
    alice, bob = (tidemark.add_user(name, DATABASE) for name in ("alice", "bob"))
    plan = write_small_plan(TEMP / "small.xml")
    project = json.loads(tidemark.output("import", plan, "--owner", "alice", "--json", database=DATABASE))["project"]
    tidemark.output("member", "add", "--project", project, "--user", "bob", "--role", "member", database=DATABASE)
    server = Server(DATABASE, {"TIDEMARK_SYNC_PULL_PAGE_SIZE": 3}).start()
    script, seed = pathlib.Path(__file__).with_name(runner), seed or str(random.randrange(1_000_000))
    command = ["node", script, page, server.origin, project, alice, bob, seed]
    done = subprocess.run(command, env=ENVIRONMENT, timeout=120, text=True, capture_output=True)
    for line in done.stdout.splitlines():
        verdict, _, said = line.partition(" ")
        if verdict in ("PASS", "FAIL"):
            check(said, verdict == "PASS")
        else:
            print(line, flush=True)
    check(f"the runner of {what} ended well", done.returncode == 0, done.stderr)


def seeds(name):
    return ROOT.parent / "shared/seeds" / name
