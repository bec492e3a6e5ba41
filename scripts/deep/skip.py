"""What can't be checked on this machine."""

import os
import shutil


class Skipped(Exception):
    pass


def require_root(what):
    if os.geteuid() != 0:
        raise Skipped(f"{what} needs root")


def require_command(name):
    if not shutil.which(name):
        raise Skipped(f"there is no {name}")
