"""How clients ask, parameters and headers and all: what no client sends is not what the server has to be fast for."""

import urllib.parse

PAGE_SIZE = 1000


class Asker:
    def __init__(self, name, parameters, headers):
        self.name, self._parameters, self._headers = name, parameters, headers

    def query(self, since, **others):
        """Of a page; a parameter that is None is left out."""
        asked = {"since": since} | self._parameters | others
        return "?" + urllib.parse.urlencode({name: value for name, value in asked.items() if value is not None})

    def headers(self, token, gzip=True):
        headers = {"Accept": "application/json", "Authorization": f"Bearer {token}"} | self._headers
        return headers | ({"Accept-Encoding": "gzip"} if gzip else {})


# clients/watermelondb on React Native's fetch, and Sources/SyncClientCore.
ADAPTER = Asker(
    "the adapter", {"encoding": "watermelondb", "page_size": PAGE_SIZE, "schema_version": 1},
    {"User-Agent": "okhttp/4.12.0", "Connection": "Keep-Alive"})
SWIFT = Asker("the Swift client", {"page_size": PAGE_SIZE}, {"User-Agent": "tidemark-client"})
ASKERS = [ADAPTER, SWIFT]
