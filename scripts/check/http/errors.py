"""Sends what is wrong, and looks for the status, the code and the problem document of the contract."""

import json
import uuid

from check.reporting import check, equal
from harness import tidemark
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "errors.db"


def main():
    tokens = {name: tidemark.add_user(name, DATABASE) for name in ("alice", "vera", "eve")}
    tokens["reader"] = tidemark.output("token", "create", "--user", "alice", "--read-only", database=DATABASE)
    server = Server(DATABASE).start()
    mine, other = (server.new_project(tokens["alice"], name) for name in ("Mine", "Other"))
    tidemark.output("member", "add", "--project", mine.id, "--user", "vera", "--role", "viewer", database=DATABASE)
    for project in (mine, other):
        project.upload(created=[{"id": f"{project.id}-{n}"[-60:], "name": "T"} for n in range(5)])
    head = mine.head()
    Checks(server, mine, tokens).all(other)
    equal("nothing of all this was applied", mine.head(), head)


class Checks:
    def __init__(self, server, project, tokens):
        self.server, self.tokens, self.path = server, tokens, project.path
        self.project = project

    def all(self, other):
        self.pull_parameters()
        self.cursors(other)
        self.uploads()
        self.rows()
        self.callers()
        self.routes()

    def expect(self, what, status, code, method="GET", path=None, token="alice", body=None, headers=None):
        answer = self.server.request(method, path or self.path, self.tokens.get(token, token), body, headers)
        try:
            problem = answer.json
            seen = (answer.status, answer.headers["Content-Type"].split(";")[0], problem["status"], problem["code"])
            is_complete = problem["type"] == "about:blank" and problem["title"] and problem["detail"]
        except (ValueError, KeyError, AttributeError):
            return check(f"{what}: {status} {code}", False, answer)
        check(
            f"{what}: {status} {code}",
            seen == (status, "application/problem+json", status, code) and is_complete,
            answer,
        )
        return answer

    def pull(self, what, status, code, query, token="alice"):
        return self.expect(what, status, code, path=f"{self.path}?{query}", token=token)

    def post(self, what, status, code, changes, token="alice", batch=None, **more):
        body = {"client_batch_id": batch or str(uuid.uuid4()), "changes": changes} | more
        return self.expect(what, status, code, "POST", token=token, body=body)

    def pull_parameters(self):
        for value in ("abc", "-1", "1.5", "%201", "9007199254740992", "99999999999999999999"):
            self.pull(f"since={value}", 400, "invalid_since", f"since={value}")
        self.pull("since above the head", 409, "since_ahead", "since=1000000")
        self.pull("page_size=abc", 400, "invalid_page_size", "page_size=abc")
        self.pull("an unknown collection in the filter", 400, "unknown_collection", "collections=tasks,unicorns")

    def cursors(self, other):
        def cursor(project, token="alice", query="since=0&page_size=2"):
            return project.by(self.tokens[token]).pull(query).json["next_cursor"]

        mine = cursor(self.project)
        middle = len(mine) // 2
        wrong = {
            "a truncated cursor": mine[:-1],
            "half a cursor": mine[:middle],
            "a cursor and a letter": mine + "A",
            "a cursor with one letter changed": mine[:middle]
            + ("B" if mine[middle] == "A" else "A")
            + mine[middle + 1 :],
            "a cursor that never was": "nonsense",
            "another project's cursor": cursor(other),
            "another user's cursor": cursor(self.project, "vera"),
            "the cursor of a filtered drain": cursor(self.project, query="since=0&page_size=2&collections=tasks"),
        }
        for what, value in wrong.items():
            self.pull(what, 400, "invalid_cursor", f"since=0&cursor={value}")
        self.pull("a cursor with another since", 400, "invalid_cursor", f"since=1&cursor={mine}")
        answer = self.project.pull(f"since=0&page_size=4&cursor={mine}")
        equal("the right cursor, even with another page_size: 200", answer.status, 200)

    def uploads(self):
        row = {"id": "r1", "name": "T"}
        rows = [{"id": f"r{n}", "name": "T"} for n in range(501)]
        answer = self.post("501 rows", 400, "batch_too_large", {"tasks": {"created": rows}})
        equal("501 rows: rows and limit are told", (answer.json.get("rows"), answer.json.get("limit")), (501, 500))
        mixed = {
            "tasks": {"created": rows[:200], "updated": rows[200:400], "deleted": [row["id"] for row in rows[400:]]}
        }
        self.post("501 rows over three buckets", 400, "batch_too_large", mixed)
        self.post("an unknown collection", 400, "collection_not_uploadable", {"unicorns": {"created": [row]}})
        closed = {"memberships": {"created": [row]}}
        self.post("a collection that is not uploadable", 400, "collection_not_uploadable", closed)
        self.post("a batch id that is no UUID", 400, "invalid_batch_id", {"tasks": {"created": [row]}}, batch="7")
        self.post(
            "last_pulled_at above the head", 409, "since_ahead", {"tasks": {"created": [row]}}, last_pulled_at=10**6)
        deep = json.dumps({"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": []}}, "x": 0})
        deep = deep.replace('"x": 0', '"x": ' + "[" * 40 + "]" * 40)
        huge = b'{"x": "' + b"a" * (16 << 20) + b'"}'
        for what, status, code, body in [
            ("invalid JSON", 400, "invalid_json", b'{"client_batch_id": '),
            ("no body", 400, "invalid_json", b""),
            ("JSON that is not UTF-8", 400, "invalid_json", b'{"x": "\xff\xfe"}'),
            ("a list", 400, "invalid_body", b"[]"),
            ("nesting deeper than 32", 400, "invalid_json", deep.encode()),
            ("17 MB", 413, "body_too_large", huge),
        ]:
            self.expect(
                f"{what} as body", status, code, "POST", body=body, headers={"Content-Type": "application/json"})

    def rows(self):
        good = {"id": "good", "name": "T"}
        for what, code, row in [
            ("no name", "required", {"id": "r1"}),
            ("a number as name", "wrong_type", {"id": "r1", "name": 5}),
            ("an unknown status", "not_in_enum", good | {"id": "r1", "status": "NEVER"}),
            ("101 percent", "out_of_range", good | {"id": "r1", "percent_complete": 101}),
            ("no date", "bad_format", good | {"id": "r1", "planned_start": "2026-02-30"}),
            ("a parent that never was", "unknown_reference", good | {"id": "r1", "parent": "nobody"}),
            ("a name of 513 letters", "too_long", {"id": "r1", "name": "x" * 513}),
            ("an id with a space", "invalid_id", {"id": "r 1", "name": "T"}),
        ]:
            answer = self.post(f"a row with {what}", 400, "invalid_rows", {"tasks": {"created": [good, row]}})
            errors = [
                (error["pointer"].startswith("/changes/tasks/created/1"), error["code"])
                for error in answer.json["errors"]
            ]
            equal(f"a row with {what}: pointer to it, code {code}", errors, [(True, code)])
        self.post("an id twice in a bucket", 400, "invalid_rows", {"tasks": {"created": [good, good]}})

    def callers(self):
        change = {"tasks": {"created": [{"id": "r1", "name": "T"}]}}
        self.post("a viewer's upload", 403, "forbidden", change, token="vera")
        self.post("an upload with a read-only token", 403, "read_only_token", change, token="reader")
        self.post("an upload to a foreign project", 403, "not_a_member", change, token="eve")
        self.pull("a foreign project", 403, "not_a_member", "since=0", token="eve")
        for what, token in [("no token", None), ("an unknown token", "tmk_nobody"), ("an empty token", " ")]:
            answer = self.pull(what, 401, "unauthorized", "since=0", token=token)
            check(f"{what}: WWW-Authenticate", bool(answer.headers["WWW-Authenticate"]))
        self.pull("no token comes before a wrong since", 401, "unauthorized", "since=abc", token=None)
        self.expect("a project that does not exist", 404, "not_found", path="/api/v1/projects/nowhere/sync/")
        equal("a viewer may pull", self.project.by(self.tokens["vera"]).pull().status, 200)

    def routes(self):
        for method in ("PUT", "DELETE", "PATCH"):
            answer = self.expect(f"{method} on sync", 405, "method_not_allowed", method)
            equal(
                f"{method} on sync: Allow",
                sorted((answer.headers["Allow"] or "").replace(" ", "").split(",")),
                ["GET", "HEAD", "POST"],
            )
        self.expect("an unknown path", 404, "not_found", path="/api/v1/unicorns/")
        self.expect("a path outside the API", 404, "not_found", path="/favicon.ico")
        id = self.project.id
        for path in (f"/projects/{id}/sync", f"/projects/{id}/sync/", self.path.rstrip("/")):
            equal(f"{path.replace(id, '{id}')}: 200", self.server.get(path, self.tokens["alice"]).status, 200)
