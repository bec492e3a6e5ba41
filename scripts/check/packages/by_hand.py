"""The tarball, installed as docs/packages.md says, and then the package in its place."""

from check.packages import release
from check.packages.service import PASSWORD, Installation, printed
from check.reporting import equal
from harness import tidemark

LIBRARIES = "libsqlite3-0", "libpq5", "libexpat1", "zlib1g", "libstdc++6"


def installed(fetched):
    with Installation(fetched.copy("by-hand")) as machine:
        machine.apt("install", "procps", "tzdata", *LIBRARIES)
        machine.suit(tidemark.BINARY)
        machine.put(release.plain().only("*.tar.gz"))
        machine.output("sh", "-ec", "cd /root\n" + printed("The tarball").replace("sudo ", ""))
        machine.wait()
        machine.as_service("user", "add", "alice", "--superuser", "--password-stdin", stdin=PASSWORD + "\n")
        machine.new_project(machine.sign_in("alice"), "Hall")
        equal("the tarball's binary serves", machine.program(), "/usr/local/bin/tidemark")
        machine.follow("Coming from an installation by hand", machine.put(release.plain().package))
        equal("the package takes over its data", machine.projects(machine.sign_in("alice")), {"Hall"})
        equal("and its binary serves", machine.program(), "/usr/bin/tidemark")
