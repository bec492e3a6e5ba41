"""The thread sanitizer over the tests: all of them, as most have several clients at a time."""

import pathlib
import re
import subprocess

from skip import Skipped, require_command
from workplace import ENVIRONMENT, ROOT, TEMP

BUILD = ROOT / ".build" / "threads"
# Where threads meet: the writer and its readers, what is shared between requests, connections, the ends of all these.
QUICK = "WriteQueueTests|SQLiteStoreTests|PageCacheTests|LongReadTests|StreamTests|ShutdownTests|LimitTests"


def check(part, chance):
    require_command("swift")
    _require_sanitizer()
    build = ["--sanitize", "thread", "--scratch-path", str(BUILD)]
    subprocess.run(["swift", "build", "--build-tests", *build], cwd=ROOT, check=True)
    chosen = ["--filter", QUICK] if part > 1 else []
    done = _run(["swift", "test", "--skip-build", "--disable-xctest", *build, *chosen])
    if reports := [report.read_text() for report in TEMP.glob("tsan.*")]:
        kept = BUILD / "reports.log"
        kept.write_text("\n".join(reports))
        count = sum(report.count("WARNING: ThreadSanitizer") for report in reports)
        raise RuntimeError(f"{count} reports, see {kept}")
    passed = re.search(r"Test run with (\d+) tests? .*passed", done.stdout)
    if done.returncode != 0 or not passed or passed[1] == "0":
        raise RuntimeError(f"the tests ended with {done.returncode}: {done.stdout[-2000:]}")
    return f"{int(passed[1]):,} tests without a report"


def _require_sanitizer():
    """It can't start everywhere: it wants the addresses of a process to be where it expects them."""
    program = TEMP / "program.swift"
    program.write_text("print(1)\n")
    made = subprocess.run(["swiftc", "-sanitize=thread", program, "-o", TEMP / "program"], capture_output=True, text=True)
    if made.returncode != 0:
        raise Skipped(f"this toolchain has no thread sanitizer: {made.stderr.strip()[-300:]}")
    done = _run([TEMP / "program"])
    if done.returncode != 0:
        raise Skipped(f"the thread sanitizer does not start: {(done.stderr or done.stdout).strip()[-300:]}")


def _run(command):
    suppressions = pathlib.Path(__file__).with_name("tsan-suppressions.txt")
    options = f"suppressions={suppressions}:log_path={TEMP}/tsan:exitcode=66:history_size=4"
    return subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True,
        env=ENVIRONMENT | {"TSAN_OPTIONS": options})
