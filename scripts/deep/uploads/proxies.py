"""Uploads through nginx and Caddy, with the lines of docs/operations/https-and-proxies.md, by HTTP/1.1 and HTTP/2: each
exchange ends, and the next one on the same connection is answered."""

import contextlib
import hashlib
import time

from deep.clients.file_sender import path
from deep.uploads.exchange import PATIENCE, Broken, Exchange
from deep.uploads.tus import require_few, require_there
from deep.uploads.url_session import URLSession
from harness.faults.cutting_proxy import CuttingProxy
from harness.installation.proxies import NAME, caddy, installed, nginx
from harness.processes import output
from harness.requirements import Skipped, require_command
from harness.sample import SampleProject, SampleServer
from harness.temporary import TEMP

SIZES, LARGE = (0, 100, 1_000_000, 5_000_000), 20_000_000
VERSIONS = {3: ("Upload-Incomplete", "?0"), 6: ("Upload-Complete", "?1"), None: None}
INTERIM = {"TIDEMARK_FILES_INTERIM": "true"}


def check(part, chance):
    require_command("curl")
    require_command("openssl")
    project = SampleProject(20, 1).renamed("proxies")
    commands = {"nginx": installed("nginx-light", "nginx"), "caddy": installed("caddy", "caddy")}
    if missing := [name for name, command in commands.items() if not command]:
        raise Skipped(f"there is no {missing[0]}, and it can't be installed")
    with SampleServer(project, {"TIDEMARK_AUTH_TRUST_FORWARDED_FOR": "true"}) as server:
        counts = []
        for start, options in ((nginx, ["http2"]), (caddy, [])):
            with stopping(start(commands[start.__name__], server, *options)) as proxy:
                counts.append(Scene(server, proxy, chance).of_all())
    require_seen(project, commands["nginx"], chance)
    with SampleServer(project, INTERIM) as server, stopping(caddy(commands["caddy"], server)) as proxy:
        factor = Scene(server, proxy, chance).goes_on()
    return (
        f"{counts[0]} exchanges through nginx and {counts[1]} through Caddy, by HTTP/1.1 and HTTP/2, each ended within "
        f"{PATIENCE} s, with none of 104, and the next one on its connection was answered. With TIDEMARK_FILES_INTERIM "
        f"an upload of URLSession through Caddy went on, with {factor:.3f} times the bytes")


@contextlib.contextmanager
def stopping(proxy):
    """A proxy that runs already, and is stopped at the end."""
    try:
        yield proxy
    finally:
        proxy.stop()


def require_seen(project, command, chance):
    """nginx takes a 104 for the answer. Raises if nothing is wrong where it gets one."""
    with SampleServer(project, INTERIM) as server, stopping(nginx(command, server)) as proxy:
        try:
            Scene(server, proxy, chance).put(6, SIZES[1])
        except (RuntimeError, Broken, TimeoutError):
            return
    raise RuntimeError("a 104 went through nginx, and the check sees nothing")


class Scene:
    """A server behind a proxy, and its user."""

    def __init__(self, server, proxy, chance):
        self._server, self._proxy, self._chance, self._count = server, proxy, chance, 0
        self._tls = proxy.context(), NAME
        self._headers = {"Host": NAME, "Authorization": f"Bearer {server.project.token}"}

    def of_all(self):
        """How many exchanges there were."""
        for size in SIZES:
            for version in VERSIONS:
                self.put(version, size)
                self.put_by_http_2(version, size)
            self.in_pieces(size)
            self.in_pieces_by_http_2(size)
        return self._count

    def file(self, size):
        content = self._chance.randbytes(size)
        digest = hashlib.sha256(content).hexdigest()
        return content, digest, path(self._server.project, f"files/{digest}/")

    def put(self, version, size):
        """URLSession's own upload, and a plain one."""
        content, digest, place = self.file(size)
        with Exchange(self._proxy.port, self._tls) as exchange:
            self._ask(exchange, "PUT", place, _of_version(version), content)
            self._ask(exchange, "GET", self._server.project.path + "?since=0&page_size=1")
        require_there(self._server, digest, content)

    def in_pieces(self, size):
        content, digest, place = self.file(size)
        half = size // 2
        with Exchange(self._proxy.port, self._tls) as exchange:
            begun = self._ask(
                exchange, "PUT", place, {"Upload-Complete": "?0", "Upload-Length": str(size)}, b"")
            if "location" in begun.headers:
                location = begun.headers["location"]
                self._ask(exchange, "PATCH", location, _piece(0, False), content[:half])
                state = self._ask(exchange, "HEAD", location)
                self._require(state.headers["upload-offset"] == str(half), f"an offset of {half}: {state}")
                self._ask(exchange, "PATCH", location, _piece(half, True), content[half:])
        require_there(self._server, digest, content)

    def _ask(self, exchange, method, place, headers=None, body=None):
        """The answer, within some time and without one before it."""
        interim, begun = [], time.monotonic()
        answer = exchange.ask(method, place, self._headers | (headers or {}), body, interim.append)
        self._require(answer.status in (200, 201, 204), f"{method} {place}: {answer}")
        self._require(not interim, f"{method} {place}: {interim}")
        self._require(time.monotonic() - begun < PATIENCE, f"{method} {place}: {time.monotonic() - begun:.0f} s")
        self._count += 1
        return answer

    def _require(self, is_right, fault):
        if not is_right:
            raise RuntimeError(f"through {self._proxy.name}: {fault}")

    # By HTTP/2: curl.

    def put_by_http_2(self, version, size):
        content, digest, place = self.file(size)
        self._curl(("PUT", place, _of_version(version), content), ("GET", place, {}, None))
        require_there(self._server, digest, content)

    def in_pieces_by_http_2(self, size):
        content, digest, place = self.file(size)
        [begun] = self._curl(("PUT", place, {"Upload-Complete": "?0", "Upload-Length": str(size)}, b""))
        if "location" in begun:
            half = size // 2
            self._curl(
                ("PATCH", begun["location"], _piece(0, False), content[:half]),
                ("PATCH", begun["location"], _piece(half, True), content[half:]))
        require_there(self._server, digest, content)

    def _curl(self, *requests):
        """The headers of the answers to requests on one connection."""
        command, heads = ["curl"], []
        for number, (method, place, headers, body) in enumerate(requests):
            file, head = TEMP / f"curl-{number}.bin", TEMP / f"curl-{number}.txt"
            head.unlink(missing_ok=True)
            command += ["--next"] if number else []
            command += [
                "--silent", "--show-error", "--http2", "--max-time", PATIENCE, "--cacert", self._proxy.certificate,
                "--resolve", f"{NAME}:{self._proxy.port}:127.0.0.1", "--request", method, "--dump-header", head,
                "--output", "/dev/null", "--write-out", "%{http_code} %{http_version} %{num_connects}\n"]
            for name, value in (self._headers | headers).items():
                command += ["--header", f"{name}: {value}"]
            if body is not None:
                file.write_bytes(body)
                command += ["--header", "Expect:", "--data-binary", f"@{file}"]
                command += [] if "Content-Type" in headers else ["--header", "Content-Type:"]
            command.append(f"https://{NAME}:{self._proxy.port}{place}")
            heads.append(head)
        told = [line.split() for line in output(*command, timeout=2 * PATIENCE * len(requests)).splitlines()]
        for (method, place, _, _), head, (status, version, connections) in zip(requests, heads, told, strict=True):
            known = status in ("200", "201", "204") or (method, status) == ("GET", "404")
            self._require(known and version == "2", f"{method} {place}: {status} by HTTP/{version}")
            self._require(connections == "1" if head is heads[0] else connections == "0", f"connections: {told}")
            lines = head.read_text().splitlines()
            self._require(not any(line.split()[1:2] == ["104"] for line in lines), f"{method} {place}: {lines}")
            self._count += 1
        return [_headers(head) for head in heads]

    def goes_on(self):
        """By how much more was sent than the file has, where each connection is cut after some MB."""
        content, digest, place = self.file(LARGE)
        with CuttingProxy(self._proxy.port, lambda: self._chance.randint(2_000_000, 6_000_000)) as cutting:
            session = URLSession(cutting.port, self._server.project.token, 6, self._tls, NAME)
            answer = session.upload(place, content)
        self._require(answer.status in (201, 204), f"an upload that goes on: {answer}")
        self._require(cutting.cuts and session.interim, f"{cutting.cuts} cuts, {session.interim}")
        require_there(self._server, digest, content)
        return require_few(cutting.sent, LARGE)


def _of_version(version):
    """The headers of an upload of URLSession."""
    return {"Upload-Draft-Interop-Version": str(version)} | dict([VERSIONS[version]]) if version else {}


def _piece(offset, is_last):
    return {
        "Content-Type": "application/partial-upload", "Upload-Offset": str(offset),
        "Upload-Complete": "?1" if is_last else "?0"}


def _headers(file):
    lines = [line.partition(":") for line in file.read_text().splitlines() if ":" in line]
    return {name.lower(): value.strip() for name, _, value in lines}
