"""A PostgreSQL cluster in a folder of its own."""

import pathlib
import shutil
import subprocess
import tempfile

from harness.postgresql.programs import as_owner, give_to_owner, programs, run
from harness.processes import Daemon, free_port


class PostgreSQL(Daemon):
    """With the settings that `initdb` gives; so each commit is on disk before it is answered."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-bench-postgresql-"))
        give_to_owner(self.folder)
        data, port = self.folder / "data", free_port()
        run("initdb", "-D", data, "-A", "trust", "-U", "kinto", "-E", "UTF8", "--locale", "C.UTF-8")
        super().__init__(
            "postgresql",
            [*as_owner(), programs() / "postgres", "-D", data, "-p", port, "-k", self.folder, "-h", "127.0.0.1"],
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
        command = [programs() / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "kinto", "kinto"]
        for _ in range(100):
            if subprocess.run(command, capture_output=True, cwd="/").returncode == 0:
                return
        raise RuntimeError(f"no database: {self.log.read_text()[-2000:]}")

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
