"""Where measured values go: a line each as they come, `docs/benchmarks.md`, and a file of raw figures."""

import json
import re
import sys

from harness.environment import ROOT

PAGE = ROOT / "docs/benchmarks.md"
# What outlives a run, and is not in git: raw figures, the packages of Kinto.
KEPT = ROOT / ".build/bench"
HEAD = ["what", "seen", "beside it", "ratio", "target", ""]


class Report:
    def __init__(self, machine):
        self.machine, self.sections = machine, {}

    def add(self, name, title, lines, remarks):
        self.sections[name] = (title, lines, remarks)
        for line in lines:
            print(f"{name}: {line}", flush=True)
        for remark in remarks:
            if "\n" in remark:
                print(remark, flush=True)

    def write_raw(self):
        KEPT.mkdir(parents=True, exist_ok=True)
        path = KEPT / "figures.json"
        raw = {name: [line.raw for line in lines] for name, (_, lines, _) in self.sections.items()}
        path.write_text(json.dumps({"machine": self.machine, "figures": raw}, indent=1))
        return path

    def update_page(self):
        """Replaces the measured parts of the page, each between its two comments; what is said of them stays."""
        text = PAGE.read_text()
        text = self._replace(text, "machine", table(["", ""], [list(pair) for pair in self.machine.items()]))
        for name, (_, lines, remarks) in self.sections.items():
            stamp = f"Commit {self.machine['commit']}, {self.machine['date']}."
            text = self._replace(text, name, self._section(lines, [*remarks, stamp]))
        PAGE.write_text(text)

    @staticmethod
    def _section(lines, remarks):
        plain = [remark for remark in remarks if "\n" not in remark]
        blocks = [remark for remark in remarks if "\n" in remark]
        parts = ([table(HEAD, [line.cells for line in lines])] if lines else []) + [" ".join(plain)] + blocks
        return "\n\n".join(parts)

    @staticmethod
    def _replace(text, name, content):
        begin, end = f"<!-- measured: {name} -->", "<!-- end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        return pattern.sub(lambda _: f"{begin}\n\n{content}\n\n{end}", text)

    @property
    def unmet(self):
        return [line for _, lines, _ in self.sections.values() for line in lines if line.verdict == "NOT MET"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def require_places(names):
    """Before anything is measured."""
    text = PAGE.read_text()
    for name in ["machine", *names]:
        if f"<!-- measured: {name} -->" not in text:
            raise RuntimeError(f"{PAGE} has no place for {name}")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
