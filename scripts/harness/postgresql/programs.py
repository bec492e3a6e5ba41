"""PostgreSQL's own programs, and the user who runs them."""

import functools
import os
import pathlib
import pwd
import shutil
import subprocess

from harness.environment import ENVIRONMENT
from harness.processes import output

# Whom PostgreSQL runs as if this is root: it refuses root. Debian's package makes this user.
OWNER = "postgres"
# The largest length of a socket's path, in bytes.
SOCKET_PATH = 107
SOCKET_NAME = ".s.PGSQL.5432"

# A variable of libpq must not change what is started.
PLAIN_ENVIRONMENT = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


@functools.cache
def programs():
    """The folder of `postgres`, `initdb` and so on: of `pg_config`, or the newest one of Debian."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    if shutil.which("pg_config"):
        folders.insert(0, pathlib.Path(output("pg_config", "--bindir").strip()))
    for folder in folders:
        if (folder / "initdb").exists():
            return folder
    raise RuntimeError("There is no PostgreSQL server here. Install it: sudo apt-get install postgresql")


def _version(folder):
    return [int(part) for part in folder.parent.name.split(".") if part.isdigit()]


def as_owner():
    """The words to put before a command that must not run as root."""
    if os.geteuid() != 0:
        return []
    try:
        pwd.getpwnam(OWNER)
    except KeyError:
        raise RuntimeError(
            f"PostgreSQL does not run as root, and there is no user {OWNER}. Install PostgreSQL: sudo apt-get install "
            "postgresql. Or run this as another user") from None
    return ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups"]


def run(program, *words, timeout=120):
    """The stdout of one of PostgreSQL's programs, which must succeed."""
    try:
        return output(
            *as_owner(), programs() / program, *words, cwd="/", env=PLAIN_ENVIRONMENT, timeout=timeout,
            stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise RuntimeError(
            f"{program} was stopped after {timeout} s. Try again when the disk and the processors are less busy"
        ) from None


def query(url, sql):
    """What `psql` prints for a statement, without headings. Raises if the statement fails."""
    return output(
        programs() / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql, env=PLAIN_ENVIRONMENT,
        cwd="/").strip()


def dump(url):
    """What `pg_dump` writes of a database, in its own format."""
    done = subprocess.run(
        [programs() / "pg_dump", "--format=custom", "-d", url], capture_output=True, env=PLAIN_ENVIRONMENT, cwd="/")
    if done.returncode != 0:
        raise RuntimeError(f"pg_dump: {done.stderr.decode()[-2000:]}")
    return done.stdout


def load(url, file):
    """Writes a dump into an empty database."""
    output(programs() / "pg_restore", "--exit-on-error", "-d", url, file, env=PLAIN_ENVIRONMENT, cwd="/")


def give_to_owner(folder):
    """Makes a folder the owner's, closed to others. Raises if the owner can't get into it."""
    folder.chmod(0o700)
    if not as_owner():
        return
    shutil.chown(folder, OWNER, OWNER)
    if subprocess.run([*as_owner(), "test", "-x", folder], cwd="/").returncode != 0:
        raise RuntimeError(
            f"The user {OWNER}, who runs PostgreSQL here, can't get into {folder}. Name a folder below one that all "
            "users may enter, such as /tmp")


def require_socket_path(folder):
    """Raises if a socket in this folder would have too long a path."""
    length = len(os.fsencode(folder / SOCKET_NAME))
    if length > SOCKET_PATH:
        raise RuntimeError(
            f"The path of a socket in {folder} would have {length} bytes; {SOCKET_PATH} are allowed. Name a folder "
            "with a shorter path")
