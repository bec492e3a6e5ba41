"""How long a client waits that does nothing else."""

import multiprocessing
import statistics
import time

from harness.client import Client


class Probe:
    """Empty deltas, and how much longer they take than an answer without a look at the database: that tells a slow
    server from a busy machine. In a process of its own, since the threads of one wait for each other."""

    def __init__(self, server, pause=0.05):
        mine, self._pipe = multiprocessing.Pipe()
        project = server.project
        self._work = multiprocessing.get_context("fork").Process(
            target=_run, args=(mine, server.port, project.path, project.token, pause), daemon=True)

    def start(self):
        self._work.start()

    def end(self):
        """Milliseconds of both kinds, medians: of the second quarter and of the last one. Raises if one failed."""
        self._pipe.send(None)
        times = self._pipe.recv()
        self._work.join()
        if isinstance(times, str):
            raise RuntimeError(times)
        quarter = len(times) // 4
        parts = times[quarter:2 * quarter], times[-quarter:]
        return [[statistics.median(time[column] for time in part) for column in (0, 1)] for part in parts]


def _run(pipe, port, path, token, pause):
    client, times = Client(port, token), []

    def ask(target):
        begun = time.monotonic()
        answer = client.request("GET", target)
        if answer.status not in (200, 410):
            raise RuntimeError(f"{target}: {answer}")
        return (time.monotonic() - begun) * 1000, answer

    try:
        while not pipe.poll(pause):
            since = ask(f"{path}?since=0&page_size=1")[1].headers["Tidemark-Head"]
            delta, answer = ask(f"{path}?since={since}&collections=calendars")
            if answer.status == 200:  # Else a purge came in between.
                times.append((delta, delta - ask("/health/")[0]))
        pipe.send(times)
    except Exception as failure:
        pipe.send(repr(failure))
