"""Two servers on one database, as a client behind a balancer sees them."""

import itertools


from harness.project import ProjectClient


class BothServers:
    """Two servers. Requests go to them in turn; after one without an answer, or with a 503, to the other one."""

    def __init__(self, servers, id, token):
        self.servers, self.id, self.token = servers, id, token
        self._turns = itertools.cycle((0, 1))

    def connect(self, token=None, timeout=60):
        """A connection to each server, which are kept."""
        headers = {"Content-Type": "application/json"}
        clients = [
            ProjectClient(server, self.id, token or self.token, headers, True, timeout) for server in self.servers]
        return AlternatingClient(clients, next(self._turns))


class AlternatingClient(ProjectClient):
    """Sends each request to another server than the last one. Not for several threads."""

    def __init__(self, clients, first):
        first = clients[first]
        super().__init__(first.server, first.id, first.token)
        self._clients = itertools.cycle(clients if clients[0] is first else reversed(clients))
        self._all = clients

    def request(self, method, suffix="", body=None, headers=None):
        return next(self._clients).request(method, suffix, body, headers)

    def close(self):
        for client in self._all:
            client.close()
