"""What devices write, and what must hold of every state that they see."""

import json


class Workload:
    # How an upload is judged that changes what somebody else has changed.
    on_conflict = "overwrite"

    def __init__(self, tasks, devices):
        """`tasks` are the ids, in order; `devices` is their number."""
        self.tasks, self.devices = tasks, devices

    def fields(self, position):
        """Those of a task at first."""
        return {"name": "-", "percent_complete": 50, "notes": ""}

    def edit(self, device, rows, picks, count):
        """What a device writes, by id, if it sees these rows; nothing if it can't. `count` is how often it wrote."""
        raise NotImplementedError

    def judge(self, rows):
        """What is wrong with one look."""
        return []

    def judge_all(self, log):
        """What is wrong with all of them together."""
        return []

    def pick(self, ids, number):
        return ids[number % len(ids)]


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

    def judge_all(self, log):
        final = log.looks[-1].rows if log.looks else {}
        for look in log.looks:
            for id, row in look.rows.items():
                if id in final and not final[id]["notes"].startswith(row["notes"]):
                    yield f"device {look.device}: {id} has {row['notes']}, which is no beginning of {final[id]['notes']}"
        for commit in log.commits:
            for writes in commit.writes.values():
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
                if int(row["name"]) < last.get((look.device, id), 0):
                    yield f"device {look.device}: {id} fell to {row['name']} from {last[look.device, id]}"
                last[look.device, id] = int(row["name"])


ALL = {"bank": Bank, "lists": Lists, "causal": Causal, "registers": Registers}
