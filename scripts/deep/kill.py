"""kill -9 at random moments under uploads."""

import random
import statistics
import time

import tidemark
from ledger import Ledger, Writer, drain, require_equal, require_sound

KILLS, WRITERS = 200, 4


def check(part, chance):
    project, ledger = tidemark.Project(1000, WRITERS), Ledger()
    server = tidemark.Server(project)
    here = [server]
    writers = [
        Writer(ledger, project, random.Random(chance.random()), lambda: here[0].port, token)
        for token in project.tokens
    ]
    for writer in writers:
        writer.start()
    starts = []
    for _ in range(KILLS // part):
        time.sleep(chance.uniform(0.02, 0.4))
        here[0].process.kill()
        here[0].process.wait()
        here[0].stop()
        begun = time.monotonic()
        here[0] = tidemark.Server(project)
        here[0].head()
        starts.append(time.monotonic() - begun)
        require_sound(project.database)
    for writer in writers:
        writer.end()
    require_equal(ledger.snapshot(), drain(here[0]))
    ledger.require_no_fault()
    if statistics.median(starts) > 0.5:
        raise RuntimeError(f"it took {statistics.median(starts):.2f} s to the first answer")
    return (
        f"{len(starts)} kills, {ledger.batches:,} batches of {len(ledger.rows):,} rows acknowledged: none lost, none "
        f"applied twice, no number used twice, each check sound. From start to first answer {min(starts):.2f} to "
        f"{max(starts):.2f} s, median {statistics.median(starts):.2f} s")
