"""A command of `tidemark` that runs beside a server, again and again."""

import shutil
import subprocess
import threading
import time

from harness import tidemark


class RepeatedCommand(threading.Thread):
    """Ends with the first run that fails. While `lock` is held, no run begins or is recorded."""

    def __init__(self, project, environment=None):
        """`environment` has variables of the command."""
        super().__init__(daemon=True)
        self.database, self.folder = project.database, project.database.parent
        self._environment, self._is_over = environment, threading.Event()
        self.lock, self.process, self.fault = threading.RLock(), None, None
        # How many runs have succeeded.
        self.count = 0

    def arguments(self):
        """Of the next run. None if there is nothing to run yet."""

    def succeeded(self):
        """Is called after each run."""

    @property
    def processes(self):
        return [self.process] if self.process else []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        """No process is left over, however this ends."""
        self._is_over.set()
        with self.lock:
            for process in self.processes:
                process.kill()
        self.join()

    def end(self):
        """Waits for the run that is under way."""
        self._is_over.set()
        self.join()
        if self.fault:
            raise RuntimeError(self.fault)

    def run(self):
        while not self._is_over.wait(0.01) and not self.fault:
            with self.lock:
                arguments = self.arguments()
                if not arguments:
                    continue
                self.process = tidemark.start(*arguments, stderr=subprocess.PIPE, environment=self._environment)
            _, told = self.process.communicate()
            with self.lock:
                if self.process.returncode != 0:
                    self.fault = f"tidemark {arguments[0]}: exit {self.process.returncode}: {told[-1000:]}"
                    return
                self.process = None
                self.count += 1
                self.succeeded()


class Nothing(RepeatedCommand):
    """No command runs."""


class Sweeps(RepeatedCommand):
    """What no row names is removed at once."""

    def arguments(self):
        return "purge", "--older-than", "0s", "--files-older-than", "0s", "--database", self.database


class Backups(RepeatedCommand):
    """Backups into one folder, in which three are kept."""

    def __init__(self, project, environment=None):
        super().__init__(project, environment)
        # The newest one that was told to be made.
        self.newest = None
        (self.folder / "backups").mkdir()

    def arguments(self):
        # A backup is named after the second in which it is made.
        if time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()) in str(self.newest):
            return None
        return "backup", self.folder / "backups", "--keep", 3, "--database", self.database

    def succeeded(self):
        self.newest = max(file.name for file in (self.folder / "backups").glob("*.db"))


class Restores(RepeatedCommand):
    """One backup, which is then restored again and again. Only the last two restores stay."""

    def target(self, number):
        return self.folder / f"restored-{number}.db"

    def arguments(self):
        if not self.count:
            return "backup", self.folder / "one.db", "--database", self.database
        return "restore", self.folder / "one.db", "--database", self.target(self.count)

    def succeeded(self):
        former = self.target(self.count - 2)
        former.unlink(missing_ok=True)
        shutil.rmtree(f"{former}-files", ignore_errors=True)
