"""The kinds of devices."""

import shutil
import subprocess

from consistency.apps.node import AdapterDevice, ChromiumDevice, WebDevice
from consistency.apps.swift import SwiftDevice
from consistency.devices import PageDevice
from consistency.listeners import EventDevice

ALL = {
    "pages": PageDevice, "events": EventDevice, "web": WebDevice, "adapter": AdapterDevice, "swift": SwiftDevice,
    "chromium": ChromiumDevice,
}
ON_NODE = {"web", "adapter", "chromium"}


def device_of(number, run):
    return ALL[run.history.devices[number].kind](number, run)


def available(kinds):
    """Those that there can be here. Says which are left out."""
    missing = {}
    if not _has_node():
        missing = {kind: "Node 18 or newer" for kind in kinds if kind in ON_NODE}
    elif "chromium" in kinds and shutil.which("chromium") is None:
        missing = {"chromium": "chromium"}
    for kind, what in missing.items():
        print(f"SKIPPED devices {kind}: {what} is missing", flush=True)
    return [kind for kind in kinds if kind not in missing]


def _has_node():
    if shutil.which("node") is None:
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return int(version.lstrip("v").split(".")[0]) >= 18
