"""What a run leaves nothing behind of: a temporary folder, and processes."""

import atexit
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
# What outlives a run, and is not in git: raw figures, Kinto's packages.
KEPT = ROOT / ".build/bench"
TEMP = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-bench-"))
# A TIDEMARK_ variable of the caller must not change what is measured; serve refuses those that it does not know.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("TIDEMARK")}
_running = []


def say(text):
    print(text, file=sys.stderr, flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def output(*command, **options):
    """The stdout of a command that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


class Daemon:
    """A server that ends with the run at the latest."""

    def __init__(self, name, command, port, environment=None, cwd=TEMP, patience=60):
        self.port, self.log = port, TEMP / f"{name}-{port}.log"
        started = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdout=log, stderr=log, env=environment or ENVIRONMENT, cwd=cwd
            )
        _running.append(self)
        self._wait(started + patience)
        # From the start of the process to the first connection.
        self.start_seconds = time.monotonic() - started

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
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self in _running:
            _running.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def memory(self, field="VmRSS"):
        """Bytes; `VmHWM` is the peak."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"no {field}")


@atexit.register
def _clean_up():
    for daemon in list(reversed(_running)):
        daemon.stop()
    shutil.rmtree(TEMP, ignore_errors=True)


def end_on_signals():
    def terminated(*_):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(1)  # so that `atexit` cleans up

    signal.signal(signal.SIGTERM, terminated)
