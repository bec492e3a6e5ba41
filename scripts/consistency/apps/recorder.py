"""What goes between a device and the server, seen from outside: a proxy that knows nothing of the device."""

import http.server
import json
import sys
import threading
import time

from consistency.readers import LOST
from consistency.workloads import FIELDS
from harness.client import NO_ANSWER, Client

HEAD = "Tidemark-Head"
# What a proxy does not pass on. The body is passed on as a whole.
OWN_HEADERS = {"host", "connection", "keep-alive", "content-length", "transfer-encoding"}


class Recorder:
    """The server, as one device sees it. It notes the uploads that were answered, and which heads a number stands for;
    and it may take the header `Tidemark-Head` away, lose an answer, or do something at a certain request."""

    def __init__(self, run, device, loses_header, ledger, plant=None):
        self._run, self._device, self._ledger = run, device, ledger
        self._loses_header, self._plant = loses_header, plant
        # By the number that a drain reached: the heads of its projects, and when it was asked for last.
        self._heads, self._asked = {}, {}
        self._left, self._begun = {}, {}
        self._commits, self._lock = {}, threading.Lock()
        self.uploads = 0
        # How the next answer gets lost: `whole` or `half`.
        self.loses_next = None
        self._interruption, self._acting = None, threading.Lock()
        # Whether the device was settled, and has no reason to ask from 0 since.
        self.goes_on = False
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"at": self}))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.05], daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def of(self, settled):
        """The heads that a number stands for, and when it was asked for last. None if no answer had it."""
        with self._lock:
            return (dict(self._heads[settled]), self._asked[settled]) if settled in self._heads else None

    def interrupt(self, request, stage, action, delay=0):
        """At that request from now, calls `action`: before it goes to the server, when the answer is there, or some
        time after it was passed on."""
        self._interruption = [request, stage, action, delay]

    def calm(self):
        """From now on nothing happens at a request. What has begun to happen, has happened."""
        with self._acting:
            self._interruption = None

    def reach(self, stage):
        """A request has come to a stage."""
        with self._acting:
            if self._interruption is None:
                return
            if stage == "asked":
                self._interruption[0] -= 1
            left, wanted, action, delay = self._interruption
            if left <= 0 and stage == wanted:
                self._interruption = None
                time.sleep(delay)
                action()

    def forward(self, method, path, body, headers):
        """The server's answer; None if there is none."""
        asked = self._run.now()
        client = Client(self._run.port_of(self._device), headers=headers, timeout=15)
        try:
            answer = client.request(method, path, body)
        except NO_ANSWER:
            return None
        finally:
            client.close()
        with self._lock:
            self._note(method, path, body, answer, asked)
        return answer

    def changed(self, answer):
        """The headers with which an answer is passed on."""
        headers = [(name, value) for name, value in answer.headers.items() if name.lower() not in OWN_HEADERS]
        if self._plant == "lagging-mark" and answer.headers[HEAD] and answer.status == 200:
            headers = [(name, value) for name, value in headers if name != HEAD]
            headers.append((HEAD, str(answer.json["timestamp"])))
        return [(name, value) for name, value in headers if name != HEAD or not self._loses_header]

    def _note(self, method, path, body, answer, asked):
        address, _, query = path.partition("?")
        if not address.endswith("/sync/"):
            return
        if method == "POST" and answer.status == 200:
            return self._upload(body, answer.json)
        if method == "GET":
            self._pull(dict(part.split("=", 1) for part in query.split("&") if "=" in part), answer, asked)
        # What stands before the servers answers with a page of its own if none of them does.
        is_problem = answer.status >= 400 and "json" in (answer.headers["Content-Type"] or "")
        if is_problem and answer.json.get("code") in LOST:
            self.goes_on = False

    def _pull(self, query, answer, asked):
        since = int(query.get("since") or 0)
        if since == 0 and self.goes_on and "cursor" not in query:
            self._run.log.problems.append(f"device {self._device}: it asks from 0, and nothing says that it must")
        if "migration" in query:
            self._run.log.problems.append(f"device {self._device}: its rows were not those of the server's digest")
        if answer.status != 200:
            return
        page = answer.json
        reached = page["timestamp"]
        if "cursor" not in query:
            self._begun[since, reached], self._left[since, reached] = asked, set()
        left = self._left.setdefault((since, reached), set())
        left.update(each["project_id"] for each in page.get("left_projects") or [])
        if page["next_cursor"] is not None:
            return
        heads = self._heads.get(since, {}) if since else {}
        if "heads" in page:
            heads = {project: head for project, head in heads.items() if project not in left} | page["heads"]
        else:
            heads = {self._run.projects[0]: reached}
        self._heads[reached], self._asked[reached] = heads, self._begun.get((since, reached), 0)

    def _upload(self, body, answer):
        """Notes what a batch did. It is answered the same way however often it is sent."""
        batch, self.uploads = json.loads(body), self.uploads + 1
        applied = {(collection, row if isinstance(row, str) else row["id"])
                   for collection, buckets in answer["applied"].items() for rows in buckets.values() for row in rows}
        sent = {id: fields for collection, buckets in batch["changes"].items()
                for id, fields in _edits(buckets, collection)}
        done = {id: fields for collection, buckets in batch["changes"].items()
                for id, fields in _edits(buckets, collection) if (collection, id) in applied}
        key = batch["client_batch_id"].lower(), str(answer.get("timestamps") or answer["timestamp"])
        if done and key not in self._commits:
            self._commits[key] = self._run.committed(self._device, done, answer)
        self._ledger.answered(sent, done, self._commits.get(key), self._run.now())


def _edits(buckets, collection):
    """What a batch writes to a collection: by id, the fields that the workloads look at; None for a deletion."""
    for bucket, rows in buckets.items():
        for row in rows:
            if bucket == "deleted":
                yield row, None
                continue
            edited = row.get("_changed") if bucket == "updated" else None
            names = FIELDS[collection] if edited is None else set(edited.split(","))
            yield row["id"], {name: row[name] for name in FIELDS[collection] if name in row and name in names}


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        """A device that is killed breaks its connections. Anything else is a mistake of this file."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer goes out in one piece.
    wbufsize = -1
    # The recorder.
    at = None

    def do_GET(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)) or None
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OWN_HEADERS}
        self.at.reach("asked")
        answer = self.at.forward(self.command, self.path, body, headers)
        self.at.reach("answered")
        loss, self.at.loses_next = self.at.loses_next, None
        if answer is None or loss == "whole":
            self.close_connection = True
            return
        try:
            self._give(answer, is_cut=loss == "half")
        except OSError:
            self.close_connection = True
        self.at.reach("given")

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def _give(self, answer, is_cut):
        self.send_response(answer.status)
        for name, value in self.at.changed(answer):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[:len(answer.body) // 2] if is_cut else answer.body)
        self.wfile.flush()
        self.close_connection = self.close_connection or is_cut

    def log_message(self, *_):
        pass
