"""A machine from the package to the first sign-in, and what systemd does for the service there."""

import re
import time

from check.packages import release
from check.packages.machine import Tree
from check.packages.service import BACKUPS, DATA, PASSWORD, Installation, speaks
from check.reporting import check, equal, skip
from harness import tidemark
from harness.installation import systemd
from harness.waiting import wait_until

METRICS_TOKEN = "4f1c0b6e-metrics"
# `systemd-analyze security` counts from 0 to 10; up to here it says OK.
MOST_EXPOSED = 2.0


def in_folder():
    """Without a running systemd, as in the making of an image. Returns the tree with what apt has fetched."""
    tree = Tree("folder")
    package = tree.put(release.plain().package)
    begun = time.monotonic()
    tree.output("apt-get", "update")
    tree.output("apt-get", "install", "--yes", "--download-only", package)
    fetched, unused = tree.copy("fetched"), tree.copy("unused")
    print(f"     fetched what the package depends on in {time.monotonic() - begun:.1f} s", flush=True)
    begun = time.monotonic()
    done = tree.run("apt-get", "install", "--yes", package)
    check(f"it is installed where no systemd runs, {time.monotonic() - begun:.1f} s", done.returncode == 0,
          done.stdout + done.stderr)
    said = tree.output("tidemark", "--version").split(",")[0].strip()
    equal("it is the version of the release", said, release.plain().version)
    equal("the service will start with the machine",
          tree.output("systemctl", "is-enabled", "tidemark").strip(), "enabled")
    for folder in (DATA, BACKUPS):
        equal(f"{folder} is the service's alone", owner(tree, folder), "tidemark 700")
    equal("only root reads the settings", owner(tree, "/etc/tidemark/tidemark.env"), "root 600")
    done = tree.run("tidemark", "user", "add", "alice")
    made = (tree.root / DATA[1:] / "tidemark.db").exists()
    check("a command of root makes the service's database there", done.returncode == 0 and made, done.stderr)
    if made:
        equal("which is the service's", owner(tree, f"{DATA}/tidemark.db"), "tidemark 600")
    unused.output("apt-get", "install", "--yes", package)
    unused.output("apt-get", "purge", "--yes", "tidemark")
    left = unused.output(
        "find", "/", "-xdev", "(", "-path", "/proc", "-o", "-path", "/root", ")", "-prune", "-o", "-name", "*tidemark*",
        "-print")
    equal("purge without data leaves nothing", left, "")
    page = tree.output("sh", "-c", "zcat /usr/share/man/man1/tidemark.1.gz")
    commands = re.findall(r"^  ([a-z]+)  ", tree.output("tidemark", "--help").partition("SUBCOMMANDS:")[2], re.M)
    equal("the manual page names all commands", [word for word in commands if f".B {word}\n" not in page], [])
    return fetched


def owner(tree, path):
    """The owner and the rights of a file."""
    return tree.output("stat", "-c", "%U %a", path).strip()


def booted(fetched):
    """From the package to the first sign-in, and everything after it."""
    heard = systemd.says(tidemark.BINARY)
    equal("the binary tells systemd that it is ready, and that it lives",
          [word for word in ("READY=1", "WATCHDOG=1") if word not in heard], [])
    with Installation(fetched.copy("booted")) as machine:
        machine.suit(tidemark.BINARY)
        begun = time.monotonic()
        machine.follow("On Debian", machine.put(release.plain().package), stdin=PASSWORD + "\n")
        token = machine.sign_in("alice")
        seconds = time.monotonic() - begun
        check(f"two commands and {seconds:.1f} s from the package to the first sign-in", seconds < 60, seconds)
        equal("everything in the service's folder is the service's",
              {words for words in machine.owners() if words not in ("tidemark 700", "tidemark 600")}, set())
        machine.new_project(token, "Hall")
        settings(machine, token)
        rights(machine)
        signals(machine)
        watchdog(machine)
        equal("the project is there after all of this", machine.projects(machine.sign_in("alice")), {"Hall"})
        other_database(machine)


def settings(machine, token):
    """Settings that hold a secret, a folder for backups, and what the journal has of it all."""
    machine.settings(f"TIDEMARK_METRICS_TOKEN={METRICS_TOKEN}\nTIDEMARK_BACKUP_FOLDER={BACKUPS}\n")
    machine.output("systemctl", "restart", "tidemark")
    second = machine.sign_in("alice")
    equal("the settings are taken", machine.request("GET", "/metrics", METRICS_TOKEN).status, 200)
    wait_until(
        lambda: any(line.startswith("tidemark ") for line in machine.owners(BACKUPS) if line != "tidemark 700"), 30,
        lambda: "no backup: " + machine.journal()[-1000:])
    check("the server makes a backup in the folder that the package makes", True)
    secrets = {"the password": PASSWORD, "a token": token, "another token": second, "the metrics' token": METRICS_TOKEN}
    shown = machine.journal() + machine.output("systemctl", "show", "tidemark")
    equal("neither the journal nor `systemctl show` has a secret",
          [what for what, secret in secrets.items() if secret in shown], [])


def rights(machine):
    """What the service may do, by systemd's own count and by trying."""
    level = float(re.search(
        r"exposure level for tidemark.service: ([0-9.]+)",
        machine.output("systemd-analyze", "security", "--no-pager", "tidemark"))[1])
    check(f"systemd-analyze security: {level}, at most {MOST_EXPOSED}", level <= MOST_EXPOSED)
    main = machine.property("MainPID")
    status = machine.output("cat", f"/proc/{main}/status")
    for what, line in {
            "it has no capability": r"CapEff:\s0+$", "it gains none": r"CapBnd:\s0+$",
            "it gets no new privileges": r"NoNewPrivs:\s1$", "its system calls are filtered": r"Seccomp:\s2$"}.items():
        check(what, re.search(line, status, re.M), status)
    writable = [
        folder for folder in ("/usr", "/etc", "/var/lib", "/boot", "/home", "/root", DATA, BACKUPS)
        if machine.run(
            "nsenter", f"--target={main}", "--mount", "sh", "-c", f"touch {folder}/trial && rm {folder}/trial"
        ).returncode == 0]
    equal("even root can write in its folders alone, where the service is", writable, [DATA, BACKUPS])


def signals(machine):
    """`systemctl reload`, and a process that is killed."""
    before = machine.property("MainPID")
    done = machine.run("systemctl", "reload", "tidemark")
    check("systemctl reload succeeds", done.returncode == 0, done.stderr)
    time.sleep(1)
    equal("the same process serves after it", (machine.property("MainPID"), machine.answers()), (before, True))
    if machine.property("ActiveState") != "active":
        machine.output("systemctl", "restart", "tidemark")
        machine.wait()
    before = machine.property("MainPID")
    machine.output("kill", "-KILL", before)
    seconds = wait_until(
        lambda: machine.property("MainPID") not in ("0", before) and machine.answers(), 30, machine.journal)
    check(f"after kill -9 it serves again, {seconds:.1f} s", True)


def watchdog(machine):
    """A process that stands still."""
    if not speaks(tidemark.BINARY):
        return skip("the watchdog", "the binary does not speak to systemd, so it has none")
    machine.unit("[Service]\nWatchdogSec=3\n")
    machine.output("systemctl", "restart", "tidemark")
    machine.wait()
    time.sleep(10)
    equal("it lives on under a watchdog of 3 s", machine.property("NRestarts"), "0")
    before = machine.property("MainPID")
    machine.output("kill", "-STOP", before)
    seconds = wait_until(
        lambda: machine.property("MainPID") not in ("0", before) and machine.answers(), 60, machine.journal)
    check(f"a process that stands still is replaced, {seconds:.1f} s", "watchdog" in machine.journal().lower())


def other_database(machine):
    """A database that the settings name, such as one of PostgreSQL."""
    machine.settings(f"TIDEMARK_DATABASE={DATA}/other.db\n")
    machine.output("systemctl", "restart", "tidemark")
    machine.wait()
    equal("the service takes the database that the settings name", machine.log_in("alice").status, 401)
    machine.tidemark("user", "add", "bob", "--password-stdin", stdin=PASSWORD + "\n")
    equal("and so does a command of root", machine.log_in("bob").status, 200)
