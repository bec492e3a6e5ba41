"""The wall clock of processes, as a check sets it."""

import mmap
import pathlib
import struct

from harness.compiling import preloaded
from harness.sample import SampleServer
from harness.temporary import TEMP


class WallClock:
    """The wall clock of the processes that are started with its `environment`."""

    def __init__(self, name="clock"):
        self._library, self._file = preloaded(pathlib.Path(__file__).with_name("shifted-clock.c")), TEMP / name
        self._file.write_bytes(bytes(8))
        with open(self._file, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 8)

    def shift(self, seconds):
        self._memory[:] = struct.pack("q", seconds)

    @property
    def environment(self):
        """The variables that a process needs."""
        return {"SHIFTED_CLOCK": str(self._file), "LD_PRELOAD": str(self._library)}

    def server(self, project, settings):
        return SampleServer(project, settings | {"SHIFTED_CLOCK": self._file}, preload=self._library)
