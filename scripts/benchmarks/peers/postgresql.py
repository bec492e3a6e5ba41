"""A PostgreSQL cluster in a folder of its own."""

import pathlib
import shutil
import subprocess
import tempfile

from harness.environment import ENVIRONMENT
from harness.postgresql.programs import as_owner, give_to_owner, programs, run
from harness.processes import Daemon, free_port


class PostgreSQL(Daemon):
    """With the settings that `initdb` gives, and checksums; so each commit is on disk before it is answered."""

    def __init__(self, user, preload=None, variables=None):
        """`user` is the superuser, and the name of the database. `preload` is a library for LD_PRELOAD, and `variables`
        are what it reads."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-bench-postgresql-"))
        give_to_owner(self.folder)
        data, port = self.folder / "data", free_port()
        run("initdb", "-D", data, "-A", "trust", "-U", user, "-E", "UTF8", "--locale", "C.UTF-8", "-k")
        super().__init__(
            "postgresql",
            [*as_owner(), programs() / "postgres", "-D", data, "-p", port, "-k", self.folder, "-h", "127.0.0.1"],
            port, ENVIRONMENT | (variables or {}) | self._preloaded(preload), cwd="/")
        self._user, self.url = user, f"postgresql://{user}@127.0.0.1:{port}/{user}"

    def _preloaded(self, library):
        """PostgreSQL's user can't get at the temporary folder of a run."""
        return {"LD_PRELOAD": shutil.copy(library, self.folder)} if library else {}

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
        command = [programs() / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", self._user, self._user]
        for _ in range(100):
            if subprocess.run(command, capture_output=True, cwd="/").returncode == 0:
                return
        raise RuntimeError(f"no database: {self.log.read_text()[-2000:]}")

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
