"""Streams of events, read as they come."""

import http.client
import threading
import time

from check.http.proxies import event


class Stream(threading.Thread):
    """A stream of events, read as it comes."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self._response, self._connection = open_stream(server.port, token)
        self._told, self._is_new = {}, threading.Condition()
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


def open_stream(port, token):
    """The answer to `GET /events/`, and its connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/api/v1/events/", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"no stream: {answer.status} {answer.read()[:300]}")
    return answer, connection
