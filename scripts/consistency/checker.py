"""Judges what devices saw. It knows nothing of the server but the numbers in its answers to uploads.

A commit has a number in each project that it wrote to, and these numbers order the commits of a project. A look has a
number for each of its projects, and must be the state at these numbers: all commits up to them, and no other."""

import collections
import dataclasses


@dataclasses.dataclass
class Commit:
    device: int | None
    # By project, then by id: the fields that were written.
    writes: dict
    # By project.
    numbers: dict
    # When the device had the answer, on the clock of the run.
    answered: int


@dataclasses.dataclass
class Look:
    device: int
    # When the drain was asked for that this state comes from.
    asked: int
    heads: dict
    # By id.
    rows: dict


class Log:
    def __init__(self):
        self.commits, self.looks, self.problems = [], [], []
        # For each restore, by project: the head that it went back to, and the one that it began at.
        self.restores = []

    def has(self, commit, project, head):
        """Whether a state at `head` has a commit: it is not later, and no restore has lost it."""
        number = commit.numbers[project]
        return number <= head and not any(
            back < number < floor <= head for back, floor in (restore[project] for restore in self.restores))

    def epoch(self, look):
        """How many restores a look knows of."""
        return sum(any(look.heads.get(project, 0) >= floor for project, (_, floor) in restore.items())
                   for restore in self.restores)

    def state(self, project, number):
        """The project's rows at a commit, by id: what has been written to each field."""
        rows = {}
        for commit in self.commits_of(project):
            if self.has(commit, project, number):
                for id, fields in commit.writes[project].items():
                    rows[id] = rows.get(id, {}) | (fields or {})
                    if fields is None:
                        del rows[id]
        return rows

    def commits_of(self, project):
        return sorted((each for each in self.commits if project in each.numbers), key=lambda c: c.numbers[project])


def judge(log, workload):
    """All that is wrong, as sentences."""
    problems = list(log.problems) + list(_numbers(log))
    for look in log.looks:
        problems += _state(log, look, workload)
        problems += _own(log, look)
        problems += [f"device {look.device}: {problem}" for problem in workload.judge(look.rows)]
    problems += _monotonic(log)
    problems += workload.judge_all(log)
    return problems


def _numbers(log):
    """Whether two commits share a number. An upload that changes nothing is none, and has that of the last one."""
    for project in {project for commit in log.commits for project in commit.numbers}:
        numbers = collections.Counter(commit.numbers[project] for commit in log.commits_of(project))
        for commit in log.commits_of(project):
            number = commit.numbers[project]
            if numbers[number] > 1 and not _is_in(log.state(project, number), commit.writes[project]):
                yield f"two commits of {project} have the number {number}"


def _is_in(state, writes):
    return all(
        id not in state if fields is None else fields.items() <= state.get(id, {}).items()
        for id, fields in writes.items())


def _state(log, look, workload):
    """Whether a look is the state at its numbers, as far as its user could see it."""
    for id, row in look.rows.items():
        if row["project_id"] not in look.heads:
            yield f"device {look.device}: {id} is there, of {row['project_id']}, which it does not have"
    for project, head in look.heads.items():
        expected = workload.visible(look.device, project, head, log.state(project, head))
        seen = {id: row for id, row in look.rows.items() if row["project_id"] == project}
        for difference in _differences(expected, seen):
            yield f"device {look.device}: at {head} of {project}, {difference}"


def _differences(expected, seen):
    for id in sorted(expected.keys() | seen.keys()):
        if id not in seen or id not in expected:
            yield f"{id} is {'missing' if id in expected else 'there'}"
            continue
        wrong = {name: seen[id][name] for name, value in expected[id].items() if seen[id][name] != value}
        if wrong:
            yield f"{id} has {wrong}, should have {expected[id]}"


def _own(log, look):
    """Whether a look has all that was answered to its device before the drain was asked for."""
    for commit in log.commits:
        if commit.device != look.device or commit.answered > look.asked:
            continue
        for project, number in commit.numbers.items():
            if look.heads.get(project, number) < number:
                yield f"device {look.device}: {project} is at {look.heads.get(project)}, but {number} is its own commit"


def _monotonic(log):
    last = {}
    for look in log.looks:
        before = last.get(look.device, {})
        for project, head in look.heads.items():
            if head < before.get(project, 0):
                yield f"device {look.device}: {project} fell from {before[project]} to {head}"
        last[look.device] = look.heads
