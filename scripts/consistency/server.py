"""The servers under test, on a fresh database, with the networks and proxies between them and the devices."""

import atexit
import contextlib
import uuid

from harness import tidemark
from harness.environment import ENVIRONMENT
from harness.faults.disk import MemoryDisk
from harness.faults.namespaces import Namespace, Wire
from harness.faults.relay import Relay
from harness.faults.wall_clock import WallClock
from harness.installation import backup, engine
from harness.installation.balancer import Balancer, in_turn_to
from harness.postgresql.pair import Pair
from harness.processes import Daemon, free_port, output
from harness.requirements import Skipped, require_command, require_root
from harness.server import UNLIMITED
from harness.temporary import TEMP
from harness.waiting import wait_until

NAME = "consistency"
# After a promotion a server may start that was not there; no commit was lost.
SETTINGS = UNLIMITED | {"TIDEMARK_DATABASE_FAILOVER": "trust"}
# Large enough that the room made later is enough to move the log into the database.
DISK_MEGABYTES = 128
# The primary and its standby, as servers see them.
DATABASE_HOSTS = "10.78.0.1", "10.78.0.2"
# A start fails as long as there is no room, or no database.
START_SECONDS = 60


class Networks:
    """A network namespace for the devices, one for each server, and one for a PostgreSQL database, with wires from the
    servers to the others."""

    def __init__(self, servers, has_database):
        self.devices, self.servers = Namespace(), [Namespace() for _ in range(servers)]
        # All that is started from now on is in it, unless another one is entered.
        self.devices.enter()
        self.wires = [Wire(number, self.devices, place) for number, place in enumerate(self.servers, 1)]
        # Where each server is for the devices.
        self.hosts, self.database = [wire.addresses[1] for wire in self.wires], None
        if has_database:
            self._add_database()

    def _add_database(self):
        self.database = Namespace()
        with self.database:
            for host in DATABASE_HOSTS:
                output("ip", "addr", "add", host, "dev", "lo")
        for number, place in enumerate(self.servers, 11):
            wire = Wire(number, self.database, place)
            with place:
                output("ip", "route", "add", "10.78.0.0/24", "via", wire.addresses[0])
            self.wires.append(wire)


class Member(Daemon):
    """One server. It is started until it runs, as a service manager does."""

    def __init__(self, address, clock=None, place=None):
        """`place` is its network namespace; None: that of the devices."""
        port, self.clock, self._place = free_port(), clock, place or contextlib.nullcontext()
        environment = ENVIRONMENT | {name: str(value) for name, value in SETTINGS.items()}
        host = "0.0.0.0" if place else "127.0.0.1"
        command = [tidemark.BINARY, "serve", "--database", address, "--host", host, "--port", port]
        super().__init__("tidemark", command, port, environment | (clock.environment if clock else {}))

    def start(self):
        wait_until(self._starts, START_SECONDS, lambda: f"a server does not start: {self.log.read_text()[-1000:]}")
        return self

    def _starts(self):
        try:
            with self._place:
                super().start()
        except RuntimeError:
            return False
        return True


class Installation:
    """One server for all runs, or two over a PostgreSQL database with a standby, behind an nginx that gives them the
    requests in turn. Each device has a proxy of its own before that. Each run has users and projects of its own.

    `skipped` says which faults are not possible here, and why."""

    def __init__(self, kinds):
        """`kinds` are the faults that it is to be ready for."""
        self._kinds, self.skipped, self._relays, self._clocks = set(kinds), {}, {}, {}
        self._kinds -= {"disk"} if engine.is_postgresql() else {"promote"}
        self._ending = contextlib.ExitStack()
        atexit.register(self._ending.close)
        self._servers = 2 if engine.is_postgresql() else 1
        self.networks = self._if_possible("partition", lambda: Networks(self._servers, engine.is_postgresql()))
        self._has_clocks = self._if_possible("clock", lambda: require_command("gcc") or True)
        self.disk = self._if_possible("disk", self._small_disk)
        self.pair = self._start_pair() if engine.is_postgresql() else None
        self.database = (self.disk.folder if self.disk else TEMP) / f"{NAME}.db"
        self._backup = TEMP / f"{NAME}.backup"
        self.members = [self._member(number) for number in range(self._servers)]
        for each in self.members:
            self._ending.enter_context(each)
        self._front = self._make_front()
        self.port = self.relay_of(None).port

    @property
    def kinds(self):
        """The faults that it is ready for, in the order of their names."""
        return sorted(self._kinds - self.skipped.keys())

    def _if_possible(self, kind, prepare):
        """What a fault needs; None if it is not wanted or not possible."""
        try:
            return prepare() if kind in self._kinds else None
        except Skipped as reason:
            self.skipped[kind] = reason
            return None

    def _small_disk(self):
        require_root("a tmpfs")
        return self._ending.enter_context(MemoryDisk(DISK_MEGABYTES))

    def _start_pair(self):
        pair = Pair(DATABASE_HOSTS, self.networks.database) if self.networks else Pair()
        engine.use(self._ending.enter_context(pair))
        return pair

    def _member(self, number):
        clock = WallClock(f"clock-{number}") if self._has_clocks else None
        address = engine.address(self.database)
        if not self.networks:
            return Member(address, clock)
        return Member(self.pair.remote_url(NAME) if self.pair else address, clock, self.networks.servers[number])

    def _make_front(self):
        """Where requests go."""
        hosts = self.networks.hosts if self.networks else ["127.0.0.1"] * len(self.members)
        places = list(zip(hosts, [each.port for each in self.members]))
        if len(places) == 1:
            return places[0]
        addresses = [f"{host}:{port}" for host, port in places]
        balancer = Balancer("both", in_turn_to(addresses, "proxy_connect_timeout 2s;"))
        return "127.0.0.1", self._ending.enter_context(balancer).port

    def relay_of(self, device):
        """The proxy before a device. That of nobody, None, always behaves."""
        if device not in self._relays:
            self._relays[device] = Relay(*self._front)
        return self._relays[device]

    def clock_of(self, device):
        """The wall clock for the processes of a device; None if clocks do not jump."""
        if self._has_clocks and device not in self._clocks:
            self._clocks[device] = WallClock(f"clock-of-{device}")
        return self._clocks.get(device)

    def add_user(self):
        """A user with a token, which is returned."""
        return tidemark.add_user(f"user-{uuid.uuid4().hex[:12]}", self.database)

    def back_up(self):
        backup.back_up(self.database, self._backup)

    def restore(self):
        """The servers go back to the backup."""
        for each in self.members:
            each.stop()
        backup.restore(self.database, self._backup)
        for each in self.members:
            each.start()
