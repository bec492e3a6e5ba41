"""Makes the runs. See `scripts/check-consistency`."""

import argparse
import collections
import os
import random
import sys
import time

# The mistakes that can be planted, with what each is.
PLANTS = {
    "rule-off": "every drain counts",
    "first-head": "a drain counts by the head of its first page",
    "resumed": "the last page of a drain that was taken up again counts as a drain of one page",
    "lagging-mark": "the server tells the head that it knew when the drain began",
    "stale-cache": "the server gives a first page again after a commit",
    "adopted-answer": "a device takes the number of its upload for its watermark",
    "cleared-watermark": "an upload clears the watermark of its device, which is then read anew in place",
    "kept-outlive": "kept pages are applied after another process has moved the watermark",
}
# The same of devices that wait for events.
PLANTS_OF_EVENTS = {"lost-event": (["events"], "every second event is swallowed")}
# Page readers, those of them that wait for events, and the clients: the web client, the adapter for WatermelonDB, and
# the Swift client.
DRAWN = ["pages", "events", "web", "adapter", "swift"]
# A browser takes a second to start, so it takes part only where it is named.
KINDS = [*DRAWN, "chromium"]
# A planted mistake must be found within so many runs.
MOST_RUNS_OF_PLANT = 50


def main():
    from consistency.apps import plants as plants_of_apps
    from consistency.faults import KINDS as FAULTS
    from consistency.workloads import ALL
    from harness.installation import engine

    plants = PLANTS | {name: what for name, (_, what) in (PLANTS_OF_EVENTS | plants_of_apps.ALL).items()}
    parser = argparse.ArgumentParser(
        prog="scripts/check-consistency", description="Looks for states that never were.",
        epilog=f"Faults: {listed({name: what for name, (what, _) in FAULTS.items()})}. "
        f"Mistakes that can be planted: {listed(plants)}.")
    parser.add_argument("--runs", type=int, help=f"default 20; with --plant at most, default {MOST_RUNS_OF_PLANT}")
    parser.add_argument("--seed", type=int, help="of the first run; the next ones follow")
    parser.add_argument("--moments", type=int, default=60, help="of a run, default 60")
    parser.add_argument("--workload", choices=ALL, help="one only; otherwise in turn")
    parser.add_argument(
        "--faults", metavar="KIND,…", help="only faults of these kinds, or `none`; otherwise all that are possible "
        "here. A run has one of them, or several")
    parser.add_argument("--plant", choices=plants, metavar="NAME", help="a mistake that must be found")
    parser.add_argument(
        "--database", choices=engine.NAMES, default="sqlite", help="with postgresql there are two servers")
    parser.add_argument(
        "--devices", type=lambda text: text.split(","), metavar="KIND,…",
        help=f"only devices of these kinds, of {', '.join(KINDS)}. Default: all but chromium, each drawn by the seed; "
        "with --plant those that have the mistake, and page readers")
    parser.add_argument("--binary", help="the binary to check, instead of $TIDEMARK")
    options = parser.parse_args()
    having, _ = (PLANTS_OF_EVENTS | plants_of_apps.ALL).get(options.plant, ([], None))
    options.devices = options.devices or (["pages", *having] if options.plant else DRAWN)
    if unknown := set(options.devices) - set(KINDS):
        parser.error(f"there are no devices {', '.join(sorted(unknown))}")
    options.faults = list(FAULTS) if options.faults is None else options.faults.removesuffix("none").split(",")
    if unknown := [kind for kind in options.faults if kind not in FAULTS and kind]:
        parser.error(f"there is no fault {unknown[0]}; there are {', '.join(FAULTS)}")
    if options.binary:
        os.environ["TIDEMARK"] = options.binary
    os.environ[engine.VARIABLE] = options.database
    options.seed = random.randrange(1_000_000) if options.seed is None else options.seed
    options.runs = options.runs or (MOST_RUNS_OF_PLANT if options.plant else 20)
    sys.exit(Campaign(options, list(ALL)).run())


def listed(names):
    return "; ".join(f"{name}: {what}" for name, what in names.items())


class Campaign:
    def __init__(self, options, workloads):
        # Only now, since these read $TIDEMARK and make the temporary folder.
        from consistency import kinds
        from consistency.server import Installation
        from harness.signals import end_on_signals

        end_on_signals()
        self._options, self._workloads = options, [options.workload] if options.workload else workloads
        self._kinds = kinds.available(options.devices)
        self._installation, self._started = Installation(kind for kind in options.faults if kind), time.monotonic()
        self._looks = self._commits = self._restores = self._longest = 0
        # How many faults there were, and how many runs had some.
        self._faults, self._runs_with = collections.Counter(), collections.Counter()

    def run(self):
        """The exit status."""
        from consistency import histories

        print(f"seed {self._options.seed}", flush=True)
        self._say_what_is_skipped()
        for number in range(self._options.runs):
            seed = self._options.seed + number
            history = histories.draw(
                seed, self._workloads[seed % len(self._workloads)], self._installation.kinds, self._kinds,
                self._options.moments)
            if problems := self._problems(history):
                return self._failed(history, problems, number + 1)
        seconds = time.monotonic() - self._started
        counts = f"{self._commits} commits, {self._looks} looks, {self._restores} restores, {seconds:.0f} s"
        print("faults: " + (", ".join(
            f"{kind} {self._faults[kind]} in {runs} runs" for kind, runs in sorted(self._runs_with.items())) or "none"))
        print(f"{self._options.runs} runs, {counts}, healed within {self._longest:.1f} s: ", end="")
        print(f"FAILED: {self._options.plant} was not found" if self._options.plant else "no state that never was")
        return 1 if self._options.plant else 0

    def _problems(self, history):
        from consistency.run import Run

        run = Run(history, self._installation, self._options.plant)
        problems = run.problems()
        self._looks, self._commits = self._looks + len(run.log.looks), self._commits + len(run.log.commits)
        self._restores += len(run.log.restores)
        self._longest = max(self._longest, run.healed or 0)
        self._faults += run.faults.counts
        self._runs_with += collections.Counter(run.faults.counts.keys())
        return problems

    def _say_what_is_skipped(self):
        for kind, reason in self._installation.skipped.items():
            print(f"*** SKIPPED {kind}: {str(reason).splitlines()[0]} ***", flush=True)

    def _failed(self, history, problems, runs):
        if self._options.plant:
            print(f"{self._options.plant} is found in run {runs}, {history}: {problems[0]}")
            return 0
        from consistency import histories

        print(f"FAILED: {history}: {len(problems)} problems, first: {problems[0]}", flush=True)
        seen = [problems]

        def fails(shorter):
            if found := self._problems(shorter):
                seen.append(found)
            return found

        shorter = histories.shrunk(history, fails)
        print(f"{len(shorter.operations)} operations of {len(history.operations)} are left:")
        print("\n".join(f"  {line}" for line in shorter.lines()))
        print("\n".join(f"  {problem}" for problem in seen[-1][:10]))
        print(
            f"again: scripts/check-consistency --seed {history.seed} --workload {history.workload} --runs 1 "
            f"--devices {','.join(self._kinds)} --moments {self._options.moments} "
            f"--faults {','.join(self._installation.kinds) or 'none'}")
        return 1


if __name__ == "__main__":
    main()
