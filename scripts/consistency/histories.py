"""Histories: what devices and the world do, drawn from a seed, as values."""

import dataclasses
import random

from consistency.faults import KINDS

# What an operation does, and how often it is drawn. Other kinds of devices add theirs here.
DEVICE_KINDS = {"page": 12, "write": 8, "sync": 2, "cut": 2, "other": 1, "lose": 1}
# How many moments there are for one in which a fault begins, if there is one kind of them, and if there are several.
CALM, CALMER = 6, 10
# How many kinds of faults a history has.
MOST_FAULTS = 4
# What nobody else does anything beside; and how many moments there are for one of it.
ALONE_KINDS = {"backup": 1, "restore": 1}
COMPANY = 30
# The same of certain workloads.
ALONE_KINDS_OF = {"visibility": {"grant": 1}}
COMPANY_OF = 6


@dataclasses.dataclass(frozen=True)
class Operation:
    kind: str
    # Which device does it; None for the world.
    device: int | None
    # Numbers that stand for what is left to chance.
    picks: tuple = ()

    def __str__(self):
        actor = "world" if self.device is None else f"device {self.device}"
        return f"{actor}: {self.kind}"


@dataclasses.dataclass(frozen=True)
class DeviceForm:
    """How a device reads."""

    page_size: int
    # Whether a proxy takes the header `Tidemark-Head` away.
    loses_header: bool
    # Of `kinds.ALL`.
    kind: str = "pages"


@dataclasses.dataclass(frozen=True)
class History:
    seed: int
    workload: str
    is_user_wide: bool
    projects: int
    tasks: int
    devices: tuple
    # The kinds of faults that may happen.
    faults: tuple
    # The operations of a moment are done at the same time, each by another device.
    moments: tuple

    def __str__(self):
        scope = f"{self.projects} projects" if self.is_user_wide else "one project"
        faults = ", ".join(self.faults) or "none"
        return (
            f"seed {self.seed}, {self.workload}, {scope}, {self.tasks} tasks, {len(self.devices)} devices, faults: "
            f"{faults}")

    @property
    def operations(self):
        return [operation for moment in self.moments for operation in moment]

    def lines(self):
        """The history for people to read: a line for each moment."""
        for number, form in enumerate(self.devices):
            header = "without the header" if form.loses_header else "with the header"
            yield f"device {number} ({form.kind}) reads pages of {form.page_size}, {header}"
        for moment in self.moments:
            yield " | ".join(map(str, moment))

    def keeping(self, kept):
        """The history with only the operations whose positions are in `kept`."""
        numbers = iter(range(len(self.operations)))
        moments = [tuple(each for each in moment if next(numbers) in kept) for moment in self.moments]
        return dataclasses.replace(self, moments=tuple(moment for moment in moments if moment))


def draw(seed, workload, faults=(), kinds=("pages",), length=60):
    """`faults` are the kinds that may happen, of `consistency.faults.KINDS`. A history has one of them, or several."""
    chance = random.Random(f"{seed} {workload}")
    is_user_wide = chance.random() < 0.5
    devices = tuple(
        DeviceForm(chance.choice([1, 2, 3, 5, 8]), chance.random() < 0.3) for _ in range(chance.randint(2, 4)))
    # By numbers of their own: the rest of a history does not depend on them.
    others = random.Random(f"{seed} {workload} kinds")
    devices = tuple(dataclasses.replace(device, kind=others.choice(kinds)) for device in devices)
    several = chance.randint(2, MOST_FAULTS) if chance.random() < 0.6 else 1
    drawn = tuple(chance.sample(sorted(faults), min(several, len(faults))))
    alone = ALONE_KINDS_OF.get(workload)
    return History(
        seed=seed, workload=workload, is_user_wide=is_user_wide, projects=3 if is_user_wide else 1,
        tasks=chance.choice([6, 9, 15, 24]), devices=devices, faults=drawn,
        moments=tuple(_moment(chance, len(devices), alone, drawn) for _ in range(length)))


def _moment(chance, devices, alone, faults):
    if alone and chance.randrange(COMPANY_OF) == 0:
        return (_operation(chance, alone, None),)
    if "restore" in faults and chance.randrange(COMPANY) == 0:
        return (_operation(chance, ALONE_KINDS, None),)
    actors = chance.sample(range(devices), chance.randint(1, devices))
    moment = [_operation(chance, DEVICE_KINDS, actor) for actor in actors]
    beside = {kind: KINDS[kind][1] for kind in faults if KINDS[kind][1]}
    if beside and chance.randrange(CALM if len(beside) == 1 else CALMER) == 0:
        moment.append(_operation(chance, beside, None))
    return tuple(moment)


def _operation(chance, kinds, device):
    kind = chance.choices(list(kinds), kinds.values())[0]
    return Operation(kind, device, tuple(chance.randrange(1 << 30) for _ in range(3)))


def shrunk(history, fails, tries=60):
    """The shortest history found that still fails. Halves are left out as long as the rest fails, then quarters."""
    kept, size = list(range(len(history.operations))), len(history.operations) // 2
    while size and tries > 0:
        begin, is_shorter = 0, False
        while begin < len(kept) and tries > 0:
            rest = kept[:begin] + kept[begin + size:]
            tries -= 1
            if fails(history.keeping(set(rest))):
                kept, is_shorter = rest, True
            else:
                begin += size
        size = size if is_shorter and size == 1 else size // 2
    return history.keeping(set(kept))
