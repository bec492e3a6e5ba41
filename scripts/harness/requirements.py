"""What a check needs of its machine."""

import os
import resource
import shutil


class Skipped(Exception):
    """This machine can't run a check. Says why."""


def require_root(what):
    if os.geteuid() != 0:
        raise Skipped(f"{what} needs root")


def require_command(name):
    if not shutil.which(name):
        raise Skipped(f"there is no {name}")


def require_descriptors(count):
    """Raises the limit of this process, and of those that it starts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise Skipped(f"{count:,} open files are needed, ulimit -Hn says {hard:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard == resource.RLIM_INFINITY else hard, hard))
