"""kill -9 of the leader of a PostgreSQL cluster under Patroni, with its whole node, under writers."""

import statistics
import time

from deep.clients.sql_writer import SQLWriter
from harness.postgresql.patroni import PatroniCluster
from harness.requirements import require_command
from harness.waiting import wait_until

KILLS, WRITERS = 5, 4


def check(part, chance):
    require_command("patroni")
    require_command("etcd")
    with PatroniCluster() as cluster:
        waits, acknowledged, others, rows = run(cluster, max(2, KILLS // part), chance)
        if lost := acknowledged - rows:
            raise RuntimeError(f"{len(lost)} of {len(acknowledged):,} acknowledged rows were lost")
        cluster.make_asynchronous()
        _, blind, _, left = run(cluster, 1, chance)
        seen = len(blind - left)
        if not seen:
            raise RuntimeError("nothing was lost though commits waited for no standby: the check sees nothing")
    return (
        f"{len(waits)} kills: none of {len(acknowledged):,} acknowledged rows lost; {len(rows - acknowledged)} of "
        f"{others} others are there. From kill to write {min(waits):.1f} to {max(waits):.1f} s, median "
        f"{statistics.median(waits):.1f} s. Without a synchronous standby, {seen:,} of {len(blind):,} were lost")


def run(cluster, kills, chance):
    """How many seconds it took from each kill to a write, the acknowledged rows, how many others were tried, and the
    rows that are there."""
    cluster.query("DROP TABLE IF EXISTS written")
    cluster.query("CREATE TABLE written (writer int, number int, PRIMARY KEY (writer, number))")
    writers = [SQLWriter(cluster.url, number) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    waits = []
    for number in range(kills):
        time.sleep(chance.uniform(0.5, 2.5))
        # Every other leader loses its standbys a moment before its end, the only one of the control, too.
        waits.append(fail_over(cluster, writers, is_cut_off=number % 2 == 0))
    for writer in writers:
        writer.end()
    rows = {tuple(map(int, line.split("|"))) for line in cluster.query("TABLE written").splitlines()}
    acknowledged = set().union(*(writer.names for writer in writers))
    return waits, acknowledged, sum(writer.tried for writer in writers) - len(acknowledged), rows


def fail_over(cluster, writers, is_cut_off):
    """How many seconds it took from the kill to a write. Returns when the killed node follows the new leader."""
    if is_cut_off:
        cluster.leader().cut_off()
        time.sleep(0.3)
    killed = cluster.kill_leader()
    begun = time.monotonic()
    wait_until(
        lambda: any(writer.last_sent > begun for writer in writers), 60,
        lambda: f"no write for a minute: {cluster.states()}", pause=0.01)
    waited = time.monotonic() - begun
    cluster.restart(killed)
    cluster.wait_until_healthy()
    print(f"a write {waited:.1f} s after the kill of the leader", flush=True)
    return waited
