"""The kinds of devices."""

import shutil
import subprocess

from consistency.apps.node import AdapterDevice, WebDevice
from consistency.apps.swift import SwiftDevice
from consistency.devices import PageDevice
from consistency.listeners import EventDevice

ALL = {
    "pages": PageDevice, "events": EventDevice, "web": WebDevice, "adapter": AdapterDevice, "swift": SwiftDevice,
}
ON_NODE = {"web", "adapter"}


def device_of(number, run):
    return ALL[run.history.devices[number].kind](number, run)


def available(kinds):
    """Those that there can be here. Says which are left out."""
    missing = [] if _has_node() else [kind for kind in kinds if kind in ON_NODE]
    if missing:
        print(f"SKIPPED devices {', '.join(missing)}: Node 18 or newer is missing", flush=True)
    return [kind for kind in kinds if kind not in missing]


def _has_node():
    if shutil.which("node") is None:
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return int(version.lstrip("v").split(".")[0]) >= 18
