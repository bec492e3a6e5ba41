"""Programs that keep a copy and speak lines: see `clients`. They can be killed and frozen at any moment."""

import json
import os
import select
import signal
import subprocess
import threading

from harness.environment import ROOT

# A command that takes longer hangs.
PATIENCE = 60


class Gone(Exception):
    """The process was killed."""


class NodeProgram:
    """A program on Node. It starts with the first command after its death, and finds its disk as it left it."""

    def __init__(self, name, arguments, root=ROOT, environment=None):
        """`environment` has variables besides those of this process."""
        self._command = ["node", str(root / f"scripts/consistency/apps/clients/{name}.mjs"), *map(str, arguments)]
        self._environment = os.environ | (environment or {})
        self._root, self._process, self._hangs = root, None, False

    def ask(self, command):
        """The answer to a command. Raises `Gone` if the process dies meanwhile."""
        self.begin(command)
        return self.finish()

    def begin(self, command):
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, cwd=self._root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env=self._environment)
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
        except OSError:
            self.kill()

    def is_done(self):
        """Whether `finish` gives its answer at once."""
        return self._process is None or bool(select.select([self._process.stdout], [], [], 0)[0])

    def finish(self):
        process = self._process
        if process is None:
            raise Gone
        watchdog = threading.Timer(PATIENCE, self._give_up, [process])
        watchdog.start()
        line = process.stdout.readline()
        watchdog.cancel()
        if self._hangs:
            raise RuntimeError(f"no answer within {PATIENCE} s")
        if line:
            return json.loads(line)
        status = process.wait()
        words = process.stderr.read()[-1000:]
        self.kill()
        if status != -signal.SIGKILL:
            raise RuntimeError(f"{' '.join(self._command[:2])} ended with {status}: {words}")
        raise Gone

    def kill(self):
        """kill -9."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                _closed(pipe)

    def send_signal(self, number):
        """Any thread may do this."""
        process = self._process
        if process:
            process.send_signal(number)

    def _give_up(self, process):
        self._hangs = True
        process.kill()


def _closed(pipe):
    try:
        pipe.close()
    except OSError:
        # What was not written is of no use any more.
        pass
