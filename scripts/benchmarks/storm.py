"""A thousand clients that cold-start at once, against eight."""

import json

import tidemark
from figures import Line, Series, at_least, figure_at_most
from workplace import ENVIRONMENT, TEMP, output

TITLE = "A storm of cold starts"
CLIENTS = 1000


def measure(bench):
    project = bench.project(10_000)
    storms, few, peaks = [], [], []
    for _ in range(bench.rounds):
        with tidemark.Server(project) as server:
            few.append(drains(server, project, 8, 40))
        with tidemark.Server(project) as server:
            storms.append(drains(server, project, CLIENTS, 1))
            peaks.append(server.memory("VmHWM") / 1e6)
    return [
        Line(
            "drains, 1,000 clients at once, one drain each; 8 clients", Series(storms, "drains/s"),
            Series(few, "drains/s"), at_least(0.8)),
        Line("the server's peak memory", Series(peaks, "MB", 0), target=figure_at_most(300, "MB")),
    ], ["10,000 rows, gzip. `tidemark load` checks what it gets: had a drain failed or been wrong, there were no figures."]


def drains(server, project, clients, each):
    """Drains a second."""
    report = TEMP / f"storm-{server.port}-{clients}.json"
    output(
        tidemark.BINARY, "load", "cold-start", f"http://127.0.0.1:{server.port}", "--project", project.id,
        "--tokens", project.tokens_file, "--clients", clients, "--drains", each, "--warm-up", 0, "--json", report,
        env=ENVIRONMENT, cwd=TEMP)
    return json.loads(report.read_text())
