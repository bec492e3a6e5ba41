"""A whole app offline: rows of all collections in one batch, row by row refusals, hidden rows, narrowed uploads."""

import json
import uuid

from check.replica import differences
from check.reporting import check, equal
from harness import tidemark
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "collections.db"
ROLES = ("viewer", "member", "scheduler", "admin")


def rows(user, n=""):
    """New rows of the eleven uploadable collections, children before parents. `n` makes their ids."""
    return {
        "time_entries": [{"id": f"te{n}", "task": f"b{n}", "minutes": 30, "entry_date": "2026-01-05"}],
        "task_recurrence_rules": [{"id": f"rr{n}", "task": f"a{n}", "frequency": "DAILY"}],
        "task_links": [{"id": f"l{n}", "task": f"b{n}", "url": "https://github.com/a/b", "labels": ["x", "y"]}],
        "task_suggested_assignees": [{"id": f"sa{n}", "task": f"b{n}", "suggested_user": user}],
        "retro_action_items": [{"id": f"ai{n}", "retro": f"re{n}", "text": "Do", "promoted_task_id": f"a{n}"}],
        "sprint_retros": [{"id": f"re{n}", "sprint": f"s{n}", "notes": "Went well"}],
        "risks": [{"id": f"r{n}", "title": "Rain", "probability": 4, "impact": 2, "task_ids": [f"b{n}", f"a{n}"]}],
        "dependencies": [{"id": f"d{n}", "predecessor": f"a{n}", "successor": f"b{n}", "lag": -2}],
        "tasks": [
            {"id": f"b{n}", "name": "Paint", "parent": f"a{n}", "sprint": f"s{n}"}, {"id": f"a{n}", "name": "Walls"}],
        "sprints": [{"id": f"s{n}", "name": "One", "start_date": "2026-01-05", "finish_date": "2026-01-16"}],
        "calendars": [{"id": f"c{n}", "name": "Night shift"}],
    }


def batch(rows, bucket="created", **members):
    """A batch with all rows in one bucket."""
    return members | {
        "client_batch_id": str(uuid.uuid4()), "changes": {name: {bucket: list(some)} for name, some in rows.items()}}


def codes(answer, list="rejected"):
    """The codes of a list of the answer, by collection and id."""
    return {
        (name, entry["id"]): entry["code"] for name, entries in answer.json[list].items() for entry in entries}


class Team:
    """A project with a member of each role."""

    def __init__(self, server):
        owner = tidemark.add_user("owner", DATABASE)
        self.owner = server.new_project(owner)
        self.users, self.by = {}, {"owner": self.owner}
        for role in ROLES:
            token = tidemark.add_user(role, DATABASE)
            tidemark.output(
                "member", "add", "--project", self.owner.id, "--user", role, "--role", role, database=DATABASE)
            self.by[role] = self.owner.by(token)
            self.users[role] = server.get("/api/v1/auth/me/", token).json["id"]

    def upload(self, role, body):
        return self.by[role].request("POST", "", body)


def main():
    with Server(DATABASE) as server:
        team = Team(server)
        check_one_batch(server, team)
        check_refusals(team)
        check_hidden_rows(server, team)
        check_stock_push(team)
        check_swift_client(server, team)
    with Server(DATABASE, {"TIDEMARK_SYNC_UPLOAD_COLLECTIONS": "tasks"}) as server:
        check_narrowed(server, team)
    for value, word in (("nope", "nope"), ("tasks,memberships", "memberships")):
        failed = Server(DATABASE, {"TIDEMARK_SYNC_UPLOAD_COLLECTIONS": value})
        check_start_error(failed, word)
    tidemark.require_sound(DATABASE)


def check_one_batch(server, team):
    sent = rows(team.users["viewer"])
    answer = team.upload("admin", batch(sent))
    check("new rows of all eleven collections, children first, in one batch", answer.status == 200, answer)
    lists = [answer.json[name] for name in ("rejected", "skipped", "repaired")]
    equal("nothing refused, skipped or repaired", lists, [{}] * 3)
    own, other = team.by["admin"].drain(), team.by["scheduler"].drain()
    keys = [(name, row["id"]) for name, some in sent.items() for row in some]
    missing = [(name, id) for name, id in keys if id not in own.rows.get(name, {})]
    equal("the sender's next drain has them all", missing, [])
    differing = [name for name in sent if name != "time_entries" and own.rows[name] != other.rows[name]]
    equal("a second phone has the same", differing, [])
    equal("except the time entry, which is the sender's own", other.rows.get("time_entries", {}), {})
    token = team.by["admin"].token
    # A row of a pull names its project, too.
    pulled = {"project_id": team.owner.id}
    rest = [
        (name, id) for name, id in keys
        if server.get(f"/api/v1/{name}/{id}/", token).json | pulled != own.rows[name][id]]
    equal("REST has the same", rest, [])


def check_refusals(team):
    sent = rows(team.users["viewer"], 2)
    answer = team.upload("member", batch(sent, on_error="repair"))
    equal(
        "a member's calendar, dependency and rule are refused row by row", codes(answer),
        dict.fromkeys([("calendars", "c2"), ("dependencies", "d2"), ("task_recurrence_rules", "rr2")], "forbidden"))
    applied = sorted(name for name, buckets in answer.json["applied"].items() if buckets["created"])
    equal("the rest applies", applied, sorted(set(sent) - {"calendars", "dependencies", "task_recurrence_rules"}))
    whole = team.upload("member", batch({"dependencies": [{"id": "d3", "predecessor": "a2", "successor": "b2"}]}))
    equal("the same as a whole batch", (whole.status, whole.json["code"]), (403, "forbidden"))
    edit = {"id": "sa", "state": "accepted", "modified_at": "2026-05-01T10:00:00.000Z"}
    edits = {"task_suggested_assignees": [edit], "tasks": [{"id": "a", "name": "No"}]}
    answer = team.upload("viewer", batch(edits, "updated", on_error="repair"))
    equal(
        "a viewer accepts a suggestion that names them, and nothing else", codes(answer), {("tasks", "a"): "forbidden"})
    row = team.owner.drain().rows["task_suggested_assignees"]["sa"]
    equal("it is accepted, with its edit time", (row["state"], row["modified_at"]), ("accepted", edit["modified_at"]))
    twice = team.upload("admin", batch({"sprint_retros": [{"id": "re9", "sprint": "s"}]}, on_error="reject_rows"))
    refusal = twice.json["rejected"]["sprint_retros"][0]
    equal("a second retro of a sprint names the first", refusal.get("existing"), "re")


def check_hidden_rows(server, team):
    digest = server.get(f"{team.owner.path}digest/", team.by["viewer"].token).text
    for mode in ("overwrite", "newest", "merge"):
        for on_error in ("reject_rows", "repair"):
            head = team.owner.head()
            modes = {"on_conflict": mode, "on_error": on_error, "last_pulled_at": 1}
            hidden = {"retro_action_items": [{"id": "ai", "text": "X"}], "time_entries": [{"id": "te", "note": "X"}]}
            answer = team.upload("viewer", batch(hidden, "updated", **modes))
            expected = {("retro_action_items", "ai"): "id_unavailable", ("time_entries", "te"): "id_unavailable"}
            equal(f"{mode}, {on_error}: a viewer's edits of hidden rows", codes(answer), expected)
            never = {"retro_action_items": [{"id": "zz", "text": "X"}], "time_entries": [{"id": "zz", "note": "X"}]}
            other = team.upload("viewer", batch(never, "updated", **modes))
            equal("rows that never were get the same code", set(codes(other).values()), {"id_unavailable"})
            kept = {"retro_action_items": ["ai"], "time_entries": ["te"]}
            equal("their ids stay unsent", answer.json["rejected_ids"], kept)
            equal("nothing is stamped or told", (team.owner.head(), answer.json["conflicts"]), (head, {}))
    entry = {"time_entries": [{"id": "te", "note": "X", "task": "a", "minutes": 1, "entry_date": "2026-01-05"}]}
    answer = team.upload("owner", batch(entry, "created"))
    equal("a foreign time entry, by the owner", (answer.status, answer.json["code"]), (409, "id_unavailable"))
    answer = team.upload("owner", batch({"time_entries": ["te"]}, "deleted"))
    equal("a delete of it is skipped as unknown", codes(answer, "skipped"), {("time_entries", "te"): "not_found"})
    check("it is still there", "te" in team.by["admin"].drain().rows["time_entries"])
    inbox = server.get(f"/api/v1/projects/{team.owner.id}/rejected/", team.by["viewer"].token)
    kept = [entry["kept"] for entry in inbox.json["results"] if entry["collection"] != "tasks"]
    equal("the viewer's inbox shows no value of them", set(map(json.dumps, kept)), {"null"})
    after = server.get(f"{team.owner.path}digest/", team.by["viewer"].token).text
    equal("the viewer's digest is as before", after, digest)


def check_stock_push(team):
    empty = {"created": [], "updated": [], "deleted": []}
    stamps = {"_status": "created", "_changed": "", "server_version": 0, "modified_at": None}
    some = {name: [row | stamps for row in some] for name, some in rows(team.users["viewer"], 5).items()}
    some["task_links"][0]["labels"], some["risks"][0]["task_ids"] = '["x"]', '["a5"]'
    body = {name: empty | {"created": list} for name, list in some.items()}
    body |= {"projects": empty, "memberships": empty, "drafts": empty}
    member = team.by["member"]
    answer = member.request("POST", f"?last_pulled_at={member.head()}&on_error=repair", body)
    check("the bare push of a whole app goes through", answer.status == 200, answer)
    equal(
        "with on_error in the query, what is refused stays unsent", answer.json["rejected_ids"],
        {"calendars": ["c5"], "dependencies": ["d5"], "task_recurrence_rules": ["rr5"]})
    equal("lists are read", team.owner.drain().rows["risks"]["r5"]["task_ids"], ["a5"])
    some = {"tasks": empty, "calendars": body["calendars"]}
    refused = member.request("POST", f"?last_pulled_at={member.head()}", some)
    equal("without on_error the push fails", (refused.status, refused.json["code"]), (403, "forbidden"))


def check_swift_client(server, team):
    replica, scheduler = TEMP / "collections.replica", team.by["scheduler"]
    sync = "sync", server.origin, "--project", team.owner.id, "--replica", replica, "--token", scheduler.token
    tidemark.output(*sync)
    equal("the Swift client has all rows", differences(replica, scheduler.drain().live()), [])
    for name, some in rows(team.users["viewer"], 7).items():
        if name == "calendars":
            continue
        for row in some:
            fields = [(field, value if isinstance(value, str) else json.dumps(value)) for field, value in row.items()]
            words = [f"{field}={text}" for field, text in fields if field != "id"]
            tidemark.output("row", "add", name, "--replica", replica, "--id", row["id"], *words)
    tidemark.output("row", "set", "sprints", "s", "--replica", replica, "goal=Dry walls")
    tidemark.output("row", "rm", "task_links", "l2", "--replica", replica)
    listed = tidemark.output("row", "list", "risks", "--replica", replica)
    check("tidemark row lists its unsent rows", any(line.startswith("*\tr7") for line in listed.splitlines()), listed)
    tidemark.output(*sync)
    drain = scheduler.drain()
    equal("its edits of ten collections arrive, and it has what the server has", differences(replica, drain.live()), [])
    sent = [(name, some[0]["id"]) for name, some in rows(1, 7).items() if name != "calendars"]
    equal("all of them", [name for name, id in sent if id not in drain.rows[name]], [])
    equal("an edit too", drain.rows["sprints"]["s"]["goal"], "Dry walls")
    check("and a delete", "l2" not in drain.rows["task_links"])


def check_narrowed(server, team):
    owner = server.project(team.owner.id, team.owner.token)
    for name in sorted(set(rows(1)) - {"tasks"}):
        answer = owner.request("POST", "", batch({name: [], "tasks": [{"id": "n1", "name": "N"}]}))
        equal(f"narrowed to tasks: {name}", (answer.status, answer.json["code"]), (400, "collection_not_uploadable"))
    answer = owner.request("POST", "", batch({"tasks": [{"id": "n1", "name": "N"}]}))
    equal("narrowed to tasks: tasks", answer.status, 200)
    schemas = server.get("/api/v1/schemas/", team.owner.token).json["collections"]
    equal("the schemas say so", [one["title"] for one in schemas if one.get("x-uploadable")], ["tasks"])


def check_start_error(server, word):
    try:
        server.start()
        server.kill()
        check(f"{word} stops the start", False)
    except Exception as error:
        text = str(error) + server.logs
        check(f"{word} stops the start, with the names that work", word in text and "calendars, sprints" in text, text)
