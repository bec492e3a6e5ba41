"""Where the server's time goes on the three hot paths: samples by `perf`, by function."""

import subprocess
import threading

import tidemark
import wrk
from book import table
from uploads import CLIENTS, post
from workplace import TEMP, output

TITLE = "Profiles"
TOP = 15


def measure(bench):
    reading, writing = bench.project(100_000), bench.fresh_project(1000, CLIENTS)
    remarks = []
    with tidemark.Server(reading, tidemark.page_cache(0)) as server:
        token = wrk.bearer(reading.token)
        poll = f"?since={server.head()}"
        cold = "?since=0&collections=tasks"
        remarks.append(_profile("Cold page", bench, server, lambda s: wrk.load(server.url(cold), 8, s, token)))
        remarks.append(_profile("Empty delta", bench, server, lambda s: wrk.load(server.url(poll), 32, s, token)))
    with tidemark.Server(writing) as server:
        remarks.append(
            _profile("Upload of one row", bench, server, lambda s: post(server.url(), writing, CLIENTS, s)))
    return [], remarks


def _profile(name, bench, server, load):
    """A table of the functions that most samples hit, the kernel's included."""
    seconds, path = bench.seconds + 1, TEMP / f"{name.replace(' ', '-')}.perf"
    loader = threading.Thread(target=load, args=(seconds + 1,))
    loader.start()
    output("perf", "record", "-F", 997, "-p", server.process.pid, "-o", path, "--", "sleep", seconds)
    loader.join()
    rows = [[f"{share:.1f} %", f"`{symbol}`", library] for share, symbol, library in _functions(path)[:TOP]]
    return f"### {name}\n\n" + table(["samples", "function", "in"], rows)


def _functions(path):
    """Share, name and library, the most frequent first."""
    text = output(
        "perf", "report", "-i", path, "--stdio", "--no-children", "-F", "overhead,dso,symbol", "-t", "\t",
        "--percent-limit", "0.5", stdin=subprocess.DEVNULL)
    seen = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split("\t")]
        if len(parts) == 3 and parts[0].endswith("%"):
            seen.append((float(parts[0][:-1]), parts[2].split("] ", 1)[-1], parts[1]))
    names = _demangled([symbol for _, symbol, _ in seen])
    return [(share, name[:110], library) for (share, _, library), name in zip(seen, names)]


def _demangled(symbols):
    text = output("swift", "demangle", "--compact", "--simplified", input="\n".join(symbols))
    return [line.replace("|", "\\|").replace("`", "'") for line in text.splitlines()]
