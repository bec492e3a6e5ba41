#!/usr/bin/env -S python3 -B
"""Writes Tests/Vectors/schedule.json: plans with their schedules, which clients/web/lib/schedule has to compute.

  scripts/vectors/schedule.py           write it
  scripts/vectors/schedule.py --check   exit with 1 if it is out of date

The schedules come from another method than the one they test: no graph and no order. Each task looks at all links,
again and again, until nothing moves any more. The plans made by hand also say by hand what is to come out.
"""

import bisect
import datetime
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "Tests/Vectors/schedule.json"
SEED, PLANS = 43, 150
TODAY = "2026-03-18"
COLUMNS = ["planned", "early", "late", "float", "critical", "overdue", "finished", "summary"]


def main():
    if {"-h", "--help"} & set(sys.argv):
        return print(__doc__)
    text = written(vectors())
    if "--check" in sys.argv:
        if not VECTORS.exists() or VECTORS.read_text() != text:
            sys.exit("Tests/Vectors/schedule.json is not what scripts/vectors/schedule.py writes. Run it.")
    else:
        VECTORS.parent.mkdir(exist_ok=True)
        VECTORS.write_text(text)


def written(plans):
    lines = ",\n".join(json.dumps(plan, separators=(",", ":")) for plan in plans)
    return f'{{"made by":"scripts/vectors/schedule.py","seed":{SEED},"plans":[\n{lines}\n]}}\n'


def vectors():
    yield from by_hand()
    chance = random.Random(SEED)
    for number in range(PLANS):
        plan = random_plan(chance, number)
        yield {**plan, **Relaxation(plan).answer(), "pushes": pushes(plan, chance)}


# Days.


def day(text):
    return datetime.date.fromisoformat(text)


class Calendar:
    """A list of all working days. A boundary is the number of working days before it."""

    def __init__(self, row):
        mask, exceptions = row.get("working_days", 31), row.get("exceptions", [])
        first, last = day("2024-01-01"), day("2032-01-01")
        every = [first + datetime.timedelta(number) for number in range((last - first).days)]
        self.days = [each for each in every if mask >> each.weekday() & 1
                     and not any(day(off["exc_start"]) <= each <= day(off["exc_end"]) for off in exceptions)]

    def before(self, date):
        return bisect.bisect_left(self.days, date)

    def works(self, date):
        return date in self.days

    def date(self, moment):
        """A moment is a boundary, and whether it is the end of the day before (1) or the beginning of the next (0)."""
        boundary, is_end = moment
        return self.days[boundary - is_end].isoformat()


# Relaxation.

NEVER = (-10**6, 0)


class Leaf:
    """A task without tasks below it."""

    def __init__(self, row, calendar, start):
        self.id = row["id"]
        get = row.get
        self.is_moment = get("is_milestone") is True or get("duration", 1) == 0
        is_complete = get("status") == "COMPLETE" or get("percent_complete", 0) >= 100
        self.is_finished = bool(get("actual_finish")) or is_complete
        began, planned, ended = get("actual_start"), get("planned_start"), get("actual_finish")
        own = (ended or began or planned) if self.is_moment else (began or planned or ended)
        self.has_date = own is not None
        self.is_fixed = self.has_date and (self.is_finished or began is not None)
        self.days = 0 if self.is_moment else get("duration", 1)
        self.first = calendar.before(day(own or start))
        self.may_end_day = self.is_moment and self.has_date and calendar.works(day(own))
        if ended and not self.is_moment:
            last = calendar.before(day(ended) + datetime.timedelta(1))
            self.first = min(self.first, last) if began or planned else last - self.days
            self.days = last - self.first

    def where_planned(self, need):
        if not self.has_date:
            return self.where_early(need)
        if self.may_end_day and need[0] > self.first:
            return (self.first + 1, 1)
        return (self.first, 0)

    def where_early(self, need):
        if self.is_fixed:
            return self.where_planned(need)
        if need[0] <= self.first:
            return (self.first, 0)
        if self.may_end_day and need[0] == self.first + 1:
            return (self.first + 1, 1)
        return need if self.is_moment else (need[0], 0)

    def end(self, start):
        return start if self.days == 0 else (start[0] + self.days, 1)


class Relaxation:
    def __init__(self, plan):
        self.rows = {row["id"]: row for row in plan["tasks"]}
        self.calendar = Calendar(plan["calendar"])
        self.start, self.today = plan["start"], plan["today"]
        self.parents = {id: self.parent(row) for id, row in self.rows.items()}
        self.summaries = {parent for parent in self.parents.values() if parent}
        self.leaves = {id: Leaf(row, self.calendar, self.start)
                       for id, row in self.rows.items() if id not in self.summaries}
        self.links, self.faults = self.sound([
            link for link in plan["dependencies"] if {link["predecessor"], link["successor"]} <= self.rows.keys()])
        self.dated = {id for id, leaf in self.leaves.items() if leaf.has_date or self.linked & {id, *self.above(id)}}
        self.planned = self.settle(lambda leaf, need: leaf.where_planned(need))
        self.early = self.settle(lambda leaf, need: leaf.where_early(need))

    # The tree.

    def parent(self, row):
        return row.get("parent") if row.get("parent") in self.rows else None

    def above(self, id):
        while id := self.parents[id]:
            yield id

    def below(self, id):
        return [leaf for leaf in self.leaves if id == leaf or id in self.above(leaf)]

    # The links.

    def sound(self, links):
        faults = {}
        self.linked = set()
        for link in links:
            one, other = link["predecessor"], link["successor"]
            if one == other:
                faults[link["id"]] = "cycle"
                continue
            self.linked |= {one, other}
            if one in self.above(other) or other in self.above(one):
                faults[link["id"]] = "ancestor"
        links = [link for link in links if link["id"] not in faults]
        for link in links:
            if self.leads(link["successor"], link["predecessor"], links):
                faults[link["id"]] = "cycle"
        return [link for link in links if link["id"] not in faults], faults

    def leads(self, source, target, links):
        """Whether what waits for `source` holds up `target`."""
        seen, open_tasks = set(), [("in", source)]
        while open_tasks:
            side, id = each = open_tasks.pop()
            if each in seen:
                continue
            seen.add(each)
            if side == "in":
                children = [child for child, parent in self.parents.items() if parent == id]
                open_tasks += [("in", child) for child in children] or [("out", id)]
            else:
                open_tasks += [("in", link["successor"]) for link in links if link["predecessor"] == id]
                if self.parents[id]:
                    open_tasks.append(("out", self.parents[id]))
        return ("out", target) in seen

    def moment(self, link, where):
        """When the link lets its successor begin or end."""
        ends = link.get("dep_type", "FS")[0] == "F"
        found = [self.leaves[id].end(where[id]) if ends else where[id]
                 for id in self.below(link["predecessor"]) if id in where]
        if not found:
            return NEVER
        boundary, side = max(found) if ends else min(found)
        return (boundary + link.get("lag", 0), side)

    def need(self, id, where, links):
        leaf, needs = self.leaves[id], [NEVER]
        for link in links:
            if id not in self.below(link["successor"]):
                continue
            boundary, side = self.moment(link, where)
            needs.append((boundary - (leaf.days if link.get("dep_type", "FS")[1] == "F" else 0), side))
        return max(needs)

    def settle(self, rule):
        where = {}
        while True:
            fresh = {id: rule(leaf, self.need(id, where, self.links))
                     for id, leaf in self.leaves.items() if id in self.dated}
            if fresh == where:
                return where
            where = fresh

    def latest(self, end):
        """The last boundary at which each task may end."""
        limits = {id: end for id in self.dated}
        while True:
            fresh = {id: min([end, *self.limits(id, limits)]) for id in self.dated}
            if fresh == limits:
                return limits
            limits = fresh

    def limits(self, id, limits):
        leaf = self.leaves[id]
        for link in self.links:
            kind, source = link.get("dep_type", "FS"), self.below(link["predecessor"])
            if id not in source or kind[0] == "S" and (leaf.is_fixed or not self.is_first(id, source)):
                continue
            for other in self.below(link["successor"]):
                follower = self.leaves[other]
                if follower.is_fixed or follower.is_finished:
                    continue
                latest = limits[other] - (follower.days if kind[1] == "S" else 0) - link.get("lag", 0)
                yield latest + (leaf.days if kind[0] == "S" else 0)

    def is_first(self, id, group):
        return self.early[id][0] == min(self.early[each][0] for each in group if each in self.dated)

    # The answer.

    def answer(self):
        ends = {id: self.leaves[id].end(self.early[id])[0] for id in self.dated}
        open_ends = [end for id, end in ends.items() if not self.leaves[id].is_finished]
        self.last = max(open_ends or ends.values(), default=None)
        self.late = self.latest(self.last)
        tasks = {id: self.told(id) for id in self.rows}
        finish = None if self.last is None else self.calendar.date((self.last, 1))
        return {"columns": COLUMNS, "expected": tasks, "broken": dict(sorted(self.broken().items())), "finish": finish}

    def told(self, id):
        below = [each for each in self.below(id) if each in self.dated]
        if not below:
            return None
        left = [each for each in below if not self.leaves[each].is_finished]
        planned, early = self.dates(below, self.planned), self.dates(below, self.early)
        late = self.late_dates(left) if left else None
        free = min((self.late[each] - self.leaves[each].end(self.early[each])[0] for each in left), default=None)
        is_overdue = bool(left) and planned[1] < self.today
        return [planned, early, late, free, free == 0, is_overdue, not left, id in self.summaries]

    def dates(self, group, where):
        return [self.calendar.date(min(where[id] for id in group)),
                self.calendar.date(max(self.leaves[id].end(where[id]) for id in group))]

    def late_dates(self, group):
        starts, ends = [], []
        for id in group:
            leaf, latest, side = self.leaves[id], self.late[id], self.early[id][1]
            starts.append(self.early[id] if leaf.is_fixed else (latest - leaf.days, side if leaf.days == 0 else 0))
            ends.append((latest, side if leaf.days == 0 else 1))
        return [self.calendar.date(min(starts)), self.calendar.date(max(ends))]

    def broken(self):
        found = {id: [reason, 0, None, None] for id, reason in self.faults.items()}
        for link in self.links:
            moment, at_start = self.moment(link, self.planned), link.get("dep_type", "FS")[1] == "S"
            missing = [(moment[0] - (self.planned[id] if at_start else self.leaves[id].end(self.planned[id]))[0], id)
                       for id in self.below(link["successor"]) if id in self.dated and not self.leaves[id].is_finished]
            days, first = max(missing, key=lambda each: each[0], default=(0, None))
            if days > 0:
                is_moment = self.leaves[first].days == 0
                date = self.calendar.date(moment if is_moment else (moment[0], 0 if at_start else 1))
                found[link["id"]] = ["dates", days, first, date]
        return found

    # Moving followers too.

    def push(self, changed, values):
        """What has to move with a task that gets other values, and what would have to but has begun."""
        before, lengths = self.planned, {id: leaf.days for id, leaf in self.leaves.items()}
        self.leaves[changed] = Leaf({**self.rows[changed], **values}, self.calendar, self.start)
        self.dated |= {changed}
        where, pushed, stays = dict(before), set(), set()
        while True:
            fresh = {}
            pushed, stays = set(), set()
            for id in self.dated:
                leaf, need = self.leaves[id], self.need(id, where, self.links)
                fresh[id] = leaf.where_planned(need)
                moved = self.need(id, where, self.moved_links(id, where, before, lengths))
                if id == changed or not leaf.has_date or moved[0] <= leaf.first + leaf.may_end_day:
                    continue
                if leaf.is_fixed:
                    stays |= set() if leaf.is_finished else {id}
                else:
                    fresh[id] = leaf.where_early(moved)
                    pushed.add(id)
            if fresh == where:
                return self.moves(changed, before, where, pushed), sorted(stays)
            where = fresh

    def moved_links(self, id, where, before, lengths):
        """The links whose predecessor has another end now, at that end."""
        for link in self.links:
            group, ends = self.below(link["predecessor"]), link.get("dep_type", "FS")[0] == "F"
            was = [before[each][0] + (lengths[each] if ends else 0) for each in group if each in before]
            now = [where[each][0] + (self.leaves[each].days if ends else 0) for each in group if each in where]
            choose = max if ends else min
            if choose(was, default=None) != choose(now, default=None):
                yield link

    def moves(self, changed, before, where, pushed):
        found = {}
        for id in self.rows:
            if id not in self.leaves or id not in before or id == changed:
                continue
            if self.leaves[id].has_date and id not in pushed:
                continue
            old, new = self.calendar.date(before[id]), self.calendar.date(where[id])
            if old != new:
                found[id] = [old, new, id in pushed]
        return found


def pushes(plan, chance):
    """Three changes of a plan, each with what follows."""
    found = []
    parents = {row.get("parent") for row in plan["tasks"]}
    leaves = [row for row in plan["tasks"] if row["id"] not in parents]
    for _ in range(3):
        row = chance.choice(leaves)
        values = {"planned_start": random_date(chance, 60)} if chance.random() < 0.6 \
            else {"duration": chance.randint(1, 20)}
        moves, stays = Relaxation(plan).push(row["id"], values)
        found.append({"id": row["id"], "values": values, "moves": moves, "stays": stays})
    return found


# Random plans.


def random_date(chance, days=25):
    return (day("2026-03-02") + datetime.timedelta(chance.randrange(days))).isoformat()


def random_plan(chance, number):
    ids = [f"t{place}" for place in range(chance.randint(2, 11))]
    tasks = [random_task(chance, id, ids[:place]) for place, id in enumerate(ids)]
    dependencies = []
    pairs = set()
    for place in range(chance.randint(0, len(ids) + 3)):
        one, other = chance.sample(ids, 2)
        if chance.random() < 0.85 and ids.index(one) > ids.index(other):
            one, other = other, one
        dependencies.append({"id": f"l{place}", "predecessor": one, "successor": other, **random_link(chance)})
    return {"name": f"random {number}", "start": random_date(chance, 5), "today": TODAY,
            "calendar": random_calendar(chance), "tasks": tasks, "dependencies": dependencies}


def random_link(chance):
    kind = chance.choice(["FS", "FS", "FS", "SS", "FF", "SF"])
    lag = chance.choice([0, 0, 0, 1, 3, -1, -2, -6])
    return {"dep_type": kind, "lag": lag}


def random_calendar(chance):
    row = {"working_days": chance.choice([31, 31, 31, 63, 127, 21])}
    if chance.random() < 0.5:
        start = day(random_date(chance))
        row["exceptions"] = [{"exc_start": start.isoformat(),
                              "exc_end": (start + datetime.timedelta(chance.randrange(4))).isoformat()}]
    return row


def random_task(chance, id, earlier):
    row = {"id": id, "duration": chance.choice([0, 1, 1, 2, 3, 5, 8])}
    if earlier and chance.random() < 0.4:
        row["parent"] = chance.choice(earlier)
    if chance.random() < 0.6:
        row["planned_start"] = random_date(chance)
    if chance.random() < 0.1:
        row["is_milestone"] = True
    kind = chance.random()
    if kind < 0.1:
        row["actual_start"] = random_date(chance, 15)
    elif kind < 0.15:
        start = day(random_date(chance, 10))
        row["actual_start"] = start.isoformat()
        row["actual_finish"] = (start + datetime.timedelta(chance.randrange(7))).isoformat()
    elif kind < 0.2:
        row["percent_complete"] = 100
    elif kind < 0.23:
        row["actual_finish"] = random_date(chance, 15)
    elif kind < 0.25:
        row["status"] = "COMPLETE"
    return row


# Plans by hand: 2 March 2026 is a Monday.

def by_hand():
    for name, tasks, links, wanted, *rest in HAND:
        options = rest[0] if rest else {}
        plan = {
            "name": name, "start": options.get("start", "2026-03-02"), "today": TODAY,
            "calendar": options.get("calendar", {"working_days": 31}), "tasks": tasks,
            "dependencies": [{"id": id, "predecessor": one, "successor": other, "dep_type": kind, "lag": lag}
                             for id, one, kind, other, lag in links]}
        answer = Relaxation(plan).answer()
        check(name, answer, wanted)
        pushed = []
        for id, values, moves, stays in options.get("pushes", []):
            found = Relaxation(plan).push(id, values)
            if (dict(found[0]), found[1]) != (moves, stays):
                sys.exit(f"{name}: moving {id} moves {found}, by hand {moves}, {stays}")
            pushed.append({"id": id, "values": values, "moves": moves, "stays": stays})
        yield {**plan, **answer, "pushes": pushed}


def check(name, answer, wanted):
    """`wanted`: early and late dates of March 2026 as numbers, and the float, by task; broken links."""
    for id, dates in wanted.items():
        if id == "broken":
            found = {link: each[:2] for link, each in answer["broken"].items()}
        else:
            found = answer["expected"][id]
            found = found and [*(int(each[-2:]) for each in found[1]), *(int(each[-2:]) for each in found[2] or []),
                               found[3]]
        if found != dates:
            sys.exit(f"{name}: {id} is {found}, by hand {dates}")


def task(id, start=None, days=1, **values):
    return {"id": id, "duration": days, **({"planned_start": f"2026-03-{start:02}"} if start else {}), **values}


TWO = [task("a", 2, 5), task("b", None, 3)]
HOLIDAY = {"working_days": 31, "exceptions": [{"exc_start": "2026-03-04", "exc_end": "2026-03-05"}]}
HAND = [
    ("a task fills its days", [task("a", 2, 5), task("b", 5, 3)], [], {"a": [2, 6, 3, 9, 1], "b": [5, 9, 5, 9, 0]}),
    ("finish to start", TWO, [("l", "a", "FS", "b", 0)], {"a": [2, 6, 2, 6, 0], "b": [9, 11, 9, 11, 0]}),
    ("finish to start, two days later", TWO, [("l", "a", "FS", "b", 2)], {"b": [11, 13, 11, 13, 0]}),
    ("finish to start, two days earlier", TWO, [("l", "a", "FS", "b", -2)],
     {"a": [2, 6, 2, 6, 0], "b": [5, 9, 5, 9, 0]}),
    ("start to start", [task("a", 3, 5), task("b", None, 2)], [("l", "a", "SS", "b", 1)],
     {"a": [3, 9, 3, 9, 0], "b": [4, 5, 6, 9, 2]}),
    ("finish to finish", TWO, [("l", "a", "FF", "b", 0)], {"a": [2, 6, 2, 6, 0], "b": [4, 6, 4, 6, 0]}),
    ("finish to finish, a day later", TWO, [("l", "a", "FF", "b", 1)], {"a": [2, 6, 2, 6, 0], "b": [5, 9, 5, 9, 0]}),
    ("start to finish", [task("a", 9, 5), task("b", None, 3)], [("l", "a", "SF", "b", 0)],
     {"b": [4, 6, 11, 13, 5], "a": [9, 13, 9, 13, 0]}),
    ("no link pulls before the planned start", [task("a", 2, 2), task("b", 12, 1)], [("l", "a", "FS", "b", 0)],
     {"a": [2, 3, 10, 11, 6], "b": [12, 12, 12, 12, 0], "broken": {}}),
    ("no link pulls before the project's start", [task("a", 9, 2), task("b", None, 5)], [("l", "a", "FS", "b", -30)],
     {"b": [2, 6, 4, 10, 2]}),
    ("a planned start before the project's", [task("a", 2, 2), task("b", None, 2)], [("l", "a", "FS", "b", 0)],
     {"a": [2, 3, 5, 6, 3], "b": [9, 10, 9, 10, 0]}, {"start": "2026-03-09"}),
    ("without dates and links", [task("a"), task("b", 2)], [], {"a": None, "b": [2, 2, 2, 2, 0]}),
    ("links alone give dates", [task("a", None, 2), task("b", None, 1)], [("l", "a", "FS", "b", 0)],
     {"a": [2, 3, 2, 3, 0], "b": [4, 4, 4, 4, 0]}),
    ("a link to nothing", [task("a", None, 2)], [("l", "a", "FS", "gone", 0)], {"a": None, "broken": {}}),
    ("a broken link", [task("a", 2, 5), task("b", 4, 2)], [("l", "a", "FS", "b", 0)],
     {"a": [2, 6, 2, 6, 0], "b": [9, 10, 9, 10, 0], "broken": {"l": ["dates", 3]}}),
    ("a holiday is skipped", TWO, [("l", "a", "FS", "b", 0)],
     {"a": [2, 10, 2, 10, 0], "b": [11, 13, 11, 13, 0]}, {"calendar": HOLIDAY}),
    ("a lag counts no holidays", [task("a", 2, 2), task("b", None, 1)], [("l", "a", "FS", "b", 1)],
     {"b": [9, 9, 9, 9, 0]}, {"calendar": HOLIDAY}),
    ("work planned on a Saturday begins on Monday", [task("a", 7, 2)], [], {"a": [9, 10, 9, 10, 0]}),
    ("six days a week", [task("a", 2, 7)], [], {"a": [2, 9, 2, 9, 0]}, {"calendar": {"working_days": 63}}),
    ("a milestone on its predecessor's last day holds", [task("a", 2, 5), task("m", 6, 0)], [("l", "a", "FS", "m", 0)],
     {"a": [2, 6, 2, 6, 0], "m": [6, 6, 6, 6, 0], "broken": {}}),
    ("a milestone on the next day holds", [task("a", 2, 5), task("m", 9, 0)], [("l", "a", "FS", "m", 0)],
     {"m": [9, 9, 9, 9, 0], "broken": {}}),
    ("a milestone two days before is broken", [task("a", 2, 5), task("m", 4, 0)], [("l", "a", "FS", "m", 0)],
     {"m": [6, 6, 6, 6, 0], "broken": {"l": ["dates", 2]}}),
    ("a milestone without a date stands on the last day", [task("a", 2, 5), task("m", None, 0), task("b", None, 1)],
     [("l", "a", "FS", "m", 0), ("k", "m", "FS", "b", 0)], {"m": [6, 6, 6, 6, 0], "b": [9, 9, 9, 9, 0]}),
    ("a milestone can't be at both ends of a day", [task("a", 2, 5), task("m", 6, 0), task("b", 6, 1)],
     [("l", "a", "FS", "m", 0), ("k", "m", "FS", "b", 0)], {"b": [9, 9, 9, 9, 0], "broken": {"k": ["dates", 1]}}),
    ("after a milestone in the morning", [task("m", 6, 0), task("b", 6, 1)], [("k", "m", "FS", "b", 0)],
     {"m": [6, 6, 6, 6, 0], "b": [6, 6, 6, 6, 0], "broken": {}}),
    ("a milestone in the morning leads to another one", [task("m", 6, 0), task("n", None, 0)],
     [("k", "m", "FS", "n", 0)], {"n": [6, 6, 6, 6, 0]}),
    ("a summary's links count from its last child's end",
     [task("s", 20, 9), task("a", 2, 2, parent="s"), task("b", 4, 3, parent="s"), task("c", None, 1)],
     [("l", "s", "FS", "c", 0)],
     {"s": [2, 6, 4, 6, 0], "a": [2, 3, 5, 6, 3], "b": [4, 6, 4, 6, 0], "c": [9, 9, 9, 9, 0]}),
    ("a summary's links count to all children",
     [task("a", 2, 5), task("s", 20, 9), task("b", None, 2, parent="s"), task("c", 12, 1, parent="s"),
      task("d", 3, 1, parent="s")], [("l", "a", "FS", "s", 0)],
     {"b": [9, 10, 11, 12, 2], "c": [12, 12, 12, 12, 0], "d": [9, 9, 12, 12, 3], "broken": {"l": ["dates", 4]}}),
    ("summaries in summaries", [task("s"), task("t", parent="s"), task("a", 2, 3, parent="t"), task("u"),
                               task("v", parent="u"), task("b", None, 1, parent="v")],
     [("l", "s", "FS", "u", 0)], {"b": [5, 5, 5, 5, 0], "s": [2, 4, 2, 4, 0], "u": [5, 5, 5, 5, 0]}),
    ("start to start from a summary counts from its first child",
     [task("s"), task("a", 3, 1, parent="s"), task("b", 2, 5, parent="s"), task("c", None, 4)],
     [("l", "s", "SS", "c", 1)], {"c": [3, 6, 3, 6, 0], "b": [2, 6, 2, 6, 0], "a": [3, 3, 6, 6, 3]}),
    ("a finished task stays", [task("a", 2, 5), task("b", 4, 2, percent_complete=100), task("c", None, 1)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "c", 0)],
     {"a": [2, 6, 2, 6, 0], "b": [4, 5, None], "c": [6, 6, 6, 6, 0], "broken": {}}),
    ("actual dates count", [task("a", 2, 5, actual_start="2026-03-03", actual_finish="2026-03-10"), task("b", 2, 1)],
     [("l", "a", "FS", "b", 0)], {"a": [3, 10, None], "b": [11, 11, 11, 11, 0], "broken": {"l": ["dates", 7]}}),
    ("what has begun is not pushed", [task("a", 2, 5), task("b", 2, 3, actual_start="2026-03-05"), task("c", None, 1)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "c", 0)],
     {"a": [2, 6, 4, 10, 2], "b": [5, 9, 5, 9, 0], "c": [10, 10, 10, 10, 0], "broken": {"l": ["dates", 2]}}),
    ("what has begun may end later, whatever waits for its start",
     [task("a", 2, 3, actual_start="2026-03-02"), task("b", None, 10)], [("l", "a", "SS", "b", 0)],
     {"a": [2, 4, 2, 13, 7], "b": [2, 13, 2, 13, 0]}),
    ("a cycle is left out", [task("a", 2, 2), task("b", 3, 2), task("c", None, 1)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "a", 0), ("m", "b", "FS", "c", 0)],
     {"a": [2, 3, 4, 5, 2], "b": [3, 4, 3, 4, 0], "c": [5, 5, 5, 5, 0],
      "broken": {"k": ["cycle", 0], "l": ["cycle", 0]}}),
    ("a cycle through a summary", [task("s"), task("a", 2, 2, parent="s"), task("b", 2, 2)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "s", 0)], {"broken": {"k": ["cycle", 0], "l": ["cycle", 0]}}),
    ("a link to the summary above", [task("s"), task("a", 2, 2, parent="s"), task("b", None, 2, parent="s")],
     [("l", "s", "FS", "a", 0), ("k", "a", "FS", "b", 0)], {"b": [4, 5, 4, 5, 0], "broken": {"l": ["ancestor", 0]}}),
    ("followers are pushed, and never pulled", [task("a", 2, 3), task("b", 5, 2), task("c", 12, 2), task("d", 5, 1)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "c", 0)], {"broken": {}},
     {"pushes": [
         ("a", {"planned_start": "2026-03-03"}, {"b": ["2026-03-05", "2026-03-06", True]}, []),
         ("a", {"duration": 8}, {"b": ["2026-03-05", "2026-03-12", True], "c": ["2026-03-12", "2026-03-16", True]}, []),
         ("a", {"planned_start": "2026-02-23"}, {}, []), ("a", {"duration": 1}, {}, [])]}),
    ("what has begun can't follow", [task("a", 2, 3), task("b", 5, 2, actual_start="2026-03-05"), task("c", 9, 2)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "c", 0)], {"broken": {}},
     {"pushes": [("a", {"duration": 5}, {}, ["b"])]}),
    ("a follower without a date moves by itself", [task("a", 2, 3), task("b", None, 2), task("c", 9, 2)],
     [("l", "a", "FS", "b", 0), ("k", "b", "FS", "c", 0)], {"broken": {}},
     {"pushes": [("a", {"duration": 5}, {"b": ["2026-03-05", "2026-03-09", False],
                                          "c": ["2026-03-09", "2026-03-11", True]}, []),
                 ("a", {"duration": 1}, {"b": ["2026-03-05", "2026-03-03", False]}, [])]}),
    ("links that were broken before stay so", [task("a", 2, 5), task("b", 4, 2), task("c", 20, 1)],
     [("l", "a", "FS", "b", 0), ("k", "c", "SS", "b", -30)], {"broken": {"l": ["dates", 3]}},
     {"pushes": [("c", {"planned_start": "2026-03-23"}, {}, [])]}),
    ("a milestone is pushed to the last day", [task("a", 2, 5), task("m", 6, 0)], [("l", "a", "FS", "m", 0)],
     {"broken": {}}, {"pushes": [("a", {"duration": 6}, {"m": ["2026-03-06", "2026-03-09", True]}, [])]}),
]


if __name__ == "__main__":
    main()
