"""The length of the write-ahead log under uploads, short reads that overlap, and streams that nobody reads."""

import json
import random
import socket
import time

import hostile
import tidemark
from chore import Chore, end_all
from ledger import Ledger, Writer, drain, require_equal, require_sound
from vitals import log_bytes, mebibytes, require_calm_log, wait_until

SECONDS, WRITERS, READERS, ROWS = 30, 3, 4, 20_000
STALL = 8
# What docs/operations.md says: moved from 16 MiB on, no stream begins from 256 MiB on. Commits come on top; where a
# reader is in the way of a checkpoint, the next one has to do it.
MOVED, REFUSED, COMMIT = 16 << 20, 256 << 20, 8 << 20


def check(part, chance):
    project, ledger = tidemark.Project(ROWS, WRITERS), Ledger()
    settings = {"TIDEMARK_SYNC_STREAM_STALL_SECONDS": STALL} | tidemark.page_cache(0)
    with tidemark.Server(project, settings) as server:
        writers = [
            Writer(ledger, project, random.Random(chance.random()), lambda: server.port, token, largest=100)
            for token in project.tokens
        ]
        readers = [Chore(Reader(server).work, 0) for _ in range(READERS)]
        for client in [*writers, *readers]:
            client.start()
        short = highest(server, SECONDS // part)
        if short > MOVED + COMMIT:
            raise RuntimeError(f"{mebibytes(short)} of log, though no stream is under way")
        stalled, after = _one_stream(server)
        several, rate = _one_stream_behind_another(server, SECONDS // part)
        if several > REFUSED + rate * 3 * STALL:
            raise RuntimeError(f"{mebibytes(several)} of log: streams put its end off for ever")
        require_moved(server, 3 * STALL)
        for writer in writers:
            writer.end()
        end_all(readers)
        require_equal(ledger.snapshot(), drain(server))
        require_calm_log(server)
    ledger.require_no_fault()
    require_sound(project.database)
    return (
        f"{ledger.batches:,} batches, {sum(reader.count for reader in readers):,} reads. At most {mebibytes(short)} "
        f"of log under short reads, {mebibytes(stalled)} under a stream that is not read for {STALL} s, "
        f"{mebibytes(after)} behind it, {mebibytes(several)} under one such stream behind another; it grew by up to "
        f"{mebibytes(rate)} a second")


def highest(server, seconds, meanwhile=lambda: None):
    begun, most = time.monotonic(), 0
    while time.monotonic() - begun < seconds:
        meanwhile()
        most = max(most, log_bytes(server))
        time.sleep(0.02)
    return most


def _one_stream(server):
    """The longest log while it lasts, and the log when it has been cut off."""
    with stalled_stream(server):
        most = highest(server, STALL + 2)
        wait_until(lambda: has_cut(server), 2 * STALL, "a stream that nobody reads is not cut off")
    require_moved(server, STALL)
    return most, log_bytes(server)


def _one_stream_behind_another(server, seconds):
    """Two users' streams, each begun when the one before is half over. The longest log, and how fast it grew."""
    streams, next_one, grown = [], [0.0], []

    def overlap():
        grown.append((time.monotonic(), log_bytes(server)))
        if time.monotonic() >= next_one[0]:
            streams.append(stalled_stream(server, server.project.tokens[len(streams) % 2]))
            next_one[0] = time.monotonic() + STALL / 2

    most = highest(server, max(seconds, 3 * STALL), overlap)
    for stream in streams:
        stream.close()
    steps = [(after[1] - before[1]) / (after[0] - before[0]) for before, after in zip(grown, grown[25:])]
    return most, max(steps)


def require_moved(server, seconds):
    wait_until(
        lambda: log_bytes(server) < MOVED + COMMIT, seconds, lambda: f"{mebibytes(log_bytes(server))} of log stay")


def stalled_stream(server, token=None):
    stream = socket.socket()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stream.connect(("127.0.0.1", server.port))
    path = server.project.path + "?since=0&stream=true"
    stream.sendall(hostile.head("GET", path, server.project, token=token))
    return stream


def has_cut(server):
    return "stream cut off" in server.log.read_text()


class Reader:
    """Cold pages, one behind the other."""

    def __init__(self, server):
        self._client, self._cursor = server.connect(), ""

    def work(self):
        page = json.loads(self._client.request("GET", f"?since=0&page_size=1000{self._cursor}")[0])
        self._cursor = f"&cursor={page['next_cursor']}" if page["has_more"] else ""
