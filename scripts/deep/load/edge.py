"""Slow, idle and hostile clients, while others are served."""

import socket
import time

from deep.clients.raw_request import head, streams_cut_off
from deep.load import hostile
from deep.load.slow_clients import SlowClients, held
from deep.load.traffic import Traffic
from harness.process_stats import descriptors, mebibytes, memory
from harness.requirements import require_descriptors
from harness.sample import SampleProject, SampleServer, page_cache
from harness.tidemark import require_sound
from harness.waiting import wait_until

SLOW, IDLE, PIPELINED, ROWS = 1000, 10_000, 10_000, 20_000
MEMORY = 300 << 20
# Short, to be done within two minutes; the defaults are 75, 30 and 600.
DEADLINES = {"TIDEMARK_HTTP_IDLE_SECONDS": 20, "TIDEMARK_HTTP_STALL_SECONDS": 10, "TIDEMARK_HTTP_TRANSFER_SECONDS": 30,
             "TIDEMARK_SYNC_STREAM_STALL_SECONDS": 10, "TIDEMARK_SYNC_STREAM_WAIT_SECONDS": 30}
# The cache may be this large, which is half of the default: that is no part of what attacks cost.
CACHE = page_cache(64)
# The server looks at deadlines every five seconds.
PATIENCE = 75
# How many requests of others are measured while connections are held, and how many milliseconds the longest may take.
# Somebody who waits for a client that does not read waits for all of the ten seconds.
REQUESTS, LONGEST = 500, 2000
# Streams that have a place, by default.
PLACES = 2
# Clients that do not read are cut off after ten to fifteen seconds. All are connected before that, and none is long
# after it.
ENTRY, CUT = 8, 20
# The store's four readers open their files when they are first needed.
READERS = 12


def check(part, chance):
    slow, idle = SLOW // part, IDLE // part
    require_descriptors(idle + 1000)
    project = SampleProject(ROWS, 4)
    settings = DEADLINES | CACHE | {"TIDEMARK_HTTP_CONNECTIONS": idle + 2 * slow}
    with SampleServer(project, settings) as server, Traffic(server) as traffic:
        siege = Siege(server, traffic)
        siege.calm()
        endless = b"GET / HTTP/1.1\r\nHost: a\r\nX: "
        body = head("POST", project.path, project, ["Content-Length: 1000000"])
        page = head("GET", f"{project.path}?since=0&page_size=5000", project)
        siege.hold("that drip heads and bodies", slow, [(endless, b"x"), (body + b"{", b" ")])
        siege.hold("that are idle", idle, [(b"", b"")])
        siege.hold("that read a page by the byte", slow, [(page, b"")], {200: slow}, sip=1, window=4096)
        siege.hold_streams(slow // 10)
        siege.attack(list(hostile.attacks(project)))
        siege.pipeline(PIPELINED // part)
        warnings = server.require_calm_log()
        peak = memory(server, "VmHWM")
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
        """Raises unless all are let in, those that are answered 200 stall in their answers, others are served
        meanwhile, the server gets rid of them all, and they got these answers."""
        name, answers, port = f"{count:,} {name}", answers or {}, self._server.port
        aim = count, answers.get(200, 0)
        with SlowClients(port, count, habits, **options) as clients:
            wait_until(
                lambda: held(port) == aim, ENTRY,
                lambda: f"{name}: {_words(held(port))} after {ENTRY} s, not {_words(aim)}")
            begun = time.monotonic()
            others, used = self._traffic.next_latencies(REQUESTS, 60), memory(self._server)
            if held(port) != aim:
                raise RuntimeError(f"{name}: {_words(held(port))} when others were served, not {_words(aim)}")
            if others.longest > LONGEST:
                raise RuntimeError(f"{name}: others waited: {others}")
            wait_until(lambda: held(port)[1] == 0, CUT, lambda: f"{name}: {_words(held(port))} after {CUT} s")
            wait_until(
                lambda: descriptors(self._server) <= self._level, PATIENCE,
                lambda: f"{name}: {descriptors(self._server) - self._level:,} are still there")
            took = time.monotonic() - begun
            got = {status: number for status, number in clients.answers().items() if status}
        if got != answers:
            raise RuntimeError(f"{name}: answered {got}, not {answers}")
        self._note(f"{name}: gone after {took:.0f} s" + (f", answered {got}" if got else ""), others, used)

    def hold_streams(self, count):
        """Raises as well unless they are cut off in the middle and leave a place for others."""
        project = self._server.project
        query = f"{project.path}?since=0&stream=true"
        habits = [(head("GET", query, project, token=token), b"") for token in project.tokens]
        answers = {200: PLACES, 503: count - PLACES}
        self.hold("that read a stream by the byte", count, habits, answers, sip=1, window=4096)
        cut = streams_cut_off(self._server)
        if cut != PLACES:
            raise RuntimeError(f"{cut} streams were cut off, not {PLACES}")
        changes = self._server.fetch("?since=0&stream=true").json["changes"]
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
        wait_until(lambda: descriptors(self._server) <= self._level, PATIENCE, f"{name} left descriptors open")

    def _note(self, what, others=None, used=None):
        since, now = self._traffic.latencies(), memory(self._server)
        self._seen.append(f"{what} (others: {others or since}; {mebibytes(used or now)})")


def _words(counts):
    return f"{counts[0]:,} are held and {counts[1]:,} of them stalled"
