"""From the release before to this one, and back by a backup; the package removed, purged and installed again."""

import os
import pathlib

from check.packages import release
from check.packages.service import BACKUPS, DATA, PASSWORD, Installation
from check.reporting import check, equal, skip
from harness import tidemark
from harness.processes import output

# Between two releases of one version, if there is no other binary.
FIRST = "0.0.1"


def former():
    """A package of the release before, and its binary."""
    binary = pathlib.Path(os.environ["TIDEMARK_FORMER"])
    version = output(binary, "--version").split(",")[0].strip()
    if version == release.plain().version:
        skip("an older binary", f"both say {version}, so only the package of this one is another, as {FIRST}")
        version = FIRST
    return release.make("former", version, binary), binary


def upgraded(fetched):
    before, binary = former()
    with Installation(fetched.copy("upgraded")) as machine:
        packages = {"before": machine.put(before.package), "now": machine.put(release.plain().package)}
        machine.suit(binary)
        machine.apt("install", packages["before"])
        machine.wait()
        machine.as_service("user", "add", "alice", "--superuser", "--password-stdin", stdin=PASSWORD + "\n")
        machine.new_project(machine.sign_in("alice"), "Hall")
        machine.settings("# A line of the operator.\n")
        machine.suit(tidemark.BINARY)
        up(machine, packages["now"])
        back(machine, packages["before"], binary)
        machine.suit(tidemark.BINARY)
        machine.apt("install", packages["now"])
        machine.new_project(machine.sign_in("alice"), "After")
        removed(machine, packages["now"])


def up(machine, package):
    process = machine.property("MainPID")
    machine.follow("Upgrade", package)
    token = machine.sign_in("alice")
    check("an upgrade starts the service again", machine.property("MainPID") not in ("0", process))
    equal("what runs is the new version", machine.version(), release.plain().version)
    equal("the data is there", machine.projects(token), {"Hall"})
    check("the operator's settings are there", "# A line of the operator." in (
        machine.root / "etc/tidemark/tidemark.env").read_text())
    machine.new_project(token, "After")


def back(machine, package, binary):
    """With the database of the backup, and a unit for the binary before."""
    machine.suit(binary)
    machine.follow("The way back", package)
    token = machine.sign_in("alice")
    equal("what runs is the version before", machine.version(), output(binary, "--version").split(",")[0].strip())
    equal("the data is that of the backup", machine.projects(token), {"Hall"})
    check("the newer database is kept", (machine.root / DATA[1:] / "newer/tidemark.db").exists())


def removed(machine, package):
    machine.apt("remove", "tidemark")
    equal("remove stops the service", (machine.property("ActiveState"), machine.answers()), ("inactive", False))
    machine.apt("install", package)
    equal("after remove and install the data is there", machine.projects(machine.sign_in("alice")), {"Hall", "After"})
    said = machine.apt("purge", "tidemark")
    check("purge says where the data is", f"The data in {DATA} stays." in said and f"{BACKUPS} stays" in said, said)
    check("and keeps it", (machine.root / DATA[1:] / "tidemark.db").exists())
    check("and removes the settings", not (machine.root / "etc/tidemark/tidemark.env").exists())
    machine.apt("install", package)
    equal("after purge and install the data is there", machine.projects(machine.sign_in("alice")), {"Hall", "After"})
    equal("and is the service's",
          {words.split()[0] for words in machine.owners()} - {"tidemark"}, set())
