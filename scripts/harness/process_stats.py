"""What a server takes of its machine: memory, descriptors, processor time, the length of its write-ahead log."""

import os
import pathlib
import statistics
import threading


def memory(daemon, field="VmRSS"):
    """Bytes; `VmHWM` is the peak."""
    for line in pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field}")


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def processor_seconds(daemon):
    fields = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def log_bytes(server):
    """The length of the write-ahead log."""
    try:
        return os.stat(f"{server.database}-wal").st_size
    except FileNotFoundError:
        return 0


def mebibytes(count):
    return f"{count / (1 << 20):.0f} MB"


class ProcessStats(threading.Thread):
    """Samples a server once a second, as long as it is entered."""

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
            self.samples.append((memory(self._server), descriptors(self._server), log_bytes(self._server)))

    def medians(self):
        """Memory and descriptors, each of the second quarter and of the last one."""
        quarter = len(self.samples) // 4
        parts = self.samples[quarter:2 * quarter], self.samples[-quarter:]
        return [[statistics.median(sample[column] for sample in part) for part in parts] for column in (0, 1)]

    def longest_log(self):
        return max(sample[2] for sample in self.samples)
