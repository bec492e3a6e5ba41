"""Small parts of the hot paths: compression, the cursor, the reading of a batch."""

import json
import uuid

from benchmarks.bench import program
from benchmarks.figures import Line, Series
from benchmarks.peers import reference
from benchmarks.report import table
from harness.processes import output
from harness.sample import SampleServer
from harness.temporary import TEMP

TITLE = "Parts"


def measure(bench):
    one, many = ([_parts(rows) for _ in range(bench.rounds)] for rows in (1, 500))
    lines = [
        _line("a cursor written", one, "cursor_encode_ns"),
        _line("a cursor read", one, "cursor_decode_ns"),
        _line(f"the JSON of a batch of one row, {one[0]['bytes']:,} bytes", one, "json_parse_ns"),
        _line("its rows read", one, "upload_request_ns"),
        _line(f"the JSON of a batch of 500 rows, {many[0]['bytes']:,} bytes", many, "json_parse_ns"),
        _line("its rows read", many, "upload_request_ns"),
    ]
    return lines, ["Each is the mean over 0.2 s, in one thread.", _gzip(bench)]


def _line(name, seen, member):
    return Line(name, Series([values[member] / 1000 for values in seen], "µs", 1))


def _parts(rows):
    path = TEMP / f"batch-{rows}.json"
    path.write_text(json.dumps(batch(rows)))
    return reference.parts("parts", "--batch", path)


def batch(rows):
    """As `wrk/upload.lua` has it."""
    tasks = [
        {
            "id": str(uuid.uuid4()), "name": f"Pour the foundation of hall {index}", "wbs_path": f"1.4.{index}",
            "status": "IN_PROGRESS", "duration": 5, "percent_complete": 25,
            "notes": "Ask the surveyor for the final height first.", "planned_start": "2026-03-02",
        }
        for index in range(rows)
    ]
    changes = {"tasks": {"created": tasks, "updated": [], "deleted": []}}
    return {"client_batch_id": str(uuid.uuid4()), "changes": changes}


def _gzip(bench):
    """Time and size by library and level, of one page."""
    page, project = TEMP / "gzip-page", bench.project(100_000)
    with SampleServer(project) as server:
        page.write_bytes(server.fetch("?since=0").body)
    rows = {}
    for line in output(program("gzip-levels.c", "-lz", "-ldeflate"), page).splitlines():
        library, level, nanoseconds, size = line.split()
        rows.setdefault(level, [level]).extend([f"{int(nanoseconds) / 1e6:.2f} ms", f"{int(size) / 1024:,.1f} KiB"])
    head = ["level", "zlib", "", "libdeflate", ""]
    size = page.stat().st_size / 1024
    return f"A page of 1000 rows ({size:,.0f} KiB), best of nine:\n\n" + table(head, rows.values())
