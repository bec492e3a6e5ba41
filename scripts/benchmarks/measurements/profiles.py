"""Where the server's time goes on the hot paths: samples by `perf`, by library and by function."""

import concurrent.futures
import subprocess

from benchmarks import wrk
from benchmarks.clients import ADAPTER
from benchmarks.measurements.uploads import CLIENTS, post
from benchmarks.report import table
from harness.processes import output
from harness.sample import SampleServer, page_cache
from harness.temporary import TEMP

TITLE = "Profiles"
RUNNING, CALLING = 12, 16
# Functions that the compiler makes, in addition to those that they belong to.
MADE = ("closure ", "partial apply ", "thunk ", "protocol witness ", "merged ")


def measure(bench):
    reading, writing = bench.project(100_000), bench.fresh_project(1000, CLIENTS)
    remarks, headers = [], ADAPTER.headers(reading.token)
    plain = ADAPTER.headers(reading.token, gzip=False)
    with SampleServer(reading, page_cache(0)) as server:
        cold, poll = (
            server.url(query) for query in (ADAPTER.query(0, collections="tasks"), ADAPTER.query(server.head())))
        remarks += profile("Cold page", bench, server, lambda seconds: wrk.load(cold, 8, seconds, plain))
        remarks += profile("Empty delta", bench, server, lambda seconds: wrk.load(poll, 32, seconds, headers))
    with SampleServer(writing) as server:
        url = server.url()
        remarks += profile("Upload of one row", bench, server, lambda seconds: post(url, writing, CLIENTS, seconds))
        remarks += profile("Upload of 500 rows", bench, server, lambda seconds: post(url, writing, 4, seconds, 500))
    return [], remarks


def profile(name, bench, server, load):
    """Samples the server while `load` runs."""
    seconds, path = bench.seconds + 1, TEMP / f"{name.replace(' ', '-')}.perf"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        loading = pool.submit(load, seconds + 1)
        output(
            "perf", "record", "-F", 997, "--call-graph", "fp", "-p", server.process.pid, "-o", path, "--", "sleep",
            seconds)
        loading.result()
    libraries = ", ".join(f"{library} {share:.0f} %" for share, library in _report(path, "overhead,dso") if share >= 1)
    running = _functions(path, "overhead,dso,symbol")
    calling = _functions(path, "overhead_children,dso,symbol", "--children")
    calling = [row for row in calling if row[2] == "tidemark" and not row[1].startswith(MADE)]
    return [
        f"### {name}\n\nBy library: {libraries}.",
        _table("running", running[:RUNNING]),
        _table("with all that it calls", calling[:CALLING]),
    ]


def _functions(path, *options):
    """Rows of share, function and library."""
    rows = _report(path, *options)
    names = _demangled([symbol for _, _, symbol in rows])
    return [(share, name, library) for (share, library, _), name in zip(rows, names)]


def _table(head, rows):
    cells = [[f"{share:.1f} %", f"`{name[:110]}`", library] for share, name, library in rows]
    return table(["samples", head, "in"], cells)


def _report(path, fields, *options):
    """Rows of share, library and, if asked for, function: the most frequent first."""
    text = output(
        "perf", "report", "-i", path, "--stdio", "-g", "none", "-F", fields, "-t", "\t", "--percent-limit", "0.5",
        *(options or ["--no-children"]), stdin=subprocess.DEVNULL)
    rows = []
    for line in text.splitlines():
        share, *others = [part.strip() for part in line.split("\t")]
        if others and share.endswith("%"):
            rows.append((float(share[:-1]), *(part.split("] ", 1)[-1] for part in others)))
    return sorted(rows, key=lambda row: -row[0])


def _demangled(symbols):
    text = output("swift", "demangle", "--compact", "--simplified", input="\n".join(symbols))
    return [line.replace("|", "\\|").replace("`", "'") for line in text.splitlines()]
