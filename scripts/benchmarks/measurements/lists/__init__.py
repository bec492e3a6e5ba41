"""Rows that list who sees them: what a member's first pull, an upload and an edit cost."""

from benchmarks.measurements.lists import cold, writes
from benchmarks.measurements.lists.project import ListedProject
from harness.sample import SampleServer, page_cache

TITLE = "Lists"


def measure(bench):
    members, each = (100, 100) if bench.quick else (200, 500)
    with SampleServer(ListedProject("many-members", members, each), page_cache(0)) as server:
        lines = [*cold.lines(bench, server, each), *writes.lines(bench, server, members * each)]
    return lines, [
        "Each row is listed for one member, in turn, and admins see all of them. First pulls are those of 20 members "
        "in turn, as the adapter asks, compressed, without a page cache; the project beside it has as many members, "
        "and as many rows as each of them sees. Uploads are an owner's, batch by batch in turn to both projects, "
        "which have as many rows; a round's figure is the mean of all batches. Edits are uploads of one row, of each "
        "kind in turn; a round's figure is the median. All requests are one client's."
    ]
