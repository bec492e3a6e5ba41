"""What a server takes of its machine: memory, descriptors, processor, the length of its log."""

import os
import pathlib
import re
import statistics
import threading
import time


class Vitals(threading.Thread):
    """Looks at a server once a second, as long as it is entered."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self._server, self._ends = server, threading.Event()
        self.samples = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self.join()

    def run(self):
        while not self._ends.wait(1):
            self.samples.append((self._server.memory(), descriptors(self._server), log_bytes(self._server)))

    def medians(self):
        """Memory and descriptors: of the second quarter and of the last one."""
        quarter = len(self.samples) // 4
        parts = self.samples[quarter:2 * quarter], self.samples[-quarter:]
        return [[statistics.median(sample[column] for sample in part) for part in parts] for column in (0, 1)]

    def longest_log(self):
        return max(sample[2] for sample in self.samples)


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def log_bytes(server):
    """The length of the write-ahead log."""
    try:
        return os.stat(f"{server.project.database}-wal").st_size
    except FileNotFoundError:
        return 0


def processor_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def require_calm_log(server):
    """Raises where the server logged an error. Returns how many warnings there are."""
    lines = [line.split(" ", 2) for line in server.log.read_text().splitlines() if re.match(r"\d{4}-", line)]
    if errors := [" ".join(line) for line in lines if line[1] in ("error", "critical")]:
        raise RuntimeError(f"{len(errors)} errors in the log, first: {errors[0]}")
    return sum(line[1] == "warning" for line in lines)


def wait_until(condition, seconds, complaint):
    """Returns how long it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise RuntimeError(complaint() if callable(complaint) else complaint)
        time.sleep(0.05)
    return time.monotonic() - begun


def mebibytes(count):
    return f"{count / (1 << 20):.0f} MB"
