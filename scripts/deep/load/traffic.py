"""Clients that behave well, and how they fare."""

import threading
import time
import uuid

from harness.waiting import wait_until


class Traffic:
    """Clients that pull and upload in turn, at a light pace, as long as it is entered."""

    def __init__(self, server, clients=4):
        self._guests = [Guest(server, token) for token in server.project.tokens[:clients]]

    def __enter__(self):
        for guest in self._guests:
            guest.start()
        return self

    def __exit__(self, *_):
        for guest in self._guests:
            guest.end()

    def latencies(self):
        """Of the requests since the last look. Raises if one failed."""
        self._require_no_failure()
        times = sorted(took for guest in self._guests for took in guest.taken())
        if not times:
            raise RuntimeError("no request of others was answered")
        return Latencies(len(times), times[len(times) * 99 // 100] * 1000, times[-1] * 1000)

    def next_latencies(self, count, seconds):
        """Of `count` requests that are answered from now on, as many of each client. Raises if it takes longer."""
        for guest in self._guests:
            guest.taken()

        def are_answered():
            self._require_no_failure()
            return all(guest.count() >= count / len(self._guests) for guest in self._guests)

        wait_until(are_answered, seconds, f"others did not get {count:,} answers within {seconds} s")
        return self.latencies()

    def _require_no_failure(self):
        failures = [failure for guest in self._guests for failure in guest.failures]
        if failures:
            raise RuntimeError(f"{len(failures)} requests of others failed, first: {failures[0]}")


class Latencies:
    """How many requests there were, and their milliseconds."""

    def __init__(self, count, p99, longest):
        self.count, self.p99, self.longest = count, p99, longest

    def __str__(self):
        return f"p99 {self.p99:.0f} ms of {self.count:,}, longest {self.longest:.0f} ms"


class Guest(threading.Thread):
    """One of these clients."""

    def __init__(self, server, token, pause=0.02):
        super().__init__(daemon=True)
        self._client, self._pause = server.connect(token), pause
        self._ends, self._times, self.failures = threading.Event(), [], []

    def end(self):
        self._ends.set()
        self.join()

    def count(self):
        return len(self._times)

    def taken(self):
        times, self._times = self._times, []
        return times

    def run(self):
        since = rounds = 0
        while not self._ends.wait(self._pause):
            rounds += 1
            if rounds % 10 == 0:
                self._client.close()  # The next request opens another one: newcomers must be served too.
            page = self._send("GET", f"?since={since}&page_size=100&collections=tasks")
            row = {"id": str(uuid.uuid4()), "name": "Beside an attack"}
            batch = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": [row]}}}
            answer = self._send("POST", "", batch)
            if page is None or answer is None:
                return
            since = answer.json["timestamp"]

    def _send(self, method, query, body=None):
        begun = time.monotonic()
        try:
            answer = self._client.required(method, query, body)
            self._times.append(time.monotonic() - begun)
            return answer
        except Exception as failure:
            self.failures.append(repr(failure))
            return None
