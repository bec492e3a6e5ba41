"""Times the first pull of a large project into a replica against reading the same pages without storing them.

The argument is the number of rows, 50,000 without it. Both ways take turns, and the median of five counts. The memory
of the pull is compared with that of a pull of a tenth of the rows.
"""

import json
import os
import statistics
import time

from check.replica import count
from check.reporting import check, equal
from harness import tidemark
from harness.client import Client
from harness.drain import pages
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "first-pull.db"
PAGE, BATCH, ROUNDS = 1000, 5000, 5


def new_project(server, token, rows):
    project = server.new_project(token)
    for first in range(0, rows, BATCH):
        ids = [f"{rows}-{number:08}" for number in range(first, min(first + BATCH, rows))]
        tasks = [{"id": id, "name": f"Task {id}", "notes": "Order the paint. " * 6, "duration": 3} for id in ids]
        project.write(created=tasks)
    return project


def read_pages(project):
    """The seconds that it takes to read all pages on one connection, unpacked and parsed, and those without parsing."""
    client, parsing = Client(project.server.port, project.token, {"Accept-Encoding": "gzip"}), 0.0

    def ask(cursor):
        query = f"?since=0&page_size={PAGE}" + (f"&cursor={cursor}" if cursor else "")
        return client.request("GET", project.path + query)

    def next_cursor(answer):
        nonlocal parsing
        text, unpacked = answer.text, time.monotonic()
        cursor = json.loads(text)["next_cursor"]
        parsing += time.monotonic() - unpacked
        return cursor

    began = time.monotonic()
    for _ in pages(ask, next_cursor):
        pass
    client.close()
    seconds = time.monotonic() - began
    return seconds, seconds - parsing


def pull(project, replica):
    """The seconds of a first pull, and the most memory that it had, in MB."""
    for suffix in ("", "-wal", "-shm", "-lock"):
        replica.with_name(replica.name + suffix).unlink(missing_ok=True)
    options = ["--project", project.id, "--token", project.token, "--replica", replica, "--page-size", PAGE]
    began = time.monotonic()
    process = tidemark.start("pull", project.server.origin, *options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"pull: exit {process.returncode}")
    return time.monotonic() - began, usage.ru_maxrss / 1024


def main(rows=50_000):
    rows = int(rows)
    token = tidemark.add_user("alice", DATABASE)
    server = Server(DATABASE, {"TIDEMARK_SYNC_BATCH_MAX_ROWS": BATCH}).start()
    small, large = (new_project(server, token, number) for number in (rows // 10, rows))
    replica = TEMP / "first.replica"
    _, little = pull(small, replica)
    reads, pulls, peaks = [], [], []
    for _ in range(ROUNDS):
        reads.append(read_pages(large))
        seconds, memory = pull(large, replica)
        pulls.append(seconds)
        peaks.append(memory)
    read, received = (statistics.median(column) for column in zip(*reads))
    stored = statistics.median(pulls)
    equal("every row is in the replica", count(replica, "tasks"), rows)
    print(f"received in {received:.2f} s, received and parsed in {read:.2f} s ({rows / read:.0f} rows/s)")
    print(f"pulled in {stored:.2f} s ({rows / stored:.0f} rows/s), {stored / received:.2f} times as long as receiving")
    print(f"memory of the pull: {max(peaks):.0f} MB, {little:.0f} MB for a tenth of the rows")
    check("a pull takes less than 3 times as long as reading", stored < 3 * read, f"{stored / read:.2f} times")
    check("the memory does not grow with the project", max(peaks) < little + 20, f"{little:.0f} to {max(peaks):.0f} MB")
