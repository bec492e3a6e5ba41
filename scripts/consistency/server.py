"""The server under test, on a fresh database, and what happens to it."""

import signal
import time
import uuid

from harness import tidemark
from harness.installation import backup
from harness.server import Server
from harness.temporary import TEMP


class Installation:
    """One server for all runs, or two over one PostgreSQL database (`harness.installation.engine`) behind an nginx that
    gives them the requests in turn. Each run has users and projects of its own."""

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

    def kill(self, pick):
        """kill -9 of one server, and a start."""
        member = self.server.members[pick % len(self.server.members)]
        member.kill()
        member.start()

    def freeze(self, pick, seconds):
        """A server stands still; it answers later."""
        process = self.server.members[pick % len(self.server.members)].process
        process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            process.send_signal(signal.SIGCONT)

    def back_up(self):
        backup.back_up(self.database, self._backup)

    def restore(self):
        """The server goes back to the backup."""
        self.server.stop()
        backup.restore(self.database, self._backup)
        self.server.start()

    def stop(self):
        self.server.stop()
