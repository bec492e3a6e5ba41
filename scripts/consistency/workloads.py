"""What devices write, and what must hold of every state that they see."""

import json


# By the first letter of an id.
COLLECTIONS = {"t": "tasks", "s": "sprints", "r": "sprint_retros", "i": "retro_action_items", "e": "time_entries"}
# What they look at, by collection.
FIELDS = {
    "tasks": ["name", "percent_complete", "notes"], "sprints": ["name", "start_date", "finish_date"],
    "sprint_retros": ["sprint", "notes", "team_visibility"], "retro_action_items": ["retro", "text"],
    "time_entries": ["task", "minutes", "entry_date"],
}


def collection_of(id):
    return COLLECTIONS[id[0]]


class Workload:
    # How an upload is judged that changes what somebody else has changed.
    on_conflict = "overwrite"
    collections = ["tasks"]
    # How many users the devices belong to. The first one owns the projects.
    users = 1

    def __init__(self, history, projects, name):
        """All ids end with `name`. The run sets `log`."""
        self.log = None
        self.has_apps = any(form.kind not in ("pages", "events") for form in history.devices)
        self.projects, self.devices = projects, len(history.devices)
        self.tasks = [f"t{number}-{name}" for number in range(history.tasks)]
        # The project of each row; what there is at first.
        self.homes = {id: projects[number % len(projects)] for number, id in enumerate(self.tasks)}
        self.rows = {id: self.fields(position) for position, id in enumerate(self.tasks)}

    def user_of(self, device):
        return 0

    def prepare(self, run):
        """What is done beside the rows before the history."""

    def heal(self, run):
        """What is done after it."""

    def back_up(self):
        """Remembers what a restore brings back."""

    def restored(self):
        """Brings it back."""

    def visible(self, device, project, head, rows):
        """What a device's user can see of the project's rows at a commit."""
        return rows

    def fields(self, position):
        """Those of a task at first."""
        return {"name": "-", "percent_complete": 50, "notes": ""}

    def edit(self, device, rows, picks, count):
        """What a device writes, by id, if it sees these rows; nothing if it can't. `count` is how often it wrote."""
        raise NotImplementedError

    def edit_of_app(self, device, rows, picks, count):
        """The same for a client of ours, which sends its edits later, and whose last write wins."""
        return self.edit(device, rows, picks, count)

    def holds(self, log, look):
        """Whether `judge` has anything to say of a look."""
        return True

    def judge(self, rows):
        """What is wrong with one look."""
        return []

    def judge_all(self, log):
        """What is wrong with all of them together."""
        return []

    def pick(self, ids, number):
        return ids[number % len(ids)]

    def _renamed(self, device, rows, picks, count):
        id = self.pick(self.tasks, picks[0])
        return {id: {"name": f"{device}-{count}"}} if id in rows else {}


class Bank(Workload):
    """Points move between two tasks in one batch, so all of them add up at every commit."""

    on_conflict = "reject"

    def edit(self, device, rows, picks, count):
        giver, taker = self.pick(self.tasks, picks[0]), self.pick(self.tasks, picks[1])
        points = 1 + picks[2] % 20
        if giver == taker or not {giver, taker} <= rows.keys():
            return {}
        left, right = rows[giver]["percent_complete"] - points, rows[taker]["percent_complete"] + points
        if left < 0 or right > 100:
            return {}
        text = f"{device}-{count}"
        return {giver: {"percent_complete": left, "name": text}, taker: {"percent_complete": right, "name": text}}

    # Points of an app would be moved from a state that is old when they are sent.
    edit_of_app = Workload._renamed

    def judge(self, rows):
        points = sum(row["percent_complete"] for row in rows.values())
        if points != 50 * len(self.tasks):
            yield f"{len(rows)} tasks of {len(self.tasks)} have {points} points, not {50 * len(self.tasks)}"


class Lists(Workload):
    """Each device appends elements of its own to texts."""

    on_conflict = "reject"

    def edit(self, device, rows, picks, count):
        id = self.pick(self.tasks[:3], picks[0])
        return {id: {"notes": rows[id]["notes"] + f"{device}-{count},"}} if id in rows else {}

    # The last writer of a list wins.
    edit_of_app = Workload._renamed

    def judge_all(self, log):
        final, heads = (log.looks[-1].rows, log.looks[-1].heads) if log.looks else ({}, {})
        for look in [look for look in log.looks if log.epoch(look) == len(log.restores)]:
            for id, row in look.rows.items():
                whole = final[id]["notes"] if id in final else row["notes"]
                if not whole.startswith(row["notes"]):
                    yield f"device {look.device}: {id} has {row['notes']}, which is no beginning of {whole}"
        for commit in log.commits:
            for project, writes in commit.writes.items():
                if project in heads and log.has(project, commit.numbers[project], heads[project]):
                    yield from self._kept(writes, final)

    def _kept(self, writes, final):
        for id, fields in writes.items():
            elements = [each for each in final.get(id, {"notes": ""})["notes"].split(",") if each]
            if len(set(elements)) < len(elements):
                yield f"{id} has an element twice: {elements}"
            if missing := set(fields.get("notes", "").split(",")) - set(elements) - {""}:
                yield f"{id} lacks {missing}, which was acknowledged"


class Causal(Workload):
    """Each device writes to tasks of its own, and says what it has seen of the others."""

    def owned(self, device):
        return self.tasks[device::self.devices]

    def fields(self, position):
        return super().fields(position) | {"name": json.dumps([0, [0] * self.devices])}

    def edit(self, device, rows, picks, count):
        own = self.owned(device)
        if not rows.keys() >= set(self.tasks):
            return {}
        text = json.dumps([count, self._seen(rows)])
        return {self.pick(own, pick): {"name": text} for pick in picks[:2]}

    def holds(self, log, look):
        """After a restore, apps send again what the server has lost, and nobody sends what they had seen."""
        return not self.has_apps or log.epoch(look) == 0

    def judge(self, rows):
        if not rows.keys() >= set(self.tasks):
            return
        seen = self._seen(rows)
        for id, row in rows.items():
            count, known = json.loads(row["name"])
            for device, least in enumerate(known):
                if seen[device] < least:
                    yield f"{id} is of somebody who saw write {least} of device {device}, here is {seen[device]}"

    def _seen(self, rows):
        return [max(json.loads(rows[id]["name"])[0] for id in self.owned(each)) for each in range(self.devices)]


class Registers(Workload):
    """Each device counts in one task of its own; what was seen never goes back."""

    def fields(self, position):
        return super().fields(position) | {"name": "0"}

    def edit(self, device, rows, picks, count):
        return {self.tasks[device]: {"name": str(count)}}

    def judge_all(self, log):
        last = {}
        for look in log.looks:
            for id, row in look.rows.items():
                reader = look.device, log.epoch(look), id
                if int(row["name"]) < last.get(reader, 0):
                    yield f"device {look.device}: {id} fell to {row['name']} from {last[reader]}"
                last[reader] = int(row["name"])


VIEWER, MEMBER, OWNER = 1, 100, 400


class Visibility(Workload):
    """The odd devices belong to a guest, whose memberships come, change and go. Retros are closed and opened; everybody
    has time entries of their own."""

    collections = ["tasks", "sprints", "sprint_retros", "retro_action_items", "time_entries"]
    users = 2

    def __init__(self, history, projects, name):
        super().__init__(history, projects, name)
        # The guest's present membership in each project, and its roles with the commits that they began at.
        self._guest, self._memberships, self._roles = None, {}, {project: [(0, None)] for project in projects}
        self._writable, self._backup = set(), None
        self._name = name
        for number, project in enumerate(projects):
            sprint, retro = f"s{number}-{name}", f"r{number}-{name}"
            self._add(project, sprint, {"name": "Sprint", "start_date": "2026-01-05", "finish_date": "2026-01-16"})
            self._add(project, retro, {"sprint": sprint, "notes": "-", "team_visibility": "project"})
            for item in range(2):
                self._add(project, f"i{number}{item}-{name}", {"retro": retro, "text": "-"})

    def _add(self, project, id, fields):
        self.homes[id], self.rows[id] = project, fields

    def user_of(self, device):
        return device % 2

    def prepare(self, run):
        self._guest = run.require("GET", "/auth/me/", user=1).json["id"]
        for project in self.projects:
            self._set(run, project, VIEWER)

    def grant(self, run, picks):
        self._set(run, self.pick(self.projects, picks[0]), self.pick([None, VIEWER, MEMBER, MEMBER], picks[1]))

    def back_up(self):
        self._backup = dict(self._memberships), set(self._writable)

    def restored(self):
        memberships, writable = self._backup
        self._memberships, self._writable = dict(memberships), set(writable)

    def heal(self, run):
        for project in self.projects:
            self._set(run, project, MEMBER)

    def _set(self, run, project, role):
        """Nobody else does anything meanwhile, so the head afterwards is the number of this commit."""
        membership = self._memberships.pop(project, None)
        if membership is None and role:
            answer = run.require("POST", f"/projects/{project}/memberships/", {"user": self._guest, "role": role})
            self._memberships[project] = answer.json["id"]
        elif membership and role:
            run.require("PATCH", f"/memberships/{membership}/", {"role": role})
            self._memberships[project] = membership
        elif membership:
            run.require("DELETE", f"/memberships/{membership}/")
        self._roles[project].append((run.head(project), role))
        (self._writable.add if role == MEMBER else self._writable.discard)(project)

    def _role(self, device, project, head):
        if self.user_of(device) == 0:
            return OWNER
        return [role for begin, role in self._roles[project] if self.log.has(project, begin, head)][-1]

    def edit(self, device, rows, picks, count):
        project = self.pick(self.projects, picks[0])
        if self.user_of(device) == 1 and project not in self._writable:
            return {}
        here = {letter: [id for id in rows if id[0] == letter and self.homes[id] == project] for letter in COLLECTIONS}
        kind, text, is_owner = "triteo"[picks[1] % 6], f"{device}-{count}", self.user_of(device) == 0
        if kind == "o" and here["t"]:
            entry = f"e{device}-{count}-{self._name}"
            self.homes[entry] = project
            return {entry: {"task": self.pick(here["t"], picks[2]), "minutes": count, "entry_date": "2026-01-05"}}
        if not here.get(kind) or (kind in "tr" and not is_owner):
            return {}
        id = self.pick(here[kind], picks[2])
        if kind == "r":
            return {id: {"team_visibility": "team_only" if rows[id]["team_visibility"] == "project" else "project"}}
        return {id: {"t": {"name": text}, "i": {"text": text}, "e": None}[kind]}

    def edit_of_app(self, device, rows, picks, count):
        """Gates are for those who write at once: a text says whose it is."""
        edits = self.edit(device, rows, picks, count)
        return {id: {"notes": f"{device}-{count}"} if id[0] == "r" else fields for id, fields in edits.items()}

    def visible(self, device, project, head, rows):
        role = self._role(device, project, head)
        if role is None:
            return {}
        return {id: fields for id, fields in rows.items() if self._sees(device, role, id, rows)}

    def _sees(self, device, role, id, rows):
        if id[0] == "e":
            return self.user_of(int(id[1:id.index("-")])) == self.user_of(device)
        retro = id if id[0] == "r" else rows[id]["retro"] if id[0] == "i" else None
        return retro is None or role >= MEMBER or rows[retro]["team_visibility"] != "team_only"


ALL = {"bank": Bank, "lists": Lists, "causal": Causal, "registers": Registers, "visibility": Visibility}
