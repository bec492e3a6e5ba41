"""The thread sanitizer over the tests in which threads meet."""

import pathlib
import re
import subprocess

from harness.compiling import preloaded
from harness.environment import ENVIRONMENT, ROOT
from harness.requirements import Skipped, require_command
from harness.temporary import TEMP

HERE, BUILD = pathlib.Path(__file__).parent, ROOT / ".build" / "threads"
# The whole store, server, client and load tester. A short look is at the writer and its readers, at what requests
# share, and at how all that ends.
FULL = "SyncStoreTests|SyncServerTests|SyncClientTests|SyncLoadTests|ConvergenceTests"
QUICK = (
    "WriteQueueTests|SQLiteStoreTests|PageCache|SharedPage|LongRead|Stream|Shutdown|RateLimit|Replay|TransportTests"
    "|ExchangeTests")

# Tests at a time. All at once each take so long under the sanitizer that clients give up.
AT_ONCE = "16"


def check(part, chance):
    for command in ("swift", "swiftc", "clang"):
        require_command(command)
    _require_sanitizer()
    subprocess.run(
        ["swift", "build", "--build-tests", "--sanitize", "thread", "--scratch-path", BUILD], cwd=ROOT, check=True)
    tests = BUILD / "debug" / "tidemarkPackageTests.xctest"
    done = _run(
        tests, "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", AT_ONCE,
        "--filter", QUICK if part > 1 else FULL)
    seen = done.stdout + done.stderr
    log = BUILD / "tests.log"
    log.write_text(seen)
    if reports := _reports():
        kept = BUILD / "reports.log"
        kept.write_text("\n".join(reports))
        raise RuntimeError(f"{len(reports)} reports, see {kept}. The first: {_summary(reports[0])}")
    passed = re.search(r"Test run with (\d+) tests? in .* passed", seen)
    if done.returncode != 0 or not passed or passed[1] == "0":
        failed = [line for line in seen.splitlines() if "recorded an issue" in line] or [seen[-2000:]]
        raise RuntimeError(
            f"no report, but the tests ended with {done.returncode}, see {log}. " + "\n".join(failed))
    return f"{int(passed[1]):,} tests without a report"


RACE = """
import Dispatch
nonisolated(unsafe) var count = 0
DispatchQueue.concurrentPerform(iterations: 4) { _ in for _ in 0..<1_000_000 { count += 1 } }
"""
MUTEX = """
import Dispatch
import Synchronization
let count = Mutex(0)
DispatchQueue.concurrentPerform(iterations: 4) { _ in for _ in 0..<100_000 { count.withLock { $0 += 1 } } }
"""


def _require_sanitizer():
    """The sanitizer must start, which depends on the layout of addresses. It must report a race, and not a lock."""
    for name, text, isRace in [("race", RACE, True), ("mutex", MUTEX, False)]:
        source, program = TEMP / f"{name}.swift", TEMP / name
        source.write_text(text)
        built = subprocess.run(["swiftc", "-sanitize=thread", source, "-o", program], capture_output=True, text=True)
        if built.returncode != 0:
            raise Skipped(f"this toolchain has no thread sanitizer: {built.stderr.strip()[-300:]}")
        done = _run(program)
        reports = _reports()
        if done.returncode not in (0, 66):
            raise Skipped(f"the thread sanitizer does not start: {(done.stderr or done.stdout).strip()[-300:]}")
        if bool(reports) != isRace:
            raise Skipped(f"the thread sanitizer {'reports a lock' if reports else 'sees no race'} on this machine")


def _run(*command):
    suppressions, shim = (HERE / name for name in ("tsan-suppressions.txt", "tsan-mutex.c"))
    options = f"suppressions={suppressions}:log_path={TEMP}/tsan:exitcode=66:history_size=4"
    return subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, errors="replace",
        env=ENVIRONMENT | {"TSAN_OPTIONS": options, "LD_PRELOAD": str(preloaded(shim, "clang"))})


def _reports():
    """What was reported since the last call."""
    reports = []
    for log in TEMP.glob("tsan.[0-9]*"):
        reports += ["WARNING: ThreadSanitizer" + part for part in log.read_text().split("WARNING: ThreadSanitizer")[1:]]
        log.unlink()
    return reports


def _summary(report):
    return next((line for line in report.splitlines() if line.startswith("SUMMARY")), report.splitlines()[0])
