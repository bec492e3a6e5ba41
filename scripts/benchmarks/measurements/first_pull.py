"""A first pull by the Swift client, from the start of its process to its end. The server has the pages at hand, or it
was just started."""

import time

from benchmarks.figures import Line, Series, figure_at_most
from harness import tidemark
from harness.sample import SampleServer
from harness.temporary import TEMP

TITLE = "A first pull"
ROWS = 50_000


def measure(bench):
    project = bench.project(ROWS)
    cold, warm = [], []
    for _ in range(bench.rounds):
        with SampleServer(project) as server:
            cold.append(pull(server))
            warm.append(pull(server))
    return [
        Line(
            f"{ROWS:,} rows, pages at hand", Series(warm, "s"), target=figure_at_most(1.0, "s")),
        Line("the same of a server just started", Series(cold, "s")),
    ], ["`tidemark pull` into a new file, gzip, 1000 rows a page; client and server on the same two cores."]


def pull(server):
    """Seconds."""
    replica, project = TEMP / "replica.db", server.project
    for part in TEMP.glob("replica.db*"):
        part.unlink()
    started = time.monotonic()
    tidemark.output(
        "pull", server.origin, "--project", project.id, "--token", project.token, "--replica", replica)
    return time.monotonic() - started
