"""Runs the command blocks of the README and the docs as they are printed. See `scripts/check-newcomer`.

    python3 -m check.docs.walk TREE USER [PAGE…]

TREE is a checkout with a built .build/release/tidemark that USER owns. Each page has a shell, which goes through its
blocks from top to bottom and stops at the first command that fails. A block whose command does not end, a server say,
gets a terminal of its own. Each page has a network of its own, where all ports are free; /srv and /backup are empty
folders that only the walk sees.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from check.plans.mspdi import write_small_plan
from harness.environment import ENVIRONMENT

# The README's demo runs already; the other pages have nothing but the command and the files that they speak of.
# All pages of docs/operations are walked, too.
PAGES = ["README.md", "docs/swift-app.md", "docs/upgrading.md", "docs/load-testing.md", "docs/import.md",
         "docs/schemas.md", "docs/postgresql.md"]
IN_THE_TREE = {"README.md", "docs/swift-app.md"}
# The database of a service.
SERVED = """
        mkdir /srv/tidemark
        tidemark user add owner --database /srv/tidemark/plans.db"""
# What a page asks the reader to have, by commands.
BEFORE = {
    "README.md": "curl -sf http://127.0.0.1:8080/ready/",
    "docs/operations/install.md": "mkdir /srv/tidemark",
    "docs/operations/people.md": """
        tidemark user add alice --database plans.db
        for token in 1 2 3; do tidemark token create --user alice --database plans.db; done""",
    "docs/operations/backup.md": SERVED,
    "docs/operations/restore.md": SERVED + """
        tidemark backup /backup --database /srv/tidemark/plans.db
        mkdir away
        mv /srv/tidemark/plans.db* away""",
    "docs/operations/check.md": SERVED,
    "docs/operations/devices.md": "tidemark user add alice --database plans.db",
    "docs/operations/move.md": """
        tidemark user add alice --database here.db
        tidemark import plan.xml --owner alice --project hall --database here.db
        tidemark user add alice --database there.db""",
    "docs/operations/commands.md": "head -c 2000 /dev/urandom > photo.jpg",
    "docs/upgrading.md": SERVED + """
        tidemark import plan.xml --owner owner --database /srv/tidemark/plans.db >/dev/null""",
    "docs/import.md": "tidemark user add alice --database plans.db",
    "docs/schemas.md": """
        tidemark user add owner --database plans.db
        mkdir schemas && cp "$TREE"/Schemas/collections/*.json schemas""",
}
CLUSTER_PAGE = "docs/postgresql.md"
# Blocks that are not run here, by a word in them, and why.
ELSEWHERE = {
    "podman ": "there is no registry of images",
    "scripts/bench": "it takes hours",
    "sudo ": "it changes the machine",
    "s3://": "it needs a bucket",
    ":8081/page": "it needs a server of static files",
    "tidemark@db": "it needs a PostgreSQL server of that name",
}
FOREGROUND = re.compile(r"^(?!.*(--print-config|&\s*$)).*(\btidemark serve\b|^scripts/run\b|--watch\b)", re.M)


class Page:
    def __init__(self, tree, name):
        self.name = name
        text = (tree / name).read_text()
        fences = re.finditer(r"^( *)```sh\n(.*?)^\1```", text, re.S | re.M)
        self.blocks = [(text[: match.start()].count("\n") + 2, dedent(match)) for match in fences]

    def script(self):
        """The page as one script, and what is left out of it."""
        lines, left_out = [PROLOGUE, BEFORE.get(self.name, "")], []
        for number, block in self.blocks:
            place = f"{self.name}:{number}"
            why = next((why for word, why in ELSEWHERE.items() if word in block), None)
            if why:
                left_out.append((place, why))
            elif FOREGROUND.search(block):
                lines.append(f"place={place}\nterminal <<'END_OF_BLOCK'\n{block}END_OF_BLOCK\necho '@ {place}'")
            else:
                lines.append(f"place={place}\n{block}\necho '@ {place}'")
        return "\n".join(lines), left_out


def dedent(match):
    return re.sub(f"^{match.group(1)}", "", match.group(2), flags=re.M)


# `terminal` runs a block whose commands do not end, and waits until its server or its replica is there. A server takes
# the place of the previous one, as when a reader goes from one example to the next.
PROLOGUE = r"""
set -euo pipefail
shopt -s expand_aliases
place=start
trap 'echo "@failed $place: $BASH_COMMAND" >&2' ERR
# A curl that shows an error's document and ends well would hide what went wrong.
curl() { if [[ " $* " == *" -sf "* ]]; then command curl "$@"; else command curl --fail-with-body "$@"; fi; }
declare -A running
terminal() {
    local block port kind=serve scheme=http started
    block=$(cat)
    port=$(grep -o -- '--port [0-9]*' <<<"$block" | cut -d' ' -f2 || true)
    if grep -q -- --watch <<<"$block"; then kind=watch; fi
    if grep -q -- --tls-certificate <<<"$block"; then scheme=https; fi
    if [ -n "${running[$kind]:-}" ]; then
        kill -TERM -- "-${running[$kind]}"
        wait "${running[$kind]}" || true
    fi
    set -m
    ( trap - ERR; eval "$block" ) >"$LOGS/$kind" 2>&1 &
    running[$kind]=$!
    set +m
    for started in {1..300}; do
        kill -0 "${running[$kind]}" 2>/dev/null || break
        if [ "$kind" = watch ]; then
            compgen -G '*.replica' >/dev/null && sleep 1 && return
        elif command curl -ksf "$scheme://127.0.0.1:${port:-8080}/ready/" >/dev/null; then
            return
        fi
        sleep 0.2
    done
    cat "$LOGS/$kind" >&2
    return 1
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
if [ -n "${DEMO:-}" ]; then terminal <<<scripts/run; fi
"""


def enter():
    """Leaves the machine: a root folder of bindings, without /srv and /backup, and with a loopback interface.

    It must not be in the harness's temporary folder. Removing that would remove what is bound here.
    """
    root = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-walk-"))
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", root], check=True)
    for entry in pathlib.Path("/").iterdir():
        if entry.name in ("srv", "backup") or not entry.exists():
            continue
        inside = root / entry.name
        if entry.is_symlink():
            inside.symlink_to(os.readlink(entry))
        elif entry.is_dir():
            inside.mkdir()
            subprocess.run(["mount", "--rbind", entry, inside], check=True)
    return root


def empty_folders(root, user):
    """/srv and /backup, without what the page before has left."""
    for name in ("srv", "backup"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
        shutil.chown(root / name, user)


def files(folder, tree, user):
    """What the pages take for granted: a plan, a password, settings, a certificate."""
    write_small_plan(folder / "plan.xml")
    (folder / "password.txt").write_text("correct horse battery\n")
    (folder / "tidemark.json").write_text('{"sync": {"pullPageSize": 500}}')
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
         "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
        check=True, stderr=subprocess.DEVNULL)
    for path in [folder, *folder.iterdir()]:
        shutil.chown(path, user)


def walk(page, root, tree, user, temp):
    script, left_out = page.script()
    name = page.name.replace("/", "-")
    folder = tree if page.name in IN_THE_TREE else temp / name
    folder.mkdir(exist_ok=True)
    shutil.rmtree(folder / ".demo", ignore_errors=True)
    for replica in folder.glob("*.replica*"):
        replica.unlink()
    files(folder, tree, user)
    empty_folders(root, user)
    logs = temp / f"{name}.logs"
    logs.mkdir()
    shutil.chown(logs, user)
    (temp / f"{name}.sh").write_text(f"cd {folder}\n{script}")
    environment = ENVIRONMENT | {
        "PATH": f"{tree}/.build/release:{os.environ['PATH']}", "HOME": str(logs), "LOGS": str(logs),
        "TREE": str(tree)} | ({"DEMO": "1"} if page.name == "README.md" else {})
    # Processes look themselves up in /proc, which has to be that of their own numbers.
    inside = f"""ip link set lo up && mount -t proc proc {root}/proc &&
        exec chroot --userspec={user} {root} bash {temp}/{name}.sh"""
    command = ["unshare", "--net", "--pid", "--mount", "--fork", "--kill-child", "bash", "-c", inside]
    done = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, err = done.communicate(timeout=900)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        out, err = done.communicate()
        err += "\nnot done after 15 minutes"
    # What a command prints may lack the end of its line.
    for place in re.findall(r"@ (\S+\.md:\d+)$", out, re.M):
        print(f"PASS {place}", flush=True)
    for place, why in left_out:
        print(f"SKIPPED {place}: {why}", flush=True)
    if done.returncode != 0:
        print(f"FAIL {page.name}: exit {done.returncode}\n{out[-500:]}\n{err[-1500:]}", flush=True)
    return done.returncode == 0


def no_cluster(user):
    """Why this user can't have a PostgreSQL cluster here."""
    if user == "root":
        return "PostgreSQL does not run as root"
    path = os.environ["PATH"] + ":/usr/sbin"
    missing = [name for name in ("patroni", "etcd", "nginx") if not shutil.which(name, path=path)]
    return f"there is no {missing[0]}" if missing else None


def main():
    if os.environ.get("TIDEMARK_WALK") != "inside":
        os.environ["TIDEMARK_WALK"] = "inside"
        command = [sys.executable, "-B", "-m", "check.docs.walk", *sys.argv[1:]]
        os.execvp("unshare", ["unshare", "--mount", *command])
    tree, user = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    root = enter()
    temp = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-walk-"))
    try:
        temp.chmod(0o755)
        operations = sorted(str(path.relative_to(tree)) for path in (tree / "docs/operations").glob("*.md"))
        names = sys.argv[3:] or PAGES + operations
        if why := no_cluster(user):
            print(f"SKIPPED {CLUSTER_PAGE}: {why}", flush=True)
            names = [name for name in names if name != CLUSTER_PAGE]
        done = [walk(Page(tree, name), root, tree, user, temp) for name in names]
    finally:
        shutil.rmtree(temp)
    sys.exit(0 if all(done) else 1)


if __name__ == "__main__":
    main()
