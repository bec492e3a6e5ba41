"""A member's first pull of a large project, beside one of a project that has just the same rows."""

from benchmarks.figures import Line, Series, at_most, side_by_side
from benchmarks.measurements.filters.part import Phone, query
from benchmarks.measurements.lists.project import ListedProject
from harness.sample import SampleServer, page_cache

PULLED = 20


def lines(bench, server, each):
    members = len(server.project.tokens)
    counts = [0] * (members - 1) + [each]
    phones = _phones(server, server.project.tokens[-PULLED:], each)
    with SampleServer(ListedProject("alone", members, counts), page_cache(0)) as alone, SampleServer(
            ListedProject("plain", members, counts, is_listed=False), page_cache(0)) as plain:
        sides = {"ours": phones} | {
            name: _phones(other, other.project.tokens[-1:], each)
            for name, other in (("alone", alone), ("plain", plain))
        }
        seen = side_by_side(bench.rounds, **{
            name: lambda some=some: _milliseconds(some, bench.seconds) for name, some in sides.items()})
    ours, name = Series(seen["ours"], "ms"), f"a cold pull of a member who sees {each:,} of {members * each:,} rows"
    return [
        Line(f"{name}; of a project with these {each:,}", ours, Series(seen["alone"], "ms"), at_most(2)),
        Line("the same; of such a project without lists", ours, Series(seen["plain"], "ms"), at_most(2)),
    ]


def _phones(server, tokens, each):
    phones = [Phone(server, token) for token in tokens]
    for phone in phones:
        pages = phone.drain(query(0))
        rows = sum(len(page.json["changes"].get("inspections", {}).get("updated", [])) for page in pages)
        if rows != each:
            raise RuntimeError(f"a member has {rows} rows instead of {each}")
    return phones


def _milliseconds(phones, seconds):
    """Of a pull, on average over so many seconds."""
    pulls, before = 0, _spent(phones)
    while _spent(phones) - before < seconds:
        phones[pulls % len(phones)].drain(query(0))
        pulls += 1
    return (_spent(phones) - before) / pulls * 1e3


def _spent(phones):
    return sum(phone.seconds for phone in phones)
