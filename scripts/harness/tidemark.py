"""The command `tidemark`."""

import contextlib
import json
import os
import pathlib
import subprocess

from harness.installation import engine
from harness.environment import ENVIRONMENT, ROOT
from harness.temporary import TEMP

BINARY = pathlib.Path(os.environ.get("TIDEMARK") or ROOT / ".build/release/tidemark").absolute()


@contextlib.contextmanager
def version(binary):
    """Another binary for all that is started within."""
    global BINARY
    former, BINARY = BINARY, pathlib.Path(binary).absolute()
    try:
        yield
    finally:
        BINARY = former


def run(*arguments, database=None, timeout=120, **options):
    """The finished process, with `returncode`, `stdout` and `stderr`."""
    command = [BINARY, *arguments, *(["--database", engine.address(database)] if database else [])]
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT, cwd=TEMP,
        **options)


def output(*arguments, database=None, timeout=120, **options):
    """The stdout of a command that must succeed."""
    done = run(*arguments, database=database, timeout=timeout, **options)
    if done.returncode != 0:
        raise RuntimeError(f"tidemark {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout.strip()


def start(*arguments, stderr=subprocess.DEVNULL, environment=None):
    """A process that is not waited for, and whose output nobody reads. `environment` has more variables."""
    command = [str(word) for word in (BINARY, *arguments)]
    return subprocess.Popen(
        command, env=ENVIRONMENT | (environment or {}), stdout=subprocess.DEVNULL, stderr=stderr, text=True)


def add_user(name, database, *options):
    """A user with a token, which is returned."""
    output("user", "add", name, database=database)
    return output("token", "create", "--user", name, *options, database=database)


def findings(database, *options):
    """What `tidemark check` finds; nothing if all is sound."""
    done = run("check", "--json", *options, database=database, timeout=None)
    if "can't check a PostgreSQL database yet" in done.stderr:
        print(f"SKIPPED tidemark check: {done.stderr.strip()}", flush=True)
        return []
    if done.returncode not in (0, 1):
        raise RuntimeError(f"check ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)["findings"] if done.stdout else [done.stderr]


def require_sound(database):
    if found := findings(database):
        raise RuntimeError(f"check: {len(found)} findings, first: {found[0]}")
