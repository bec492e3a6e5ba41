"""A thousand clients that cold-start at once, against eight."""

import json

from benchmarks.figures import Line, Series, at_least, figure_at_most
from harness import tidemark
from harness.process_stats import memory
from harness.sample import SampleServer
from harness.temporary import TEMP

TITLE = "A storm of cold starts"
CLIENTS, USERS, FEW, DRAINS = 1000, 100, 8, 125


def measure(bench):
    project = bench.project(10_000, USERS)
    storms, few, wide, peaks = [], [], [], []
    for _ in range(bench.rounds):
        with SampleServer(project) as server:
            storms.append(drains(server, FEW, CLIENTS, "storm", "--clients", CLIENTS))
        with SampleServer(project) as server:
            few.append(drains(server, FEW, FEW * DRAINS, "cold-start", "--clients", FEW, "--drains", DRAINS))
        with SampleServer(project) as server:
            wide.append(drains(server, USERS, CLIENTS, "storm", "--clients", CLIENTS))
            peaks.append(memory(server, "VmHWM") / 1e6)
    return [
        Line(
            f"{CLIENTS:,} clients at once, a drain each; {FEW} clients, {DRAINS} drains each",
            Series(storms, "drains/s"), Series(few, "drains/s"), at_least(0.8)),
        Line(f"{CLIENTS:,} clients of {USERS} users", Series(wide, "drains/s")),
        Line("the server's peak memory in that", Series(peaks, "MB", 0), target=figure_at_most(300, "MB")),
    ], [
        f"10,000 rows, gzip, each round on a server just started. Both sides of the first line are of the same {FEW} "
        "users: the load tester inflates each user's pages once. It checks what it gets: had a drain failed or been "
        "wrong, there were no figures."
    ]


def drains(server, users, expected, profile, *options):
    """Drains a second; all must end well."""
    report, project = TEMP / f"{profile}-{server.port}.json", server.project
    tokens = TEMP / f"{users}-tokens.json"
    tokens.write_text(json.dumps(project.made | {"tokens": project.tokens[:users]}))
    tidemark.output(
        "load", profile, server.origin, "--tokens", tokens, "--json", report, *options, timeout=None)
    seen = json.loads(report.read_text())["kinds"]["drain"]
    if seen["count"] != expected:
        raise RuntimeError(f"{seen['count']} of {expected} drains ended")
    return seen["per_second"]
