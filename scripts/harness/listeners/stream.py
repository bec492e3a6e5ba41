"""Streams of events, read as they come."""

import http.client
import json
import threading
import time
import uuid

from harness.project import ProjectClient


def event(response):
    """The next event of a stream: its kind, and its data as JSON."""
    fields = {}
    while line := response.readline().decode().rstrip("\n"):
        name, _, value = line.partition(": ")
        fields[name] = value
    return fields.get("event"), json.loads(fields.get("data", "null"))


class Stream(threading.Thread):
    """A stream of events, read as it comes."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self._response, self._connection = open_stream(server.port, token)
        self._told, self._is_new = {}, threading.Condition()
        # What the server said last, if it ended the stream.
        self.bye = None
        event(self._response)
        self.start()

    def run(self):
        while True:
            try:
                kind, data = event(self._response)
            except (OSError, ValueError, AttributeError):
                return
            now = time.perf_counter()
            if kind == "poke":
                with self._is_new:
                    self._told |= {(project, head): now for project, head in data.items()}
                    self._is_new.notify_all()
            elif kind == "bye":
                self.bye = data
            elif kind is None:
                return

    def time_of(self, project, head):
        """When a poke named this head, or a later one."""
        def found():
            return [at for (id, told), at in self._told.items() if id == project and told >= head]

        with self._is_new:
            if not self._is_new.wait_for(found, 10):
                raise RuntimeError(f"no poke names {head} within 10 s")
            return min(found())

    def close(self):
        self._connection.close()


def open_stream(port, token, timeout=60):
    """The answer to `GET /events/`, and its connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    connection.request("GET", "/api/v1/events/", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"no stream: {answer.status} {answer.read()[:300]}")
    return answer, connection


def delays_after(project, servers, uploads):
    """A list for each server: how many seconds after an upload's answer a stream there heard of it."""
    streams, delays = [Stream(server, project.token) for server in servers], [[] for _ in servers]
    writer = ProjectClient(project.server, project.id, project.token, is_kept=True)
    for _ in range(uploads):
        # Pokes of one stream are 100 ms apart; the next upload is not to wait for that.
        time.sleep(0.13)
        answer, answered = writer.upload(created=[{"id": str(uuid.uuid4()), "name": "Poke"}]), time.perf_counter()
        if answer.status != 200:
            raise RuntimeError(f"an upload: {answer}")
        for seen, stream in zip(delays, streams):
            seen.append(stream.time_of(project.id, answer.json["timestamp"]) - answered)
    for stream in streams:
        stream.close()
    return delays
