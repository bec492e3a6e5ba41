"""What the figures were measured on."""

import os
import pathlib
import platform
import sqlite3
import statistics
import time

from harness.environment import ROOT
from harness.processes import output
from harness.temporary import TEMP


def describe():
    """Lines of name and value."""
    fsync = fsync_milliseconds()
    return {
        "machine": f"{os.cpu_count()} cores, {_cpu()}, {_memory_gib()} GiB; load generator on the same machine",
        "kernel": f"{platform.system()} {platform.release()}",
        "disk": f"fdatasync of a written 4 KiB block: median {statistics.median(fsync):.2f} ms, "
        f"{min(fsync):.2f}–{max(fsync):.2f} ms",
        "SQLite": sqlite3.sqlite_version,
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": commit(),
    }


def commit():
    name = output("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip()
    changed = output("git", "-C", ROOT, "status", "--porcelain", "--", "Sources", "Tests/Kits", "Package.swift")
    return name + (" and changes" if changed.strip() else "")


def fsync_milliseconds(times=100):
    """One value for each write."""
    path, seen = TEMP / "fsync", []
    with open(path, "wb", buffering=0) as file:
        for _ in range(times):
            file.write(os.urandom(4096))
            started = time.perf_counter()
            os.fdatasync(file.fileno())
            seen.append((time.perf_counter() - started) * 1000)
    path.unlink()
    return seen


def _cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _memory_gib():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
