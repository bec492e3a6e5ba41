"""The way between a device and the server."""

from harness.client import NO_ANSWER, Client

HEAD = "Tidemark-Head"
# Answers that say nothing of the request: it may have been done.
UNKNOWN = {429, 502, 503, 504}
# In seconds. Shorter than some faults.
TIMEOUT = 4


class Network:
    """Requests of one device, through a proxy that may take the header `Tidemark-Head` away. Some planted mistakes of
    a server are made here, since no server makes them."""

    def __init__(self, port, token, loses_header, plant=None):
        self._client, self._loses_header, self._plant = Client(port, token, timeout=TIMEOUT), loses_header, plant
        self._first_pages = {}
        # Whether the next answer gets lost on its way.
        self.loses_next = False

    def pull(self, path):
        """An answer with its head, which is None if there is no header. None if there is no answer."""
        answer = self._request("GET", path)
        if answer is None or answer.status != 200:
            return answer
        head = answer.headers[HEAD]
        answer.head = None if self._loses_header or head is None else int(head)
        if self._plant == "lagging-mark" and answer.head is not None:
            answer.head = answer.json["timestamp"]
        if self._plant == "stale-cache" and "cursor=" not in path:
            # Every second time, what was answered the first time.
            answer = self._first_pages.pop(path, None) or self._first_pages.setdefault(path, answer)
        return answer

    def push(self, path, batch):
        """None if there is no answer, or one that says nothing."""
        answer = self._request("POST", path, batch)
        return None if answer is None or answer.status in UNKNOWN else answer

    def _request(self, method, path, body=None):
        try:
            answer = self._client.request(method, f"/api/v1{path}", body)
        except NO_ANSWER:
            return None
        is_lost, self.loses_next = self.loses_next, False
        return None if is_lost else answer

    def close(self):
        self._client.close()
