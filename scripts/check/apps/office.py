"""A tool for a site office, a package of its own with the Swift client, on two devices: it begins without a network,
is cut off, loses a site, and is logged out.
"""

import json
import subprocess
import threading

from check.reporting import check, equal
from harness import tidemark
from harness.environment import ENVIRONMENT
from harness.server import Server
from harness.temporary import TEMP

PASSWORDS = {"ann": "boat-shed-pier-1", "bob": "boat-shed-pier-2"}


class Office:
    """The tool on one device."""

    def __init__(self, program, name):
        self._program, self.folder = program, TEMP / f"office-{name}"
        self.folder.mkdir()
        (self.folder / "schema.json").write_text(tidemark.output("schema", "--format", "jsonschema"))

    def do(self, *words, password=None):
        """Its exit status, and what it says."""
        command = [str(self._program), str(self.folder), *map(str, words)]
        done = subprocess.run(
            command, input=password, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
        return done.returncode, done.stdout.strip()

    def begin(self, *words):
        """A process that runs."""
        command = [str(self._program), str(self.folder), *map(str, words)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT)

    def spoil_token(self):
        """The server refuses the access token from now on."""
        for path in self.folder.glob("*.secret"):
            secret = json.loads(path.read_text())
            secret["tokens"]["access"] += "x"
            path.write_text(json.dumps(secret))

    def says(self, *words, password=None):
        """What it says to a command that must succeed."""
        status, said = self.do(*words, password=password)
        if status != 0:
            raise RuntimeError(f"{words}: {said}")
        return said


def story(program):
    """All that a person at the site and one in the office do in a day."""
    database = TEMP / "office.db"
    numbers = {
        name: tidemark.output("user", "add", name, "--password-stdin", database=database, input=password)
        for name, password in PASSWORDS.items()}
    server, (ann, bob) = Server(database), [Office(program, name) for name in PASSWORDS]
    barn = ann.says("new-site", "Barn")
    paint, roof = ann.says("add", barn, "Order paint"), ann.says("add", barn, "Roof")
    equal("before the first log-in, plans are made without a network", ann.says("list", barn),
          "[ ] Order paint\n[ ] Roof")
    with server:
        invited(server, ann, bob, barn, numbers["bob"])
    cut_off(server, ann, bob, barn, paint)
    with server:
        refused(server, bob, barn, roof)
        refreshed_at_once(ann)
        logged_out(ann, barn)


def invited(server, ann, bob, barn, number):
    status, said = ann.do("log-in", server.origin, "ann", password="a wrong one\n")
    check("a wrong password is told", status == 1 and "password" in said, said)
    for office, name in ((ann, "ann"), (bob, "bob")):
        office.says("log-in", server.origin, name, password=PASSWORDS[name] + "\n")
    status, said = ann.do("sync")
    check("the first sync asks whose it is what was made before",
          status == 1 and said.startswith("3 edits were made here before anybody signed in."), said)
    equal("it belongs to who logs in and keeps it", ann.says("sync", "keep"), "0 unsent")
    ann.says("invite", barn, number)
    equal("the other device syncs", bob.says("sync"), "0 unsent")
    equal("it has the same", bob.says("list", barn), ann.says("list", barn))


def cut_off(server, ann, bob, barn, paint):
    """The server is away. Both edit one task."""
    ann.says("rename", paint, "Order red paint")
    bob.says("done", paint)
    status, said = bob.do("sync")
    check("without the server, a sync says why", status == 1 and "can't be reached" in said, said)
    with server:
        for office in (bob, ann, bob):
            office.says("sync")
        for office in (ann, bob):
            equal("both edits of one task are there", office.says("list", barn), "[x] Order red paint\n[ ] Roof")


def refused(server, bob, barn, roof):
    """Bob loses the site, and has an edit of it that he has not sent."""
    bob.says("rename", roof, "Roof and gutter")
    tidemark.output("member", "remove", "--project", barn, "--user", "bob", database=server.database)
    said = bob.says("sync").splitlines()
    check("a lost site is told, and what was not sent",
          said[0] == "Barn is no longer yours." and said[1].startswith("Set aside: Roof and gutter. ")
          and said[-1] == "0 unsent", said)
    equal("the site is gone there", bob.says("list", barn), "")


# Processes that find at once that their token is refused, and how often; one of them is killed, each time later.
AT_ONCE, TIMES, LATER = 4, 8, 0.02


def refreshed_at_once(ann):
    """One process refreshes the session for all. A second one that came with the old token would end it."""
    for time in range(TIMES):
        ann.spoil_token()
        syncs = [ann.begin("sync") for _ in range(AT_ONCE)]
        threading.Event().wait(LATER * time)
        syncs[0].kill()
        said = [sync.communicate(timeout=120)[0].strip() for sync in syncs]
        check("all others sync with the new token", all(words == "0 unsent" for words in said[1:]), said)
        equal("and the session goes on", ann.says("sync"), "0 unsent")


def logged_out(ann, barn):
    ann.says("add", barn, "Windows")
    status, said = ann.do("log-out")
    check("a log-out asks, since an edit is not sent", status == 1 and said.startswith("1 edit not sent yet"), said)
    ann.says("log-out", "anyway")
    equal("the edit stays", ann.says("list", barn).splitlines()[-1], "[ ] Windows")
    status, said = ann.do("sync")
    check("nobody syncs now", status == 1 and "Log in" in said, said)
    ann.says("log-in", "", "ann", password=PASSWORDS["ann"] + "\n")
    equal("after a log-in it is sent", ann.says("sync"), "0 unsent")
