"""A bare Debian: as a folder, and booted by systemd-nspawn."""

import atexit
import os
import pathlib
import shutil
import subprocess
import time

from harness.processes import output
from harness.temporary import TEMP
from harness.waiting import wait_until

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tidemark"
# A tree is made again after so many days, since apt has to catch up with everything that is newer.
MOST_DAYS = 14
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive"}


def bare_debian():
    """A tar of a release of Debian, with systemd and nothing else. Made once, and kept."""
    here = output("bash", "-c", ". /etc/os-release; echo $VERSION_CODENAME").strip()
    suite = os.environ.get("TIDEMARK_DEBIAN") or here
    tar = CACHE / f"{suite}-{output('dpkg', '--print-architecture').strip()}.tar"
    if tar.exists() and time.time() - tar.stat().st_mtime < MOST_DAYS * 86400:
        return tar
    CACHE.mkdir(parents=True, exist_ok=True)
    tree = TEMP / "debootstrap"
    output("debootstrap", "--variant=minbase", "--include=systemd-sysv", suite, tree)
    unfinished = tar.with_suffix(".unfinished")
    output("tar", "--create", "--one-file-system", "--directory", tree, "--file", unfinished, ".")
    unfinished.rename(tar)
    shutil.rmtree(tree)
    return tar


class Tree:
    """A folder with a bare Debian, in which commands are run by chroot."""

    def __init__(self, name):
        self.root = TEMP / name
        self.root.mkdir()
        output("tar", "--extract", "--directory", self.root, "--file", bare_debian())
        for file in ("etc/resolv.conf", "etc/hosts"):
            shutil.copyfile(f"/{file}", self.root / file)

    def copy(self, name):
        """Another folder with what is in this one now."""
        other = object.__new__(type(self))
        other.root = TEMP / name
        output("cp", "--archive", self.root, other.root)
        return other

    def put(self, file):
        return put(file, self.root)

    def run(self, *command, stdin=""):
        """The finished process. It has no systemd, but a /proc."""
        inside = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root}/proc", "chroot", self.root]
        return _run([*inside, *command], stdin)

    def output(self, *command, stdin=""):
        return _output(self.run(*command, stdin=stdin), command)


class Machine:
    """A tree that systemd has booted. Its network is its own, and has a loopback interface alone."""

    def __init__(self, tree):
        self.root, self._process, self.leader = tree.root, None, None

    def put(self, file):
        return put(file, self.root)

    def start(self):
        # Each boot gives itself an identity.
        (self.root / "etc/machine-id").write_text("")
        with open(TEMP / f"{self.root.name}.log", "wb") as log:
            self._process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "--private-network",
                 f"--machine=tidemark-{os.getpid()}-{self.root.name}", f"--directory={self.root}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        atexit.register(self.stop)
        wait_until(self._has_booted, 60, lambda: pathlib.Path(log.name).read_text(errors="replace")[-2000:])
        return self

    def _has_booted(self):
        children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        self.leader = next(iter(children.read_text().split()), None)
        return self.leader and self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def stop(self):
        if self._process and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        atexit.unregister(self.stop)

    def run(self, *command, stdin=""):
        """The finished process, as root."""
        spaces = ["--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        inside = ["nsenter", f"--target={self.leader}", *spaces]
        return _run([*inside, *command], stdin)

    def output(self, *command, stdin=""):
        return _output(self.run(*command, stdin=stdin), command)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


def put(file, root):
    """Copies a file into /root of a tree, and returns its path there."""
    shutil.copyfile(file, root / "root" / file.name)
    return f"/root/{file.name}"


def _run(command, stdin):
    return subprocess.run(
        [str(word) for word in command], input=stdin, capture_output=True, text=True, env=ENVIRONMENT, timeout=600)


def _output(done, command):
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}: {said}")
    return done.stdout
