"""Network namespaces, and wires between them that can be cut and slowed down. They end with this process.

A thread is in one namespace at a time, and so is what it starts and opens."""

import contextlib
import ctypes
import os
import threading

from harness.processes import output
from harness.requirements import Skipped, require_command

_NEW_NETWORK = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def _require(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Namespace:
    """A network namespace. Within `with` the calling thread is in it."""

    def __init__(self):
        """The thread stays where it is. Raises `Skipped` where namespaces are not allowed."""
        for command in ("ip", "tc"):
            require_command(command)
        former = _present()
        try:
            _require(_libc.unshare(_NEW_NETWORK))
        except OSError as failure:
            os.close(former)
            raise Skipped(f"network namespaces are not allowed: {failure}") from None
        self._file, self._former = _present(), threading.local()
        try:
            output("ip", "link", "set", "lo", "up")
        finally:
            _require(_libc.setns(former, _NEW_NETWORK))
            os.close(former)

    @property
    def path(self):
        return f"/proc/{os.getpid()}/fd/{self._file}"

    def enter(self):
        """The calling thread, and the threads that it starts, are in it from now on."""
        _require(_libc.setns(self._file, _NEW_NETWORK))

    def __enter__(self):
        self._former.file = _present()
        self.enter()
        return self

    def __exit__(self, *_):
        _require(_libc.setns(self._former.file, _NEW_NETWORK))
        os.close(self._former.file)


def _present():
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY)


@contextlib.contextmanager
def network_of(process):
    """Within `with` the calling thread is in the network namespace of a process, named by its id."""
    former, there = _present(), os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
    try:
        _require(_libc.setns(there, _NEW_NETWORK))
        yield
    finally:
        _require(_libc.setns(former, _NEW_NETWORK))
        os.close(former)
        os.close(there)


class Wire:
    """A wire between two namespaces. Its ends have the addresses 10.77.N.1 and 10.77.N.2."""

    # What is done to packets that leave an end: none gets through; or some 25 kB/s do.
    CUT = "pfifo", "limit", "0"
    SLOW = "tbf", "rate", "200kbit", "burst", "4000", "latency", "400ms"

    def __init__(self, number, first, second):
        self._ends = (first, f"a{number}"), (second, f"b{number}")
        self.addresses = f"10.77.{number}.1", f"10.77.{number}.2"
        with first:
            output(
                "ip", "link", "add", self._ends[0][1], "type", "veth", "peer", "name", self._ends[1][1], "netns",
                second.path)
        for (place, device), address in zip(self._ends, self.addresses):
            with place:
                output("ip", "addr", "add", f"{address}/24", "dev", device)
                output("ip", "link", "set", device, "up")

    def disturb(self, what, ends=(0, 1)):
        """Does `CUT` or `SLOW` to what leaves these ends."""
        for end in ends:
            self._tc(end, "replace", *what)

    def heal(self, ends=(0, 1)):
        for end in ends:
            self._tc(end, "del")

    def _tc(self, end, verb, *what):
        place, device = self._ends[end]
        with place:
            output("tc", "qdisc", verb, "dev", device, "root", *what)
