"""Kills `tidemark pull` with -9 at random moments; then it goes on where it was. The argument is the seed."""

import random
import time

from check.replica import count, differences
from check.reporting import check, equal, seed_of, skip
from harness import tidemark
from harness.server import Server
from harness.temporary import TEMP

DATABASE, REPLICA = TEMP / "resume.db", TEMP / "resume.replica"
TASKS, KILLS = 1000, 8


def main(seed=None):
    generator = random.Random(seed_of(seed))
    token = tidemark.add_user("alice", DATABASE)
    server = Server(DATABASE).start()
    project = server.new_project(token)
    for start in range(0, TASKS, 500):
        project.write(created=[{"id": f"t{n:03}", "name": f"Task {n}"} for n in range(start, start + 500)])
    command = [
        "pull", server.origin, "--project", project.id, "--token", token, "--replica", REPLICA, "--page-size", 1]
    counts = [kill_pull(command, generator) for _ in range(KILLS)]
    print(f"tasks in the replica after each kill: {counts}", flush=True)
    check("a killed pull loses no page that it had", counts == sorted(counts), counts)
    in_the_middle = [rows for rows in counts if 0 < rows < TASKS]
    if not in_the_middle:
        skip("kills in the middle of a drain", f"the pull was too fast or too slow: {counts}")
    # After the cursor and before it: both must arrive with the next pull.
    project.write(updated=[{"id": "t000", "name": "Renamed"}], deleted=[f"t{TASKS - 1}"])
    done = tidemark.run(*command)
    print(done.stderr.strip(), flush=True)
    check("the last pull ends well", done.returncode == 0, done.stderr)
    if in_the_middle and counts[-1] < TASKS:
        check("… and says that it resumed", "resumed" in done.stderr, done.stderr)
    tidemark.run(*command)
    drain = project.drain()
    equal("no id twice in the drain", drain.problems, [])
    equal(f"the replica of {len(drain.tasks())} tasks equals the drain", differences(REPLICA, drain.live())[:5], [])


def kill_pull(command, generator):
    """Starts a pull, kills it a random moment later, and returns how many tasks the replica has then."""
    process = tidemark.start(*command)
    time.sleep(generator.uniform(0.03, 0.25))
    process.kill()
    process.wait()
    return count(REPLICA, "tasks")
