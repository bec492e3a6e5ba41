"""Slow, idle and hostile clients, while others are served."""

import json
import socket
import time

import hostile
import tidemark
from ledger import require_sound
from swarm import Swarm, held, require_descriptors
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
# How many requests of others are measured while connections are held, and the longest that one may take. Where
# somebody waits for a client that does not read, it is all of the ten seconds.
REQUESTS, LONGEST = 500, 2000
# Streams that have a place, by default.
PLACES = 2
# Clients that do not read are cut off after ten seconds, and five until it is looked at: all are there before, and none
# is long after.
ENTRY, CUT = 8, 20
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
        page = hostile.head("GET", f"{project.path}?since=0&page_size=5000", project)
        siege.hold("that drip heads and bodies", slow, [(head, b"x"), (body + b"{", b" ")])
        siege.hold("that are idle", idle, [(b"", b"")])
        siege.hold("that read a page by the byte", slow, [(page, b"")], {200: slow}, sip=1, window=4096)
        siege.hold_streams(slow // 10)
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

    def hold(self, name, count, habits, answers=None, **options):
        """Raises where not all are let in, and those that are answered 200 stalled in their answers; where others have
        to wait meanwhile; where the server does not get rid of them; where they got other answers."""
        name, answers, port = f"{count:,} {name}", answers or {}, self._server.port
        aim = count, answers.get(200, 0)
        with Swarm(port, count, habits, **options) as swarm:
            wait_until(
                lambda: held(port) == aim, ENTRY,
                lambda: f"{name}: {_words(held(port))} after {ENTRY} s, not {_words(aim)}")
            begun = time.monotonic()
            others, memory = self._traffic.next_figures(REQUESTS, 60), self._server.memory()
            if held(port) != aim:
                raise RuntimeError(f"{name}: {_words(held(port))} when others were served, not {_words(aim)}")
            if others.longest > LONGEST:
                raise RuntimeError(f"{name}: others waited: {others}")
            wait_until(lambda: held(port)[1] == 0, CUT, lambda: f"{name}: {_words(held(port))} after {CUT} s")
            wait_until(
                lambda: descriptors(self._server) <= self._level, PATIENCE,
                lambda: f"{name}: {descriptors(self._server) - self._level:,} are still there")
            took = time.monotonic() - begun
            got = {status: number for status, number in swarm.answers().items() if status}
        if got != answers:
            raise RuntimeError(f"{name}: answered {got}, not {answers}")
        self._note(f"{name}: gone after {took:.0f} s" + (f", answered {got}" if got else ""), others, memory)

    def hold_streams(self, count):
        """Raises as well where they are not cut off in the middle, or leave no place for others."""
        project = self._server.project
        query = f"{project.path}?since=0&stream=true"
        habits = [(hostile.head("GET", query, project, token=token), b"") for token in project.tokens]
        answers = {200: PLACES, 503: count - PLACES}
        self.hold("that read a stream by the byte", count, habits, answers, sip=1, window=4096)
        cut = self._server.log.read_text().count("stream cut off")
        if cut != PLACES:
            raise RuntimeError(f"{cut} streams were cut off, not {PLACES}")
        changes = json.loads(self._server.get("?since=0&stream=true")[0])["changes"]
        rows = sum(len(bucket) for buckets in changes.values() for bucket in buckets.values())
        if rows < ROWS:
            raise RuntimeError(f"a stream has {rows:,} rows, not {ROWS:,}")

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

    def _note(self, what, others=None, memory=None):
        since, now = self._traffic.figures(), self._server.memory()
        self._seen.append(f"{what} (others: {others or since}; {mebibytes(memory or now)})")


def _words(counts):
    return f"{counts[0]:,} are held and {counts[1]:,} of them stalled"
