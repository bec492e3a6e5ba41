"""The service on a machine: what an operator types, and what a client asks."""

import functools
import re
import shlex

from check.packages import release
from check.packages.machine import Machine
from check.reporting import check, skip
from harness.client import NO_ANSWER, Client
from harness.environment import ROOT
from harness.faults.namespaces import network_of
from harness.installation import systemd
from harness.waiting import wait_until

DATA, BACKUPS, SETTINGS = "/var/lib/tidemark", "/var/backups/tidemark", "etc/tidemark/tidemark.env"
PASSWORD = "correct horse battery"
# For a binary that does not speak to systemd.
SILENT = "[Service]\nType=simple\nWatchdogSec=0\n"


@functools.cache
def speaks(binary):
    """Whether a binary tells systemd that it is ready."""
    return "READY=1" in systemd.says(binary)


def printed(heading):
    """The first commands under a heading of docs/packages.md."""
    page = (ROOT / "docs/packages.md").read_text()
    return re.search(rf"^##+ {heading}\n.*?^```sh\n(.*?)^```", page, re.S | re.M)[1]


class Installation(Machine):
    """A machine on which the package is installed. Its commands are those of one who has root."""

    def apt(self, *words):
        # Settings that somebody has changed stay, without a question.
        return self.output("apt-get", "-o", "Dpkg::Options::=--force-confold", "-y", *words)

    def unit(self, text, name="trial.conf"):
        """Changes the unit, as `systemctl edit` does."""
        folder = self.root / "etc/systemd/system/tidemark.service.d"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        self.output("systemctl", "daemon-reload")

    def follow(self, heading, package, stdin=""):
        """Types the first commands under a heading of docs/packages.md. `package` is the one that they install, and
        `stdin` what they read."""
        for line in printed(heading).splitlines():
            # The bare Debian has no sudo.
            program, *words = shlex.split(line.removeprefix("sudo "))
            if program == "tidemark":
                self.tidemark(*words, stdin=stdin)
            elif program == "apt":
                self.apt(*(package if word.endswith(".deb") else word for word in words))
            elif program == "-u":
                self.output("runuser", program, words[0], "--", *words[1:])
            else:
                self.output(program, *words)

    def suit(self, binary):
        """The unit for a binary, which may be one that does not speak to systemd."""
        self.unit("" if speaks(binary) else SILENT, "silent.conf")

    def tidemark(self, *words, stdin=""):
        """A command of root without --database. If the binary does not know the service's database, the service's user
        runs it with the option, and a check fails, but for the release before."""
        done = self.run("tidemark", *words, stdin=stdin)
        if done.returncode == 0 and not (self.root / "tidemark.db").exists():
            return done.stdout.strip()
        what = f"root's `tidemark {' '.join(words[:2])}` takes the service's database"
        if self.output("tidemark", "--version").split(",")[0].strip() == release.plain().version:
            check(what, False, done.stderr)
        else:
            skip(what, "the release before does not know it")
        for file in self.root.glob("tidemark.db*"):
            file.unlink()
        return self.as_service(*words, stdin=stdin)

    def as_service(self, *words, stdin=""):
        command = ["runuser", "-u", "tidemark", "--", "tidemark", *words, "--database", f"{DATA}/tidemark.db"]
        return self.output(*command, stdin=stdin).strip()

    def request(self, method, path, token=None, body=None):
        with network_of(self.leader):
            client = Client(8080, token)
            try:
                return client.request(method, path, body)
            finally:
                client.close()

    def answers(self):
        """Whether the server answers."""
        try:
            return self.request("GET", "/ready/").status == 200
        except NO_ANSWER:
            return False

    def wait(self, seconds=30):
        return wait_until(self.answers, seconds, lambda: self.journal()[-2000:])

    def log_in(self, name):
        return self.request("POST", "/api/v1/auth/token/", body={"username": name, "password": PASSWORD})

    def sign_in(self, name):
        """The access token of a log-in, tried until the server answers."""
        self.wait()
        answer = self.log_in(name)
        if answer.status != 200:
            raise RuntimeError(f"log-in: {answer}")
        return answer.json["access"]

    def property(self, name):
        return self.output("systemctl", "show", "--value", f"--property={name}", "tidemark").strip()

    def journal(self):
        return self.output("journalctl", "--no-pager", "--output=cat", "--boot")

    def owners(self, folder=DATA):
        """The owners and rights of what is in a folder of the service."""
        return set(self.output("find", folder, "-printf", "%u %m\n").splitlines())

    def version(self):
        """What the running process is, by its own file."""
        return self.output(f"/proc/{self.property('MainPID')}/exe", "--version").split(",")[0].strip()

    def program(self):
        """The path of the running process's file."""
        return self.output("readlink", f"/proc/{self.property('MainPID')}/exe").strip()

    def settings(self, text):
        with open(self.root / SETTINGS, "a") as file:
            file.write(text)

    def new_project(self, token, name):
        answer = self.request("POST", "/api/v1/projects/", token, {"name": name, "start_date": "2026-01-05"})
        if answer.status != 201:
            raise RuntimeError(f"a project: {answer}")
        return answer.json["id"]

    def projects(self, token):
        """The names of all projects."""
        return {row["name"] for row in self.request("GET", "/api/v1/projects/", token).json["results"]}
