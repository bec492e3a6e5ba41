"""What clients do beside syncing: streams, rows over REST, logins, roles, mistakes."""

import gzip
import json
import socket
import time
import uuid

import hostile
from account import Account, request
from chore import Chore


class Errands:
    """All of them on one server. Each raises where it is answered otherwise than it should."""

    def __init__(self, server):
        self._server, self._project = server, server.project
        self._alice, self._root = Account(server, "alice"), Account(server, "root")
        self._is_viewer = False

    def chores(self):
        return [
            Chore(self._stream, 1), Chore(self._stall, 5), Chore(self._cold, 2), Chore(self._item, 0.2),
            Chore(self._session, 2), Chore(self._role, 1), Chore(self._mistakes, 0.5), Chore(self._unheard, 1),
        ]

    def _stream(self):
        """All in one answer, as gzip."""
        text, _ = self._server.get("?since=0&stream=true", {"Accept-Encoding": "gzip"})
        json.loads(gzip.decompress(text))

    def _cold(self):
        """All in pages, as gzip."""
        client, cursor = self._server.connect(), ""
        while cursor is not None:
            text, _ = client.request("GET", f"?since=0{cursor}", headers={"Accept-Encoding": "gzip"})
            page = json.loads(gzip.decompress(text))
            cursor = f"&cursor={page['next_cursor']}" if page["has_more"] else None
        client.connection.close()

    def _stall(self):
        """A stream that nobody reads, until it is cut off; another user's, since nobody has two."""
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self._server.port))
            path, other = self._project.path + "?since=0&stream=true", self._project.tokens[-1]
            connection.sendall(hostile.head("GET", path, self._project, token=other))
            time.sleep(8)

    def _unheard(self):
        """Asks for a page, and hangs up."""
        with socket.create_connection(("127.0.0.1", self._server.port)) as connection:
            connection.sendall(hostile.head("GET", self._project.path + "?since=0", self._project))

    def _item(self):
        """A risk that comes, changes and goes."""
        made, path = str(uuid.uuid4()), f"/api/v1/projects/{self._project.id}/risks/"
        risk = {"id": made, "title": "Rain", "probability": 2, "impact": 3}
        self._ask(201, "POST", path, risk, headers={"Idempotency-Key": made})
        self._ask(201, "POST", path, risk, headers={"Idempotency-Key": made})
        self._ask(200, "GET", f"{path}?limit=5")
        self._ask(200, "PATCH", f"/api/v1/risks/{made}/", {"title": "Snow"})
        self._ask(412, "PATCH", f"/api/v1/risks/{made}/", {"title": "Hail"}, headers={"If-Match": '"1"'})
        self._ask(204, "DELETE", f"/api/v1/risks/{made}/")

    def _session(self):
        """A login, a refresh, a logout, and a wrong password."""
        alice = self._alice
        steps = [alice.log_in(), alice.me(), alice.refresh(), alice.me(), alice.log_in("wrong")]
        self._ask(204, "POST", "/api/v1/auth/logout/", {"refresh": alice.refresh_token})
        if steps + [alice.me()] != [200, 200, 200, 200, 401, 401]:
            raise RuntimeError(f"a session: {steps}")

    def _role(self):
        """The last member of the project becomes a viewer, and a member again."""
        if self._root.access is None or self._root.me() != 200:
            self._root.log_in()
        token = self._root.access
        page = self._ask(200, "GET", f"/api/v1/projects/{self._project.id}/memberships/", token=token)
        last = max(page["results"], key=lambda row: row["user"])
        self._is_viewer = not self._is_viewer
        role = {"role": 1 if self._is_viewer else 100}
        self._ask(200, "PATCH", f"/api/v1/memberships/{last['id']}/", role, token=token)

    def _mistakes(self):
        sync = self._project.path
        self._ask(401, "GET", sync, token="tmk_unknown")
        self._ask(404, "GET", "/api/v1/projects/nowhere/sync/")
        self._ask(409, "GET", f"{sync}?since=9007199254740991")
        self._ask(400, "GET", f"{sync}?cursor=AAAA")
        self._ask(400, "POST", sync, {"client_batch_id": "no", "changes": {}})
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": [{"id": "no", "name": 7}]}}}
        self._ask(400, "POST", sync, batch)
        self._ask(405, "PUT", sync, {})
        self._ask(415, "POST", sync, {}, headers={"Content-Encoding": "gzip"})

    def _ask(self, status, method, path, body=None, token=None, headers=None):
        seen, answer, _ = request(self._server, method, path, body, token or self._project.token, headers)
        if seen != status:
            raise RuntimeError(f"{method} {path}: {seen}, should be {status}: {answer}")
        return answer
