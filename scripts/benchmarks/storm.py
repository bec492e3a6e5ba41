"""A thousand clients that cold-start at once, against eight."""

import json

import tidemark
from figures import Line, Series, at_least, figure_at_most
from workplace import ENVIRONMENT, TEMP, output

TITLE = "A storm of cold starts"
CLIENTS, USERS, FEW, DRAINS = 1000, 100, 8, 50


def measure(bench):
    project = bench.project(10_000, USERS)
    storms, few, peaks = [], [], []
    for _ in range(bench.rounds):
        with tidemark.Server(project) as server:
            storms.append(drains(server, CLIENTS, "storm", "--clients", CLIENTS))
            peaks.append(server.memory("VmHWM") / 1e6)
        with tidemark.Server(project) as server:
            few.append(drains(server, FEW * DRAINS, "cold-start", "--clients", FEW, "--drains", DRAINS))
    return [
        Line(
            f"{CLIENTS:,} clients at once, a drain each; {FEW} clients, {DRAINS} drains each",
            Series(storms, "drains/s"), Series(few, "drains/s"), at_least(0.8)),
        Line("the server's peak memory in a storm", Series(peaks, "MB", 0), target=figure_at_most(300, "MB")),
    ], [
        f"10,000 rows, {USERS} users, gzip, each round on a server just started. `tidemark load` checks what it "
        "gets: had a drain failed or been wrong, there were no figures."
    ]


def drains(server, expected, profile, *options):
    """Drains a second; all must end well."""
    report, project = TEMP / f"{profile}-{server.port}.json", server.project
    output(
        tidemark.BINARY, "load", profile, f"http://127.0.0.1:{server.port}", "--tokens", project.tokens_file, "--json",
        report, *options, env=ENVIRONMENT, cwd=TEMP)
    seen = json.loads(report.read_text())["kinds"]["drain"]
    if seen["count"] != expected:
        raise RuntimeError(f"{seen['count']} of {expected} drains ended")
    return seen["per_second"]
