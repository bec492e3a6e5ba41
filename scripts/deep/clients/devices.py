"""Devices that write tasks and sync: replicas of `tidemark sync`, and phones with the adapter for WatermelonDB.

A sync may give up on a server that has been busy for long; how often is counted. Nothing else may go wrong.
"""

import contextlib
import json
import pathlib
import shutil
import sqlite3
import subprocess
import threading
import time

from harness import tidemark
from harness.environment import ENVIRONMENT
from harness.requirements import Skipped
from harness.temporary import TEMP

SCRIPT = pathlib.Path(__file__).with_name("app_phone.mjs")
# What a sync ends with if the database could not answer for long: `tidemark sync`, and the adapter's error code.
GAVE_UP = (
    "Error: Gave up: The database can't answer now. Try again.",
    "Error: Gave up: The database was asked to commit this and did not answer. It may have been applied, or may be "
    "later. Look, or send it again if it has a key of its own.",
)
BUSY = ("busy", "outcome_unknown")


class ReplicaDevice(threading.Thread):
    """Runs `tidemark task add` and `tidemark sync` in turn."""

    def __init__(self, name, server, project, token):
        super().__init__(daemon=True)
        self.name, self.made, self.faults, self.given_up = name, [], [], 0
        self.syncs, self._ends, self._replica = 0, threading.Event(), TEMP / f"{name}.replica"
        self._target = [server.origin, "--project", project, "--token", token, "--replica", self._replica]

    def run(self):
        try:
            while not self._ends.is_set():
                self._add()
                self._sync()
                self._ends.wait(0.1)
        except Exception as failure:
            self.faults.append(repr(failure))

    def end(self):
        """Syncs once more. Returns the ids of the tasks that the device has."""
        self._ends.set()
        self.join(120)
        tidemark.output("sync", *self._target)
        with contextlib.closing(sqlite3.connect(f"file:{self._replica}?mode=ro", uri=True)) as db:
            return {id for id, in db.execute("SELECT id FROM tasks")}

    def _add(self):
        # The first sync makes the replica's tables.
        if not self.syncs:
            return
        task = f"{self.name}-{len(self.made)}"
        tidemark.output("task", "add", "--id", task, "--name", task, "--replica", self._replica)
        self.made.append(task)

    def _sync(self):
        done = tidemark.run("sync", *self._target)
        if done.returncode == 0:
            self.syncs += 1
            return
        if not done.stderr.strip().endswith(GAVE_UP):
            raise RuntimeError(f"sync ended with {done.returncode}: {done.stderr[-500:]}")
        self.given_up += 1


class WatchingDevice(ReplicaDevice):
    """Runs `tidemark sync --watch`, and `tidemark task add` beside it."""

    def run(self):
        command = [str(word) for word in (tidemark.BINARY, "sync", *self._target, "--watch")]
        with open(TEMP / f"{self.name}.log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=ENVIRONMENT)
            try:
                self._work(process)
            except Exception as failure:
                self.faults.append(repr(failure))
            finally:
                process.terminate()
                process.wait(30)

    def _work(self, process):
        while not self._replica.exists() and process.poll() is None:
            time.sleep(0.1)
        time.sleep(1)
        self.syncs = 1
        while not self._ends.wait(0.3):
            if process.poll() is not None:
                raise RuntimeError(f"ended with {process.returncode}: {self.said()}")
            self._add()

    def said(self):
        return (TEMP / f"{self.name}.log").read_text()[-500:]


class AppPhone:
    """The adapter on Node, against one server."""

    def __init__(self, name, server, project, token):
        if not shutil.which("node"):
            raise Skipped("there is no node")
        self.name, self.made, self.faults, self.given_up, self.syncs = name, [], [], 0, 0
        self._command = ["node", SCRIPT, server.origin, project, token, name]

    def start(self):
        self._process = subprocess.Popen(
            self._command, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def end(self):
        """Syncs once more. Returns the ids of the tasks that the device has."""
        said, complaint = self._process.communicate("end\n", timeout=120)
        if self._process.returncode != 0:
            raise RuntimeError(f"{self.name} ended with {self._process.returncode}: {complaint[-1000:]}")
        seen = json.loads(said)
        self.made, self.faults, self.syncs = seen["made"], seen["faults"], seen["syncs"]
        self.given_up = sum(seen["temporary"].pop(code, 0) for code in BUSY)
        self.faults += seen["temporary"]
        return set(seen["tasks"])


def add_devices(servers, project, token):
    """One of each kind on each server. They have started."""
    kinds = {"replica": ReplicaDevice, "watching": WatchingDevice, "phone": AppPhone}
    devices = [
        kind(f"{name}{number}", server, project, token)
        for name, kind in kinds.items() for number, server in enumerate(servers, 1)]
    for device in devices:
        device.start()
    return devices


def end_devices(devices):
    """Ends all, and returns the tasks that each has, by name. Raises if one of them saw a fault."""
    held = {device.name: device.end() for device in devices}
    if faults := [f"{device.name}: {fault}" for device in devices for fault in device.faults]:
        raise RuntimeError(f"{len(faults)} faults of devices, first: {faults[0]}")
    return held
