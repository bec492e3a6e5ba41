"""Two `tidemark sync --watch` on two replicas: an edit on one is in the other within a blink.

Looks at it directly, after the server was killed, with a token that is renewed, and through one nginx and two of them
that hold events back. Then a page in Chromium reads events with `fetch`, and with `EventSource` and a ticket.
"""

import http.server
import json
import os
import statistics
import subprocess
import threading
import time
import urllib.request

from check.replica import count
from check.reporting import check, equal, skip
from harness import tidemark
from harness.installation import engine
from harness.installation.proxies import folder, installed
from harness.environment import ENVIRONMENT
from harness.processes import Daemon, free_port
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user
from harness.waiting import wait_until

DATABASE = TEMP / "events.db"
EDITS = 20


class Watcher:
    """A `tidemark sync --watch` in a terminal of its own."""

    def __init__(self, name, origin, token):
        self.replica, self._token, self._origin = TEMP / f"{name}.replica", TEMP / f"{name}.token", origin
        self._log = TEMP / f"{name}.log"
        self.give(token)

    def give(self, token):
        self._token.write_text(token)
        self._token.chmod(0o600)

    def start(self, origin=None):
        command = [
            tidemark.BINARY, "sync", origin or self._origin, "--all", "--replica", self.replica, "--token-file",
            self._token, "--watch"]
        self._output = self._log.open("wb")
        self._process = subprocess.Popen(
            [str(word) for word in command], stdout=self._output, stderr=subprocess.STDOUT, env=ENVIRONMENT)
        return self

    def stop(self):
        self._process.terminate()
        self._process.wait(20)

    def is_running(self):
        return self._process.poll() is None

    def said(self):
        return self._log.read_text()

    def add(self, number, project):
        tidemark.output(
            "task", "add", "--name", f"Task {number}", "--project", project, "--replica", self.replica, database=None)


def arrives(one, other, project, limit=30):
    """Seconds from the end of the command that edits one replica until the other one has the task."""
    before = count(other.replica, "tasks")
    one.add(before, project)
    started = time.perf_counter()
    wait_until(lambda: count(other.replica, "tasks") > before, limit, "an edit does not arrive", pause=0.002)
    return time.perf_counter() - started


def median(name, one, other, project, bound):
    arrives(one, other, project)
    taken = [arrives(one, other, project) * 1e3 for _ in range(EDITS)]
    check(
        f"{name}: the median of {EDITS} edits arrives within {bound} ms", statistics.median(taken) < bound,
        f"{statistics.median(taken):.0f} ms, at most {max(taken):.0f} ms")
    print(f"  {name}: median {statistics.median(taken):.0f} ms, at most {max(taken):.0f} ms", flush=True)


def direct(server, tokens, project, user):
    one, other = (Watcher(name, server.origin, token).start() for name, token in zip(("one", "two"), tokens))
    wait_until(lambda: "event" in one.said().lower() and "event" in other.said().lower(), 20, "nobody listens")
    median("directly", one, other, project, 100)
    server.kill()
    server.start()
    check("killed and started again: an edit arrives", arrives(one, other, project) < 30)
    median("after that", one, other, project, 100)
    for watcher in (one, other):
        watcher.give(add_token(user))
    revoke_all_but_the_newest(user)
    check("with new tokens: an edit arrives", arrives(one, other, project) < 30)
    check("both still run", one.is_running() and other.is_running(), one.said() + other.said())
    one.stop()
    other.stop()
    return one, other


def add_token(user):
    return tidemark.output("token", "create", "--user", user, "--name", "again", database=DATABASE).strip()


def revoke_all_but_the_newest(user):
    listed = tidemark.output("token", "list", "--user", user, "--json", database=DATABASE)
    for token in json.loads(listed)[:-2]:
        tidemark.output("token", "revoke", str(token["id"]), "--user", user, database=DATABASE)


def holding_nginx(command, name, to):
    """With its defaults: HTTP/1.0 to the server, and buffers."""
    port, home = free_port(), folder(name)
    temporary = "".join(
        f"{kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    (home / "nginx.conf").write_text(
        f"{user}daemon off;\npid {home}/pid;\nerror_log stderr warn;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{to}; proxy_ignore_headers "
        "X-Accel-Buffering; } }\n}\n")
    return Daemon(name, [command, "-e", "stderr", "-c", home / "nginx.conf"], port).start()


def behind_nginx(server, watchers, project):
    if engine.is_postgresql():
        return skip("nginx", "the two servers are behind one already")
    command = installed("nginx-light", "nginx")
    if not command:
        return skip("nginx", "there is none, and it could not be installed")
    inner = holding_nginx(command, "inner", server.port)
    outer = holding_nginx(command, "outer", inner.port)
    # nginx hands on what comes in chunks, whatever is set; the answer of another nginx comes without.
    for name, proxy, word in [("one nginx that buffers", inner, "Listening"), ("two of them", outer, "holds back")]:
        started = time.monotonic()
        for watcher in watchers:
            watcher.start(f"http://127.0.0.1:{proxy.port}")
        wait_until(
            lambda: all(word in watcher.said() for watcher in watchers), 20,
            lambda: f"{name}: {watchers[0].said()}")
        took = time.monotonic() - started
        check(f"{name}: within 6 s the client has found its way, and says which", took < 7, f"{took:.1f} s")
        median(name, *watchers, project, 250)
        for watcher in watchers:
            watcher.stop()
    outer.stop()
    inner.stop()


# MARK: A browser

PAGE = """<!DOCTYPE html><title>Events</title><pre id=seen></pre><script>
const [api, token] = [%s, %s]
const seen = {}
const note = (way, name) => { (seen[way] ??= []).push(name); document.title = JSON.stringify(seen) }
async function withFetch() {
  const answer = await fetch(api + "/events/", { headers: { Authorization: "Bearer " + token } })
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = "";;) {
    const { value, done } = await reader.read()
    if (done) return note("fetch", "end")
    text += value
    for (let end; (end = text.indexOf("\\n\\n")) >= 0; text = text.slice(end + 2))
      note("fetch", /^event: (.*)$/m.exec(text.slice(0, end))[1])
  }
}
async function withTicket() {
  const answer = await fetch(api + "/auth/ticket/", { method: "POST", headers: { Authorization: "Bearer " + token } })
  const source = new EventSource(api + "/events/?ticket=" + (await answer.json()).ticket)
  for (const name of ["hello", "poke", "bye"]) source.addEventListener(name, () => note("EventSource", name))
}
withFetch().catch(error => note("fetch", String(error)))
withTicket().catch(error => note("EventSource", String(error)))
</script>"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Browser:
    """Chromium, by its driver: https://www.w3.org/TR/webdriver2/"""

    def __init__(self, driver):
        port = free_port()
        self._driver = Daemon("chromedriver", [driver, f"--port={port}"], port).start()
        self._url = f"http://127.0.0.1:{port}/session"
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
        made = self._post("", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self._url += "/" + made["sessionId"]

    def open(self, url):
        self._post("/url", {"url": url})

    def title(self):
        with urllib.request.urlopen(self._url + "/title") as answer:
            return json.loads(answer.read())["value"]

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self._url, method="DELETE")).read()
        self._driver.stop()

    def _post(self, path, body):
        request = urllib.request.Request(
            self._url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())["value"]


def in_a_browser(pages, server, token, project):
    driver = installed("chromium chromium-driver", "chromedriver")
    if not driver:
        return skip("chromium", "there is none, and it could not be installed")
    pages.page = PAGE % (json.dumps(server.origin + "/api/v1"), json.dumps(token))
    browser = Browser(driver)
    browser.open(f"http://127.0.0.1:{pages.server_port}/")

    def seen(way):
        try:
            return json.loads(browser.title()).get(way, [])
        except ValueError:
            return []

    ways = ["fetch", "EventSource"]
    wait_until(lambda: all("hello" in seen(way) for way in ways), 20, f"no hello: {browser.title()}")
    project.write(created=[{"id": "browser", "name": "Look"}])
    wait_until(lambda: all("poke" in seen(way) for way in ways), 10, f"no poke: {browser.title()}")
    for way in ways:
        equal(f"Chromium with {way}", seen(way)[:2], ["hello", "poke"])
    browser.close()


def main():
    tokens = [add_user("alice", DATABASE), add_token("alice")]
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    server = Server(DATABASE, {"TIDEMARK_HTTP_ORIGINS": f"http://127.0.0.1:{pages.server_port}"}).start()
    project = server.new_project(tokens[0])
    watchers = direct(server, tokens, project.id, "alice")
    token = add_token("alice")
    behind_nginx(server, watchers, project.id)
    in_a_browser(pages, server, token, server.project(project.id, token))
    server.stop()
