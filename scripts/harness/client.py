"""HTTP as a client speaks it."""

import functools
import http.client
import json
import zlib

# What a request raises if there is no answer: no server, or a connection that broke.
NO_ANSWER = OSError, http.client.HTTPException


class Answer:
    """Status, headers and body of one answer."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def text(self):
        """The body, unpacked if it is gzip."""
        is_packed = self.headers["Content-Encoding"] == "gzip"
        return zlib.decompress(self.body, wbits=31) if is_packed else self.body

    @functools.cached_property
    def json(self):
        return json.loads(self.text)

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class Client:
    """One connection to a server of this machine, by one user. It is kept; after a failure the next request opens
    another one. Not for several threads."""

    def __init__(self, port, token=None, headers=None, timeout=60):
        """`headers` go with every request."""
        self.headers = ({"Authorization": f"Bearer {token}"} if token else {}) | (headers or {})
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def request(self, method, path, body=None, headers=None):
        """`body` is bytes or text, or a value that becomes JSON."""
        sent = self.headers | (headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body, sent = json.dumps(body), {"Content-Type": "application/json"} | sent
        try:
            self._connection.request(method, path, body, sent)
            return Answer(self._connection.getresponse())
        except Exception:
            self.close()
            raise

    def close(self):
        self._connection.close()
