"""Phones that pull all projects of their users, while projects come and go between drains and between pages.

The arguments are the seed and the number of rounds. After each round every phone holds exactly what the pulls of the
single projects have together.
"""

import random
import uuid

from check.reporting import check, equal, seed_of
from check.sync.phone import Phone
from harness import tidemark
from harness.installation.backup import back_up, restore
from harness.server import Server
from harness.temporary import TEMP

DATABASE = TEMP / "all-projects.db"
ROLES = {"viewer": 1, "member": 100, "scheduler": 200}


def main(seed=None, rounds=25):
    world = World(random.Random(seed_of(seed)))
    phones = [
        Phone(world.server, world.tokens[user], encoding, size, keeps_pages)
        for user in ("bob", "eve")
        for encoding, keeps_pages in (("json", True), ("json", False), ("watermelondb", False))
        for size in (1, 7, 1000, None)
    ]
    for number in range(int(rounds)):
        for _ in range(world.random.randrange(8)):
            world.change()
        for phone in phones:
            phone.sync(between=world.maybe_change)
        compare(world, phones, number)
        # WatermelonDB replaces all of its rows after a purge or a restore, once.
        if number % 8 == 5:
            world.restore()
    resyncs = {phone.resyncs for phone in phones if phone.encoding == "json"}
    equal("after each restore a phone replaces its rows once", resyncs, {world.restores})
    check("no promise was broken", not any(phone.problems for phone in phones), [p.problems[:2] for p in phones])
    equal("`tidemark check` finds nothing", tidemark.findings(DATABASE), [])
    check_batch_over_three(world)


def compare(world, phones, number):
    """Every phone makes one more drain, with no write in it."""
    truths = {}
    wrong = []
    for phone in phones:
        phone.sync()
        key = phone.token, phone.encoding
        truth = truths.get(key) or truths.setdefault(key, world.truth(*key))
        if phone.rows != truth:
            wrong.append(f"{phone}: {sorted(phone.rows.keys() ^ truth.keys())[:5]} differ")
        since = phone.since
        phone.sync()
        if phone.since != since:
            wrong.append(f"{phone}: the watermark moves without a write")
    rows = [len(truth) for truth in truths.values()]
    check(f"round {number + 1}: {len(phones)} phones hold the union of their projects, {rows} rows", not wrong, wrong)


class World:
    """A server, its projects, and the writes of their owner."""

    def __init__(self, generator):
        self.random = generator
        self.tokens = {name: tidemark.add_user(name, DATABASE) for name in ("alice", "bob", "eve")}
        self.server = Server(DATABASE, {"TIDEMARK_SYNC_PULL_PAGE_SIZE": 5}).start()
        self.users = {name: self.request("GET", "/auth/me/", by=name)["id"] for name in self.tokens}
        self.projects, self.count, self.restores = [], 0, 0
        for _ in range(3):
            self.make()

    def request(self, method, path, body=None, by="alice", allowed=()):
        answer = self.server.request(method, "/api/v1" + path, self.tokens[by], body)
        if answer.status >= 300 and answer.json["code"] not in allowed:
            raise RuntimeError(f"{method} {path}: {answer}")
        return answer.json if answer.body else None

    def truth(self, token, encoding):
        """What the pulls of the user's single projects have."""
        rows = {}
        for project in self.server.get("/api/v1/projects/", token).json["results"]:
            cursor = ""
            while cursor is not None:
                query = f"since=0&page_size=5000&encoding={encoding}&cursor={cursor}"
                page = self.server.project(project["id"], token).pull(query).json
                for name, buckets in page["changes"].items():
                    rows |= {(name, row["id"]): row for row in buckets["created"] + buckets["updated"]}
                cursor = page["next_cursor"]
        return rows

    # What happens

    def maybe_change(self):
        if self.random.randrange(3) == 0:
            self.change()

    def change(self):
        choices = [(30, self.write), (8, self.member), (2, self.archive), (1, self.delete), (2, self.make)]
        choices.append((2, self.purge))
        action = self.random.choices([action for _, action in choices], [weight for weight, _ in choices])[0]
        action()

    def id(self):
        self.count += 1
        return f"r-{self.count}"

    def make(self):
        """A project that the owner made offline, with its first rows."""
        if len(self.projects) >= 6:
            return
        project = self.id()
        self.upload({"projects": {"created": [{"id": project, "name": "Made offline", "start_date": "2026-01-05"}]}})
        self.projects.append(project)
        for name in ("bob", "eve"):
            if self.random.randrange(3):
                self.grant(project, name)
        for _ in range(4):
            self.write(project)

    def upload(self, changes):
        body = {"client_batch_id": str(uuid.uuid4()), "on_error": "repair", "changes": changes}
        return self.request("POST", "/sync/", body)

    def write(self, project=None):
        """A batch of the owner in one project or two."""
        tasks, sprints, retros = [], [], []
        for project in [project] if project else self.random.sample(self.projects, min(2, len(self.projects))):
            ids = {kind: self.id() for kind in ("task", "sprint", "retro")}
            tasks.append({"id": ids["task"], "project_id": project, "name": "Task"})
            if self.random.randrange(2):
                dates = {"start_date": "2026-01-05", "finish_date": "2026-01-16"}
                sprints.append({"id": ids["sprint"], "project_id": project, "name": "Sprint"} | dates)
                seen = self.random.choice(["project", "team_only"])
                retro = {"id": ids["retro"], "project_id": project, "sprint": ids["sprint"], "team_visibility": seen}
                retros.append(retro)
        known = [f"r-{number}" for number in self.random.sample(range(1, self.count + 1), 4)]
        opened = self.random.choice(["project", "team_only"])
        live = {row["id"]: name for name in ("tasks", "sprint_retros") for row in self.live(name, known)}
        edited = [{"id": id, "name": f"Edit {self.count}"} for id in known[:2] if live.get(id) == "tasks"]
        gates = [
            {"id": id, "team_visibility": opened} for id, name in live.items() if name == "sprint_retros"
        ]
        gone = [id for id in known[3:] if live.get(id) == "tasks"]
        self.upload({
            "tasks": {"created": tasks, "updated": edited, "deleted": gone},
            "sprints": {"created": sprints}, "sprint_retros": {"created": retros, "updated": gates},
        })

    def live(self, name, ids):
        for id in ids:
            answer = self.server.get(f"/api/v1/{name}/{id}/", self.tokens["alice"])
            if answer.status == 200:
                yield answer.json

    def membership(self, project, name):
        page = self.request("GET", f"/projects/{project}/memberships/")
        return next((row for row in page["results"] if row["user"] == self.users[name]), None)

    def grant(self, project, name):
        role = self.random.choice(list(ROLES.values()))
        self.request("POST", f"/projects/{project}/memberships/", {"user": self.users[name], "role": role})

    def member(self):
        """Joins, leaves, or gets another role."""
        project, name = self.random.choice(self.projects), self.random.choice(["bob", "eve"])
        membership = self.membership(project, name)
        if not membership:
            self.grant(project, name)
        elif self.random.randrange(2):
            self.request("DELETE", f"/memberships/{membership['id']}/")
        else:
            role = self.random.choice(list(ROLES.values()))
            self.request("PATCH", f"/memberships/{membership['id']}/", {"role": role})

    def archive(self):
        project = self.random.choice(self.projects)
        self.request("POST", f"/projects/{project}/{self.random.choice(['archive', 'unarchive'])}/")

    def delete(self):
        if len(self.projects) > 2:
            project = self.projects.pop(self.random.randrange(len(self.projects)))
            self.request("DELETE", f"/projects/{project}/")

    def purge(self):
        tidemark.output("purge", "--older-than", "0s", database=DATABASE)

    def restore(self):
        """What was written after the backup is lost. Every phone replaces its rows, once."""
        backup = TEMP / "all-projects-backup.db"
        back_up(DATABASE, backup)
        kept = list(self.projects)
        self.write()
        self.make()
        self.server.stop()
        restore(DATABASE, backup)
        self.server.start()
        self.projects = kept
        self.restores += 1


def check_batch_over_three(world):
    """One batch over three projects, of which one is archived, lost or deleted; and the server is killed."""
    world.projects = []
    for what, code in (("archive", "project_archived"), ("leave", "membership_revoked"), ("delete", "project_deleted")):
        projects = [world.id() for _ in range(3)]
        for project in projects:
            fields = {"id": project, "name": "Three", "start_date": "2026-01-05"}
            world.upload({"projects": {"created": [fields]}})
            body = {"user": world.users["bob"], "role": ROLES["member"]}
            world.request("POST", f"/projects/{project}/memberships/", body)
        close(world, projects[1], what)
        tasks = [{"id": world.id(), "project_id": project, "name": "Offline"} for project in projects]
        body = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": tasks}}}

        def send(**members):
            return world.server.request("POST", "/api/v1/sync/", world.tokens["bob"], body | members)

        refused = send()
        errors = [(error["id"], error["code"], projects[1] in error["detail"]) for error in refused.json["errors"]]
        equal(f"{what}: reject_batch names the row and its project", errors, [(tasks[1]["id"], code, True)])
        first = send(on_error="repair")
        told = set(first.json["timestamps"]), first.json["rejected_ids"]
        expected = {projects[0], projects[2]}, {"tasks": [tasks[1]["id"]]}
        equal(f"{what}: repair applies the others, and writes nothing there", told, expected)
        world.server.kill()
        world.server.start()
        again = send(on_error="repair")
        equal(f"{what}: the same bytes after kill -9", (again.status, again.body), (200, first.body))
        inbox = world.request("GET", "/rejected/?limit=500", by="bob")["results"]
        found = {entry["id"]: (entry["project_id"], entry["code"], entry["sent"]["name"]) for entry in inbox}
        expected = projects[1], code, "Offline"
        equal(f"{what}: the edit can be read back from the inbox", found.get(tasks[1]["id"]), expected)


def close(world, project, what):
    if what == "archive":
        world.request("POST", f"/projects/{project}/archive/")
    elif what == "leave":
        world.request("DELETE", f"/memberships/{world.membership(project, 'bob')['id']}/")
    else:
        world.request("DELETE", f"/projects/{project}/")
