"""The costliest uploads within the limits, and what somebody else's write of one row waits for them."""

import random

from benchmarks.figures import Line, Series, figure_at_most
from deep.attack import costly_batches
from deep.attack.costly_batches import Shape
from deep.attack.scene import LONGEST_WRITE, Scene

TITLE = "A write beside costly uploads"
BATCHES = {
    "500 tasks with 2,000 unknown fields each": Shape(unknown_fields=2000),
    "a viewer's row with 10,000 unknown fields, twice": Shape(rows=1, unknown_fields=10_000, by_viewer=True,
                                                            is_sent_again=True),
    "500 tasks that are wrong in five fields, repaired": Shape(wrong_values=True, on_error="repair", unknown_fields=64),
    "500 tasks with 64 nested unknown fields": Shape(depth=30, unknown_fields=64),
    "500 edits in conflict, merged, twice": Shape(bucket="updated", on_conflict="merge", unknown_fields=65,
                                                wrong_values=True, is_sent_again=True),
}


def measure(bench):
    waits = {name: [] for name in BATCHES}
    plain, chance = {name: [] for name in BATCHES}, random.Random(1)
    with Scene("costly") as scene:
        for turn in range(bench.rounds):
            for step, (name, shape) in enumerate(BATCHES.items()):
                plain[name].append(_wait(scene, Shape(), f"p{turn}-{step}", chance))
                waits[name].append(_wait(scene, shape.fitting(), f"c{turn}-{step}", chance))
    lines = [
        Line(f"beside {name}; 500 plain tasks", Series(waits[name], "ms", 0), Series(plain[name], "ms", 0),
             figure_at_most(LONGEST_WRITE, "ms"))
        for name in BATCHES
    ]
    return lines, ["The longest write of one row by another user to another project, while the batch is under way."]


def _wait(scene, shape, prefix, chance):
    wait, answer = scene.bystander.longest(lambda: costly_batches.sent(scene, shape, prefix, chance))
    if answer.status != 200:
        raise RuntimeError(f"{shape}: {answer}")
    return wait
