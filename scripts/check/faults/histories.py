"""The server's numbers go back under a replica that was answered and has not pulled: nothing acknowledged is lost.

An export from before the push is imported into a new database; a backup is restored again and again, by random jumps.
"""

from check.replica import differences
from check.reporting import check, equal
from harness import tidemark
from harness.installation.backup import back_up, restore
from harness.server import Server
from harness.temporary import TEMP
from harness.tidemark import add_user

RESTORES = 6


def main():
    check_import()
    check_restores()


class Device:
    """A replica, and the commands on it."""

    def __init__(self, name, project):
        self.path, self.project = TEMP / f"{name}.replica", project

    def talk(self, command, server, token):
        done = tidemark.run(
            command, server.origin, "--project", self.project, "--token", token, "--replica", self.path)
        check(f"{command} ends well", done.returncode == 0, done.stderr)

    def task(self, verb, *arguments):
        tidemark.output("task", verb, *arguments, "--replica", self.path)


def begin(name):
    """A server with a project of two tasks, and a device that has pulled them."""
    database = TEMP / f"{name}.db"
    token = add_user("alice", database)
    server = Server(database).start()
    project = server.new_project(token)
    project.write(created=[{"id": id, "name": "Old"} for id in ("edited", "deleted")])
    device = Device(name, project.id)
    device.talk("pull", server, token)
    return server, token, device


def edit(device, number=0):
    """One edit of each kind; what the server must have in the end, by id."""
    device.task("add", "--name", "New", "--id", f"new-{number}")
    device.task("set", "edited", f"name=Edited {number}")
    if number == 0:
        device.task("rm", "deleted")


def verify(what, server, token, device, names):
    for _ in range(3):
        device.talk("sync", server, token)
    drain = server.project(device.project, token).drain()
    equal(what, {id: row["name"] for id, row in drain.tasks().items()}, names)
    equal("… and the replica equals the server", differences(device.path, drain.live())[:5], [])


def check_import():
    server, token, device = begin("here")
    export = TEMP / "project.json"
    export.write_text(tidemark.output("export", device.project, database=server.database))
    edit(device)
    device.talk("push", server, token)
    server.kill()
    there = TEMP / "there.db"
    token = add_user("alice", there)
    tidemark.output("import", export, "--owner", "alice", "--add-members", database=there)
    names = {"new-0": "New", "edited": "Edited 0"}
    verify("after an import of an older export all is sent again", Server(there).start(), token, device, names)


def check_restores():
    server, token, device = begin("restored")
    backup = TEMP / "backup.db"
    back_up(server.database, backup)
    names, heads = {"edited": "Old", "deleted": "Old"}, []
    for number in range(RESTORES):
        edit(device, number)
        device.talk("push", server, token)
        heads.append(server.project(device.project, token).head())
        server.kill()
        restore(server.database, backup)
        server.start()
        names = {f"new-{number}": "New", "edited": f"Edited {number}"} | ({"deleted": "Old"} if number else {})
        # What was pulled before a restore is the server's alone, and lost with its history.
        verify(f"after restore {number + 1} what was not pulled is sent again", server, token, device, names)
    falls = sum(1 for before, after in zip(heads, heads[1:]) if after < before)
    print(f"the numbers fell {falls} times of {RESTORES - 1}", flush=True)
