"""Imports Microsoft Project plans (the arguments, else ../shared/data and a small one), drains and replicates them."""

import json
import random
import time

from check.plans.files import plans
from check.plans.mspdi import Plan, write_large_plan
from check.replica import differences
from check.reporting import check, equal, skip
from harness import tidemark
from harness.installation import engine
from harness.server import Server
from harness.temporary import TEMP

PAGE_SIZES = [1, 2, 7, 100, 5000]
DATABASE = TEMP / "plans.db"
SECRET = "the content of a file that no plan may read"


def main(*files):
    token = tidemark.add_user("alice", DATABASE)
    server = Server(DATABASE).start()
    for file in plans(files):
        check_plan(file, server, token)
    check_broken(server, token)
    check_chain()
    check_killed(server, token)
    check_usage()


def check_plan(file, server, token):
    name, plan = file.name, Plan(file)
    result = json.loads(tidemark.output("import", file, "--owner", "alice", "--json", database=DATABASE))
    project = server.project(result["project"], token)
    drains = [project.drain(page_size=size) for size in PAGE_SIZES]
    for size, drain in zip(PAGE_SIZES, drains):
        equal(
            f"{name}: page size {size}, {drain.pages} pages: each id once, no page too long, one timestamp",
            drain.problems,
            [],
        )
    check(f"{name}: every page size yields the same rows", all(drain.live() == drains[0].live() for drain in drains))
    check_content(name, plan, result, drains[0].live())
    replica = TEMP / f"{name}.replica"
    tidemark.output("pull", server.origin, "--project", result["project"], "--token", token, "--replica", replica)
    equal(f"{name}: the replica of `tidemark pull` equals the drain", differences(replica, drains[0].live())[:5], [])


def check_content(name, plan, result, rows):
    tasks, links = plan.pulled(rows)
    expected_links = plan.expected_links(result["not_imported"])
    if not plan.compares_durations or not plan.compares_lags:
        skip(f"{name}: durations or lags", "the plan has elapsed or percent units")
    same_set(
        f"{name}: {plan.tasks.total()} tasks as in the XML, by path, duration, percent, milestone, start, notes",
        tasks,
        plan.tasks,
    )
    same_set(f"{name}: {expected_links.total()} links as in the XML, by ends, type, lag", links, expected_links)
    equal(
        f"{name}: every link that is not there is listed",
        len(plan.links) - expected_links.total(),
        len([line for line in result["not_imported"] if line.startswith("link ")]),
    )
    counts = {collection: len(rows.get(collection, {})) for collection in result["counts"]}
    equal(f"{name}: the counts of `import --json` are those pulled", counts, result["counts"])
    if name == "large_flat.xml":
        check(f"{name}: 200 tasks and more", tasks.total() >= 200, tasks.total())
    if name == "cloud_migration.xml":
        equal(f"{name}: 23 links", links.total(), 23)


def same_set(what, seen, expected):
    check(
        what,
        seen == expected,
        f"only pulled: {list(seen - expected)[:3]}; only in the XML: {list(expected - seen)[:3]}",
    )


def check_broken(server, token):
    good = (TEMP / "small.xml").read_bytes()
    secret = TEMP / "secret.txt"
    secret.write_text(SECRET)
    entity = f'<!DOCTYPE Project [<!ENTITY x SYSTEM "file://{secret}">]>\n<Project>'.encode()
    laughs = b'<!DOCTYPE Project [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n<Project>'
    head, body = good.split(b"<Project", 1)
    broken = {
        "truncated.xml": good[: len(good) * 2 // 3],
        "entity.xml": head + entity + b"<Name>&x;</Name>" + b"<Project" + body + b"</Project>",
        "laughs.xml": head + laughs + b"<Name>&b;</Name></Project>",
        "text.xml": b"This is a shopping list.\nMilk, bread.\n",
        "binary.xml": bytes(range(256)) * 40,
        "html.xml": b"<html>\n<body>Not a plan</body></html>",
        "empty.xml": b"",
        "twice.xml": good.replace(b"<UID>5</UID>", b"<UID>4</UID>", 1),
    }
    before = projects(server, token)
    for name, content in broken.items():
        (TEMP / name).write_bytes(content)
        check_refused(name, has_line=name not in ("empty.xml", "binary.xml"))
    check_refused("missing.xml", has_line=False)
    equal("no broken plan left a project behind", projects(server, token), before)
    check(
        "the file that the entity names was not read",
        not any(SECRET.encode() in path.read_bytes() for path in TEMP.glob("plans.db*")),
    )


def check_refused(name, has_line):
    done = tidemark.run("import", TEMP / name, "--owner", "alice", database=DATABASE)
    equal(f"{name}: exit status 1, nothing on stdout", (done.returncode, done.stdout), (1, ""))
    place = f"{TEMP / name}:" if has_line else name
    place_is_there = place in done.stderr and (not has_line or done.stderr.split(place, 1)[1][:1].isdigit())
    is_short = len(done.stderr.splitlines()) <= 3 and SECRET not in done.stderr
    is_clean = not any(word in done.stderr for word in ("Fatal error", "Stack dump", " at 0x", "Swift.", "Usage:"))
    check(
        f"{name}: stderr says where and why, without a stack trace",
        place_is_there and is_short and is_clean,
        done.stderr,
    )


def check_chain():
    """The check for cycles must not walk the whole plan for each link."""
    plan = write_large_plan(TEMP / "chain.xml", 2000, is_chain=True)
    started = time.monotonic()
    tidemark.output("import", plan, "--owner", "alice", database=DATABASE)
    span = time.monotonic() - started
    check("2000 tasks in one chain are imported within 5 s", span <= 5, f"{span:.1f} s")


def check_killed(server, token):
    """Kills imports with -9 at random moments: each project is there whole or not at all."""
    tasks, kills, ends = 5000, 8, []
    plan = write_large_plan(TEMP / "large.xml", tasks, is_chain=False)
    before = projects(server, token)
    started = time.monotonic()
    tidemark.output("import", plan, "--owner", "alice", database=DATABASE)
    span = time.monotonic() - started
    for _ in range(kills):
        process = tidemark.start("import", plan, "--owner", "alice", "--database", engine.address(DATABASE))
        time.sleep(random.uniform(span * 0.3, span * 1.3))
        process.kill()
        ends.append(process.wait())
    new = sorted(set(projects(server, token)) - set(before))
    counts = [len(server.project(project, token).drain(page_size=5000).tasks()) for project in new]
    print(f"{kills} imports of {tasks} tasks, {ends.count(-9)} killed, {len(new) - 1} stored", flush=True)
    equal("every project of a killed import is whole", counts, [tasks] * len(new))
    check(
        "no more projects than imports that ended or were just about to",
        ends.count(0) < len(new) <= kills + 1,
        (ends, len(new)),
    )


def projects(server, token):
    return sorted(row["id"] for row in server.get("/api/v1/projects/?limit=500", token).json["results"])


def check_usage():
    for arguments in [
        ["import"],
        ["nonsense"],
        ["serve", "--port", "abc"],
        ["import", "a.xml", "--owner"],
        ["token", "create"],
        ["token", "create", "--user", "alice", "--expires", "soon"],
    ]:
        done = tidemark.run(*arguments)
        check(
            f"`tidemark {' '.join(arguments)}`: exit status 2",
            done.returncode == 2 and done.stderr,
            (done.returncode, done.stderr),
        )
    for arguments in [[], ["serve"], ["user", "add"], ["token", "create"], ["member", "add"], ["import"], ["pull"]]:
        done = tidemark.run(*arguments, "--help")
        shows = "xample" in done.stdout or not arguments
        check(
            f"`tidemark {' '.join(arguments)} --help`: exit status 0, with an example",
            done.returncode == 0 and shows,
            done.stdout,
        )
