"""What one user does with one project over HTTP."""

import uuid

from harness.client import Client
from harness.drain import Drain


class ProjectClient:
    """Requests to the sync route of a project. Each opens a connection, unless the connection `is_kept`."""

    def __init__(self, server, id, token, headers=None, is_kept=False, timeout=60):
        self.server, self.id, self.token = server, id, token
        self.path = f"/api/v1/projects/{id}/sync/"
        self._client, self._is_kept = Client(server.port, token, headers, timeout), is_kept

    def by(self, token):
        """The same project by another user."""
        return ProjectClient(self.server, self.id, token)

    def request(self, method, suffix="", body=None, headers=None):
        """`suffix` follows the path of the sync route: a query, say."""
        try:
            return self._client.request(method, self.path + suffix, body, headers)
        finally:
            if not self._is_kept:
                self._client.close()

    def required(self, method, suffix="", body=None, headers=None):
        """The same; the answer must be 200."""
        answer = self.request(method, suffix, body, headers)
        if answer.status != 200:
            raise RuntimeError(f"{method} {suffix}: {answer}")
        return answer

    def close(self):
        self._client.close()

    def pull(self, query="since=0"):
        return self.request("GET", "?" + query)

    def head(self):
        """The number of the last commit."""
        return int(self.required("GET", "?since=0&page_size=1").headers["Tidemark-Head"])

    def drain(self, **options):
        return Drain(self, **options)

    def upload(self, batch=None, created=(), updated=(), deleted=()):
        """A batch of changes of tasks, under a new id if none is given."""
        tasks = {"created": list(created), "updated": list(updated), "deleted": list(deleted)}
        return self.request("POST", "", {"client_batch_id": batch or str(uuid.uuid4()), "changes": {"tasks": tasks}})

    def write(self, **rows):
        """A batch that must be applied whole."""
        answer = self.upload(**rows)
        if answer.status != 200 or any(answer.json["skipped"].values()):
            raise RuntimeError(f"a batch was not applied: {answer}")
