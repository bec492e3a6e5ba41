"""The server under test, on a fresh database, and what happens to it."""

import signal
import time
import uuid

from harness import tidemark
from harness.installation import backup
from harness.server import Server
from harness.temporary import TEMP


class Installation:
    """One server for all runs. Each run has users and projects of its own."""

    def __init__(self):
        self.database, self._backup = TEMP / "consistency.db", TEMP / "consistency.backup"
        self.server = Server(self.database)
        self.server.start()

    @property
    def port(self):
        return self.server.port

    def add_user(self):
        """A user with a token, which is returned."""
        return tidemark.add_user(f"user-{uuid.uuid4().hex[:12]}", self.database)

    def kill(self):
        """kill -9, and a start."""
        self.server.kill()
        self.server.start()

    def freeze(self, seconds):
        """The server stands still; it answers later."""
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            self.server.process.send_signal(signal.SIGCONT)

    def back_up(self):
        backup.back_up(self.database, self._backup)

    def restore(self):
        """The server goes back to the backup."""
        self.server.stop()
        backup.restore(self.database, self._backup)
        self.server.start()

    def stop(self):
        self.server.stop()
