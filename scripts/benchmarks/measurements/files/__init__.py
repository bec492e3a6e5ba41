"""Files: their bytes, against routes that write a body into a folder and read it from there, and against the disk."""

import concurrent.futures
import hashlib
import http.client
import os
import time

from benchmarks import wrk
from benchmarks.figures import Line, Series, at_least, side_by_side
from benchmarks.peers.reference import Reference
from harness.sample import SampleServer
from harness.temporary import TEMP

TITLE = "Files"
SIZE, CLIENTS = 20 << 20, 4
MEGABYTE = 1 << 20


def measure(bench):
    project = bench.fresh_project(1000)
    folder = TEMP / "bare-files"
    folder.mkdir(exist_ok=True)
    settings = {"TIDEMARK_FILES_PROJECT_MB": 1 << 20, "TIDEMARK_SYNC_WRITE_RATE_PER_USER": 0,
                "TIDEMARK_SYNC_WRITE_RATE_PER_PROJECT": 0}
    with SampleServer(project, settings) as server, Reference("files", "--folder", folder) as bare:
        return [*_reading(bench, server, bare), *_sending(bench, server, bare)], [
            f"Files of {SIZE // MEGABYTE} MiB, {CLIENTS} clients. What is sent is synced, and checked against its "
            "digest, before it is answered; the bare route does neither. The disk: one program writes such files one "
            "after another, and syncs each."
        ]


def _reading(bench, server, bare):
    content = os.urandom(SIZE)
    digest = hashlib.sha256(content).hexdigest()
    for side in (server, bare):
        _put(side.port, server.project, content)
    row = f'{{"id": "photo", "name": "photo", "file": "{digest}"}}'
    kind = {"Content-Type": "application/json"}
    answer = server.request("POST", f"{_path(server.project)}/attachments/", server.project.token, row, kind)
    if answer.status != 201:
        raise RuntimeError(f"no row: {answer}")
    urls = {name: f"http://127.0.0.1:{port}{_path(server.project)}/files/{digest}/"
            for name, port in (("ours", server.port), ("bare", bare.port))}
    headers = {"Authorization": f"Bearer {server.project.token}"}
    for url in urls.values():
        wrk.load(url, CLIENTS, 1, headers)
    sides = {name: _reader(bench, url, headers) for name, url in urls.items()}
    seen = side_by_side(bench.rounds, **sides)
    return [
        Line(
            "read; a bare route of Hummingbird", Series(seen["ours"], "MB/s", 0), Series(seen["bare"], "MB/s", 0),
            at_least(0.9)),
    ]


def _reader(bench, url, headers):
    return lambda: wrk.load(url, CLIENTS, bench.seconds, headers).rate * SIZE / 1e6


def _sending(bench, server, bare):
    seen = side_by_side(
        bench.rounds, ours=lambda: _sent(bench, server.port, server.project),
        bare=lambda: _sent(bench, bare.port, server.project), disk=lambda: _written(bench))
    lesser = [min(pair) for pair in zip(seen["bare"], seen["disk"])]
    ours = Series(seen["ours"], "MB/s", 0)
    return [
        Line("sent; the lesser of a bare route and the disk", ours, Series(lesser, "MB/s", 0), at_least(0.5)),
        Line("the same; a bare route of Hummingbird that writes a file", ours, Series(seen["bare"], "MB/s", 0)),
        Line("the same; the disk", ours, Series(seen["disk"], "MB/s", 0)),
    ]


def _sent(bench, port, project):
    """MB in a second, of files that nobody has."""
    contents = [os.urandom(1 << 10) + bytes(SIZE - (1 << 10)) for _ in range(2 * CLIENTS)]
    named = [(hashlib.sha256(content).hexdigest(), content) for content in contents]
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda file: _put(port, project, file[1], file[0]), named))
    return len(named) * SIZE / (time.monotonic() - begun) / 1e6


def _put(port, project, content, digest=None):
    digest = digest or hashlib.sha256(content).hexdigest()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request(
        "PUT", f"{_path(project)}/files/{digest}/", content, {"Authorization": f"Bearer {project.token}"})
    answer = connection.getresponse()
    if answer.status != 201:
        raise RuntimeError(f"{answer.status}: {answer.read()[:500]}")
    answer.read()
    connection.close()


def _written(bench):
    content = os.urandom(1 << 10) + bytes(SIZE - (1 << 10))
    begun = time.monotonic()
    for number in range(2 * CLIENTS):
        file = os.open(TEMP / f"disk-{number}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, content)
        os.fsync(file)
        os.close(file)
    return 2 * CLIENTS * SIZE / (time.monotonic() - begun) / 1e6


def _path(project):
    return f"/api/v1/projects/{project.id}"
