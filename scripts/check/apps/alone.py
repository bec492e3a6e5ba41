"""Checks that an app gets the Swift client alone, as docs/swift-app.md says.

A package with the manifest of that page depends on this tree, by its address in Git. It must fetch GRDB and
swift-crypto alone, and build a tool for a site office, whose rows are the models that `tidemark schema --format swift`
prints. What the tool then does is in `office`. The code at the top of the page is built, too, and run as it stands. The
other samples are only compiled. With `resolve`, nothing is built.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from check.apps import office, samples
from check.reporting import check, equal, run
from harness import tidemark
from harness.environment import ENVIRONMENT
from harness.server import Server
from harness.temporary import TEMP

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Stays, so that a later run builds only what has changed.
FOLDER = ROOT / ".build/app"
TREE, APP = FOLDER / "tidemark", FOLDER / "Plans"
PAGE = ROOT / "docs/swift-app.md"
ROWS = ROOT / "Tests/SyncClientTests/Models/PlanRows.swift"
SWIFT = pathlib.Path(__file__).with_name("swift")
# With what the samples are compiled. They name what they do not use.
AROUND = ["-swift-version", "6", "-suppress-warnings", ROWS, SWIFT / "context.swift"]
OLD_TRANSPORT = "import SyncClient\n_ = HTTPTransport.self\n"
OLD_IMPORTS = """
import SyncClient
import SyncProtocol
import SyncURLSession
let transport: any Transport = URLSessionTransport()
let value: JSON = ["name": "Hall"]
"""


def main(how=""):
    take_tree()
    write_app()
    subprocess.run(["swift", "package", "update", "--quiet"], cwd=APP, check=True)
    equal(
        "an app with the client fetches GRDB, swift-crypto, and what that needs", sorted(fetched()),
        ["grdb.swift", "swift-asn1", "swift-crypto", "tidemark"])
    if how == "resolve":
        return
    subprocess.run(["swift", "build", "--quiet"], cwd=APP, check=True)
    built = {path.stem for path in (APP / ".build/debug/Modules").glob("Sync*.swiftmodule")}
    equal(
        "it builds the client's targets and no other", sorted(built),
        ["SyncClient", "SyncClientCore", "SyncProtocol", "SyncTransport", "SyncURLSession", "SyncValues"])
    office.story(APP / ".build/debug/Plans")
    begins()
    equal("the other samples of the page compile", compiled(samples.files(PAGE.read_text()), *AROUND), "")
    equal("an app with the imports of the first versions goes on building", compiled({"old.swift": OLD_IMPORTS}), "")
    words = compiled({"old.swift": OLD_TRANSPORT})
    check("who asks for authorities of their own is told of the other transport",
          "use AsyncHTTPClientTransport of SyncAsyncHTTPClient, with the package's trait Server" in words, words)


def take_tree():
    """The tree as it is now, in a repository of its own."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, set(names)):
        if (ROOT / name).is_symlink() or (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name, follow_symlinks=False)
    git("init", "--quiet", "--initial-branch", "main")
    git("add", "--all", "--force")
    git("-c", "user.name=check", "-c", "user.email=check@localhost", "commit", "--quiet", "--message", "check")


def git(*words):
    subprocess.run(["git", *words], cwd=TREE, check=True)


def write_app():
    """The manifest is the page's. Only the address of this package is another."""
    manifest = of_the_page("// swift-tools-version")
    address = f'url: "{TREE.as_uri()}", branch: "main"'
    target = APP / "Sources/Plans"
    target.mkdir(parents=True, exist_ok=True)
    (APP / "Package.swift").write_text(manifest.replace('path: "../tidemark"', address))
    shutil.copy(SWIFT / "main.swift", target)
    shutil.copy(ROWS, target)


def of_the_page(beginning):
    """The first code of docs/swift-app.md that begins so."""
    return re.search(rf"```swift\n({re.escape(beginning)}.*?)```", PAGE.read_text(), re.S)[1]


def begins():
    """The page begins with a program for the demo project. Only the server's address is another."""
    database, alice = TEMP / "begins.db", ("--project", "demo-project", "--user", "alice", "--role", "member")
    with Server(database, options=["--demo"]) as server:
        words = "correct horse battery"
        tidemark.output("user", "add", "alice", "--password-stdin", database=database, input=words)
        tidemark.output("member", "add", *alice, database=database)
        code = of_the_page("import SyncClient").replace("http://127.0.0.1:8080", server.origin)
        (APP / "Sources/Plans/main.swift").write_text(code)
        subprocess.run(["swift", "build", "--quiet"], cwd=APP, check=True)
        done = subprocess.run(
            [APP / ".build/debug/Plans"], cwd=TEMP, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        equal("the page's first code adds a task and finds it", done.stdout + done.stderr, "2026-06-15 Order paint\n")
        equal("the server has it", tidemark.output("export", "demo-project", "--format", "mspdi", database=database)
              .count("<Name>Order paint</Name>"), 1)


def fetched():
    """The names of all packages that the app depends on."""
    listed = ["swift", "package", "show-dependencies", "--format", "json"]
    packages = [json.loads(subprocess.run(listed, cwd=APP, capture_output=True, text=True, check=True).stdout)]
    for package in packages:
        packages += package["dependencies"]
    return {package["identity"] for package in packages[1:]}


def compiled(texts, *arguments):
    """What the compiler says to source files of an app, by their names, with more arguments."""
    sources = FOLDER / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    sources.mkdir()
    for name, text in texts.items():
        (sources / name).write_text(text)
    sqlite = APP / ".build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap"
    command = ["swiftc", "-typecheck", "-I", APP / ".build/debug/Modules"]
    command += ["-Xcc", f"-fmodule-map-file={sqlite}", *arguments, *sources.iterdir()]
    return subprocess.run(command, capture_output=True, text=True).stderr


if __name__ == "__main__":
    run("app", main, sys.argv[1:])
