"""Parts of a project: what filters cost those who write, those who pull, the line, and the file."""

from benchmarks.measurements.filters import amounts, cold, deltas, fields, polls

TITLE = "Filters"


def measure(bench):
    lines = [line for each in (polls, deltas, cold, amounts, fields) for line in each.lines(bench)]
    return lines, [
        "As the adapter asks: deltas with `filter` and `filter_was=same`, compressed. Each phone beside the uploads "
        "has a filter of its own: its user's tasks, two sprints, a window of dates, or all three. The writers edit 50 "
        "tasks again and again, and each fourth edit changes a status; so a poll looks at up to 50 rows. 10,000 phones "
        "are 333 polls a second: if there were fewer, the server had no time left, and the ratio of uploads flatters "
        "it. Deltas and cold pulls are asked by one client, without a page cache. Bytes are those of the answers, and "
        "of the paths that ask. The sample has one sprint for 1,000 rows, in each some 200 tasks."
    ]
