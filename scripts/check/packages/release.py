"""What scripts/release makes: the same bytes twice, and what is in the files."""

import filecmp
import functools
import json
import os
import pathlib
import re
import subprocess

from check.reporting import check, equal, skip
from harness import tidemark
from harness.environment import ENVIRONMENT, ROOT
from harness.processes import output
from harness.requirements import Skipped, require_package
from harness.temporary import TEMP

# Two ways to run it, which must not matter.
PLAIN = {"umask": 0o022, "environment": {"TZ": "UTC"}}
STRANGE = {"umask": 0o077, "environment": {"TZ": "Asia/Tokyo", "LC_ALL": "C"}}


class Release:
    """The files of a release."""

    def __init__(self, folder, version):
        self.folder, self.version = folder, version

    def only(self, pattern):
        found = list(self.folder.glob(pattern))
        if len(found) != 1:
            raise RuntimeError(f"{pattern}: {[path.name for path in found]}")
        return found[0]

    @property
    def package(self):
        return self.only("*.deb")


def make(name, version, binary=None, has_image=False, umask=0o022, environment=None):
    """Has scripts/release package a binary."""
    command = [ROOT / "scripts/release", version, "--binary", binary or tidemark.BINARY, "--out", TEMP / name]
    command += ["--build", os.environ["TIDEMARK_BUILD"]] + ([] if has_image else ["--no-image"])
    done = subprocess.run(
        [str(word) for word in command], env=ENVIRONMENT | (environment or {}), umask=umask, capture_output=True,
        text=True)
    if done.returncode != 0:
        raise RuntimeError(f"scripts/release ended with {done.returncode}: {done.stderr[-2000:]}")
    return Release(TEMP / name, version)


@functools.cache
def plain():
    return make("plain", tidemark.output("--version").split(",")[0].strip(), **PLAIN)


@functools.cache
def with_image():
    return make("image", tidemark.output("--version").split(",")[0].strip(), has_image=True, **STRANGE)


def check_bytes(has_image):
    """Two releases of one binary. The image is compared too, if it is to be tried."""
    if changed := output("git", "status", "--porcelain", cwd=ROOT).strip():
        skip("what is not committed", f"a release has the last commit: {changed.splitlines()[0]} …")
    one = make("image-again", plain().version, has_image=True, **PLAIN) if has_image else plain()
    other = with_image() if has_image else make("strange", plain().version, **STRANGE)
    names = sorted(path.name for path in one.folder.iterdir())
    equal("both releases have the same files", sorted(path.name for path in other.folder.iterdir()), names)
    _, different, errors = filecmp.cmpfiles(one.folder, other.folder, names, shallow=False)
    equal("the same binary gives the same bytes: " + ", ".join(names), different + errors, [])
    check_sums("SHA256SUMS is right", one.folder)


def check_sums(what, folder):
    command = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    check(what, done.returncode == 0, done.stdout + done.stderr)


def check_tarball():
    folder = TEMP / "unpacked"
    folder.mkdir()
    output("tar", "--extract", "--directory", folder, "--file", plain().only("*.tar.gz"))
    top = next(folder.iterdir())
    check_sums("the tarball's SHA256SUMS is right", top)
    files = {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file()}
    listed = {line.split(maxsplit=1)[1] for line in (top / "SHA256SUMS").read_text().splitlines()}
    equal("SHA256SUMS names every file of the tarball", files - listed, {"SHA256SUMS"})
    version = output(top / "tidemark", "--version", env=ENVIRONMENT).split(",")[0].strip()
    equal("the binary says its version", version, plain().version)
    equal("the binary holds no path of the machine that built it", build_paths(top / "tidemark"), [])
    served = json.loads((top / "openapi.json").read_text())
    check("openapi.json describes the API", served["openapi"].startswith("3.1"))
    links = re.findall(r"\]\((?!https?:)([^)#]+\.md)", (top / "docs/packages.md").read_text())
    equal("the pages that docs/packages.md names are there",
          [link for link in links if not (top / "docs" / link).exists() and not link.startswith("../")], [])
    check_clients(top)
    check_list(top / "tidemark.spdx.json")


def build_paths(binary):
    """Paths in the checkout, or in SwiftPM's folder of the build, that the compiler has written into the binary."""
    build = re.escape(str(pathlib.Path(os.environ["TIDEMARK_BUILD"]).absolute().parent)).encode()
    return sorted({path.decode() for path in re.findall(build + rb"/[\w./-]+", binary.read_bytes())})[:3]


def check_clients(top):
    """The clients can be installed from their tarballs, without a network, and imported."""
    app = TEMP / "app"
    app.mkdir()
    (app / "package.json").write_text('{"type": "module"}')
    tarballs = sorted((top / "clients").glob("*.tgz"))
    output("npm", "install", "--offline", "--no-audit", "--no-fund", *tarballs, cwd=app)
    for name in ("tidemark-watermelondb", "tidemark-web"):
        count = output("node", "--eval", f"import('{name}').then(all => console.log(Object.keys(all).length))", cwd=app)
        check(f"{name} can be imported from its tarball", int(count) > 0, count)


def check_list(file):
    """The list of what is linked in, by the tools of SPDX themselves."""
    listed = json.loads(file.read_text())
    names = {each["name"] for each in listed["packages"]}
    expected = {"grdb.swift", "hummingbird", "swift-nio", "swift-crypto", "zlib", "boringssl", "libsqlite3-0", "libc6"}
    equal("the list of what is linked in has what everybody knows of", expected - names, set())
    try:
        tools = require_package("spdx-tools")
    except Skipped as reason:
        return skip("the list's form", reason)
    done = subprocess.run([tools / "pyspdxtools", "--infile", file], capture_output=True, text=True)
    check("the tools of SPDX take the list", done.returncode == 0, done.stdout + done.stderr)


def check_lint():
    done = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error,warning", plain().package], capture_output=True, text=True)
    check("lintian has neither errors nor warnings", done.returncode == 0, done.stdout + done.stderr)
    overrides = (ROOT / "scripts/packages/debian/tidemark.lintian-overrides").read_text().splitlines()
    reasons = [overrides[place - 1].startswith("#") for place, line in enumerate(overrides) if not line.startswith("#")]
    check("each override has its reason", all(reasons), overrides)
