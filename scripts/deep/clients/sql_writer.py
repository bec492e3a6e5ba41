"""Clients that insert rows straight into a PostgreSQL cluster, and remember which were acknowledged."""

import select
import subprocess
import threading
import time

from harness.postgresql.programs import PLAIN_ENVIRONMENT, programs

# In seconds. An answer that takes longer is given up: a commit may wait for its standby for ever.
PATIENCE = 5


class SQLWriter(threading.Thread):
    """Inserts one row after the other, each once, into the table `written (writer, number)`.

    It writes through `psql`, which ends with its connection. Then it goes on with another one and the next row."""

    def __init__(self, url, number):
        super().__init__(daemon=True)
        self.tried = 0
        # Numbers of rows; the last one, and when it was sent, as `time.monotonic` says.
        self.acknowledged, self.last_sent = set(), 0.0
        self._url, self._number, self._psql = url, number, None
        self._ends = threading.Event()

    def end(self):
        """Lets the writer finish the row that it is writing."""
        self._ends.set()
        self.join()

    @property
    def names(self):
        """The acknowledged rows as (writer, number)."""
        return {(self._number, number) for number in self.acknowledged}

    def run(self):
        while not self._ends.is_set():
            if not self._psql:
                self._connect()
            self.tried += 1
            sent = time.monotonic()
            if self._insert(self.tried):
                self.acknowledged.add(self.tried)
                self.last_sent = sent
            else:
                self._disconnect()
                self._ends.wait(0.1)
        self._disconnect()

    def _connect(self):
        self._psql = subprocess.Popen(
            [programs() / "psql", "-XqAt", "-d", self._url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=PLAIN_ENVIRONMENT, cwd="/", bufsize=0)

    def _disconnect(self):
        if self._psql:
            self._psql.kill()
            self._psql.communicate()
            self._psql = None

    def _insert(self, number):
        """Whether the row was acknowledged. A warning comes before the answer, so it is none: the server warns of a
        commit whose wait for the standby was broken off."""
        statement = f"INSERT INTO written VALUES ({self._number}, {number}) RETURNING number;\n"
        try:
            self._psql.stdin.write(statement.encode())
        except BrokenPipeError:
            return False
        ready, _, _ = select.select([self._psql.stdout], [], [], PATIENCE)
        return bool(ready) and self._psql.stdout.readline() == f"{number}\n".encode()
