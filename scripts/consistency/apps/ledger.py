"""What a device wrote, and what became of it."""

import dataclasses


@dataclasses.dataclass
class Edit:
    id: str
    # None for a deletion.
    fields: dict | None
    is_new: bool
    # On the clock of the run.
    made: int
    # The answers to batches that had it, or a later edit of the same fields.
    answers: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Answered:
    # None if it was refused.
    commit: object
    at: int
    # From when on the device surely knows of it.
    known: int | None = None


class Ledger:
    """The edits of one device, in their order."""

    def __init__(self):
        self._edits = []

    def made(self, id, fields, is_new, now):
        edit = Edit(id, fields, is_new, now)
        self._edits.append(edit)
        return edit

    def drop(self, edit):
        """It was not made."""
        self._edits.remove(edit)

    def answered(self, sent, done, commit, now):
        """A batch with `sent` was answered; the server has taken `done`."""
        for id, fields in sent.items():
            edits = self._of(id)
            last = max([place for place, edit in enumerate(edits) if _is_part(edit, fields)], default=-1)
            for edit in edits[:last + 1]:
                edit.answers.append(Answered(commit if id in done else None, now))

    def known(self, now):
        """Nothing is unsent."""
        for answer in (answer for edit in self._edits for answer in edit.answers):
            if answer.known is None and answer.at <= now:
                answer.known = now

    def is_answered(self):
        return all(edit.answers for edit in self._edits)

    def over(self, expected, seen, homes, moment):
        """`expected`, the rows of a project in a settled state, with the device's own edits on top as they must lie
        there at that moment. Where the device can't know what became of an edit, what is `seen` decides."""
        rows = dict(expected)
        for id in {edit.id for edit in self._edits if edit.made < moment.now}:
            if homes[id] == moment.project:
                row = self._row(id, rows.get(id), seen.get(id), moment)
                if row is None:
                    rows.pop(id, None)
                else:
                    rows[id] = row
        return rows

    def _row(self, id, base, seen, moment):
        edits = [edit for edit in self._of(id) if edit.made < moment.now]
        last, first = edits[-1], edits[0]
        if last.fields is None:
            # The server has taken the deletion and somebody else's copy of the row can't come back.
            is_gone = moment.lies_on_top(last) or (moment.is_unsure(last) and seen is None)
            return None if is_gone else base
        if base is None:
            is_there = first.is_new and (moment.lies_on_top(first) or (moment.is_unsure(first) and seen is not None))
            base = {} if is_there else None
        if base is None:
            return None
        row = dict(base)
        for name in {name for edit in edits for name in edit.fields or {}}:
            own = [edit for edit in edits if name in (edit.fields or {})]
            if moment.lies_on_top(own[-1]):
                row[name] = own[-1].fields[name]
            elif seen and moment.is_unsure(own[-1]) and seen.get(name) in [edit.fields[name] for edit in own]:
                row[name] = seen[name]
        return row

    def lost(self, rows, aside):
        """What the device wrote that is nowhere, if nothing is unsent any more: `rows` are what the server has, and
        `aside` the ids of what was set aside."""
        for edit in self._edits:
            row = rows.get(edit.id)
            is_there = row is None if edit.fields is None else row and edit.fields.items() <= row.items()
            if not edit.answers and not is_there and edit.id not in aside and not self._is_overwritten(edit):
                yield edit

    def _is_overwritten(self, edit):
        """Whether the device has written something else there, or deleted the row."""
        later = self._edits[self._edits.index(edit) + 1:]
        return any(each.id == edit.id and (each.fields is None or (edit.fields or {}).keys() <= each.fields.keys())
                   for each in later)

    def _of(self, id):
        return [edit for edit in self._edits if edit.id == id]


@dataclasses.dataclass
class Moment:
    """When a device was looked at, with the head that it had."""

    log: object
    project: str
    head: int
    now: int

    def lies_on_top(self, edit):
        """Whether the edit is not in the state that the device shows, and the device must show it."""
        answers = [answer for answer in edit.answers if answer.at < self.now]
        return not answers or any(self._is_later(answer) for answer in answers)

    def is_unsure(self, edit):
        """Whether the device may show the edit or what the server has."""
        answers = [answer for answer in edit.answers if answer.at < self.now]
        return not any(
            answer.commit and answer.known and answer.known <= self.now
            and self.log.has(self.project, answer.commit.numbers[self.project], self.head) for answer in answers)

    def _is_later(self, answer):
        if answer.commit is None or self.project not in answer.commit.numbers:
            return False
        number, log = answer.commit.numbers[self.project], self.log
        return number > self.head and log.history(self.project, number) == log.history(self.project, self.head)


def _is_part(edit, fields):
    """Whether a batch that writes `fields` has this edit."""
    if fields is None or edit.fields is None:
        return fields is None and edit.fields is None
    return any(fields.get(name) == value for name, value in edit.fields.items())
