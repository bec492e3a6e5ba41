"""Kills the server with -9 under four uploading clients: every acknowledged batch is there, none twice.

Each batch creates rows with fresh ids, edits a row of its client's, and deletes a row of the batch before. The delete
tells a batch that was applied twice: it would find a tombstone, stamp it again, and draw one more commit number. The
argument is the seed.
"""

import random
import threading
import time
import uuid

from check.reporting import check, equal, seed_of
from harness.client import NO_ANSWER
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user

DATABASE = TEMP / "crashes.db"
KILLS, CLIENTS, MOST_BATCHES = 15, 4, 1500


def main(seed=None):
    seed = seed_of(seed)
    token = add_user("alice", DATABASE)
    server = Server(DATABASE).start()
    project = server.new_project(token)
    base = project.head()
    clients = [Client(number, project) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    starts = kill_often(server, random.Random(seed))
    for client in clients:
        client.stops = True
    for client in clients:
        client.join(60)
    check("every client came to its end", not any(client.is_alive() for client in clients))
    server.kill()
    server.start()
    equal(f"{KILLS} kills under upload and one at rest: the server started again each time", starts, KILLS)
    verify(project.drain(page_size=500), clients, base)


def kill_often(server, generator):
    starts = 0
    for _ in range(KILLS):
        time.sleep(generator.uniform(0.01, 0.35))
        server.kill()
        time.sleep(generator.uniform(0, 0.05))
        server.start()
        starts += 1
    return starts


class Client(threading.Thread):
    """Sends one batch after the other, each under its id until it is acknowledged."""

    def __init__(self, number, project):
        super().__init__(daemon=True)
        self.number, self.project = number, project.by(project.token)
        self.stops, self.batches, self.answers, self.retries, self.replays, self.unexpected = False, 0, [], 0, 0, []

    def run(self):
        while not self.stops and self.batches < MOST_BATCHES:
            rows = self.rows(self.batches)
            answer = self.send(str(uuid.uuid4()), rows)
            if answer is None:
                return
            self.replays += answer.headers["Idempotent-Replayed"] == "true"
            self.answers.append(answer.json)
            self.batches += 1

    def rows(self, batch):
        kept, dropped = ({"id": f"c{self.number}-b{batch}-{name}", "name": name} for name in ("kept", "dropped"))
        counter = {"id": f"c{self.number}-counter", "name": f"batch {batch}"}
        deleted = [f"c{self.number}-b{batch - 1}-dropped"] if batch else []
        return {"created": [kept, dropped], "updated": [counter], "deleted": deleted}

    def send(self, batch, rows):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                answer = self.project.upload(batch, **rows)
                if answer.status == 200:
                    return answer
                self.unexpected.append(repr(answer))
            except NO_ANSWER:
                pass
            self.retries += 1
            time.sleep(0.02)
        return None


def verify(drain, clients, base):
    batches = sum(client.batches for client in clients)
    retries, replays = (sum(getattr(client, name) for client in clients) for name in ("retries", "replays"))
    print(f"{batches} batches acknowledged, {retries} retries, {replays} answered as replays", flush=True)
    check("at least 40 batches, some of them retried", batches >= 40 and retries > 0, (batches, retries))
    equal("no answer but 200 while the server runs", [text for client in clients for text in client.unexpected][:3], [])
    equal("the drain breaks no promise", drain.problems, [])
    kept = {f"c{client.number}-b{batch}-kept" for client in clients for batch in range(client.batches)}
    last = {f"c{client.number}-b{client.batches - 1}-dropped" for client in clients}
    counters = {f"c{client.number}-counter" for client in clients}
    dropped = {id.replace("kept", "dropped") for id in kept} - last
    equal("every acknowledged row is there, and no other", set(drain.tasks()) ^ (kept | last | counters), set())
    equal("every acknowledged delete is there, and no other", drain.deleted.get("tasks", set()) ^ dropped, set())
    versions = {drain.tasks().get(id, {}).get("server_version") for id in kept | last}
    equal("rows that were created once are at version 1", versions, {1})
    seen = [
        (drain.tasks()[f"c{c.number}-counter"]["server_version"], drain.tasks()[f"c{c.number}-counter"]["name"])
        for c in clients
    ]
    equal(
        "each client's edited row is at the version of its last batch",
        seen,
        [(c.batches, f"batch {c.batches - 1}") for c in clients],
    )
    answers = [answer for client in clients for answer in client.answers]
    equal(
        "no batch met its own traces",
        [answer["skipped"] for answer in answers if any(answer["skipped"].values())][:3],
        [],
    )
    numbers = sorted(answer["timestamp"] for answer in answers)
    equal("the commit numbers are dense, one a batch", numbers, list(range(base + 1, base + batches + 1)))
    equal("the head is the number of batches applied", drain.timestamp, base + batches)
