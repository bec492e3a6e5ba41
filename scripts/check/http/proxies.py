"""Starts nginx and Caddy with the blocks of docs/operations/https-and-proxies.md in front of a server.

Looks at pages, a stream that must not be held back, events, a pull that waits, an upload of several MB and one too
large, and the address of the client, which only the proxy may tell.
"""

import json
import time
import uuid

from check.reporting import check, equal, skip
from harness.installation.proxies import NAME, caddy, installed, nginx
from harness.listeners.stream import event
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user

DATABASE = TEMP / "proxies.db"
ROWS = 20_000


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
