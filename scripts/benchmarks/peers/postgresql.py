"""A PostgreSQL cluster in a folder of its own."""

import glob
import os
import shutil
import subprocess
import tempfile

from harness.processes import Daemon, free_port, output


class PostgreSQL(Daemon):
    """With the settings that `initdb` gives; so each commit is on disk before it is answered."""

    def __init__(self):
        # PostgreSQL does not run as root.
        switch = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._as_user = switch if os.getuid() == 0 else []
        self.folder = tempfile.mkdtemp(prefix="tidemark-bench-postgresql-")
        if self._as_user:
            shutil.chown(self.folder, "postgres", "postgres")
        self._programs = programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        data, port = f"{self.folder}/data", free_port()
        output(
            *self._as_user, f"{programs}/initdb", "-D", data, "-A", "trust", "-U", "kinto", "-E", "UTF8",
            "--locale", "C.UTF-8", cwd="/")
        super().__init__(
            "postgresql",
            [*self._as_user, f"{programs}/postgres", "-D", data, "-p", port, "-k", self.folder, "-h", "127.0.0.1"],
            port, cwd="/")
        self.url = f"postgresql://kinto@127.0.0.1:{port}/kinto"

    def start(self):
        try:
            super().start()
            self._make_database()
        except Exception:
            self.stop()
            raise
        return self

    def _make_database(self):
        """The server takes connections a moment before it takes commands."""
        command = [f"{self._programs}/createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "kinto", "kinto"]
        for _ in range(100):
            if subprocess.run(command, capture_output=True, cwd="/").returncode == 0:
                return
        raise RuntimeError(f"no database: {self.log.read_text()[-2000:]}")

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
