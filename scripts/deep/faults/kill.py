"""kill -9 at random moments under uploads."""

import random
import statistics
import time

from deep.clients.ledger import Ledger, live_tasks, require_equal
from deep.clients.writer import Writer
from harness.sample import SampleProject, SampleServer
from harness.tidemark import require_sound

KILLS, WRITERS = 200, 4


def check(part, chance):
    project, ledger = SampleProject(1000, WRITERS), Ledger()
    with SampleServer(project) as server:
        writers = [Writer(server, token, ledger, random.Random(chance.random())) for token in project.tokens]
        for writer in writers:
            writer.start()
        starts = []
        for _ in range(KILLS // part):
            time.sleep(chance.uniform(0.02, 0.4))
            server.kill()
            begun = time.monotonic()
            server.start()
            server.head()
            starts.append(time.monotonic() - begun)
            require_sound(project.database)
        for writer in writers:
            writer.end()
        require_equal(ledger.snapshot(), live_tasks(server))
    ledger.require_no_fault()
    if statistics.median(starts) > 0.5:
        raise RuntimeError(f"it took {statistics.median(starts):.2f} s to the first answer")
    return (
        f"{len(starts)} kills, {ledger.batches:,} batches of {len(ledger.rows):,} rows acknowledged: none lost, none "
        f"applied twice, no number used twice, each check sound. From start to first answer {min(starts):.2f} to "
        f"{max(starts):.2f} s, median {statistics.median(starts):.2f} s")
