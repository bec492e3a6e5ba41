"""One PostgreSQL server in a folder of its own, and its standby. `scripts/postgres` is the same as a command."""

import contextlib
import os
import pathlib
import re
import secrets
import shutil
import tempfile

from harness.environment import ROOT
from harness.postgresql.ending import end_with, kill_all, working_on
from harness.postgresql.programs import give_to_owner, query, require_socket_path, run
from harness.waiting import wait_until

ROLE = "postgres"
# The file that says that a folder was made here, so that it may be deleted.
MARK = "tidemark-postgres"
# The standby's name on its primary: its slot, and the word in `synchronous_standby_names`.
STANDBY = "s"

# Segments of shared memory are files of the data folder, so nothing is left of a server that is killed. A start after a
# crash syncs the file system once, not each of a thousand files.
SETTINGS = """
listen_addresses = ''
max_connections = 600
shared_buffers = 64MB
dynamic_shared_memory_type = mmap
recovery_init_sync_method = syncfs
"""
FAST_SETTINGS = "fsync = off\n"


class Cluster:
    """A server that listens on a socket in its folder alone. The folder holds `data`, `log` and the socket.

    `with` stops it at the end."""

    def __init__(self, folder=None, during=os.getpid(), host=None, place=None):
        """`folder` is one that is there already, or one to be made; None: a new one for temporary files. With `host`,
        an address, it listens there, too; anybody who reaches it is let in. `place` is the network namespace that it
        runs in (`harness.faults.namespaces`).

        A cluster that is started here is stopped, with its standby, when the process `during` has ended, however it
        ended; this process unless said otherwise. With None it goes on until it is stopped."""
        made = folder or f"{tempfile.gettempdir()}/tidemark-postgres-{secrets.token_hex(4)}"
        # The path goes into settings and URLs as it is.
        if not re.fullmatch(r"[\w./-]+", str(made), re.ASCII):
            raise RuntimeError(f"{made}: name a folder of letters, digits and the signs _ . / -")
        self.folder, self._during = pathlib.Path(made).absolute(), during
        self.host, self._place = host, place or contextlib.nullcontext()
        self.data, self.log = self.folder / "data", self.folder / "log"

    @property
    def url(self):
        """The connection string, for root and for the user who started the server."""
        return self.database_url("postgres")

    def database_url(self, database):
        """The same for another database."""
        return f"postgres://{ROLE}@/{database}?host={self.folder}"

    @property
    def standby(self):
        """The server that `make_standby` makes."""
        return Cluster(f"{self.folder}-standby", during=None)

    @property
    def is_made(self):
        """Whether the folder is one of a cluster that `start` or `make_standby` made."""
        return (self.folder / MARK).exists()

    @property
    def is_running(self):
        return bool(working_on(self.data))

    def start(self, is_fast=False):
        """Makes the cluster and starts it. Returns itself when it takes commands; leaves nothing if that fails.

        `is_fast` writes without waiting for the disk."""
        self._claim()
        with self._removed_on_failure():
            run(
                "initdb", "-D", self.data, "-U", ROLE, "--locale=C", "-E", "UTF8", "--data-checksums", "--auth=trust",
                "--no-sync", "--no-instructions")
            self._configure(SETTINGS + (FAST_SETTINGS if is_fast else ""))
            self._launch()
        return self

    def make_standby(self, is_synchronous=False, standby=None):
        """Makes a streaming standby, in the folder with `-standby` at the end unless another one is given. Returns it
        when it streams.

        With `is_synchronous`, each commit waits for it from then on."""
        self._require_running()
        standby = standby or self.standby
        standby._claim()
        with standby._removed_on_failure():
            if self.query(f"SELECT 1 FROM pg_replication_slots WHERE slot_name = '{STANDBY}'"):
                self.query(f"SELECT pg_drop_replication_slot('{STANDBY}')")
            run(
                "pg_basebackup", "-d", f"host={self.folder} user={ROLE} application_name={STANDBY}",
                "-D", standby.data, "-R", "-C", "-S", STANDBY, "-X", "stream", "-c", "fast", "--no-sync")
            standby._configure()
            standby._launch()
            self._wait_for_standby("state = 'streaming'")
            if is_synchronous:
                self.query(f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'")
                self.query("SELECT pg_reload_conf()")
                self._wait_for_standby("sync_state = 'sync'")
        return standby

    def promote(self):
        """Makes this standby a primary. Returns when it takes writes. The former primary may be dead or alive."""
        self._require_running()
        if self.query("SELECT pg_is_in_recovery()") == "f":
            raise RuntimeError(f"The server in {self.folder} is a primary already. Only a standby can be promoted")
        run("pg_ctl", "promote", "-w", "-D", self.data)

    def restart(self):
        """An immediate shutdown, as a crash that takes all processes along, and a start. Starts a server that was
        killed, too."""
        self._require_made()
        if self.is_running:
            run("pg_ctl", "stop", "-m", "immediate", "-w", "-s", "-D", self.data)
        self._launch()

    def kill(self):
        """kill -9 for all processes of the server at once, as if its machine were gone. The data stays."""
        self._require_made()
        kill_all(self.data)

    def stop(self):
        """Stops the server and its standby, and deletes both folders."""
        self._require_made()
        if self.standby.is_made:
            self.standby.stop()
        kill_all(self.data)
        shutil.rmtree(self.folder, ignore_errors=True)

    def query(self, sql, database="postgres"):
        """What `psql` prints for a statement, without headings. Raises if the statement fails."""
        return query(self.database_url(database), sql)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self._stop_if_made()

    def _claim(self):
        """Makes the folder, the owner's own."""
        require_socket_path(self.folder)
        if self.is_made:
            raise RuntimeError(
                f"There is a cluster in {self.folder} already. Restart it with `scripts/postgres restart --folder "
                f"{self.folder}`, or delete it with `scripts/postgres stop --folder {self.folder}`")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(self.folder.iterdir()):
            raise RuntimeError(f"{self.folder} is not empty. Name a folder that is empty or not there")
        with self._removed_on_failure():
            (self.folder / MARK).touch()
            give_to_owner(self.folder)
            if self._during:
                # Its name keeps a later cluster in the same folder from being stopped with this one.
                mark = self.folder / f"during-{self._during}"
                mark.touch()
                end_with(self._during, mark, ROOT / "scripts/postgres", "stop", "--folder", self.folder)

    @contextlib.contextmanager
    def _removed_on_failure(self):
        try:
            yield
        except BaseException:
            self._stop_if_made()
            raise

    def _configure(self, settings=""):
        """Appends settings; the last one of a name counts."""
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"{settings}unix_socket_directories = '{self.folder}'\n")
            if self.host:
                file.write(f"listen_addresses = '{self.host}'\n")
        if self.host:
            with open(self.data / "pg_hba.conf", "a", encoding="utf-8") as file:
                file.write("host all all all trust\n")

    def _launch(self):
        try:
            with self._place:
                run("pg_ctl", "start", "-w", "-s", "-D", self.data, "-l", self.log)
        except RuntimeError:
            lines = self.log.read_text(errors="replace").splitlines()[-8:] if self.log.exists() else ["There is none."]
            what = f"PostgreSQL did not start in {self.folder}. Correct what the end of its log names:"
            raise RuntimeError("\n".join([what, *lines])) from None

    def _wait_for_standby(self, condition):
        question = f"SELECT 1 FROM pg_stat_replication WHERE application_name = '{STANDBY}' AND {condition}"
        wait_until(
            lambda: self.query(question), 60, f"The standby of {self.folder} does not stream. See {self.standby.log}")

    def _require_made(self):
        if not self.is_made:
            raise RuntimeError(
                f"There is no cluster of `scripts/postgres` in {self.folder}. Name the folder that `scripts/postgres "
                "start` printed")

    def _require_running(self):
        self._require_made()
        if not self.is_running:
            raise RuntimeError(
                f"The server in {self.folder} does not run. Start it: scripts/postgres restart --folder {self.folder}")
