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
    # What the device itself wrote, which may lie on top. None if the rows are without it.
    own: object = None


class Log:
    def __init__(self):
        self.commits, self.looks, self.problems = [], [], []
        # For each restore, by project: the head that it went back to, and the one that it began at.
        self.restores = []

    def history(self, project, number):
        """How many restores there were when a number was drawn. A later restore may begin at a smaller one, but the
        numbers of a history stay close to that which it began at."""
        begins = [(restore[project][1], index + 1) for index, restore in enumerate(self.restores)]
        return max([(0, 0)] + [begin for begin in begins if begin[0] <= number])[1]

    def has(self, project, number, head):
        """Whether the state at `head` has the commit `number`: it is of the same history and not later, or the restore
        that the history began with went back to a state that has it."""
        while (history := self.history(project, head)) != self.history(project, number):
            if history == 0:
                return False
            head = self.restores[history - 1][project][0]
        return number <= head

    def epoch(self, look):
        return max([self.history(project, head) for project, head in look.heads.items()], default=0)

    def state(self, project, number):
        """The project's rows at a commit, by id: what has been written to each field."""
        rows = {}
        for commit in self.commits_of(project):
            if self.has(project, commit.numbers[project], number):
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
        if workload.holds(log, look):
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
        if look.own:
            expected = look.own.over(expected, seen, log, project, head)
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
            head = look.heads.get(project, number)
            begun, seen = log.history(project, number), log.history(project, head)
            if seen < begun or seen == begun and head < number:
                yield f"device {look.device}: {project} is at {head}, but {number} is its own commit"


def _monotonic(log):
    last = {}
    for look in log.looks:
        before = last.get(look.device, {})
        for project, head in look.heads.items():
            former = before.get(project, 0)
            if (log.history(project, head), head) < (log.history(project, former), former):
                yield f"device {look.device}: {project} fell from {former} to {head}"
        last[look.device] = look.heads
