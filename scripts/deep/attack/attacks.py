"""Attacks by one client on everybody else, each with what must hold meanwhile."""

import socket
import subprocess
import time

from deep.attack import costly_batches
from deep.attack.scene import LONGEST_WRITE, Scene, schemas_with
from harness import tidemark
from harness.client import Client
from harness.environment import ENVIRONMENT
from harness.installation import engine
from harness.process_stats import mebibytes
from harness.processes import free_port
from harness.temporary import TEMP
from harness.waiting import wait_until

# Bytes that a stranger may hold, and that a reader may leave.
HELD, LEFT = 100 << 20, 60 << 20
CONNECTIONS = 60


def costly_uploads(part, chance):
    """Batches that once held the writer for half a minute."""
    with Scene("uploads") as scene:
        longest, worst = 0, None
        for step, shape in enumerate(each.fitting() for each in costly_batches.KNOWN):
            took, answer = scene.bystander.longest(lambda: costly_batches.sent(scene, shape, f"s{step}", chance))
            if answer.status >= 500:
                raise RuntimeError(f"{shape}: {answer}")
            if took > LONGEST_WRITE:
                raise RuntimeError(f"a write of one row waited {took:.0f} ms beside {shape}")
            if took > longest:
                longest, worst = took, shape
        scene.server.require_calm_log()
    return f"costly uploads: at most {longest:.0f} ms for others, beside {worst}"


def slow_pattern(part, chance):
    """A pattern that the schema check accepts, on a long text, over REST and as an upload."""
    pattern = {"type": "string", "default": "", "pattern": "^(([a-z]?[0-9]?){0,90}|[a-z0-9]*)*$"}
    text = "a1" * 500_000 + "!"
    with Scene("pattern", schemas=schemas_with("pattern", "tasks", "code", pattern)) as scene:
        path = f"/api/v1/projects/{scene.project.id}/tasks/"
        client = Client(scene.server.port, scene.mallory, timeout=300)
        took, rest = scene.bystander.longest(lambda: client.request("POST", path, {"name": "x", "code": text}))
        more, batch = scene.bystander.longest(
            lambda: scene.send(scene.mallory, {"tasks": {"created": [{"id": "p", "name": "x", "code": text}]}}))
        if rest.status != 400 or batch.status != 400:
            raise RuntimeError(f"a long text was not refused: {rest.status}, {batch.status}")
        if max(took, more) > LONGEST_WRITE:
            raise RuntimeError(f"a write of one row waited {max(took, more):.0f} ms beside a pattern")
    return f"a pattern on a long text: at most {max(took, more):.0f} ms for others"


def endless_start(part, chance):
    """A pattern that would take for ever to prepare is refused, with a sentence."""
    pattern = {"type": "string", "default": "", "pattern": "^([0-9]?[a-z]?){0,80}$"}
    folder = schemas_with("start", "tasks", "code", pattern)
    done = tidemark.run(
        "serve", "--schemas", folder, "--port", free_port(), database=TEMP / "attack-start.db", timeout=30)
    if done.returncode not in (1, 2) or "code" not in done.stderr:
        raise RuntimeError(f"serve ended with {done.returncode}: {done.stderr[-300:]}")
    return "a pattern without end is refused at the start"


def held_bodies(part, chance):
    """Strangers who trickle large bodies to endpoints that need no token."""
    with Scene("bodies") as scene:
        before, held = scene.memory(), []
        for path in ("token/", "token/refresh/", "logout/"):
            for _ in range(CONNECTIONS // part):
                held.append(_trickle(scene.server.port, f"/api/v1/auth/{path}"))
        took, _ = scene.bystander.longest(lambda: time.sleep(1))
        grown = scene.memory() - before
        for each in held:
            each.close()
        if grown > HELD:
            raise RuntimeError(f"{len(held)} strangers hold {mebibytes(grown)}")
        if took > LONGEST_WRITE:
            raise RuntimeError(f"a write of one row waited {took:.0f} ms beside bodies that trickle")
    return f"{len(held)} strangers' bodies: {mebibytes(max(0, grown))}"


def _trickle(port, path):
    size = 16 << 20
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    try:
        connection.sendall(head.encode())
        for _ in range(16):
            connection.sendall(b"a" * ((1 << 20) - 2))
    except OSError:
        pass  # Refused, as it should be.
    return connection


def filled_disk(part, chance):
    """A viewer whose large rows are refused, and a member who edits a long note."""
    with Scene("disk") as scene:
        before = scene.database_bytes()
        for number in range(20):
            row = {"id": f"v{number}", "name": "x", "notes": str(number) + "n" * 15_000_000}
            scene.send(scene.vera, {"tasks": {"created": [row]}}, on_error="reject_rows")
        if engine.is_shared(scene.database):
            time.sleep(2)  # The size is the one at the last checkpoint.
        grown = scene.database_bytes() - before
        if grown > LEFT:
            raise RuntimeError(f"20 refused uploads of a viewer have left {mebibytes(grown)}")
    return f"20 refused uploads of a viewer: {mebibytes(max(0, grown))}"


def unread_log(part, chance):
    """A log that can't be written, and one that nobody reads."""
    database, answered = TEMP / "attack-log.db", 0
    token = tidemark.add_user("anna", database)
    for name, stderr in (("full", open("/dev/full", "wb")), ("unread", subprocess.PIPE)):
        port = free_port()
        command = [tidemark.BINARY, "serve", "--database", engine.address(database), "--port", port]
        process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=stderr,
            env=ENVIRONMENT | {"TIDEMARK_LOG_REQUESTS": "true"})
        try:
            client = Client(port, token, timeout=10)
            wait_until(lambda: _is_open(port), 60, f"no server whose log is {name}")
            for _ in range(2000 // part):
                if client.request("GET", "/api/v1/projects/").status != 200:
                    raise RuntimeError(f"no answer from a server whose log is {name}")
                answered += 1
            client.close()
            if process.poll() is not None:
                raise RuntimeError(f"the server whose log is {name} ended with {process.returncode}")
            process.terminate()
            if process.wait(timeout=30) != 0:
                raise RuntimeError(f"the server whose log is {name} ended with {process.returncode}")
        finally:
            process.kill()
    return f"{answered:,} requests to servers whose log can't be written"


def _is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def slow_readers(part, chance):
    """Two slow readers of large streams: short ones are served, and a third large one is refused at once."""
    with Scene("streams") as scene:
        for number in range(16):
            rows = [{"id": f"t{number}-{each}", "name": "Task", "notes": "x" * 900} for each in range(500)]
            scene.send(scene.mallory, {"tasks": {"created": rows}})
        head = scene.project.head()
        readers = [_slow_reader(scene, token) for token in (scene.bob, scene.vera)]
        time.sleep(1)
        asked = {
            "an empty delta": (scene.mallory, scene.project.path + f"?last_pulled_at={head}", 200),
            "all projects": (scene.bob, f"/api/v1/projects/{scene.others.id}/sync/?last_pulled_at=0", 200),
            "a page": (scene.mallory, scene.project.path + "?since=0&page_size=10", 200),
            "a third large stream": (scene.mallory, scene.project.path + "?stream=true", 503),
        }
        longest = 0
        for name, (token, path, status) in asked.items():
            begun = time.monotonic()
            answer = Client(scene.server.port, token).request("GET", path)
            took = time.monotonic() - begun
            longest = max(longest, took)
            # Two servers have twice as many places.
            is_right = answer.status == status or (status == 503 and engine.is_shared(scene.database))
            if not is_right or took > 3:
                raise RuntimeError(f"{name} beside two slow readers: {answer.status} after {took:.1f} s")
        for each in readers:
            each.close()
    return f"beside two slow readers: answers within {longest * 1000:.0f} ms"


def _slow_reader(scene, token):
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(("127.0.0.1", scene.server.port))
    reader.sendall(
        f"GET {scene.project.path}?stream=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    return reader


ALL = [costly_uploads, slow_pattern, endless_start, held_bodies, filled_disk, unread_log, slow_readers]
