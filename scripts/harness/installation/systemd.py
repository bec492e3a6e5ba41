"""What a service says to systemd: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html"""

import os
import socket
import subprocess
import time

from harness.environment import ENVIRONMENT
from harness.processes import free_port
from harness.temporary import TEMP


def says(binary, seconds=10):
    """What `tidemark serve` says until it is ready, or for some seconds; nothing if it does not know systemd."""
    path = TEMP / f"notify-{os.urandom(4).hex()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        environment = ENVIRONMENT | {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "1000000"}
        server = subprocess.Popen(
            [str(binary), "serve", "--database", str(path) + ".db", "--port", str(free_port())], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return _hear(listener, time.monotonic() + seconds)
        finally:
            server.terminate()
            server.wait()


def _hear(listener, deadline):
    """All lines until the service was ready and has shown that it lives, in any order."""
    lines = []
    while (left := deadline - time.monotonic()) > 0 and not {"READY=1", "WATCHDOG=1"} <= set(lines):
        listener.settimeout(left)
        try:
            lines += listener.recv(65_536).decode().splitlines()
        except TimeoutError:
            break
    return lines
