"""What a check needs of its machine."""

import functools
import os
import resource
import shutil
import sys

from harness.processes import output
from harness.temporary import TEMP


class Skipped(Exception):
    """This machine can't run a check. Says why."""


def require_root(what):
    if os.geteuid() != 0:
        raise Skipped(f"{what} needs root")


def require_command(name):
    if not shutil.which(name):
        raise Skipped(f"there is no {name}")


@functools.cache
def require_package(package):
    """The folder of the programs of a package from PyPI, in an environment of its own."""
    folder = TEMP / package.split("[")[0].split(">")[0]
    try:
        output(sys.executable, "-m", "venv", folder)
        output(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", package)
    except RuntimeError as failure:
        raise Skipped(f"{package} can't be installed: {failure}") from None
    return folder / "bin"


def require_descriptors(count):
    """Raises the limit of this process, and of those that it starts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise Skipped(f"{count:,} open files are needed, ulimit -Hn says {hard:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard == resource.RLIM_INFINITY else hard, hard))
