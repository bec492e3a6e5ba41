"""Exports plans as Microsoft Project XML: the arguments, else ../shared/data, the demo's and a small one.

Reads each export with mpxj, which knows nothing of Tidemark, and compares what mpxj finds with the rows. Imports each
again, too: the same rows.

Needs Java 11 and, the first time, the Python package index. What cannot be had is skipped, and said.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections import Counter

from check.plans.files import plans
from check.reporting import check, equal, skip
from harness import tidemark
from harness.environment import ROOT
from harness.temporary import TEMP

DATABASE = TEMP / "interchange.db"
# Where mpxj is installed; kept from run to run.
PYTHON = ROOT / ".build/mpxj"
PACKAGES = ["mpxj==16.10.0", "jpype1==1.7.1"]


def main(*files):
    tidemark.add_user("alice", DATABASE)
    for name in ["Kelly Hair", "bob"]:
        tidemark.output("user", "add", name.split()[0].lower(), "--display-name", name, database=DATABASE)
    reader = find_reader()
    for file in plans(files, ROOT / "Sources/tidemark/Demo/demo-plan.xml"):
        check_plan(file, reader)
    check_people(reader)


def find_reader():
    """The Python that has mpxj; None if there can be none."""
    if not shutil.which("java"):
        return skip("*** every check with mpxj ***", "there is no java; install one, as default-jre-headless")
    python = PYTHON / "bin/python"
    if os.environ.get("TIDEMARK_MPXJ_PYTHON"):
        return os.environ["TIDEMARK_MPXJ_PYTHON"]
    if not python.exists() or subprocess.run([python, "-c", "import mpxj"], capture_output=True).returncode != 0:
        commands = [[sys.executable, "-m", "venv", PYTHON], [python, "-m", "pip", "install", "-q", *PACKAGES]]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                return skip("*** every check with mpxj ***", f"{' '.join(map(str, command))}: {done.stderr[-300:]}")
    return str(python)


def check_plan(file, reader):
    name = file.name
    first = imported(file)
    exported, listed = export(first["project"], TEMP / f"out-{name}")
    equal(f"{name}: nothing of an imported plan is lost", listed, [])
    second = imported(exported)
    rows, again = (shape(rows_of(each["project"])) for each in (first, second))
    equal(f"{name}: the import of the export has the same {sum(map(len, rows.values()))} rows", again, rows)
    check_reading(name, rows_of(first["project"]), exported, reader)


def imported(file):
    return json.loads(tidemark.output(
        "import", file, "--owner", "alice", "--add-members", "--json", database=DATABASE))


def export(project, path):
    done = tidemark.run("export", project, "--format", "mspdi", database=DATABASE)
    if done.returncode != 0:
        raise RuntimeError(f"export: {done.stderr}")
    path.write_text(done.stdout, newline="")
    return path, done.stderr.splitlines()


def rows_of(project):
    return json.loads(tidemark.output("export", project, database=DATABASE))["rows"]


def shape(rows):
    """Rows without ids: those that others refer to by their path of names and their number among those of one path."""
    names = {"": ""}
    tasks = {row["id"]: row for row in rows["tasks"]}

    def path(id):
        row = tasks[id]
        return (path(row["parent"]) + " / " if row["parent"] else "") + row["name"]

    for id in tasks:
        names[id] = path(id)
    for row in rows["calendars"]:
        names[row["id"]] = row["name"]
    hidden = {"id", "short_id", "created_at", "updated_at"}
    return {
        collection: Counter(
            json.dumps({key: names.get(value, value) if isinstance(value, str) else value
                        for key, value in row.items() if key not in hidden}, sort_keys=True)
            for row in found
        )
        for collection, found in rows.items()
    }


def check_reading(name, rows, exported, reader):
    if not reader:
        return
    program = pathlib.Path(__file__).with_name("mpxj_plan.py")
    done = subprocess.run([reader, program, exported], capture_output=True, text=True, timeout=120)
    if not check(f"{name}: mpxj reads the export", done.returncode == 0, done.stderr[-600:]):
        return
    plan = json.loads(done.stdout)
    project, calendar = rows["projects"][0], project_calendar(rows)
    equal(f"{name}: title and start", (plan["title"], plan["start"]), (project["name"], project["start_date"]))
    equal(f"{name}: hours of a day", plan["minutes_per_day"] / 60, calendar["hours_per_day"])
    check_tasks(name, rows, plan)
    check_calendars(name, calendar, plan["calendars"])
    check_assignments(name, rows, plan)


def project_calendar(rows):
    return next(row for row in rows["calendars"] if row["id"] == rows["projects"][0]["calendar"])


def check_tasks(name, rows, plan):
    tasks = {row["id"]: row for row in rows["tasks"]}
    read = {task["uid"]: task for task in plan["tasks"]}

    def path(id):
        return (path(tasks[id]["parent"]) if tasks[id]["parent"] else ()) + (tasks[id]["name"],)

    def read_path(uid):
        return (read_path(read[uid]["parent"]) if read[uid]["parent"] else ()) + (read[uid]["name"],)

    links_to = {row["task"]: row["url"] for row in rows.get("task_links", [])}
    expected = Counter(
        (path(id), len(path(id)), row["duration"], round(row["percent_complete"]), row["is_milestone"],
         row["status"] != "ON_HOLD", row["planned_start"], row["notes"], row["wbs_path"] or "", links_to.get(id, ""))
        for id, row in tasks.items()
    )
    seen = Counter(
        (read_path(uid), task["level"], task["days"], round(task["percent"]), task["milestone"], task["active"],
         task["start"], task["notes"], task["wbs"], task["link"])
        for uid, task in read.items()
    )
    same(f"{name}: {len(tasks)} tasks by path, level, days, percent, milestone, start, notes", seen, expected)
    expected = Counter(
        (path(row["predecessor"]), path(row["successor"]), row["dep_type"], row["lag"])
        for row in rows.get("dependencies", [])
    )
    seen = Counter((read_path(from_), read_path(to), kind, lag) for from_, to, kind, lag in plan["links"])
    same(f"{name}: {expected.total()} links by ends, type and lag in days", seen, expected)


def check_calendars(name, calendar, read):
    if not check(f"{name}: mpxj has the calendar", calendar["name"] in [each["name"] for each in read], read):
        return
    found = next(each for each in read if each["name"] == calendar["name"])
    working = [calendar["working_days"] >> day & 1 == 1 for day in range(7)]
    equal(f"{name}: the working days of the calendar", found["working"], working)
    expected = Counter((each["exc_start"], each["exc_end"], each["description"]) for each in calendar["exceptions"])
    seen = Counter(tuple(each[:3]) for each in found["exceptions"])
    same(f"{name}: {expected.total()} exceptions of the calendar by days and name", seen, expected)
    check(f"{name}: no exception is worked on", not any(each[3] for each in found["exceptions"]), found)


def check_assignments(name, rows, plan):
    assigned = [row for row in rows["tasks"] if row["assignee"]]
    equal(f"{name}: assignments", len(plan["assignments"]), len(assigned))
    equal(f"{name}: resources", len(plan["resources"]), len({row["assignee"] for row in assigned}))


def same(what, seen, expected):
    check(what, seen == expected, f"only mpxj: {list(seen - expected)[:3]}; only our rows: {list(expected - seen)[:3]}")


def check_people(reader):
    """A plan with holidays, recurring exceptions, assignees, recurrences and characters that XML has to escape."""
    path = TEMP / "people.xml"
    occurrences = "".join(
        f"<Task><UID>{uid}</UID><Name>Stand-up {uid}</Name><OutlineLevel>2</OutlineLevel>"
        f"<Start>2026-02-{2 + 7 * (uid - 3):02}T09:30:00</Start><Duration>PT8H0M0S</Duration></Task>"
        for uid in range(3, 6)
    )
    path.write_text(f"""<Project xmlns="http://schemas.microsoft.com/project"><Title>People &amp; days</Title>
      <StartDate>2026-02-02T08:00:00</StartDate><MinutesPerDay>450</MinutesPerDay><CalendarUID>1</CalendarUID>
      <Calendars><Calendar><UID>1</UID><Name>Site</Name><IsBaseCalendar>1</IsBaseCalendar><WeekDays>
      <WeekDay><DayType>7</DayType><DayWorking>1</DayWorking></WeekDay></WeekDays><Exceptions>
      <Exception><TimePeriod><FromDate>2026-12-24T00:00:00</FromDate><ToDate>2027-01-01T23:59:00</ToDate></TimePeriod>
      <Name>Yule &lt;off&gt;</Name><Type>1</Type><DayWorking>0</DayWorking></Exception>
      <Exception><TimePeriod><FromDate>2026-05-01T00:00:00</FromDate><ToDate>2026-05-01T23:59:00</ToDate></TimePeriod>
      <Name>Labour day</Name><Type>1</Type><DayWorking>0</DayWorking></Exception></Exceptions></Calendar></Calendars>
      <Tasks><Task><UID>1</UID><Name>Dig "deep" &amp; wide</Name><OutlineLevel>1</OutlineLevel><WBS>A.1</WBS>
      <Start>2026-02-02T08:00:00</Start><Duration>PT15H0M0S</Duration><PercentComplete>40</PercentComplete>
      <HyperlinkAddress>https://example.org/?a=1&amp;b=2</HyperlinkAddress><Notes>One&#10;two</Notes></Task>
      <Task><UID>2</UID><Name>Stand-up</Name><OutlineLevel>1</OutlineLevel><Recurring>1</Recurring></Task>{occurrences}
      <Task><UID>6</UID><Name>Later</Name><OutlineLevel>1</OutlineLevel><Active>0</Active><PredecessorLink>
      <PredecessorUID>1</PredecessorUID><Type>3</Type><LinkLag>-9000</LinkLag><LagFormat>7</LagFormat></PredecessorLink>
      </Task></Tasks><Resources><Resource><UID>1</UID><Name>Kelly Hair</Name></Resource><Resource><UID>2</UID>
      <Name>bob</Name></Resource></Resources><Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID>
      </Assignment><Assignment><TaskUID>6</TaskUID><ResourceUID>2</ResourceUID></Assignment></Assignments></Project>""")
    check_plan(path, reader)
