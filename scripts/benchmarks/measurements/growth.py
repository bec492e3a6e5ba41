"""What grows with the project: the page's time, the start, memory at rest."""

import time

from benchmarks.figures import Line, Series, at_most, figure_at_most, side_by_side
from benchmarks.measurements.cold_page import ours
from harness.process_stats import memory
from harness.sample import SampleServer

TITLE = "Cost with growth"
REST_SECONDS = 2


def measure(bench):
    small, lines = bench.project(bench.sizes[0]), []
    for rows in bench.sizes[1:]:
        large = bench.project(rows)
        seen = side_by_side(bench.rounds, large=lambda: ours(large), small=lambda: ours(small))
        lines.append(
            Line(
                f"a page of 1000 rows of {rows:,}; of {small.rows:,}", _milliseconds(seen["large"]),
                _milliseconds(seen["small"]), at_most(1.2)))
    return lines + _starts(bench, bench.project(bench.sizes[-1])), [
        "Pages are those of a whole drain, in the process, without a cache. Memory at rest: resident, "
        f"{REST_SECONDS} s after the start and one empty delta."
    ]


def _milliseconds(values):
    return Series([value / 1e6 for value in values], "ms")


def _starts(bench, project):
    seconds, resident = [], []
    for _ in range(bench.rounds):
        with SampleServer(project) as server:
            seconds.append(server.start_seconds)
            server.fetch(f"?since={server.head()}")
            time.sleep(REST_SECONDS)
            resident.append(memory(server) / 1e6)
    size = f"{project.rows:,} rows"
    return [
        Line(f"start, until it takes connections, {size}", Series(seconds, "s"), target=figure_at_most(0.5, "s")),
        Line(f"memory at rest, {size}", Series(resident, "MB", 1), target=figure_at_most(60, "MB")),
    ]
