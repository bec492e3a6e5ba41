"""kill -9 of the leader of a PostgreSQL cluster under Patroni, with its whole node, under two servers that take
uploads, and devices that sync."""

import collections
import random
import statistics
import threading
import time

from deep.clients.both import BothServers
from deep.clients.devices import add_devices, end_devices
from deep.clients.ledger import Ledger, live_tasks, require_equal
from deep.clients.writer import RepeatingWriter
from harness import tidemark
from harness.client import NO_ANSWER
from harness.postgresql.patroni import PatroniCluster
from harness.requirements import require_command
from harness.server import Server
from harness.waiting import wait_until

KILLS, WRITERS = 20, 4
# From the kill to the first acknowledged batch, in seconds.
LONGEST = 15


def check(part, chance):
    require_command("patroni")
    require_command("etcd")
    with PatroniCluster() as cluster:
        cluster.query("CREATE DATABASE plans ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
        database = cluster.database_url("plans")
        token = tidemark.add_user("writer", database)
        with Server(database) as one, Server(database) as other:
            seen = run(cluster, (one, other), token, max(2, KILLS // part), chance)
            return f"{seen}. Errors in the servers' logs: {logged((one, other)) or 'none'}"


def run(cluster, servers, token, kills, chance):
    project, synced, ledger = servers[0].new_project(token), servers[0].new_project(token), Ledger()
    both = BothServers(servers, project.id, token)
    devices = add_devices(servers, synced.id, token)
    writers = [
        RepeatingWriter(both, token, ledger, random.Random(chance.random()), pause=0.01) for _ in range(WRITERS)]
    reader = Reader(both)
    for thread in (*writers, reader):
        thread.start()
    waits = []
    for number in range(kills):
        time.sleep(chance.uniform(0.5, 2.5))
        waits.append(fail_over(cluster, ledger, is_cut_off=number % 2 == 0))
    for thread in (*writers, reader):
        thread.end()
    ledger.require_no_fault()
    reader.require_no_fault()
    for server in servers:
        require_equal(ledger.snapshot(), live_tasks(BothServers((server, server), project.id, token)))
    held = end_devices(devices)
    for server in servers:
        require_synced(devices, held, live_tasks(BothServers((server, server), synced.id, token)))
    if max(waits) > LONGEST:
        raise RuntimeError(f"{max(waits):.1f} s passed from a kill to the next acknowledged batch")
    refusals = sum(len(writer.refusals) for writer in writers)
    return (
        f"{kills} kills under two servers, {ledger.batches:,} batches of {len(ledger.rows):,} rows acknowledged: none "
        f"lost, none applied twice, no number used twice; {refusals:,} answers were 503. {reader.pulls:,} pulls: no "
        f"watermark went back. From kill to batch {min(waits):.1f} to {max(waits):.1f} s, median "
        f"{statistics.median(waits):.1f} s. {said_of(devices)}")


def logged(servers):
    """How often the servers logged each error. Raises if one of them has ended, or failed to answer a request."""
    messages = collections.Counter()
    for server in servers:
        if server.process.poll() is not None:
            raise RuntimeError(f"a server ended: {server.logs[-1000:]}")
        messages.update(line.split(" ", 2)[2] for line in server.logged("error", "critical"))
    if failed := [message for message in messages if message.startswith("request failed")]:
        raise RuntimeError(f"{len(failed)} requests failed, first: {failed[0]}")
    return "; ".join(f"{count} × {message}" for message, count in messages.items())


def require_synced(devices, held, tasks):
    """Raises if a task of a device is not on the server, or there twice, or if a device lacks what another one made.

    The last sync of a device that ended first can't have what the others sent after it."""
    made = [task for device in devices for task in device.made]
    if sorted(made) != sorted(tasks):
        odd = sorted(set(made) ^ set(tasks))
        raise RuntimeError(f"devices made {len(made)} tasks, {len(tasks)} are on the server: {odd[:5]}")
    for device in devices:
        if not set(device.made) <= held[device.name] <= set(tasks):
            raise RuntimeError(f"{device.name} does not have what it made, or has what is on no server")


def said_of(devices):
    """What the devices saw, in words."""
    syncs, made = sum(device.syncs for device in devices), sum(len(device.made) for device in devices)
    given_up = ", ".join(f"{device.name} {device.given_up}" for device in devices if device.given_up)
    return (
        f"{len(devices)} devices sent {made:,} tasks in {syncs:,} syncs. Syncs that gave up on a busy server and went "
        f"on later: {given_up or 'none'}")


def fail_over(cluster, ledger, is_cut_off):
    """How many seconds it took from the kill to a batch. Returns when the killed node follows the new leader."""
    if is_cut_off:
        cluster.leader().cut_off()
        time.sleep(0.3)
    killed = cluster.kill_leader()
    begun, batches = time.monotonic(), ledger.batches
    wait_until(
        lambda: ledger.batches > batches + WRITERS, 60,
        lambda: f"no batch for a minute: {cluster.states()}; {ledger.faults[:1]}", pause=0.01)
    waited = time.monotonic() - begun
    cluster.restart(killed)
    cluster.wait_until_healthy()
    print(f"a batch {waited:.1f} s after the kill of the leader", flush=True)
    return waited


class Reader(threading.Thread):
    """Pulls from both servers in turn, from the last watermark on."""

    def __init__(self, both):
        super().__init__(daemon=True)
        self._client, self._ends = both.connect(timeout=20), threading.Event()
        self.pulls, self._since, self._faults = 0, 0, []

    def run(self):
        while not self._ends.is_set():
            try:
                answer = self._client.request("GET", f"?since={self._since}&page_size=1000")
            except NO_ANSWER:
                continue
            if answer.status == 503:
                time.sleep(0.01)
                continue
            if answer.status != 200:
                self._faults.append(repr(answer))
                time.sleep(0.1)
                continue
            self.pulls += 1
            if not answer.json["has_more"]:
                if answer.json["timestamp"] < self._since:
                    self._faults.append(f"{answer.json['timestamp']} came after {self._since}")
                self._since = answer.json["timestamp"]

    def end(self):
        self._ends.set()
        self.join(60)

    def require_no_fault(self):
        if self._faults:
            raise RuntimeError(f"{len(self._faults)} faults of pulls, first: {self._faults[0]}")
