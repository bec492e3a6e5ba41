"""How much is measured, and what is made once for several measurements."""

import pathlib

from harness.compiling import compiled, preloaded
from harness.sample import SampleProject
from harness.temporary import TEMP

C = pathlib.Path(__file__).with_name("c")


class Bench:
    def __init__(self, quick, rounds, against=None):
        """`against` is the commit of a version that is compared with this one."""
        self.quick, self.rounds, self.against = quick, rounds, against
        self.seconds = 1 if quick else 3
        self.sizes = [10_000, 100_000] if quick else [10_000, 100_000, 1_000_000]
        self._projects = {}

    def project(self, rows, users=1):
        """Made at the first call; for reading. Uploads get `fresh_project`."""
        if (rows, users) not in self._projects:
            self._projects[rows, users] = SampleProject(rows, users)
        return self._projects[rows, users]

    def fresh_project(self, rows, users=1):
        """A file that nobody else has."""
        project = SampleProject(rows, users)
        self._projects.pop((rows, users), None)
        return project.renamed(f"fresh-{len(list(TEMP.glob('fresh-*.db')))}")


def program(name, *options):
    """One of the programs in C."""
    return compiled(C / name, *options)


def library(name):
    """One of them for LD_PRELOAD."""
    return preloaded(C / name)
