"""What goes wrong beside the devices: each fault begins in a moment of the history, and ends by itself a little later
or with `Faults.end`."""

import collections
import contextlib
import signal
import threading

from harness.faults.namespaces import Wire

# Each kind, with what it is and how often it is drawn beside others.
KINDS = {
    "kill": ("kill -9 of a server", 3),
    "freeze": ("a server stands still", 3),
    "rolling": ("one server after the other is stopped and started", 1),
    "partition": ("packets get lost between devices and a server, or a server and its database, maybe one way", 4),
    "slow": ("a wire or a proxy trickles", 3),
    "hold": ("a proxy holds requests or answers back", 3),
    "buffer": ("a proxy keeps answers until they are whole", 2),
    "clock": ("the clock of a server or of a device jumps by days", 2),
    "disk": ("the disk of SQLite is full", 2),
    "promote": ("the primary of PostgreSQL is killed, and its standby promoted", 1),
    "restore": ("a backup is made, and the servers go back to it", 0),
}
# How long a fault lasts at most, in seconds, and one in eight.
SHORT, LONG = 1.5, 7
# In bytes a second.
PACE = 20_000
# Clocks stay so close together that a batch that is sent again is known, which the server promises for 30 days.
LEAST_DAYS, MOST_DAYS, DAY = -10, 15, 86_400
# A proxy is healed at once; a request that it holds needs an answer.
ANSWER_SECONDS = 30


class Busy(Exception):
    """Something has a fault already."""


class Faults:
    """The faults of a run."""

    def __init__(self, installation, devices):
        self._installation, self._devices = installation, devices
        self._threads, self._over, self._locks = [], threading.Event(), collections.defaultdict(threading.Lock)
        # How many there were of each kind, and what went wrong that should not.
        self.counts, self.problems = collections.Counter(), []

    def begin(self, operation):
        thread = threading.Thread(target=self._run, args=[operation.kind, operation.picks])
        self._threads.append(thread)
        thread.start()

    def end(self):
        """Ends all faults. Returns when servers run, and nothing is on its way to them."""
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._threads, self._over = [], threading.Event()
        for device in range(self._devices):
            if not self._installation.relay_of(device).wait_for_writes(ANSWER_SECONDS):
                self.problems.append(f"an upload of device {device} had no answer in {ANSWER_SECONDS} s")
        for member in self._installation.members:
            if member.process.poll() is not None:
                self.problems.append(f"a server ended by itself: {member.log.read_text()[-500:]}")
                member.start()

    def _run(self, kind, picks):
        try:
            getattr(self, f"_{kind}")(*picks)
            self.counts[kind] += 1
        except Busy:
            pass
        except Exception as failure:
            self.problems.append(f"{kind}: {failure!r}")

    @contextlib.contextmanager
    def _only(self, key):
        """One fault at a time for each thing."""
        if not self._locks[key].acquire(blocking=False):
            raise Busy
        try:
            yield
        finally:
            self._locks[key].release()

    def _last(self, pick):
        """Waits until the fault is over."""
        self._over.wait((LONG if pick % 8 == 0 else SHORT) * (pick // 8 % 1000) / 1000)

    def _kill(self, which, *_):
        number, member = self._member(which)
        with self._only(number):
            member.kill()
            member.start()

    def _freeze(self, which, duration, _):
        number, member = self._member(which)
        with self._only(number):
            member.process.send_signal(signal.SIGSTOP)
            self._last(duration)
            member.process.send_signal(signal.SIGCONT)

    def _rolling(self, *_):
        for number, member in enumerate(self._installation.members):
            with self._only(number):
                member.stop()
                member.start()

    def _promote(self, *_):
        with self._only("promote"):
            self._installation.pair.promote()
            self._installation.pair.make_standby()

    def _partition(self, which, duration, way):
        self._disturb_wire(which, duration, Wire.CUT, way)

    def _slow(self, which, duration, way):
        if self._installation.networks and way % 2:
            return self._disturb_wire(which, duration, Wire.SLOW, way // 2)
        self._disturb_relay(which, duration, "pace", PACE)

    def _disturb_wire(self, which, duration, what, way):
        wires, ends = self._installation.networks.wires, ((0,), (1,), (0, 1))[way % 3]
        wire = wires[which % len(wires)]
        with self._only(wire):
            wire.disturb(what, ends)
            self._last(duration)
            wire.heal(ends)

    def _hold(self, which, duration, way):
        self._disturb_relay(which, duration, ("holds_requests", "holds_answers")[way % 2], True)

    def _buffer(self, which, duration, _):
        self._disturb_relay(which, duration, "buffers", True)

    def _disturb_relay(self, which, duration, name, value):
        relay = self._installation.relay_of(which % self._devices)
        with self._only(relay):
            setattr(relay, name, value)
            self._last(duration)
            relay.heal()

    def _clock(self, which, duration, days):
        clocks = [member.clock for member in self._installation.members]
        clocks += [self._installation.clock_of(device) for device in range(self._devices)]
        clock = clocks[which % len(clocks)]
        with self._only(clock):
            clock.shift((LEAST_DAYS + days % (MOST_DAYS - LEAST_DAYS + 1)) * DAY)
            self._last(duration)
            clock.shift(0)

    def _disk(self, _, duration, __):
        disk = self._installation.disk
        with self._only("disk"):
            disk.fill()
            self._last(duration)
            disk.free()

    def _member(self, which):
        members = self._installation.members
        number = which % len(members)
        return number, members[number]
