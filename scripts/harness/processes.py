"""Commands that must succeed, and processes that listen on a port."""

import atexit
import contextlib
import pathlib
import random
import signal
import socket
import subprocess
import time

from harness.environment import ENVIRONMENT
from harness.temporary import TEMP  # Imported before `_stop_all` is registered, so removed after it has run.

_running = []


def output(*command, **options):
    """The stdout of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def free_port():
    """A port below those that the kernel takes for outgoing connections. An outgoing connection could take the port of
    a server that is being restarted."""
    while True:
        port = random.randrange(10_000, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Daemon:
    """A process that listens on a port of 127.0.0.1. It can be started again, and ends with the run at the latest."""

    def __init__(self, name, command, port, environment=None, cwd=TEMP, patience=60):
        """`patience` is how many seconds a start may take."""
        self.port, self.log = port, TEMP / f"{name}-{port}.log"
        self.process = None
        # From the start of the process to the first connection.
        self.start_seconds = None
        self.command, self._cwd, self._patience = [str(word) for word in command], cwd, patience
        self._environment = environment or ENVIRONMENT

    def start(self):
        """Returns itself when it takes connections."""
        started = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, env=self._environment, cwd=self._cwd)
        _running.append(self)
        self._wait(started + self._patience)
        self.start_seconds = time.monotonic() - started
        return self

    def _wait(self, deadline):
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise RuntimeError(f"no server: {self.log.read_text()[-2000:]}") from None
                time.sleep(0.001)

    def stop(self):
        """SIGTERM, and SIGKILL after ten seconds."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self in _running:
            _running.remove(self)

    def kill(self):
        """kill -9."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self in _running:
            _running.remove(self)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


@contextlib.contextmanager
def stopped(processes):
    """Within `with` no thread of theirs runs, not even in a call that the kernel still ends for it."""
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    try:
        while any(_is_running(process) for process in processes):
            time.sleep(0.001)
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGCONT)


def _is_running(process):
    try:
        states = [_state(task) for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir()]
    except FileNotFoundError:
        return pathlib.Path(f"/proc/{process.pid}").exists()  # One of its threads has ended, or all of it.
    return any(state not in "TtZX" for state in states)


def _state(task):
    return (task / "stat").read_text().rsplit(")", 1)[1].split()[0]


@atexit.register
def _stop_all():
    for daemon in reversed(_running.copy()):
        daemon.stop()
