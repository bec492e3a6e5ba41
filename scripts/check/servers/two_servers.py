"""Two servers on one PostgreSQL database: what one of them answered, the other one knows at its next request.

The argument is the number of pulls, 100,000 without it. Each pull asks one server with the number of an upload that the
other one has just answered. A twentieth as many tokens and memberships are taken away through one server, and used at
the other. Then it measures how long a poke takes from an upload through one server to a stream of the other.
"""

import itertools
import statistics
import threading
import time
import uuid

from check.reporting import check, equal
from harness import tidemark
from harness.installation import engine
from harness.listeners.stream import delays_after
from harness.client import Client
from harness.server import Server

PULLS, THREADS, POKES = 100_000, 4, 200
ADDRESS = "/api/v1"


def main(pulls=PULLS):
    pulls = int(pulls)
    database = engine.new_database("plans")
    token = tidemark.add_user("alice", database)
    tidemark.output("user", "add", "bob", database=database)
    with Server(database) as one, Server(database) as other:
        pull_after_uploads((one, other), token, pulls)
        revoke((one, other), token, pulls // 20)
        lose_memberships((one, other), token, database, pulls // 20)
        poke((one, other), token)
        for server in (one, other):
            check("the server's log is calm", server.require_calm_log() == 0, server.logs[-500:])


def pull_after_uploads(servers, token, pulls):
    """Two threads work on a project each, two on one together."""
    projects = [servers[0].new_project(token).id for _ in range(THREADS - 1)]
    workers = [
        Puller(servers, project, token, pulls // THREADS) for project in (*projects, projects[-1])]
    began = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds, faults = time.monotonic() - began, [fault for worker in workers for fault in worker.faults]
    done = sum(worker.done for worker in workers)
    equal(f"{done:,} pulls at the server that did not answer the upload: none ahead, no row missing", faults[:3], [])
    check("all of them were made", done == pulls // THREADS * THREADS, done)
    print(f"  {done / seconds:,.0f} uploads and as many pulls a second", flush=True)


class Puller(threading.Thread):
    """Uploads to one server and pulls from the other, in turn."""

    def __init__(self, servers, project, token, count):
        super().__init__(daemon=True)
        self._path = f"{ADDRESS}/projects/{project}/sync/"
        self._clients = [Client(server.port, token) for server in servers]
        self._count, self.done, self.faults = count, 0, []

    def run(self):
        try:
            for number in range(self._count):
                one, other = self._clients if number % 4 < 2 else reversed(self._clients)
                self._once(one, other, is_quiet=number % 2 == 0)
                self.done += 1
        except Exception as failure:
            self.faults.append(repr(failure))

    def _once(self, one, other, is_quiet):
        """A quiet pull asks from the upload's number on, the other from the number before."""
        task = str(uuid.uuid4())
        body = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": [{"id": task, "name": "Task"}]}}}
        upload = one.request("POST", self._path, body)
        if upload.status != 200:
            raise RuntimeError(f"an upload: {upload}")
        number = upload.json["timestamp"]
        since = number if is_quiet else number - 1
        page = other.request("GET", f"{self._path}?since={since}&collections=tasks")
        if page.status != 200 or page.json["timestamp"] < number:
            self.faults.append(f"since={since} after an upload with {number}: {page}")
        elif not is_quiet and task not in [row["id"] for row in page.json["changes"]["tasks"]["updated"]]:
            self.faults.append(f"since={since} does not bring {task} of {number}: {page}")


def revoke(servers, token, count):
    """A token that is made through one server works at the other, and does not once the first has revoked it."""
    clients, faults = [Client(server.port, token) for server in servers], []
    for number, (one, other) in in_turn(clients, count):
        made = one.request("POST", f"{ADDRESS}/auth/tokens/", {"name": f"Token {number}"})
        if made.status != 201:
            raise RuntimeError(f"no token: {made}")
        bearer = {"Authorization": f"Bearer {made.json['token']}"}
        before = other.request("GET", f"{ADDRESS}/auth/me/", headers=bearer).status
        gone = one.request("DELETE", f"{ADDRESS}/auth/tokens/{made.json['id']}/").status
        after = other.request("GET", f"{ADDRESS}/auth/me/", headers=bearer).status
        if (before, gone, after) != (200, 204, 401):
            faults.append((number, before, gone, after))
    equal(f"{count:,} tokens: known to the other server at once, and refused by it once revoked", faults[:3], [])


def lose_memberships(servers, token, database, count):
    """The same of members: a pull of the other server is answered, and then refused."""
    clients, faults = [Client(server.port, token) for server in servers], []
    bob = tidemark.output("token", "create", "--user", "bob", database=database)
    user = servers[0].get(f"{ADDRESS}/auth/me/", bob).json["id"]
    project = servers[0].new_project(token).id
    bearer = {"Authorization": f"Bearer {bob}"}
    for number, (one, other) in in_turn(clients, count):
        made = one.request("POST", f"{ADDRESS}/projects/{project}/memberships/", {"user": user, "role": 100})
        before = other.request("GET", f"{ADDRESS}/projects/{project}/sync/?since=0&page_size=1", headers=bearer).status
        gone = one.request("DELETE", f"{ADDRESS}/memberships/{made.json['id']}/").status
        after = other.request("GET", f"{ADDRESS}/projects/{project}/sync/?since=0&page_size=1", headers=bearer)
        if (made.status, before, gone, after.status) != (201, 200, 204, 403):
            faults.append((number, made.status, before, gone, after))
    equal(f"{count:,} memberships: known to the other server at once, and gone at once", faults[:3], [])


def in_turn(clients, count):
    pairs = itertools.cycle([clients, clients[::-1]])
    return enumerate(itertools.islice(pairs, count))


def poke(servers, token):
    """How long after an upload's answer the streams of both servers hear of it."""
    delays = delays_after(servers[0].new_project(token), servers, POKES)
    for name, seen in zip(("its own streams", "the other server's streams"), delays):
        ordered = sorted(delay * 1000 for delay in seen)
        print(
            f"  from an upload's answer to the poke of {name}: median {statistics.median(ordered):.1f} ms, 99th "
            f"percentile {ordered[int(len(ordered) * 0.99) - 1]:.1f} ms, at most {ordered[-1]:.1f} ms", flush=True)
    check("the other server's streams hear of an upload within a second", max(delays[1]) < 1, max(delays[1]))
