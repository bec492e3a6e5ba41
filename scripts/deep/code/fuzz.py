"""Fuzzers: libFuzzer makes inputs for each `FuzzTarget`, led by the code that they reach."""

import concurrent.futures
import os
import re
import shutil
import subprocess

from harness.environment import ENVIRONMENT, ROOT
from harness.requirements import require_command
from harness.temporary import TEMP

SECONDS, AT_ONCE = 600, 2
# The longest input of each, in bytes.
TARGETS = {"cursor": 512, "query": 1024, "upload": 4096, "plan": 8192, "schema": 4096}

# Places that any target reaches. A fuzzer that is led by the C libraries alone reaches fewer.
LEAST_REACHED = 250

# Swift keeps bits of its own in references: to the leak sanitizer, what is held seems lost. Swift's backtracer would
# stop a process that libFuzzer ends, for ever.
SWIFT = {"ASAN_OPTIONS": "detect_leaks=0", "SWIFT_BACKTRACE": "enable=no"}

PACKAGE, BUILD = ROOT / "scripts" / "fuzz", ROOT / ".build" / "fuzz"


def check(part, chance):
    require_command("swift")
    for target in TARGETS:
        build(f"fuzz-{target}")
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [pool.submit(run, target, SECONDS // part, chance.randrange(1, 1 << 31)) for target in TARGETS]
    failed = [run.exception() for run in runs if run.exception()]
    if failed:
        raise RuntimeError("; ".join(map(str, failed)))
    return "; ".join(run.result() for run in runs)


def build(product):
    """One at a time: all together include the server's own executables, whose `main` libFuzzer has as well."""
    # SwiftPM passes two `-sanitize`, of which the Swift compiler takes the last alone: hence the third.
    command = ["swift", "build", "-c", "release", "--package-path", PACKAGE, "--scratch-path", BUILD,
               "--sanitize", "fuzzer", "--sanitize", "address", "-Xswiftc", "-sanitize=fuzzer,address",
               "--product", product]
    # The sanitizers are a set to SwiftPM: in another order they are other arguments, and all is built again.
    subprocess.run([str(word) for word in command], env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}, check=True)


def run(target, seconds, seed):
    """What came of one fuzzer. Raises with the input if that ended it."""
    corpus, finds = TEMP / f"corpus-{target}", BUILD / "finds"
    shutil.copytree(ROOT / "Tests" / "FuzzTests" / "Corpus" / target, corpus)
    finds.mkdir(exist_ok=True)
    words = PACKAGE / "dictionaries" / f"{target}.dict"
    fuzzer = BUILD / "release" / f"fuzz-{target}"
    done = subprocess.run(
        [fuzzer, corpus, f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={TARGETS[target]}", "-timeout=10",
         "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={finds}/{target}-",
         *([f"-dict={words}"] if words.exists() else [])],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT | SWIFT | {"TMPDIR": str(TEMP)},
        encoding="utf-8", errors="replace")
    if done.returncode != 0:
        found = re.search(r"Test unit written to (\S+)", done.stderr)
        log = finds / f"{target}.log"
        log.write_text(done.stderr)
        raise RuntimeError(
            f"{target} ended with {done.returncode}, see {log}. "
            + (f"Again: SWIFT_BACKTRACE=enable=no {fuzzer} {found[1]}. "
               f"Fix it, and keep the input in Tests/FuzzTests/Corpus/{target}/."
               if found else ""))
    executions = int(re.search(r"number_of_executed_units: (\d+)", done.stderr)[1])
    reached = max(map(int, re.findall(r"cov: (\d+)", done.stderr)), default=0)
    if reached < LEAST_REACHED:
        raise RuntimeError(
            f"{target} reached {reached} places in {executions:,} inputs: it does not see the server's code")
    return f"{target} {executions:,} inputs, {reached:,} places reached"
