"""A PostgreSQL server and its standby, which change places."""

import secrets
import shutil
import tempfile

from harness.postgresql.cluster import ROLE, Cluster
from harness.postgresql.programs import query


class Pair:
    """A primary and a standby that each commit waits for. `with` stops both at the end."""

    def __init__(self, hosts=(None, None), place=None, folder=None):
        """`hosts` and `place` are as for `Cluster`."""
        folder = folder or f"{tempfile.gettempdir()}/tidemark-pair-{secrets.token_hex(4)}"
        self.primary, self.standby = (
            Cluster(f"{folder}-{name}", host=host, place=place) for name, host in zip("ab", hosts))
        self._both = self.primary, self.standby

    def start(self):
        """Returns itself when the standby streams. Writes don't wait for the disk, since no machine fails here."""
        try:
            self.primary.start(is_fast=True)
            self._make_standby()
        except BaseException:
            self.stop()
            raise
        return self

    def promote(self):
        """kill -9 of the primary, and the standby takes its place. The data of the killed one are deleted; it becomes
        the standby, when `make_standby` is called."""
        self.primary.kill()
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def make_standby(self):
        """Makes the server that was killed a standby of the other one."""
        self.standby.stop()
        self._make_standby()

    def _make_standby(self):
        self.primary.make_standby(is_synchronous=True, standby=self.standby)

    def stop(self):
        for each in self._both:
            if each.is_made:
                each.stop()
            shutil.rmtree(each.folder, ignore_errors=True)

    def query(self, sql, database="postgres"):
        """What `psql` prints for a statement that the primary runs. Whoever asks the standby then sees what it did: a
        new database is there."""
        return query(f"{self.database_url(database)}&options=-csynchronous_commit%3Dremote_apply", sql)

    def database_url(self, database):
        """The connection string, through the sockets. libpq finds the one that takes writes."""
        folders = ",".join(str(each.folder) for each in self._both)
        return f"postgres://{ROLE}@/{database}?host={folders}&target_session_attrs=read-write"

    def remote_url(self, database):
        """The same through the network."""
        hosts = ",".join(each.host for each in self._both)
        return f"postgres://{ROLE}@{hosts}/{database}?target_session_attrs=read-write"

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
