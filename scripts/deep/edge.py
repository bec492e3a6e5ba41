"""Slow, idle and hostile clients, while others are served."""

import socket
import time

import hostile
import tidemark
from ledger import require_sound
from swarm import Swarm, require_descriptors
from traffic import Traffic
from vitals import descriptors, mebibytes, require_calm_log, wait_until

SLOW, IDLE, PIPELINED, ROWS = 1000, 10_000, 10_000, 20_000
MEMORY = 300 << 20
# So short that all is over within two minutes; the defaults are 75, 30 and 600.
DEADLINES = {"TIDEMARK_HTTP_IDLE_SECONDS": 20, "TIDEMARK_HTTP_STALL_SECONDS": 10, "TIDEMARK_HTTP_TRANSFER_SECONDS": 30,
             "TIDEMARK_SYNC_STREAM_STALL_SECONDS": 10, "TIDEMARK_SYNC_STREAM_WAIT_SECONDS": 30}
# A cache as it may be is no part of what attacks cost: half of the default.
CACHE = tidemark.page_cache(64)
# Deadlines are looked at each five seconds.
PATIENCE = 75
# The store's four readers open their files when they are first needed.
READERS = 12


def check(part, chance):
    slow, idle = SLOW // part, IDLE // part
    require_descriptors(idle + 1000)
    project = tidemark.Project(ROWS, 4)
    settings = DEADLINES | CACHE | {"TIDEMARK_HTTP_CONNECTIONS": idle + 2 * slow}
    with tidemark.Server(project, settings) as server, Traffic(server) as traffic:
        siege = Siege(server, traffic)
        siege.calm()
        head = b"GET / HTTP/1.1\r\nHost: a\r\nX: "
        body = hostile.head("POST", project.path, project, ["Content-Length: 1000000"])
        page, stream = (hostile.head("GET", f"{project.path}?since=0&{query}", project)
                        for query in ("page_size=5000", "stream=true"))
        siege.hold("that drip heads and bodies", slow, [(head, b"x"), (body + b"{", b" ")])
        siege.hold("that are idle", idle, [(b"", b"")])
        siege.hold("that read a page by the byte", slow, [(page, b"")], sip=1, window=4096)
        siege.hold("that read a stream by the byte", slow // 10, [(stream, b"")], sip=1, window=4096)
        siege.attack(list(hostile.attacks(project)))
        siege.pipeline(PIPELINED // part)
        warnings = require_calm_log(server)
        peak = server.memory("VmHWM")
        if peak > MEMORY:
            raise RuntimeError(f"{mebibytes(peak)} of memory: {siege}")
    require_sound(project.database)
    return f"{siege}; at most {mebibytes(peak)} of memory, no error and {warnings} warnings in the log"


class Siege:
    """Attacks on one server, one after the other; what was seen of each."""

    def __init__(self, server, traffic):
        self._server, self._traffic, self._seen = server, traffic, []
        self._level = 0

    def __str__(self):
        return "; ".join(self._seen)

    def calm(self):
        time.sleep(5)
        self._level = descriptors(self._server) + READERS
        self._note("before")

    def hold(self, name, count, habits, **options):
        """Raises where the server does not get rid of them."""
        name = f"{count:,} {name}"
        with Swarm(self._server.port, count, habits, **options) as swarm:
            wait_until(lambda: descriptors(self._server) >= count, 60, f"{name}: not all were let in")
            took = wait_until(
                lambda: descriptors(self._server) <= self._level, PATIENCE,
                lambda: f"{name}: {descriptors(self._server) - self._level:,} are still there")
            answers = {status: number for status, number in swarm.answers().items() if status}
        self._note(f"{name}: gone after {took:.0f} s" + (f", answered {answers}" if answers else ""))

    def attack(self, attacks):
        for name, right, data in attacks:
            status = hostile.answer(self._server.port, data)
            if status not in right:
                raise RuntimeError(f"{name} was answered {status}")
        self._settle(f"{len(attacks)} hostile requests")
        self._note(f"{len(attacks)} hostile requests: refused")

    def pipeline(self, count):
        """Many requests at once on one connection, read when all are sent."""
        request = b"GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self._server.port), timeout=60) as connection:
            connection.sendall(request * count + request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            heard = b"".join(iter(lambda: connection.recv(65_536), b""))
        answered = heard.count(b"HTTP/1.1 200 ")
        if answered != count + 1:
            raise RuntimeError(f"{answered:,} of {count + 1:,} pipelined requests were answered")
        self._settle("pipelined requests")
        self._note(f"{count:,} pipelined requests: answered")

    def _settle(self, name):
        wait_until(lambda: descriptors(self._server) <= self._level, PATIENCE, f"{name} left descriptors behind")

    def _note(self, what):
        self._seen.append(f"{what} (others: {self._traffic.figures()}; {mebibytes(self._server.memory())})")
