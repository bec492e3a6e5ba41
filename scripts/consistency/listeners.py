"""Devices that look only after an event."""

import contextlib
import http.client
import socket
import threading

from consistency.devices import PageDevice
from harness.listeners.stream import event, open_stream

# The server says something at least every 25 seconds.
SILENCE_SECONDS = 26
# Between two streams, and after a refusal.
PAUSE_SECONDS, LONG_PAUSE_SECONDS = 0.25, 1


class EventDevice(PageDevice):
    """It looks only if there was an event since its last look began, so an event that is lost is a stall."""

    waits = True

    def __init__(self, number, run):
        super().__init__(number, run)
        self._ear, self._is_looking = Ear(run.port_of(number), run.token_of(number), run.plant), False

    def page(self, _):
        if self._looks() and self.copy.page(self._run.now()):
            self._is_looking = False
            self._look()

    def sync(self, _):
        """Whether the copy is settled, as far as it has heard."""
        if self._looks():
            self._is_looking = not super().sync(_)
        return not self._is_looking

    def end(self):
        self._ear.end()
        super().end()

    def _looks(self):
        """Whether a look is under way, or there is a reason for one."""
        self._is_looking = self._ear.take_news() or self._is_looking or self.copy.settled is None
        return self._is_looking


class Ear(threading.Thread):
    """Hears the events of a user. After each break it opens the stream anew."""

    def __init__(self, port, token, plant):
        super().__init__(daemon=True)
        self._port, self._token, self._plant = port, token, plant
        self._has_news, self._ends, self._connection = threading.Event(), threading.Event(), None
        self._pokes = 0
        self.start()

    def take_news(self):
        """Whether there was an event since the last time."""
        has_news = self._has_news.is_set()
        self._has_news.clear()
        return has_news

    def end(self):
        self._ends.set()
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def run(self):
        while not self._ends.is_set():
            try:
                answer, self._connection = open_stream(self._port, self._token, SILENCE_SECONDS)
                self._hear(answer)
                pause = PAUSE_SECONDS
            except (OSError, http.client.HTTPException, ValueError, AttributeError):
                pause = PAUSE_SECONDS
            except RuntimeError:
                pause = LONG_PAUSE_SECONDS
            self._ends.wait(pause)

    def _hear(self, answer):
        while not self._ends.is_set():
            kind, _ = event(answer)
            if kind is None or kind == "bye":
                return
            if kind == "hello" or kind == "poke" and not self._swallows():
                self._has_news.set()

    def _swallows(self):
        self._pokes += 1
        return self._plant == "lost-event" and self._pokes % 2 == 0
