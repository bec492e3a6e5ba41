"""Signals to PostgreSQL's processes, and their end, also of those whose parents are gone."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from harness.environment import ENVIRONMENT, ROOT
from harness.waiting import wait_until


def end_with(pid, mark, *command):
    """Leaves a process that runs a command when the process `pid` has ended. It ends when the file `mark` is gone."""
    script = 'while [ -e "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 1; done; [ -e "$1" ] || exit; shift 2; exec "$@"'
    subprocess.Popen(
        ["sh", "-c", script, "end_with", mark, str(pid), *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, cwd="/", env=ENVIRONMENT | {"PYTHONPATH": str(ROOT / "scripts")},
        start_new_session=True)


def freeze(data, title):
    """Stops the processes of a server whose titles hold a word, until the server is killed. Returns how many."""
    frozen = 0
    for pid in _with_children(working_on(data)):
        with contextlib.suppress(OSError):
            if title in pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                _signal(pid, signal.SIGSTOP)
                frozen += 1
    return frozen


def kill_all(data, *signs):
    """kill -9 for all that works on a data folder, and for the processes that have a sign, two words of their command.
    Returns when all of them are gone and the server can be started again."""
    killed = set()
    while roots := working_on(data, *signs):
        # A stopped process starts no others, so all its children are found.
        for pid in roots:
            _signal(pid, signal.SIGSTOP)
        found = _with_children(roots)
        for pid in found:
            _signal(pid, signal.SIGKILL)
        killed |= found
        time.sleep(0.002)
    wait_until(lambda: not any(map(_is_alive, killed)), 30, f"processes on {data} can't be killed", pause=0.002)
    _unlock(data)


def _signal(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def working_on(data, *signs):
    """The processes that have the words `-D DATA`, as the server's first one, `initdb` and `pg_basebackup`, or a
    sign."""
    pairs = {(os.fsencode(first), os.fsencode(second)) for first, second in (("-D", data), *signs)}
    found = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if not pairs.isdisjoint(zip(words, words[1:])):
                found.add(int(folder.name))
    return found


def _with_children(roots):
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int(_stat(folder)[1])
    found = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _is_alive(pid):
    """Whether a process is there. One that has ended and waits for its parent to notice is not."""
    try:
        return _stat(pathlib.Path(f"/proc/{pid}"))[0] not in "ZX"
    except OSError:
        return False


def _stat(folder):
    """State, parent and so on: what follows the name, which may hold anything."""
    return (folder / "stat").read_text().rsplit(")", 1)[1].split()


def _unlock(data):
    """Removes what a server that was killed leaves: the lock files of its folder and of its socket, and a small segment
    of System V. A start heeds the files as long as a process has the number in them, even one whose parent has not
    noticed its end."""
    lock = data / "postmaster.pid"
    with contextlib.suppress(FileNotFoundError):
        # Of a server that was killed while it started, the last lines are missing.
        _, _, _, port, socket_folder, _, segment, *_ = lock.read_text().splitlines() + [""] * 7
        if segment:
            subprocess.run(["ipcrm", "--shmem-id", segment.split()[1]], capture_output=True)
        if socket_folder:
            pathlib.Path(socket_folder, f".s.PGSQL.{port}.lock").unlink(missing_ok=True)
        lock.unlink()
