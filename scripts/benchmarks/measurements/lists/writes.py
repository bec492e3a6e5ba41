"""Uploads to a project with many members, beside one with few; and edits of rows that are listed for few and many."""

import random
import statistics

from benchmarks.figures import Line, Series, at_most
from benchmarks.measurements.lists.project import ListedProject
from benchmarks.measurements.lists.writer import Writer
from harness.sample import SampleServer, page_cache

BATCH, FEW = 100, 5
# Members whose rows a batch has: as many in both projects, or as many as there are.
WHOSE = {"of five members": FEW, "of any members": BATCH}
LISTED = 1, 3, 64
# Rows that are listed for each of these numbers of users.
EDITED = 50


def lines(bench, server, rows):
    many = Writer(server)
    with SampleServer(ListedProject("few-members", FEW, rows // FEW), page_cache(0)) as other:
        few = Writer(other)
        uploads = [
            _upload(bench, (many, few), f"{kind} rows {whose}", work, members) for whose, members in WHOSE.items()
            for kind, work in (("new", Writer.add), ("edited", Writer.edit))
        ]
    return uploads + _edits(bench, many)


def _upload(bench, writers, what, work, members):
    many, few = in_turn(
        bench.rounds, 20 if bench.quick else 200, statistics.mean,
        [lambda writer=writer: work(writer, BATCH, writer.some(members)) for writer in writers])
    counts = [len(writer.users) for writer in writers]
    return Line(
        f"an upload of {BATCH} {what}, in a project of {counts[0]}; of {counts[1]}", many, few,
        at_most(1.1) if members == FEW else None)


def _edits(bench, writer):
    rows = [writer.new(EDITED, users) for users in LISTED]
    one, *others = in_turn(
        bench.rounds, 50 if bench.quick else 500, statistics.median,
        [lambda ids=ids: writer.edit_rows([random.choice(ids)]) for ids in rows])
    return [Line(f"an edit of a row that is listed for {LISTED[0]} user", one)] + [
        Line(f"for {users} users; for {LISTED[0]}", series, one) for users, series in zip(LISTED[1:], others)]


def in_turn(rounds, times, mean, sides):
    """Each side sends so many batches a round, in turn. Of each a series: the mean of a round's milliseconds."""
    results, chance = [[] for _ in sides], random.Random(1)
    for _ in range(rounds):
        spent = [[] for _ in sides]
        for _ in range(times):
            # None is always the first.
            for side in chance.sample(range(len(sides)), len(sides)):
                spent[side].append(sides[side]())
        for result, values in zip(results, spent):
            result.append(mean(values))
    return [Series(result, "ms") for result in results]
