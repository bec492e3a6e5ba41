"""What clients do besides syncing: streams, rows over REST, logins, roles, mistakes."""

import socket
import time
import uuid

from deep.clients.account import Account
from deep.clients.background_task import BackgroundTask
from deep.clients.raw_request import head, stalled_stream
from harness.drain import pages


class SideTraffic:
    """All of it on one server. Each task raises if an answer is not as it should be."""

    def __init__(self, server):
        self._server, self._project = server, server.project
        self._alice, self._root = Account(server, "alice"), Account(server, "root")
        self._is_viewer = False

    def tasks(self):
        pauses = {
            self._stream: 1, self._stall: 5, self._cold: 2, self._item: 0.2, self._session: 2, self._role: 1,
            self._mistakes: 0.5, self._unheard: 1,
        }
        return [BackgroundTask(work, pause) for work, pause in pauses.items()]

    def _stream(self):
        """All in one answer, as gzip."""
        require_packed(self._server.fetch("?since=0&stream=true", {"Accept-Encoding": "gzip"}))

    def _cold(self):
        """All in pages, as gzip."""
        client = self._server.connect()

        def ask(cursor):
            query = "?since=0" + (f"&cursor={cursor}" if cursor else "")
            return client.required("GET", query, headers={"Accept-Encoding": "gzip"})

        for page in pages(ask):
            require_packed(page)
        client.close()

    def _stall(self):
        """A stream that nobody reads, until it is cut off. It is another user's, since nobody has two."""
        with stalled_stream(self._server, self._project.tokens[-1]):
            time.sleep(8)

    def _unheard(self):
        """Asks for a page, and hangs up."""
        with socket.create_connection(("127.0.0.1", self._server.port)) as connection:
            connection.sendall(head("GET", self._project.path + "?since=0", self._project))

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
        last = max(page.json["results"], key=lambda row: row["user"])
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
        answer = self._server.request(method, path, token or self._project.token, body, headers)
        if answer.status != status:
            raise RuntimeError(f"{method} {path}: should be {status}: {answer}")
        return answer


def require_packed(answer):
    """A document that came as gzip."""
    if answer.headers["Content-Encoding"] != "gzip" or not answer.json:
        raise RuntimeError("an answer was not packed")
