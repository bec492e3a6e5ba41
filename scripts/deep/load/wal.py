"""The length of the write-ahead log under uploads, short reads that overlap, and streams that nobody reads."""

import itertools
import random
import time

from deep.clients.background_task import BackgroundTask, end_all
from deep.clients.ledger import Ledger, live_tasks, require_equal
from deep.clients.raw_request import stalled_stream, streams_cut_off
from deep.clients.writer import Writer
from harness.drain import pages
from harness.process_stats import log_bytes, mebibytes
from harness.sample import SampleProject, SampleServer, page_cache
from harness.tidemark import require_sound
from harness.waiting import wait_until

SECONDS, WRITERS, READERS, ROWS = 30, 3, 4, 20_000
STALL = 8
# As docs/operations/durability.md says, the log is moved from 16 MiB on, no stream begins from 256 MiB on, and a stream
# is cut off that has let it grow by 128 MiB. Commits come on top. If a reader is in the way of a checkpoint, the next
# one has to do it.
MOVED, REFUSED, GROWN, COMMIT = 16 << 20, 256 << 20, 128 << 20, 8 << 20


def check(part, chance):
    project, ledger = SampleProject(ROWS, WRITERS), Ledger()
    settings = {"TIDEMARK_SYNC_STREAM_STALL_SECONDS": STALL} | page_cache(0)
    with SampleServer(project, settings) as server:
        writers = [
            Writer(server, token, ledger, random.Random(chance.random()), largest=100) for token in project.tokens
        ]
        readers = [BackgroundTask(reader(server), 0) for _ in range(READERS)]
        for client in [*writers, *readers]:
            client.start()
        short = highest(server, SECONDS // part)
        if short > MOVED + COMMIT:
            raise RuntimeError(f"{mebibytes(short)} of log, though no stream is under way")
        stalled, after = _one_stream(server)
        several, rate = _one_stream_after_another(server, SECONDS // part)
        if several > REFUSED + min(rate * 3 * STALL, GROWN + rate + COMMIT):
            raise RuntimeError(f"{mebibytes(several)} of log: streams put its end off for ever")
        require_moved(server, 3 * STALL)
        for writer in writers:
            writer.end()
        end_all(readers)
        require_equal(ledger.snapshot(), live_tasks(server))
        server.require_calm_log()
    ledger.require_no_fault()
    require_sound(project.database)
    return (
        f"{ledger.batches:,} batches, {sum(reader.count for reader in readers):,} reads. At most {mebibytes(short)} "
        f"of log under short reads, {mebibytes(stalled)} under a stream that is not read for {STALL} s, "
        f"{mebibytes(after)} after it, {mebibytes(several)} under one such stream after another; it grew by up to "
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
        wait_until(lambda: streams_cut_off(server) > 0, 2 * STALL, "a stream that nobody reads is not cut off")
    require_moved(server, STALL)
    return most, log_bytes(server)


def _one_stream_after_another(server, seconds):
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


def reader(server):
    """A function that reads one cold page, and the next one when it is called again."""
    client = server.connect()

    def ask(cursor):
        return client.required("GET", "?since=0&page_size=1000" + (f"&cursor={cursor}" if cursor else ""))

    endless = (page for _ in itertools.count() for page in pages(ask))
    return lambda: next(endless)
