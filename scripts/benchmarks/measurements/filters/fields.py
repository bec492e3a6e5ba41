"""What fields cost by which parts are pulled, beside the same schema without them."""

import json

from benchmarks import wrk
from benchmarks.figures import Line, Series, side_by_side
from benchmarks.measurements.uploads import CLIENTS, post
from harness.environment import ROOT
from harness.process_stats import processor_seconds
from harness.sample import SampleProject, SampleServer
from harness.temporary import TEMP

ROWS, EDITED, BATCH, FEW = 50_000, 1000, 500, 4
# Small, so that many are done in a second.
EDITS = 50


def lines(bench):
    usual, bare = bench.fresh_project(ROWS, CLIENTS), SampleProject(ROWS, CLIENTS, schemas=_bare_schemas())
    sizes = [Series([project.database.stat().st_size / ROWS], "bytes") for project in (usual, bare)]
    with SampleServer(usual) as ours, SampleServer(bare) as other:
        both, fields = [ours, other], "with five such fields; without"
        return [
            _line(bench, f"a new task, one a batch, {fields}", *[_new(server, CLIENTS, 1) for server in both]),
            _line(bench, f"a new task, {BATCH} a batch, {fields}", *[_new(server, FEW, BATCH) for server in both]),
            _line(
                bench, f"an edit of such a field, {EDITS} a batch; of another field",
                *[_edits(ours, field) for field in ("status", "notes")]),
            Line("a row of the sample on disk, with all such fields; without", *sizes),
        ]


def _bare_schemas():
    """The built-in collections, by whose fields no part can be pulled."""
    folder = TEMP / "bare-schemas"
    folder.mkdir()
    for path in (ROOT / "Schemas/collections").glob("*.json"):
        schema = json.loads(path.read_text())
        for field in schema["properties"].values():
            field.pop("x-filterable", None)
        (folder / path.name).write_text(json.dumps(schema))
    return folder


def _line(bench, name, ours, other):
    seen = side_by_side(bench.rounds, ours=lambda: ours(bench.seconds), other=lambda: other(bench.seconds))
    return Line(f"processor time of {name}", *(Series(seen[side], "µs", 1) for side in ("ours", "other")))


def _cost(server, load, rows):
    """Microseconds of the server's processor for a row, of a load that runs so many seconds."""

    def measured(seconds):
        before = processor_seconds(server)
        batches = load(seconds).requests
        return (processor_seconds(server) - before) / batches / rows * 1e6

    return measured


def _new(server, connections, rows):
    return _cost(server, lambda seconds: post(server.url(), server.project, connections, seconds, rows), rows)


def _edits(server, field):
    """Of some tasks, again and again."""
    tasks = server.fetch(f"?since=0&collections=tasks&page_size={EDITED}").json["changes"]["tasks"]["updated"]
    ids = TEMP / "edited-tasks"
    ids.write_text("".join(task["id"] + "\n" for task in tasks))
    arguments = [ids, field, EDITS, *server.project.tokens]
    return _cost(server, lambda seconds: wrk.load(
        server.url(), FEW, seconds, script="edit.lua", arguments=arguments), EDITS)
