"""The plans that are checked."""

import pathlib

from check.plans.mspdi import write_small_plan
from check.reporting import skip
from harness.environment import ROOT
from harness.temporary import TEMP


def plans(named, *others):
    """The named files, else those of ../shared/data and `others`; and a small plan."""
    small = write_small_plan(TEMP / "small.xml")
    if named:
        return [*(pathlib.Path(file).absolute() for file in named), small]
    folder = ROOT.parent / "shared/data"
    found = sorted(folder.glob("*.xml"))
    if not found:
        skip("the plans of Microsoft Project", f"there are none in {folder}; name some as arguments")
    return [*found, *others, small]
