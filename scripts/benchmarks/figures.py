"""Measured values, and what is said of them."""

import statistics


class Series:
    """The same thing measured in several rounds."""

    def __init__(self, values, unit, digits=None):
        self.values, self.unit, self.digits = list(values), unit, digits

    @property
    def median(self):
        return statistics.median(self.values)

    def text(self, value):
        digits = self.digits if self.digits is not None else (0 if abs(self.median) >= 100 else 2)
        return f"{value:,.{digits}f}"

    def __str__(self):
        if len(self.values) == 1:
            return f"{self.text(self.median)} {self.unit}"
        spread = f"{self.text(min(self.values))}–{self.text(max(self.values))}"
        return f"{self.text(self.median)} ({spread}) {self.unit}"


class Target:
    """A bound for the ratio to the reference, or for the figure itself."""

    def __init__(self, sign, bound, of="ratio", unit=""):
        self.sign, self.bound, self.of, self.unit = sign, bound, of, unit

    def met(self, line):
        value = line.ratio if self.of == "ratio" else line.ours.median
        return value >= self.bound if self.sign == "≥" else value <= self.bound

    def __str__(self):
        return f"{self.sign} {self.bound:,}" + ("×" if self.of == "ratio" else f" {self.unit}")


def at_least(bound):
    return Target("≥", bound)


def at_most(bound):
    return Target("≤", bound)


def figure_at_least(bound, unit):
    return Target("≥", bound, "figure", unit)


def figure_at_most(bound, unit):
    return Target("≤", bound, "figure", unit)


class Line:
    """One measurement: ours, what it is compared with, and the target if there is one."""

    def __init__(self, name, ours, reference=None, target=None):
        self.name, self.ours, self.reference, self.target = name, ours, reference, target

    @property
    def ratio(self):
        """The median over the rounds, each of which has both side by side."""
        if self.reference is None:
            return None
        return statistics.median(a / b for a, b in zip(self.ours.values, self.reference.values))

    @property
    def verdict(self):
        return "" if self.target is None else "met" if self.target.met(self) else "NOT MET"

    @property
    def cells(self):
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}×"
        return [self.name, str(self.ours), str(self.reference or ""), ratio, str(self.target or ""), self.verdict]

    def __str__(self):
        return " | ".join(cell for cell in self.cells if cell)

    @property
    def raw(self):
        reference = self.reference and {"unit": self.reference.unit, "values": self.reference.values}
        return {
            "name": self.name, "unit": self.ours.unit, "values": self.ours.values, "reference": reference,
            "ratio": self.ratio, "target": self.target and str(self.target), "verdict": self.verdict,
        }


def side_by_side(rounds, **sides):
    """Runs each side once a round, one after the other; the results by side."""
    results = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            results[name].append(run())
    return results
