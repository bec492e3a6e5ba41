"""Devices with the web client, and with the adapter for WatermelonDB. See `clients`."""

import contextlib
import os
import shutil
import signal
import uuid

from consistency.apps.device import AppDevice, Copy, by_id
from consistency.apps.plants import root_of
from consistency.apps.programs import Gone, NodeProgram
from consistency.workloads import collection_of
from harness.temporary import TEMP


class NodeApp(AppDevice):
    name = None

    def __init__(self, number, run):
        super().__init__(number, run)
        project = "" if run.history.is_user_wide else run.projects[0]
        # Short, because paths of sockets in a profile have at most 107 bytes.
        self._disk = TEMP / f"a{uuid.uuid4().hex[:8]}"
        self._program = NodeProgram(
            self.name, [self._recorder.url, run.token_of(number), project, self._form.page_size, self._disk],
            root_of(run.plant), run.environment_of(number))

    def _begin(self):
        self._program.begin({"do": "sync"})

    def _is_done(self):
        return self._program.is_done()

    def _finish(self):
        return self._is_well(self._program.finish())

    def _sync_beside(self):
        return self._is_well(self._program.ask({"do": "other"}))

    def _is_well(self, answer):
        failed = answer.get("failed")
        if failed and failed["code"] == "fault":
            raise RuntimeError(failed["detail"])
        return not failed

    def _begin_dying(self, steps):
        self._succeeds(lambda: self._program.ask({"do": "die", "within": steps}))

    def _edit(self, edits, _):
        listed = [{"collection": collection_of(id), "id": id} | self._change(id, fields)
                  for id, fields in edits.items()]
        answer = self._program.ask({"do": "edit", "edits": listed})
        self._is_well(answer)
        return dict(zip(edits, answer.get("done", [False] * len(edits))))

    def _change(self, id, fields):
        if fields is None:
            return {"delete": True}
        return {"update": fields} if id in self.copy.rows else {"insert": self._run.home_of(id) | fields}

    def _read(self):
        if self._is_frozen:
            return None
        try:
            seen = self._program.ask({"do": "look", "collections": self._run.workload.collections})
        except Gone:
            return None
        if not self._is_well(seen):
            return None
        # After a restore the time may go back, and the real client says so.
        errors = [error for error in seen.get("errors", []) if "went back" not in error or not self._run.log.restores]
        self._run.log.problems.extend(f"device {self.number}: {error}" for error in errors)
        rows = by_id(seen["rows"], self._run.log.problems)
        return Copy(seen["settled"], seen["unsent"], set(seen["aside"]), rows)

    def _kill(self):
        self._program.kill()

    def _signal(self, number):
        self._program.send_signal(number)


class WebDevice(NodeApp):
    name = "web"


class ChromiumDevice(NodeApp):
    """The same in a real browser. Its processes are a group of their own."""

    name = "chromium"

    def end(self):
        super().end()
        shutil.rmtree(f"{self._disk}.p", ignore_errors=True)

    def _kill(self):
        self._signal_browser(signal.SIGKILL)
        super()._kill()

    def _signal(self, number):
        self._signal_browser(number)
        super()._signal(number)

    def _signal_browser(self, number):
        with contextlib.suppress(OSError, ValueError):
            os.killpg(int(self._disk.with_suffix(".pid").read_text()), number)


class AdapterDevice(NodeApp):
    name = "watermelondb"
