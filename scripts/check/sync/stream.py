"""Streams a large project: the rows are those of a paged drain, the first byte comes early, the memory stays.

The argument is the number of rows, 50,000 without it; with 1,000,000 it takes some minutes and 4 GB here.
"""

import http.client
import json
import time
import zlib

from check.reporting import check, equal
from harness.drain import pages
from harness.process_stats import memory
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user

DATABASE = TEMP / "stream.db"
BATCH = 10_000


def fill(project, count):
    """Tasks of about 700 bytes on the wire; every hundredth is deleted."""
    started = time.monotonic()
    for first in range(0, count, BATCH):
        ids = [f"task-{number:08}" for number in range(first, min(first + BATCH, count))]
        rows = [{"id": id, "name": f"Task {id}", "notes": "Order the paint. " * 6, "duration": 3} for id in ids]
        project.write(created=rows)
        project.write(deleted=ids[::100])
    print(f"{count} rows made in {time.monotonic() - started:.0f} s", flush=True)


class Rows:
    """A sum over rows and tombstones that does not depend on their order. Rows are forgotten once they are counted."""

    def __init__(self):
        self.count = self.sum = 0

    def _take(self, value):
        self.count += 1
        self.sum = (self.sum + hash(json.dumps(value, sort_keys=True))) % (1 << 64)

    def _row(self, members):
        if "server_version" not in members:
            return members
        self._take(members)
        return None

    def add(self, text):
        """Parses one document. Returns it, with nulls in the place of its rows."""
        document = json.loads(text, object_hook=self._row)
        for name, bucket in document["changes"].items():
            for id in bucket["deleted"]:
                self._take([name, id])
        return document

    def __eq__(self, other):
        return (self.count, self.sum) == (other.count, other.sum)

    def __repr__(self):
        return f"{self.count} rows, sum {self.sum:016x}"


class Download:
    """One answer, with the seconds to its first byte and to its last one."""

    def __init__(self, project, query, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", project.server.port, timeout=60)
        started = time.monotonic()
        headers = {"Authorization": f"Bearer {project.token}"} | headers
        connection.request("GET", f"{project.path}?{query}", headers=headers)
        response = connection.getresponse()
        parts = [response.read(1)]
        self.first = time.monotonic() - started
        while part := response.read(1 << 20):
            parts.append(part)
        self.total = time.monotonic() - started
        self.status, self.headers, self.body = response.status, response.headers, b"".join(parts)
        connection.close()


def megabytes(server, field):
    return memory(server, field) / (1 << 20)


def drain(project):
    """The rows of all pages. Pages are forgotten once they are counted."""
    rows = Rows()
    for _ in pages(
            lambda cursor: project.pull("since=0&page_size=5000" + (f"&cursor={cursor}" if cursor else "")),
            lambda page: rows.add(page.body)["next_cursor"]):
        pass
    return rows


def main(rows=50_000):
    count = int(rows)
    token = add_user("alice", DATABASE)
    server = Server(DATABASE, {"TIDEMARK_SYNC_BATCH_MAX_ROWS": BATCH}).start()
    project = server.new_project(token)
    fill(project, count)
    server.kill()
    server.start()
    idle = megabytes(server, "VmRSS")
    # Each of another size: none was kept for an earlier reader.
    downloads = (Download(project, f"since=0&page_size={1000 + n}") for n in range(5))
    page = min(downloads, key=lambda it: it.total)
    streams = (Download(project, "since=0&stream=true") for _ in range(5))
    plain = min(streams, key=lambda it: it.first)
    after_plain = megabytes(server, "VmHWM")
    packed = Download(project, "since=0&stream=true", **{"Accept-Encoding": "gzip"})
    peak = megabytes(server, "VmHWM")
    print(f"idle {idle:.0f} MB, highest after a stream {after_plain:.0f} MB, after a packed one {peak:.0f} MB")
    print(f"a page of 1000: first byte after {page.first * 1000:.1f} ms, all after {page.total * 1000:.1f} ms")
    for name, stream in ("stream", plain), ("packed stream", packed):
        size, speed = len(stream.body) / 1e6, count / stream.total
        first = stream.first * 1000
        print(f"{name}: first byte after {first:.1f} ms, {size:.1f} MB in {stream.total:.1f} s, {speed:.0f} rows/s")
    check("the memory grows by less than 50 MB over idle", peak < idle + 50, f"{idle:.0f} to {peak:.0f} MB")
    check("the first byte of a stream comes within the time of a page", plain.first < page.total, plain.first)
    # The rest measures nothing.
    rows = Rows()
    document = rows.add(plain.body)
    check("a stream is one document without a cursor", not document["has_more"] and document["next_cursor"] is None)
    equal("progress counts what came", document["progress"]["rows"], rows.count)
    equal("a stream has the rows of a paged drain", rows, drain(project))
    unpacked = zlib.decompress(packed.body, wbits=31)
    check("a packed stream unpacks to the plain one", unpacked == plain.body)
