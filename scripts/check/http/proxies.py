"""Starts nginx and Caddy with the blocks of docs/operations.md in front of a server.

Looks at pages, a stream that must not be held back, events, a pull that waits, an upload of several MB and one too
large, and the address of the client, which only the proxy may tell. Only names, ports and paths of certificates are
replaced in the blocks. The proxies are installed from Debian if that is allowed.
"""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
import uuid

from check.reporting import check, equal, skip
from harness.environment import ROOT
from harness.listeners.stream import event
from harness.processes import Daemon, free_port
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user
from harness.waiting import wait_until

DATABASE = TEMP / "proxies.db"
NAME = "tidemark.example.org"
ROWS = 20_000


def block(language):
    page = (ROOT / "docs/operations.md").read_text()
    return re.search(rf"```{language}\n(.*?)```", page, re.S)[1]


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the block"
        text = text.replace(old, new)
    return text


def installed(package, command):
    """The path of the command, None if there is none. Installs its package if that is allowed."""
    path = os.environ["PATH"] + ":/usr/sbin"
    if not shutil.which(command, path=path):
        script = f'source scripts/common.sh; install_packages {package}'
        subprocess.run(["bash", "-c", script], cwd=ROOT, stdout=2, check=False)
    return shutil.which(command, path=path)


class Proxy(Daemon):
    """A proxy with a folder of its own."""

    def __init__(self, name, port, certificate, command):
        """`certificate` is the file of the authority that its clients trust."""
        self.name, self.folder, self._certificate = name, folder(name), certificate
        environment = os.environ | {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        super().__init__(name, command, port, environment)

    def connect(self, source="127.0.0.1"):
        """A connection from that address, TLS inside."""
        context = ssl.create_default_context(cafile=self._certificate)
        plain = socket.create_connection(("127.0.0.1", self.port), 60, source_address=(source, 0))
        connection = http.client.HTTPConnection(NAME, timeout=60)
        connection.sock = context.wrap_socket(plain, server_hostname=NAME)
        return connection

    def ask(self, method, path, body=None, source="127.0.0.1", **headers):
        connection = self.connect(source)
        connection.request(method, path, body, {"Host": NAME} | {k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        answer = response.status, response.headers, response.read()
        connection.close()
        return answer


def folder(name):
    path = TEMP / name
    path.mkdir(exist_ok=True)
    return path


def certificate():
    """A new certificate for the name, and its key."""
    files = TEMP / "cert.pem", TEMP / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-addext",
         f"subjectAltName=DNS:{NAME}", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return map(str, files)


def nginx(command, server):
    chain, key = certificate()
    port, home = free_port(), folder("nginx")
    live = f"/etc/letsencrypt/live/{NAME}"
    text = replaced(
        block("nginx"), ("127.0.0.1:8080", f"127.0.0.1:{server.port}"), ("listen 443", f"listen 127.0.0.1:{port}"),
        (f"{live}/fullchain.pem", chain), (f"{live}/privkey.pem", key))
    temporary = "".join(
        f"{kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    (home / "nginx.conf").write_text(
        f"{user}daemon off;\npid {home}/pid;\nerror_log stderr warn;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{text}}}\n")
    return Proxy("nginx", port, chain, [command, "-e", "stderr", "-c", home / "nginx.conf"]).start()


def caddy(command, server):
    port, home = free_port(), folder("caddy")
    text = replaced(block("caddyfile"), ("127.0.0.1:8080", f"127.0.0.1:{server.port}"), (NAME, f"{NAME}:{port}"))
    # Its own authority in the place of one on the Internet.
    settings = "{\nadmin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\nstorage file_system " \
        f"{home}/caddy\n}}\n"
    (home / "Caddyfile").write_text(settings + text)
    proxy = Proxy(
        "caddy", port, home / "caddy/pki/authorities/local/root.crt",
        [command, "run", "--config", home / "Caddyfile", "--adapter", "caddyfile"])
    proxy.start()
    wait_until(lambda: is_healthy(proxy), 10, "Caddy does not hand on requests")
    return proxy


def is_healthy(proxy):
    try:
        return proxy.ask("GET", "/health/")[0] == 200
    except OSError:
        return False  # It has no certificate yet.


def fill(project):
    for first in range(0, ROWS, 5000):
        ids = range(first, first + 5000)
        project.write(created=[{"id": f"t{n}", "name": f"Task {n}", "notes": "Order the paint. " * 20} for n in ids])


def pulls(proxy, project):
    path, bearer = project.path, f"Bearer {project.token}"
    direct = project.pull("since=0&page_size=1000").body
    status, _, page = proxy.ask("GET", path + "?since=0&page_size=1000", Authorization=bearer)
    equal(f"{proxy.name}: a page is what the server said", (status, page == direct), (200, True))
    status, headers, packed = proxy.ask(
        "GET", path + "?since=0&page_size=1000", Authorization=bearer, Accept_Encoding="gzip")
    is_packed = headers["Content-Encoding"] == "gzip" and len(packed) < len(page) / 4
    check(f"{proxy.name}: a page is compressed once", is_packed)
    connection = proxy.connect()
    connection.request("GET", path + "?since=0&stream=true", headers={"Host": NAME, "Authorization": bearer})
    response = connection.getresponse()
    first = response.read(100_000)
    time.sleep(1)  # A proxy that holds streams back has collected all of it by now.
    held = project.pull("since=0&stream=true&collections=projects").status
    document = json.loads(first + response.read())
    has_all = len(document["changes"]["tasks"]["updated"]) >= ROWS and not document["has_more"]
    check(f"{proxy.name}: a stream has all rows", response.status == 200 and has_all)
    check(f"{proxy.name}: meanwhile others are answered", held == 200, held)
    kept = "upstream response is buffered" in proxy.log.read_text()
    check(f"{proxy.name}: nothing of a stream is held back on disk", not kept)


def listens(proxy, project):
    """A stream of events and a pull that waits: both hear of a write at once, although the proxy is between."""
    bearer = f"Bearer {project.token}"
    connection = proxy.connect()
    connection.request("GET", "/events/", headers={"Host": NAME, "Authorization": bearer, "Accept-Encoding": "gzip"})
    response = connection.getresponse()
    check(f"{proxy.name}: events are not compressed", response.headers["Content-Encoding"] is None)
    equal(f"{proxy.name}: events begin at once", event(response)[0], "hello")
    started = time.perf_counter()
    project.write(created=[{"id": f"{proxy.name}-poke", "name": "Poke"}])
    kind, data = event(response)
    check(f"{proxy.name}: the poke of a write comes within a second", time.perf_counter() - started < 1)
    head = project.head()
    equal(f"{proxy.name}: it names the project and its head", (kind, data), ("poke", {project.id: head}))
    connection.close()
    connection = proxy.connect()
    path = f"{project.path}?since={head}&wait=25"
    connection.request("GET", path, headers={"Host": NAME, "Authorization": bearer})
    time.sleep(1)  # A pull that does not wait has its empty answer by now.
    started = time.perf_counter()
    project.write(created=[{"id": f"{proxy.name}-wait", "name": "Wait"}])
    page = json.loads(connection.getresponse().read())
    told = [row["id"] for row in page["changes"]["tasks"]["updated"]]
    equal(f"{proxy.name}: a pull that waits has the write", told, [f"{proxy.name}-wait"])
    check(f"{proxy.name}: it comes within a second", time.perf_counter() - started < 1)
    connection.close()


def uploads(proxy, project):
    rows = [{"id": f"{proxy.name}-{n}", "name": "Large", "notes": "x" * 12_000} for n in range(400)]
    body = json.dumps({"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": rows}}}).encode()

    def send(body):
        bearer = f"Bearer {project.token}"
        return proxy.ask("POST", project.path, body, Authorization=bearer, Content_Type="application/json")

    status, _, answer = send(body)
    equal(f"{proxy.name}: an upload of {len(body) / 1e6:.1f} MB is taken", status, 200)
    equal(f"{proxy.name}: all its rows", len(json.loads(answer)["applied"]["tasks"]["created"]), 400)
    status, headers, answer = send(b" " * (17 << 20))
    equal(
        f"{proxy.name}: one that is too large is refused in Tidemark's words",
        (status, headers["Content-Type"], json.loads(answer).get("code")),
        (413, "application/problem+json", "body_too_large"))


def addresses(proxy, first, second):
    """Ten logins a minute from an address: the client's, whatever it writes itself."""

    def log_in(number, source, **headers):
        body = json.dumps({"username": f"nobody-{proxy.name}-{number}", "password": "wrong"})
        return proxy.ask("POST", "/auth/token/", body, source, Content_Type="application/json", **headers)[0]

    # A slow machine gets a try back while it is still trying.
    tries = [log_in(0, first)]
    while tries[-1] == 401 and len(tries) < 30:
        tries.append(log_in(len(tries), first))
    check(f"{proxy.name}: logins are counted by the client's address", len(tries) > 10 and tries[-1] == 429, tries)
    forged = [log_in(30 + number, first, X_Forwarded_For=f"192.0.2.{number}") for number in range(4)]
    check(f"{proxy.name}: a header of its own does not help", 429 in forged, forged)
    equal(f"{proxy.name}: another client has its own tries", log_in(40, second), 401)
    equal(f"{proxy.name}: metrics are not handed on", proxy.ask("GET", "/metrics")[0], 403)
    preflight = proxy.ask(
        "OPTIONS", "/projects/", Origin="https://app.example.org", Access_Control_Request_Method="GET")
    equal(
        f"{proxy.name}: a preflight reaches the server",
        (preflight[0], preflight[1].get_all("Access-Control-Allow-Origin")), (204, ["https://app.example.org"]))


def main():
    token = add_user("alice", DATABASE)
    server = Server(
        DATABASE, {
            "TIDEMARK_AUTH_TRUST_FORWARDED_FOR": "true", "TIDEMARK_SYNC_BATCH_MAX_ROWS": 5000,
            "TIDEMARK_HTTP_ORIGINS": "https://app.example.org"}).start()
    project = server.new_project(token)
    fill(project)
    for number, (package, start) in enumerate([("nginx-light", nginx), ("caddy", caddy)]):
        command = installed(package, start.__name__)
        if not command:
            skip(start.__name__, f"there is none, and {package} could not be installed")
            continue
        proxy = start(command, server)
        pulls(proxy, project)
        listens(proxy, project)
        uploads(proxy, project)
        addresses(proxy, f"127.0.1.{number + 1}", f"127.0.2.{number + 1}")
        proxy.stop()
