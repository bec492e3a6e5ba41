"""Single requests that are made to hurt, and how they have to be answered."""

import json
import socket
import uuid
import zlib

from deep.clients.raw_request import head

LEVELS = 100_000
GIGABYTE = 1 << 30


def attacks(project):
    """Each as (name, statuses that are right, bytes to send). `None` stands for a connection that is closed without an
    answer."""
    yield from bodies(project)
    yield from heads(project)


def bodies(project):
    sync, items = project.path, project.path.replace("/sync/", "/risks/")
    packed = bomb()
    for name, body in (("a bomb", packed), ("a bomb in a bomb", zlib_packed(packed))):
        for headers in (["Content-Encoding: gzip"], ["Content-Encoding: gzip, gzip"]):
            yield name, {415}, post(project, sync, body, headers)
            yield f"{name} in chunks", {415}, post(project, sync, body, headers, is_chunked=True)
        yield f"{name} as a coding of the transfer", {400, 415, 501, None}, post(
            project, sync, body, ["Transfer-Encoding: gzip, chunked"], is_chunked=True, is_coded=True)
        yield f"{name} that is said to be JSON", {400}, post(project, sync, body)
    auth = "/api/v1/auth/"
    for path in (sync, items, "/api/v1/projects/", auth + "tokens/", auth + "token/", auth + "token/refresh/"):
        for name, body in deep():
            # Without a token a body has 16 KiB.
            statuses = {400, 413} if path in (auth + "token/", auth + "token/refresh/") else {400}
            yield f"{name} to {path.rsplit('/', 2)[1]}", statuses, post(project, path, body)
    for name, body in deep():
        yield f"{name} in a row", {400}, post(project, sync, upload(body))
    yield "a length of 1 TB", {413}, head("POST", sync, project, ["Content-Length: 1099511627776"])
    yield "a length beyond numbers", {413, 400}, head("POST", sync, project, [f"Content-Length: {10 ** 40}"])
    yield "chunks of one byte", {400, 413}, post(project, sync, b"[" * 200_000, is_chunked=True, chunk=1)
    yield "a chunk with an endless extension", {400, 413, None}, chunked(project, sync) + b"1;" + b"x" * (32 << 20)
    yield "endless trailers", {400, 413, None}, chunked(project, sync) + b"2\r\n{}\r\n0\r\n" + b"a: b\r\n" * (5 << 20)


def heads(project):
    sync = project.path
    yield "a header of 64 KB", {400, 431}, head("GET", sync, project, [f"X-Large: {'x' * 65_536}"])
    yield "10,000 headers", {400, 431}, head("GET", sync, project, [f"X-{number}: y" for number in range(10_000)])
    yield "headers without end", {400, 431, None}, f"GET / HTTP/1.1\r\nHost: a\r\nX: {'x' * (32 << 20)}".encode()
    yield "a path of 100 KB", {400, 414}, head("GET", sync + "?since=" + "1" * 102_400, project)
    yield "a cursor of 8,000 bytes", {400}, head("GET", sync + "?cursor=" + "A" * 8000, project)
    migration = "%5B" * 2500
    yield "a migration of 2,500 levels", {400}, head("GET", sync + "?last_pulled_at=1&migration=" + migration, project)
    yield "a token of 30 KB", {401}, head("GET", sync, None, [f"Authorization: Bearer {'e' * 30_000}"])


def zlib_packed(data):
    packer = zlib.compressobj(9, wbits=31)
    return packer.compress(data) + packer.flush()


def bomb():
    """A gigabyte of spaces, as gzip."""
    packer, block = zlib.compressobj(9, wbits=31), b" " * (1 << 20)
    return b"".join(packer.compress(block) for _ in range(GIGABYTE >> 20)) + packer.flush()


def deep():
    yield "deep lists", b"[" * LEVELS + b"]" * LEVELS
    yield "deep lists without end", b"[" * LEVELS
    yield "deep objects", b'{"a":' * LEVELS + b"1" + b"}" * LEVELS


def upload(field):
    batch = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": [{"id": "deep", "name": 0}]}}}
    return json.dumps(batch).encode().replace(b"0}", field + b"}")


def chunked(project, path):
    return head("POST", path, project, ["Content-Type: application/json", "Transfer-Encoding: chunked"])


def post(project, path, body, headers=(), is_chunked=False, is_coded=False, chunk=4096):
    length = [] if is_coded else ["Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(body)}"]
    first = head("POST", path, project, ["Content-Type: application/json", *headers, *length])
    return first + (in_chunks(body, chunk) if is_chunked else body)


def in_chunks(body, size):
    parts = (body[start:start + size] for start in range(0, len(body), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def answer(port, data):
    """The status of the first answer; None if the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=90) as connection:
        try:
            connection.sendall(data)
        except OSError:
            pass  # It is closed, or does not read on. There may be an answer nevertheless.
        try:
            heard = connection.recv(65_536)
        except ConnectionResetError:
            return None
    return int(heard.split()[1]) if heard else None
