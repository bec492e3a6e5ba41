"""A quick run of the benchmarks: the programs beside the server must know its tables and its answers.

What is measured does not count. A measurement that ends with an error fails."""

import os
import re
import subprocess

from benchmarks.__main__ import ALL
from harness import tidemark
from harness.environment import ROOT
from harness.requirements import require_command

# Those that have programs of their own beside the server.
QUICK = ["cold-page", "uploads"]


def check(part, chance):
    for command in ("gcc", "swift"):
        require_command(command)
    names = QUICK if part > 1 else [name.replace("_", "-") for name in ALL]
    # The script installs what the measurements need, and builds what they compare with.
    done = subprocess.run(
        [ROOT / "scripts/bench", "--quick", "--rounds", "1", *names], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"TIDEMARK": str(tidemark.BINARY)})
    if failed := re.findall(r"^FAILED: (.*)", done.stdout, re.MULTILINE):
        raise RuntimeError(f"{', '.join(failed)}: {done.stderr[-2000:]}")
    if done.returncode != 0:
        raise RuntimeError(f"scripts/bench ended with {done.returncode}: {done.stderr[-2000:]}")
    return f"{len(names)} measurements ran"
